// Prints what Kubernetes' own library says of a set of selectors, as JSON, for tests/clusterdoor/test_selectors.py.
// Run: go mod init golden && go get k8s.io/apimachinery@v0.34.1 && go run . > ../selectors.json
package main

import (
	"encoding/json"
	"os"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
)

type result struct {
	Input   any    `json:"input"`
	Text    string `json:"text"`
	Error   string `json:"error"`
	Matches []bool `json:"matches,omitempty"`
}

var long = strings.Repeat("a", 64)

var labelSelectors = []string{
	"", "a", "!a", "a=b", "a==b", "a!=b", "a=", "a!=", "a=b,c=d", " a = b , c = d ", "a in (b)", "a in (b,c)", "a in(c,b,b)",
	"a notin (b)", "a notin (b, c)", "a in ()", "a in (,)", "a in (b,)", "a in (,b)", "a in (b,,c)", "a in (,,)", "a in (b,,,c)",
	"a>1", "a<3", "a > 1", "a>b", "a>", "a>1,a<3", "in=in", "notin", "in in (in,notin)", "!in", "a=in", "x/y=z", "example.com/a=b",
	"c,!a,b=1", "a\tin\n(b)", "a=b,", "a,,b", ",a", "=", "a=b=c", "a==", "a=!b", "a=(b)", "!", "!!a", "!a=b", "! a", "a b", "a in b",
	"a in (b", "a in (b c)", "a in (", "a in", "a notin", "a in (b=c)", "a in (=)", "a in (!b)", "a in ((b))", "(a)", "a)", "a=b c", "a=b)",
	"-a", "a-", "a/b/c", "/a", "a/", "A/b", "a_b/c=d", "ä=b", "a=ä", "a=-b", "a=b-", "a.b=c.d", "a=b.", "a>1.5", "a>-1", "a>99999999999999999999",
	"a>9223372036854775807", long, long + "/a", "a=" + long, "a in (" + long + ",-)", strings.Repeat("a", 254) + "/b", "a\x00=b", "a=b\x00,c", "\"a\"=b", "a='b'",
	"a in (in)", "a=b,!c,d notin (e),f", "a&b", "a=b;c=d", "a=1>2", "a<", "a<>1", "a===b", "a!==b", "a!b", "a,a", "a=b,a=c", "b=1,a=2",
	"a in (b),c", "a in (b) c", "a in b,c", "a in (<)", "a in (b<c)", "a in (b,<)", "a in (b,(", "a in ,", "a in (\x00",
}

var labelSets = []map[string]string{
	{}, {"a": ""}, {"a": "b"}, {"a": "c"}, {"a": "1"}, {"a": "2"}, {"a": "x", "b": "1"}, {"a": "b", "c": "d"}, {"c": "d"}, {"in": "in"}, {"notin": "x"},
	{"x/y": "z", "example.com/a": "b"}, {"a": "2", "b": "1"}, {"c": "", "b": "1"}, {"a": "b", "f": ""}, {"a": "01"},
}

var fieldSelectors = []string{
	"", "metadata.name=x", "metadata.name==x", "metadata.name!=x", "metadata.name=", "a=b,c=d", "a=b,,c=d", ",", "a", "a,b=c", "=", "=b", "!=b", "a=b=c", "a=b\\=c", "a=b\\,c",
	"a=b\\\\c", "a=b\\", "a=b\\n", "a=b,c\\", "a=b\\,c=d", "a==b=", "a!==b", " a = b ", "a>b", "spec.x!=y,metadata.name=z", "status.phase!=Running", "a=\\", "a\\=b", "z=1,a=\\x", "a=ä,b=\\ü",
}

var fieldSets = []map[string]string{
	{}, {"metadata.name": "x"}, {"a": "b"}, {"a": "b", "c": "d"}, {"a": "b=c"}, {"a": "b,c"}, {"a": "b\\c"}, {"": "b"}, {"status.phase": "Running"},
	{"metadata.name": "z", "spec.x": "n"}, {"metadata.name": "z", "spec.x": "y"}, {" a ": " b "}, {"a": "="},
}

var selectorObjects = []string{
	`{}`, `{"matchLabels":{"a":"b"}}`, `{"matchLabels":{"a":"b","c":"d"}}`, `{"matchLabels":{"-":"b"}}`, `{"matchLabels":{"a":"-"}}`,
	`{"matchExpressions":[{"key":"a","operator":"In","values":["c","b"]}]}`, `{"matchExpressions":[{"key":"a","operator":"NotIn","values":["b"]}]}`,
	`{"matchExpressions":[{"key":"a","operator":"Exists"}]}`, `{"matchExpressions":[{"key":"a","operator":"DoesNotExist"}]}`,
	`{"matchExpressions":[{"key":"a","operator":"In"}]}`, `{"matchExpressions":[{"key":"a","operator":"Exists","values":["b"]}]}`,
	`{"matchExpressions":[{"key":"a","operator":"in","values":["b"]}]}`, `{"matchExpressions":[{"key":"","operator":"In","values":["-","_"]}]}`,
	`{"matchLabels":{"c":"d"},"matchExpressions":[{"key":"a","operator":"Exists"}]}`, `{"matchExpressions":[{"key":"a","operator":"Gt","values":["1"]}]}`,
}

var names = []string{"", "a", "A", "a.b_c-d", "-", ".", "_a", "a_", "a b", "ä", long, long[:63], "a/b", "/b", "a/", "/", "a/b/c", "A/b", "a.b/c", "a..b/c", "a-/c", "a/-", long + "/a",
	strings.Repeat("a", 253) + "/b", strings.Repeat("a", 254) + "/b", strings.Repeat("ä", 40), "a\n", "1", "a/" + long}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func main() {
	out := map[string]any{"labelSets": labelSets, "fieldSets": fieldSets}
	var parsed, objects, fieldResults, keys, values []result
	for _, input := range labelSelectors {
		s, err := labels.Parse(input)
		parsed = append(parsed, labelResult(input, s, err))
	}
	for _, input := range selectorObjects {
		var object metav1.LabelSelector
		if err := json.Unmarshal([]byte(input), &object); err != nil {
			panic(err)
		}
		s, err := metav1.LabelSelectorAsSelector(&object)
		objects = append(objects, labelResult(json.RawMessage(input), s, err))
	}
	for _, input := range fieldSelectors {
		s, err := fields.ParseSelector(input)
		r := result{Input: input, Error: text(err)}
		if err == nil {
			r.Text = s.String()
			for _, set := range fieldSets {
				r.Matches = append(r.Matches, s.Matches(fields.Set(set)))
			}
		}
		fieldResults = append(fieldResults, r)
	}
	for _, input := range names {
		keys = append(keys, result{Input: input, Error: strings.Join(validation.IsQualifiedName(input), "; ")})
		values = append(values, result{Input: input, Error: strings.Join(validation.IsValidLabelValue(input), "; ")})
	}
	out["labels"], out["objects"], out["fields"], out["keys"], out["values"] = parsed, objects, fieldResults, keys, values
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(out); err != nil {
		panic(err)
	}
}

func labelResult(input any, s labels.Selector, err error) result {
	r := result{Input: input, Error: text(err)}
	if err == nil {
		r.Text = s.String()
		for _, set := range labelSets {
			r.Matches = append(r.Matches, s.Matches(labels.Set(set)))
		}
	}
	return r
}
