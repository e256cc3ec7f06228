// Prints how Kubernetes' own kinds are written in protobuf, as JSON: what embedded/protobuf decodes by.
//
//	cd tools/messages && go run . | gzip -9n > ../../src/landform/embedded/protobuf/messages.json.gz
//
// The Go types are asked by reflection, because the .proto files do not say what JSON and the API server go by: which
// fields are pointers (and may therefore be zero on purpose), which are inlined, and what an empty field means.
//
// A field is [number, JSON name, type, mode]. Types: s text, b yes or no, i whole number, d number, y bytes, T, U and D
// time, time with microseconds and duration, Q quantity, I number or text, R any JSON, P one of JSONSchemaProps' "this
// or that" types, [X list, {X map, w[X list in an envelope, anything else a message. Modes: "" left out when empty,
// p pointer, r written even if empty, n inlined.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	eventsv1 "k8s.io/api/events/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

var special = map[reflect.Type]string{
	reflect.TypeOf(metav1.Time{}):                                  "T",
	reflect.TypeOf(metav1.MicroTime{}):                             "U",
	reflect.TypeOf(metav1.Duration{}):                              "D",
	reflect.TypeOf(resource.Quantity{}):                            "Q",
	reflect.TypeOf(intstr.IntOrString{}):                           "I",
	reflect.TypeOf(runtime.RawExtension{}):                         "R",
	reflect.TypeOf(metav1.FieldsV1{}):                              "R",
	reflect.TypeOf(apiextensionsv1.JSON{}):                         "R",
	reflect.TypeOf(apiextensionsv1.JSONSchemaPropsOrArray{}):       "P",
	reflect.TypeOf(apiextensionsv1.JSONSchemaPropsOrBool{}):        "P",
	reflect.TypeOf(apiextensionsv1.JSONSchemaPropsOrStringArray{}): "P",
}

var protoMessage = reflect.TypeOf((*interface{ ProtoMessage() })(nil)).Elem()

type field = [4]any

type messages map[string][]field

func main() {
	known := messages{}
	kinds := map[string]string{}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		admissionregistrationv1.AddToScheme, appsv1.AddToScheme, authenticationv1.AddToScheme, authorizationv1.AddToScheme,
		autoscalingv1.AddToScheme, autoscalingv2.AddToScheme, batchv1.AddToScheme, coordinationv1.AddToScheme,
		corev1.AddToScheme, discoveryv1.AddToScheme, eventsv1.AddToScheme, networkingv1.AddToScheme, nodev1.AddToScheme,
		policyv1.AddToScheme, rbacv1.AddToScheme, schedulingv1.AddToScheme, storagev1.AddToScheme,
		apiextensionsv1.AddToScheme, apiregistrationv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	for gvk, kind := range scheme.AllKnownTypes() {
		// Options are the same in every group; internal versions never go over the wire; lists are not sent to a server.
		if gvk.Version == runtime.APIVersionInternal || strings.HasSuffix(gvk.Kind, "Options") ||
			strings.HasSuffix(gvk.Kind, "List") || gvk.Kind == "WatchEvent" || kind.PkgPath() == "k8s.io/apimachinery/pkg/apis/meta/v1" {
			continue
		}
		kinds[gvk.GroupVersion().String()+" "+gvk.Kind] = known.add(kind)
	}
	kinds["DeleteOptions"] = known.add(reflect.TypeOf(metav1.DeleteOptions{}))
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(map[string]any{"kinds": kinds, "messages": known}); err != nil {
		panic(err)
	}
}

// add describes a struct and all it refers to, and returns its name.
func (m messages) add(t reflect.Type) string {
	name := t.PkgPath()[strings.LastIndex(t.PkgPath(), "k8s.io/")+len("k8s.io/"):] + "." + t.Name()
	if _, done := m[name]; done {
		return name
	}
	m[name] = nil
	fields := []field{}
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		tag := strings.Split(f.Tag.Get("protobuf"), ",")
		if len(tag) < 2 {
			continue // TypeMeta is not part of the message: the envelope has it
		}
		number, err := strconv.Atoi(tag[1])
		if err != nil {
			panic(err)
		}
		words := strings.Split(f.Tag.Get("json"), ",")
		mode := "r"
		for _, word := range words[1:] {
			// An empty struct is not empty enough for omitempty: {} stays.
			if word == "omitzero" || word == "omitempty" && f.Type.Kind() != reflect.Struct {
				mode = ""
			}
		}
		if f.Type.Kind() == reflect.Pointer {
			mode = "p"
		}
		if words[0] == "" {
			mode = "n"
		}
		fields = append(fields, field{number, words[0], m.typeOf(f.Type), mode})
	}
	m[name] = fields
	return name
}

func (m messages) typeOf(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if s, ok := special[t]; ok {
		if s == "P" {
			return "P" + m.add(t)
		}
		return s
	}
	switch t.Kind() {
	case reflect.String:
		return "s"
	case reflect.Bool:
		return "b"
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint32, reflect.Uint64:
		return "i"
	case reflect.Float64:
		return "d"
	case reflect.Struct:
		return m.add(t)
	case reflect.Map:
		return "{" + m.typeOf(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "y"
		}
		if reflect.PointerTo(t).Implements(protoMessage) {
			return "w[" + m.typeOf(t.Elem())
		}
		return "[" + m.typeOf(t.Elem())
	}
	panic(fmt.Sprintf("no word for %s", t))
}
