// Reads cases.json and writes to standard output what client-go makes of each path.
package main

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strconv"

	"k8s.io/client-go/util/jsonpath"
)

type testCase struct {
	Path         string `json:"path"`
	Document     string `json:"document"`
	AllowMissing bool   `json:"allow_missing,omitempty"`
}

type expectation struct {
	testCase
	Find        [][]any `json:"find,omitempty"`
	Text        *string `json:"text,omitempty"`
	ParseError  string  `json:"parse_error,omitempty"`
	FindError   string  `json:"find_error,omitempty"`
	RenderError string  `json:"render_error,omitempty"`
}

// numbers turns whole numbers into int64 and the others into float64, as Kubernetes' own decoder does.
func numbers(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, item := range value {
			value[key] = numbers(item)
		}
	case []any:
		for i, item := range value {
			value[i] = numbers(item)
		}
	case json.Number:
		if whole, err := strconv.ParseInt(value.String(), 10, 64); err == nil {
			return whole
		}
		float, err := value.Float64()
		if err != nil {
			panic(err)
		}
		return float
	}
	return value
}

func plain(value reflect.Value) any {
	if !value.IsValid() {
		return nil
	}
	return value.Interface()
}

func evaluate(test testCase, data any) (result expectation) {
	result.testCase = test
	path := func() (*jsonpath.JSONPath, error) {
		path := jsonpath.New("golden").AllowMissingKeys(test.AllowMissing)
		return path, path.Parse(test.Path)
	}
	finder, err := path()
	if err != nil {
		result.ParseError = err.Error()
		return result
	}
	groups, err := finder.FindResults(data)
	if err != nil {
		result.FindError = err.Error()
		return result
	}
	for _, group := range groups {
		values := []any{}
		for _, value := range group {
			values = append(values, plain(value))
		}
		result.Find = append(result.Find, values)
	}
	// A JSONPath with a range changes while it is evaluated, so each evaluation needs its own.
	printer, _ := path()
	var text bytes.Buffer
	if err := printer.Execute(&text, data); err != nil {
		result.RenderError = err.Error()
		return result
	}
	printed := text.String()
	result.Text = &printed
	return result
}

func main() {
	content, err := os.ReadFile("cases.json")
	if err != nil {
		panic(err)
	}
	var file struct {
		Documents map[string]any `json:"documents"`
		Cases     []testCase     `json:"cases"`
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	if err := decoder.Decode(&file); err != nil {
		panic(err)
	}
	expected := []expectation{}
	for _, test := range file.Cases {
		data, found := file.Documents[test.Document]
		if !found {
			panic("no such document: " + test.Document)
		}
		expected = append(expected, evaluate(test, numbers(data)))
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(expected); err != nil {
		panic(err)
	}
}
