// Load sends durable writes to a Kubernetes API over a fixed number of HTTPS connections and reports the rate, and how
// soon watchers see them.
//
// It is written in Go because a load generator in Python would cost more than the servers it measures.
package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

var (
	base        = flag.String("url", "", "base URL of the API")
	token       = flag.String("token", "", "bearer token")
	caFile      = flag.String("ca", "", "file with the certificate authority")
	collection  = flag.String("collection", "", "path of the collection to write to")
	object      = flag.String("object", "", "file with the object as JSON; NAME in it is replaced")
	verb        = flag.String("verb", "create", "create or patch")
	patch       = flag.String("patch", "", "the merge patch; NUMBER in it is replaced")
	subresource = flag.String("subresource", "", "what of the object is patched; empty = the object itself")
	prefix      = flag.String("prefix", "load", "names begin with this")
	count       = flag.Int("count", 1000, "how many writes")
	connections = flag.Int("connections", 50, "how many connections")
	rate        = flag.Float64("rate", 0, "writes per second; 0 = as many as possible")
	watchers    = flag.Int("watchers", 0, "how many watches to hold on the collection meanwhile")
)

func main() {
	flag.Parse()
	template, err := os.ReadFile(*object)
	check(err)
	roots := x509.NewCertPool()
	pem, err := os.ReadFile(*caFile)
	check(err)
	roots.AppendCertsFromPEM(pem)

	latencies := make([]time.Duration, *count)
	sent := make([]time.Time, *count)
	answered := make([]time.Time, *count)
	var next, failed atomic.Int64
	var group, connected sync.WaitGroup
	connected.Add(*connections)
	start := make(chan struct{})
	var begin time.Time
	watches := watch(roots)
	for range *connections {
		group.Add(1)
		go func() {
			defer group.Done()
			// One client a worker, HTTP/1.1: so the number of connections is exactly what was asked for.
			client := &http.Client{Transport: &http.Transport{
				TLSClientConfig:     &tls.Config{RootCAs: roots, NextProtos: []string{"http/1.1"}},
				MaxIdleConnsPerHost: 1,
			}}
			// The handshake is not what is measured.
			if response, err := client.Get(*base + "/version"); err == nil {
				io.Copy(io.Discard, response.Body)
				response.Body.Close()
			}
			connected.Done()
			<-start
			for {
				i := int(next.Add(1)) - 1
				if i >= *count {
					return
				}
				if *rate > 0 {
					time.Sleep(time.Until(begin.Add(time.Duration(float64(i) / *rate * float64(time.Second)))))
				}
				started := time.Now()
				sent[i] = started
				if !write(client, template, i) {
					failed.Add(1)
				}
				answered[i] = time.Now()
				latencies[i] = answered[i].Sub(started)
			}
		}()
	}
	connected.Wait()
	begin = time.Now()
	close(start)
	group.Wait()
	elapsed := time.Since(begin)
	delays, deliveries := watches.delays(sent), watches.delays(answered)
	sort.Slice(latencies, func(a, b int) bool { return latencies[a] < latencies[b] })
	report := map[string]any{
		"rate":   float64(*count) / elapsed.Seconds(),
		"failed": failed.Load(),
		"p50_ms": latencies[*count/2].Seconds() * 1000,
		"p99_ms": latencies[*count*99/100].Seconds() * 1000,
	}
	if len(delays) > 0 {
		report["watch_p50_ms"] = delays[len(delays)/2].Seconds() * 1000
		report["watch_p99_ms"] = delays[len(delays)*99/100].Seconds() * 1000
		report["delivery_p99_ms"] = deliveries[len(deliveries)*99/100].Seconds() * 1000
	}
	check(json.NewEncoder(os.Stdout).Encode(report))
}

// watching is what the watchers have seen: for each, when each object came.
type watching struct {
	seen  [][]time.Time
	group *sync.WaitGroup
}

// watch opens the watches and returns once the server has taken all of them.
func watch(roots *x509.CertPool) watching {
	all := watching{group: &sync.WaitGroup{}}
	for range *watchers {
		client := &http.Client{Transport: &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: roots, NextProtos: []string{"http/1.1"}},
		}}
		request, err := http.NewRequest(http.MethodGet, *base+*collection+"?watch=true", nil)
		check(err)
		request.Header.Set("Authorization", "Bearer "+*token)
		response, err := client.Do(request)
		check(err)
		seen := make([]time.Time, *count)
		all.seen = append(all.seen, seen)
		all.group.Add(1)
		go func() {
			defer all.group.Done()
			defer response.Body.Close()
			follow(response.Body, seen)
		}()
	}
	return all
}

// follow notes when each of our objects comes, until all have come.
func follow(stream io.Reader, seen []time.Time) {
	reader := bufio.NewReaderSize(stream, 1<<16)
	marker := []byte("\"name\":\"" + *prefix + "-")
	for missing := len(seen); missing > 0; {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			return
		}
		now := time.Now()
		at := bytes.Index(line, marker)
		if at < 0 {
			continue
		}
		number := 0
		for _, digit := range line[at+len(marker):] {
			if digit < '0' || digit > '9' {
				break
			}
			number = number*10 + int(digit-'0')
		}
		if seen[number].IsZero() {
			seen[number] = now
			missing--
		}
	}
}

// delays are the times from a moment of each write until a watcher had it, of all watchers, in order. A watcher may
// have it before the writer has the answer.
func (all watching) delays(since []time.Time) []time.Duration {
	all.group.Wait()
	var found []time.Duration
	for _, seen := range all.seen {
		for i, moment := range seen {
			found = append(found, moment.Sub(since[i]))
		}
	}
	sort.Slice(found, func(a, b int) bool { return found[a] < found[b] })
	return found
}

func write(client *http.Client, template []byte, i int) bool {
	name := fmt.Sprintf("%s-%d", *prefix, i)
	method, url, kind := http.MethodPost, *base+*collection, "application/json"
	body := bytes.ReplaceAll(template, []byte("NAME"), []byte(name))
	if *verb == "patch" {
		method, url, kind = http.MethodPatch, url+"/"+name, "application/merge-patch+json"
		if *subresource != "" {
			url += "/" + *subresource
		}
		body = []byte(strings.ReplaceAll(*patch, "NUMBER", fmt.Sprint(i)))
	}
	request, err := http.NewRequest(method, url, bytes.NewReader(body))
	check(err)
	request.Header.Set("Authorization", "Bearer "+*token)
	request.Header.Set("Content-Type", kind)
	request.Header.Set("Accept", "application/json")
	response, err := client.Do(request)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return false
	}
	defer response.Body.Close()
	answer, _ := io.ReadAll(response.Body)
	if response.StatusCode >= 300 {
		fmt.Fprintf(os.Stderr, "%d %s\n", response.StatusCode, answer)
		return false
	}
	return true
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
