// Command golden says what Kubernetes itself makes of schemas, objects and definitions.
//
// It reads one JSON case per line and writes one JSON answer per line. A case has "schema" and "object" (what would
// be stored of the object, and which causes its validation has), or "definition" (which causes it has).
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	definitionvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

type question struct {
	Schema     json.RawMessage `json:"schema"`
	Object     json.RawMessage `json:"object"`
	Definition json.RawMessage `json:"definition"`
}

type cause struct {
	Reason  string `json:"reason"`
	Message string `json:"message"`
	Field   string `json:"field"`
}

type answer struct {
	Error   string   `json:"error,omitempty"`
	Stored  any      `json:"stored,omitempty"`
	Unknown []string `json:"unknown,omitempty"`
	Causes  []cause  `json:"causes"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for lines.Scan() {
		text, err := json.Marshal(judge(lines.Bytes()))
		if err != nil {
			text, _ = json.Marshal(answer{Error: err.Error()})
		}
		out.Write(append(text, '\n'))
	}
}

// judge answers one line. Some definitions make Kubernetes' own code panic, which is an answer too.
func judge(line []byte) (a answer) {
	defer func() {
		if r := recover(); r != nil {
			a = answer{Error: fmt.Sprint("panic: ", r)}
		}
	}()
	var q question
	if err := json.Unmarshal(line, &q); err != nil {
		return answer{Error: err.Error()}
	}
	if q.Definition != nil {
		return judgeDefinition(q.Definition)
	}
	return judgeObject(q.Schema, q.Object)
}

// judgeObject follows the order of the API server: prune, drop nulls, default, then validate.
func judgeObject(rawSchema, rawObject []byte) answer {
	var external apiextensionsv1.JSONSchemaProps
	var internal apiextensions.JSONSchemaProps
	if err := json.Unmarshal(rawSchema, &external); err != nil {
		return answer{Error: err.Error()}
	}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&external, &internal, nil); err != nil {
		return answer{Error: err.Error()}
	}
	structural, err := schema.NewStructural(&internal)
	if err != nil {
		return answer{Error: err.Error()}
	}
	validator, _, err := validation.NewSchemaValidator(&internal)
	if err != nil {
		return answer{Error: err.Error()}
	}
	object := map[string]any{}
	if err := utiljson.Unmarshal(rawObject, &object); err != nil {
		return answer{Error: err.Error()}
	}
	options := schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	unknown := pruning.PruneWithOptions(object, structural, true, options)
	defaulting.PruneNonNullableNullsWithoutDefaults(object, structural)
	if err, _ := objectmeta.CoerceWithOptions(nil, object, structural, false, objectmeta.CoerceOptions{}); err != nil {
		return answer{Error: err.Error()}
	}
	defaulting.Default(object, structural)
	errs := validation.ValidateCustomResource(nil, object, validator)
	errs = append(errs, objectmeta.Validate(nil, object, structural, false)...)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, structural, object)...)
	return answer{Stored: object, Unknown: unknown, Causes: causes(errs)}
}

// judgeDefinition does what a create of the definition does, without storing it.
func judgeDefinition(raw []byte) answer {
	var external apiextensionsv1.CustomResourceDefinition
	var internal apiextensions.CustomResourceDefinition
	if err := json.Unmarshal(raw, &external); err != nil {
		return answer{Error: err.Error()}
	}
	apiextensionsv1.SetObjectDefaults_CustomResourceDefinition(&external)
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(&external, &internal, nil); err != nil {
		return answer{Error: err.Error()}
	}
	internal.Status = apiextensions.CustomResourceDefinitionStatus{}
	for _, v := range internal.Spec.Versions {
		if v.Storage {
			internal.Status.StoredVersions = append(internal.Status.StoredVersions, v.Name)
			break
		}
	}
	return answer{Causes: causes(definitionvalidation.ValidateCustomResourceDefinition(context.Background(), &internal))}
}

func causes(errs field.ErrorList) []cause {
	all := []cause{}
	for _, err := range errs {
		all = append(all, cause{Reason: string(err.Type), Message: err.ErrorBody(), Field: err.Field})
	}
	return all
}
