// Prints the empty object of every built-in kind, for tests/embedded/merging/test_structs.py.
//
// Run in this folder: go run . > expected.json
package main

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

func main() {
	known := scheme.Scheme
	for _, add := range []func(*runtime.Scheme) error{apiextensionsv1.AddToScheme, apiregistrationv1.AddToScheme} {
		if err := add(known); err != nil {
			panic(err)
		}
	}
	lines := []string{}
	for kind := range known.AllKnownTypes() {
		object, err := known.New(kind)
		if err != nil {
			panic(err)
		}
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
		if err != nil || fields["metadata"] == nil || strings.HasSuffix(kind.Kind, "List") {
			continue // options, lists and such: nobody owns fields of them
		}
		if kind.Version != "v1" && kind.Version != "v2" {
			continue
		}
		text, err := json.Marshal(fields)
		if err != nil {
			panic(err)
		}
		lines = append(lines, fmt.Sprintf("\"%s %s\": %s", kind.GroupVersion(), kind.Kind, text))
	}
	sort.Strings(lines)
	fmt.Printf("{\n%s\n}\n", strings.Join(lines, ",\n"))
}
