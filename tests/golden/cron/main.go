// Reads cases.json and writes to standard output what robfig/cron makes of each schedule.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"
	_ "time/tzdata"

	"github.com/robfig/cron/v3"
)

type testCase struct {
	Schedule string `json:"schedule"`
	// Zone of the moment that is asked about; without a prefix the schedule is read in it.
	Zone  string `json:"zone"`
	After string `json:"after"`
	Count int    `json:"count"`
}

type expectation struct {
	testCase
	Next  []string `json:"next,omitempty"`
	Error string   `json:"error,omitempty"`
}

func evaluate(test testCase) (result expectation) {
	result.testCase = test
	schedule, err := cron.ParseStandard(test.Schedule)
	if err != nil {
		result.Error = err.Error()
		return result
	}
	zone, err := time.LoadLocation(test.Zone)
	if err != nil {
		panic(err)
	}
	moment, err := time.Parse(time.RFC3339Nano, test.After)
	if err != nil {
		panic(err)
	}
	moment = moment.In(zone)
	for range test.Count {
		moment = schedule.Next(moment)
		if moment.IsZero() {
			result.Next = append(result.Next, "never")
			break
		}
		result.Next = append(result.Next, moment.Format(time.RFC3339Nano))
	}
	return result
}

func main() {
	content, err := os.ReadFile("cases.json")
	if err != nil {
		panic(err)
	}
	var tests []testCase
	if err := json.Unmarshal(content, &tests); err != nil {
		panic(err)
	}
	expected := []expectation{}
	for _, test := range tests {
		done := make(chan expectation, 1)
		go func() { done <- evaluate(test) }()
		select {
		case result := <-done:
			expected = append(expected, result)
		case <-time.After(5 * time.Second):
			panic(fmt.Sprintf("no answer: %+v", test))
		}
	}
	out, err := json.MarshalIndent(expected, "", " ")
	if err != nil {
		panic(err)
	}
	fmt.Println(string(out))
}
