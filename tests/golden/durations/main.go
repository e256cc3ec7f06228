// Reads cases.json and writes to standard output what Go's package time makes of each text.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"
)

type expectation struct {
	Text        string `json:"text"`
	Nanoseconds int64  `json:"nanoseconds"`
	String      string `json:"string,omitempty"`
	Error       string `json:"error,omitempty"`
}

func main() {
	content, err := os.ReadFile("cases.json")
	if err != nil {
		panic(err)
	}
	var texts []string
	if err := json.Unmarshal(content, &texts); err != nil {
		panic(err)
	}
	expected := []expectation{}
	for _, text := range texts {
		duration, err := time.ParseDuration(text)
		if err != nil {
			expected = append(expected, expectation{Text: text, Error: err.Error()})
			continue
		}
		expected = append(expected, expectation{Text: text, Nanoseconds: duration.Nanoseconds(), String: duration.String()})
	}
	out, err := json.MarshalIndent(expected, "", " ")
	if err != nil {
		panic(err)
	}
	fmt.Println(string(out))
}
