// Applies strategic merge patches with Kubernetes' own library, for tests/embedded/merging/test_strategic.py.
//
// Run in this folder: go run . < cases.json > expected.json
// A case has "kind", "current" and either "patch", or "original" and "modified", from which the patch is made as
// kubectl apply makes it. The answer has "patch" and either "result" or "error".
package main

import (
	"encoding/json"
	"fmt"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

type testCase struct {
	Name     string          `json:"name"`
	Kind     string          `json:"kind"`
	Current  json.RawMessage `json:"current"`
	Patch    json.RawMessage `json:"patch"`
	Original json.RawMessage `json:"original"`
	Modified json.RawMessage `json:"modified"`
}

type answer struct {
	Name   string          `json:"name"`
	Patch  json.RawMessage `json:"patch"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
}

var kinds = map[string]interface{}{
	"Pod":        corev1.Pod{},
	"Service":    corev1.Service{},
	"ConfigMap":  corev1.ConfigMap{},
	"Deployment": appsv1.Deployment{},
}

func main() {
	var cases []testCase
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	// One answer to a line, so that a change of one is a change of one line.
	for i, c := range cases {
		line, err := json.Marshal(solve(c))
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s%s\n", map[bool]string{true: "[", false: ","}[i == 0], line)
	}
	fmt.Println("]")
}

func solve(c testCase) answer {
	kind := kinds[c.Kind]
	patch := c.Patch
	if patch == nil {
		meta, err := strategicpatch.NewPatchMetaFromStruct(kind)
		if err != nil {
			panic(err)
		}
		made, err := strategicpatch.CreateThreeWayMergePatch(c.Original, c.Modified, c.Current, meta, true)
		if err != nil {
			return answer{Name: c.Name, Error: err.Error()}
		}
		patch = made
	}
	result, err := strategicpatch.StrategicMergePatch(c.Current, patch, kind)
	if err != nil {
		return answer{Name: c.Name, Patch: patch, Error: err.Error()}
	}
	return answer{Name: c.Name, Patch: patch, Result: result}
}
