// Prints objects of Kubernetes' own kinds as protobuf and as JSON, one line per object, both written by Kubernetes' own code.
//
//	cd tests/golden/protobuf/filled && go run . | gzip -9n > ../filled.jsonl.gz
//
// Each kind comes thrice: with every field filled, with a random half of them, and with none. The JSON is that of the
// object which Go reads from the protobuf, so it says what an API server understands of these bytes. What is random
// comes from the name of the kind, so the output changes only with Kubernetes.
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand"
	"os"
	"reflect"
	"sort"
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
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

type line struct {
	Name     string          `json:"name"`
	Protobuf string          `json:"protobuf"`
	JSON     json.RawMessage `json:"json"`
}

func main() {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		admissionregistrationv1.AddToScheme, appsv1.AddToScheme, authenticationv1.AddToScheme, authorizationv1.AddToScheme,
		autoscalingv1.AddToScheme, autoscalingv2.AddToScheme, batchv1.AddToScheme, coordinationv1.AddToScheme,
		corev1.AddToScheme, discoveryv1.AddToScheme, eventsv1.AddToScheme, networkingv1.AddToScheme, nodev1.AddToScheme,
		policyv1.AddToScheme, rbacv1.AddToScheme, schedulingv1.AddToScheme, storagev1.AddToScheme,
		apiextensionsv1.AddToScheme, apiregistrationv1.AddToScheme,
	} {
		must(add(scheme))
	}
	output := json.NewEncoder(os.Stdout)
	output.SetEscapeHTML(false)
	for _, gvk := range kinds(scheme) {
		for _, share := range []float64{1, 0.5, 0} {
			name := fmt.Sprintf("%s %s %.0f%%", gvk.GroupVersion(), gvk.Kind, 100*share)
			must(output.Encode(written(scheme, gvk, name, share)))
		}
	}
}

// kinds are those that a client sends in a body, sorted.
func kinds(scheme *runtime.Scheme) []schema.GroupVersionKind {
	found := []schema.GroupVersionKind{}
	for gvk, kind := range scheme.AllKnownTypes() {
		options := strings.HasSuffix(gvk.Kind, "Options") && gvk != corev1.SchemeGroupVersion.WithKind("DeleteOptions")
		foreign := kind.PkgPath() == "k8s.io/apimachinery/pkg/apis/meta/v1" && gvk.Kind != "DeleteOptions"
		list := strings.HasSuffix(gvk.Kind, "List")
		if gvk.Version == runtime.APIVersionInternal || gvk.Kind == "WatchEvent" || options || foreign || list {
			continue
		}
		found = append(found, gvk)
	}
	sort.Slice(found, func(i, j int) bool { return found[i].String() < found[j].String() })
	return found
}

// written is an object of a kind in both forms.
func written(scheme *runtime.Scheme, gvk schema.GroupVersionKind, name string, share float64) line {
	seed := fnv.New64a()
	seed.Write([]byte(name))
	object, err := scheme.New(gvk)
	must(err)
	(&filler{rand.New(rand.NewSource(int64(seed.Sum64()))), share}).fill(reflect.ValueOf(object).Elem(), 0)
	object.GetObjectKind().SetGroupVersionKind(gvk)

	serializer := protobuf.NewSerializer(scheme, scheme)
	packed := &bytes.Buffer{}
	must(serializer.Encode(object, packed))
	again, _, err := serializer.Decode(packed.Bytes(), nil, nil)
	must(err)
	again.GetObjectKind().SetGroupVersionKind(gvk)
	text, err := json.Marshal(again)
	must(err)
	return line{name, base64.StdEncoding.EncodeToString(packed.Bytes()), text}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
