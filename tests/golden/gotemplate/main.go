// Reads cases/*.json and writes to expected/*.json what text/template with sprig makes of each template.
//
// A case is a template text, or an object that adds its own data, template name or missingkey option. A number in
// the data without fraction or exponent is an int64, any other a float64; with "decoded" every number is a float64.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"text/template"
	"time"
	_ "time/tzdata"

	"github.com/Masterminds/sprig/v3"
	"sigs.k8s.io/yaml"
)

type testCase struct {
	Text       string `json:"text"`
	Name       string `json:"name,omitempty"`
	MissingKey string `json:"missingkey,omitempty"`
	Decoded    bool   `json:"decoded,omitempty"`
	// Without sprig: some of its functions hide Go's own.
	Bare bool             `json:"bare,omitempty"`
	Data *json.RawMessage `json:"data,omitempty"`
}

func (c *testCase) UnmarshalJSON(content []byte) error {
	if len(content) > 0 && content[0] == '"' {
		return json.Unmarshal(content, &c.Text)
	}
	type plain testCase
	return json.Unmarshal(content, (*plain)(c))
}

type family struct {
	Data  json.RawMessage `json:"data"`
	Cases []testCase      `json:"cases"`
}

type expectation struct {
	testCase
	Output *string `json:"output,omitempty"`
	Error  string  `json:"error,omitempty"`
}

func decode(content []byte, decoded bool) any {
	if len(content) == 0 {
		return nil
	}
	var value any
	decoder := json.NewDecoder(bytes.NewReader(content))
	if !decoded {
		decoder.UseNumber()
	}
	if err := decoder.Decode(&value); err != nil {
		panic(err)
	}
	return convert(value)
}

func convert(value any) any {
	switch value := value.(type) {
	case json.Number:
		if whole, err := value.Int64(); err == nil && !strings.ContainsAny(value.String(), ".eE") {
			return whole
		}
		number, err := value.Float64()
		if err != nil {
			panic(err)
		}
		return number
	case []any:
		for index := range value {
			value[index] = convert(value[index])
		}
		return value
	case map[string]any:
		// {"$bytes": "text"} stands for a []byte, which JSON cannot write.
		if text, ok := value["$bytes"].(string); ok && len(value) == 1 {
			return []byte(text)
		}
		for key := range value {
			value[key] = convert(value[key])
		}
		return value
	}
	return value
}

func toYaml(value any) (string, error) {
	content, err := yaml.Marshal(value)
	return string(content), err
}

func fromYaml(text string) (any, error) {
	var value any
	err := yaml.Unmarshal([]byte(text), &value)
	return value, err
}

func evaluate(test testCase, shared json.RawMessage) (result expectation) {
	result.testCase = test
	data := shared
	if test.Data != nil {
		data = *test.Data
	}
	name := test.Name
	if name == "" {
		name = "page"
	}
	functions := sprig.TxtFuncMap()
	for _, forbidden := range []string{"env", "expandenv", "getHostByName"} {
		delete(functions, forbidden)
	}
	functions["toYaml"] = toYaml
	functions["fromYaml"] = fromYaml
	if test.Bare {
		functions = template.FuncMap{}
	}
	page := template.New(name).Funcs(functions)
	if test.MissingKey != "" {
		page = page.Option("missingkey=" + test.MissingKey)
	}
	page, err := page.Parse(test.Text)
	if err != nil {
		result.Error = err.Error()
		return result
	}
	var output bytes.Buffer
	if err := page.Execute(&output, decode(data, test.Decoded)); err != nil {
		result.Error = err.Error()
		return result
	}
	text := output.String()
	result.Output = &text
	return result
}

func regenerate(path string) {
	content, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	var tests family
	if err := json.Unmarshal(content, &tests); err != nil {
		panic(fmt.Sprintf("%s: %v", path, err))
	}
	expected := []expectation{}
	for _, test := range tests.Cases {
		func() {
			defer func() {
				if problem := recover(); problem != nil {
					fmt.Fprintf(os.Stderr, "%s: %q: %v\n", path, test.Text, problem)
					debug.PrintStack()
				}
			}()
			expected = append(expected, evaluate(test, tests.Data))
		}()
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(expected); err != nil {
		panic(err)
	}
	if err := os.WriteFile(filepath.Join("expected", filepath.Base(path)), out.Bytes(), 0o644); err != nil {
		panic(err)
	}
}

// measure reads a case from standard input and prints how many nanoseconds one render takes.
func measure(rounds int) {
	var test testCase
	if err := json.NewDecoder(os.Stdin).Decode(&test); err != nil {
		panic(err)
	}
	page := template.Must(template.New("page").Funcs(sprig.TxtFuncMap()).Parse(test.Text))
	data := decode(*test.Data, false)
	began := time.Now()
	for range rounds {
		var output bytes.Buffer
		if err := page.Execute(&output, data); err != nil {
			panic(err)
		}
	}
	fmt.Println(time.Since(began).Nanoseconds() / int64(rounds))
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "measure" {
		measure(2000)
		return
	}
	// The golden results must not depend on where they are made.
	time.Local = time.UTC
	paths, err := filepath.Glob("cases/*.json")
	if err != nil {
		panic(err)
	}
	for _, path := range paths {
		if len(os.Args) > 1 && !strings.Contains(path, os.Args[1]) {
			continue
		}
		regenerate(path)
	}
}
