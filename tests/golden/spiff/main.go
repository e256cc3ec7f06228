// Reads cases.json and writes to standard output what spiff makes of each expression and each document.
package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path"
	"sort"
	"strings"

	"github.com/mandelsoft/spiff/spiffing"
	"github.com/mandelsoft/vfs/pkg/memoryfs"
	"github.com/mandelsoft/vfs/pkg/vfs"
)

type testCase struct {
	Name     string            `json:"name"`
	Template string            `json:"template"`
	Values   json.RawMessage   `json:"values"`
	Stubs    []string          `json:"stubs"`
	State    *string           `json:"state"`
	Files    map[string]string `json:"files"`
	Features []string          `json:"features"`
}

type cases struct {
	// Context is the document in which each expression stands, under the key "result".
	Context     map[string]any      `json:"context"`
	Expressions map[string][]string `json:"expressions"`
	Documents   []testCase          `json:"documents"`
}

type outcome struct {
	Result any    `json:"result,omitempty"`
	Absent bool   `json:"absent,omitempty"`
	State  any    `json:"newstate,omitempty"`
	Error  string `json:"error,omitempty"`
}

// inputs turns numbers without fraction or exponent into integers, all others into floats.
func inputs(value any) any {
	switch v := value.(type) {
	case json.Number:
		if i, err := v.Int64(); err == nil && !strings.ContainsAny(string(v), ".eE") {
			return i
		}
		f, _ := v.Float64()
		return f
	case map[string]any:
		for key, entry := range v {
			v[key] = inputs(entry)
		}
	case []any:
		for index, entry := range v {
			v[index] = inputs(entry)
		}
	}
	return value
}

// outputs keeps integers and floats apart and writes what JSON lacks.
func outputs(value any) any {
	switch v := value.(type) {
	case nil:
		return json.RawMessage("null")
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return map[string]any{"$float": fmt.Sprintf("%+v", v)}
		}
		text, _ := json.Marshal(v)
		if !strings.ContainsAny(string(text), ".eE") {
			text = append(text, ".0"...)
		}
		return json.RawMessage(text)
	case []byte:
		return map[string]any{"$binary": base64.StdEncoding.EncodeToString(v)}
	case map[string]any:
		result := map[string]any{}
		for key, entry := range v {
			result[key] = outputs(entry)
		}
		return result
	case []any:
		result := []any{}
		for _, entry := range v {
			result = append(result, outputs(entry))
		}
		return result
	}
	return value
}

// ordered sorts the lines of an error, which come in random order.
func ordered(err error) string {
	lines := strings.Split(err.Error(), "\n")
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

func evaluate(test testCase) (any, any, error) {
	files := memoryfs.New()
	for name, content := range test.Files {
		data := []byte(content)
		if rest, found := strings.CutPrefix(content, "base64:"); found {
			data, _ = base64.StdEncoding.DecodeString(rest)
		}
		files.MkdirAll(path.Dir("/"+name), 0o755)
		vfs.WriteFile(files, name, data, 0o644)
	}
	context := spiffing.Plain().WithFileSystem(files).WithFeatures(test.Features...)
	if test.Values != nil {
		decoder := json.NewDecoder(strings.NewReader(string(test.Values)))
		decoder.UseNumber()
		var values map[string]any
		if err := decoder.Decode(&values); err != nil {
			panic(err)
		}
		var err error
		if context, err = context.WithValues(inputs(values).(map[string]any)); err != nil {
			return nil, nil, err
		}
	}
	template, err := context.Unmarshal("template", []byte(test.Template))
	if err != nil {
		return nil, nil, err
	}
	var stubs []spiffing.Node
	names := make([]string, len(test.Stubs))
	for index := range test.Stubs {
		names[index] = fmt.Sprintf("stub%d", index+1)
	}
	texts := test.Stubs
	if test.State != nil {
		texts, names = append(texts, *test.State), append(names, "state")
	}
	for index, text := range texts {
		stub, err := context.Unmarshal(names[index], []byte(text))
		if err != nil {
			return nil, nil, err
		}
		stubs = append(stubs, stub)
	}
	result, err := context.Cascade(template, stubs)
	if err != nil {
		return nil, nil, err
	}
	data, err := context.Normalize(result)
	if err != nil {
		return nil, nil, err
	}
	state, err := context.Normalize(context.DetermineState(result))
	return data, state, err
}

func document(test testCase) outcome {
	result, state, err := evaluate(test)
	if err != nil {
		return outcome{Error: ordered(err)}
	}
	found := outcome{Result: outputs(result)}
	if entries, ok := state.(map[string]any); ok && len(entries) > 0 {
		found.State = outputs(entries)
	}
	return found
}

func expression(context map[string]any, text string) outcome {
	fields := map[string]any{"result": "(( " + text + " ))"}
	for key, value := range context {
		fields[key] = value
	}
	template, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	result, _, err := evaluate(testCase{Template: string(template)})
	if err != nil {
		return outcome{Error: ordered(err)}
	}
	value, found := result.(map[string]any)["result"]
	if !found {
		return outcome{Absent: true}
	}
	return outcome{Result: outputs(value)}
}

func main() {
	content, err := os.ReadFile("cases.json")
	if err != nil {
		panic(err)
	}
	var tests cases
	decoder := json.NewDecoder(strings.NewReader(string(content)))
	if err := decoder.Decode(&tests); err != nil {
		panic(err)
	}
	expected := map[string]any{}
	groups := map[string][]outcome{}
	for group, texts := range tests.Expressions {
		for _, text := range texts {
			groups[group] = append(groups[group], expression(tests.Context, text))
		}
	}
	expected["expressions"] = groups
	documents := []outcome{}
	for _, test := range tests.Documents {
		documents = append(documents, document(test))
	}
	expected["documents"] = documents
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(expected); err != nil {
		panic(err)
	}
}
