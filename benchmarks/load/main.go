// Load sends durable writes to a Kubernetes API over a fixed number of HTTPS connections and reports the rate.
//
// It is written in Go because a load generator in Python would cost more than the servers it measures.
package main

import (
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
	prefix      = flag.String("prefix", "load", "names begin with this")
	count       = flag.Int("count", 1000, "how many writes")
	connections = flag.Int("connections", 50, "how many connections")
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
	var next, failed atomic.Int64
	var group sync.WaitGroup
	begin := time.Now()
	for range *connections {
		group.Add(1)
		go func() {
			defer group.Done()
			// One client a worker, HTTP/1.1: so the number of connections is exactly what was asked for.
			client := &http.Client{Transport: &http.Transport{
				TLSClientConfig:     &tls.Config{RootCAs: roots, NextProtos: []string{"http/1.1"}},
				MaxIdleConnsPerHost: 1,
			}}
			for {
				i := int(next.Add(1)) - 1
				if i >= *count {
					return
				}
				started := time.Now()
				if !write(client, template, i) {
					failed.Add(1)
				}
				latencies[i] = time.Since(started)
			}
		}()
	}
	group.Wait()
	elapsed := time.Since(begin)
	sort.Slice(latencies, func(a, b int) bool { return latencies[a] < latencies[b] })
	report := map[string]any{
		"rate":   float64(*count) / elapsed.Seconds(),
		"failed": failed.Load(),
		"p50_ms": latencies[*count/2].Seconds() * 1000,
		"p99_ms": latencies[*count*99/100].Seconds() * 1000,
	}
	check(json.NewEncoder(os.Stdout).Encode(report))
}

func write(client *http.Client, template []byte, i int) bool {
	name := fmt.Sprintf("%s-%d", *prefix, i)
	method, url, kind := http.MethodPost, *base+*collection, "application/json"
	body := bytes.ReplaceAll(template, []byte("NAME"), []byte(name))
	if *verb == "patch" {
		method, url, kind = http.MethodPatch, url+"/"+name, "application/merge-patch+json"
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
