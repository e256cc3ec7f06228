package main

import (
	"fmt"
	"math/rand"
	"reflect"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// deepest ends the recursion of schemas in schemas.
const deepest = 14

var (
	texts      = []string{"a", "b-c", "ä ö\n", "\"quoted\"", "<&>", "kube-system", "10%", "雪", "\u2028"}
	quantities = []string{"0", "1", "100m", "1Gi", "1500M", "1e3", "12345678901234567890", "-5", "0.5", "1n"}
	documents  = []string{`{"a":[1,2.5,null,true,{"b":"c"}]}`, `{}`, `{"deep":{"er":{"x":"ä"}}}`}
	values     = []string{`"text"`, `1`, `-1.5`, `true`, `{"a":[]}`, `[1,"b"]`}
	times      = []int64{0, 1, -1, 1700000000, 1767323045, 253402300799, -30610224000}
	numbers    = []int64{0, 1, -1, 127, 128, 65535, 2147483647, -2147483648}
)

// filler fills values, each field with a probability.
type filler struct {
	*rand.Rand
	share float64
}

func (f *filler) fill(v reflect.Value, depth int) {
	if f.special(v) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), depth)
	case reflect.Struct:
		f.fillStruct(v, depth)
	case reflect.Slice:
		f.fillSlice(v, depth)
	case reflect.Map:
		f.fillMap(v, depth)
	case reflect.String:
		v.SetString(one(f, texts))
	case reflect.Bool:
		v.SetBool(f.Intn(3) > 0)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(one(f, numbers))
	case reflect.Float64:
		v.SetFloat(float64(f.Intn(1000)-500) / 8)
	default:
		panic(fmt.Sprintf("cannot fill %s", v.Type()))
	}
}

func (f *filler) fillStruct(v reflect.Value, depth int) {
	for i := 0; i < v.NumField(); i++ {
		field := v.Type().Field(i)
		if _, sent := field.Tag.Lookup("protobuf"); !sent || depth > deepest || f.Float64() >= f.share {
			continue
		}
		// Schemas have forty fields that lead to schemas: with all of them filled one object would be without end.
		if v.Type() == reflect.TypeOf(apiextensionsv1.JSONSchemaProps{}) && depth > 6 && leads(field.Type) {
			continue
		}
		f.fill(v.Field(i), depth+1)
	}
}

// leads says whether a field of a schema holds schemas again.
func leads(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return leads(t.Elem())
	}
	switch t {
	case reflect.TypeOf(apiextensionsv1.JSONSchemaProps{}), reflect.TypeOf(apiextensionsv1.JSONSchemaPropsOrArray{}),
		reflect.TypeOf(apiextensionsv1.JSONSchemaPropsOrBool{}), reflect.TypeOf(apiextensionsv1.JSONSchemaPropsOrStringArray{}):
		return true
	}
	return false
}

func (f *filler) fillSlice(v reflect.Value, depth int) {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		v.SetBytes([]byte{0, 255, byte(f.Intn(256))}[:f.Intn(4)])
		return
	}
	// Lists of messages get one item: two would double the size at every level.
	size := 1 + f.Intn(2)
	if v.Type().Elem().Kind() == reflect.Struct {
		size = 1
	}
	v.Set(reflect.MakeSlice(v.Type(), size, size))
	for i := 0; i < size; i++ {
		f.fill(v.Index(i), depth+1)
	}
}

func (f *filler) fillMap(v reflect.Value, depth int) {
	v.Set(reflect.MakeMap(v.Type()))
	for range 1 + f.Intn(2) {
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		key.SetString(one(f, texts))
		f.fill(value, depth+1)
		v.SetMapIndex(key, value)
	}
}

// special fills the types that JSON writes in a way of their own.
func (f *filler) special(v reflect.Value) bool {
	switch target := v.Addr().Interface().(type) {
	case *metav1.Time:
		*target = metav1.Unix(one(f, times), 0)
	case *metav1.MicroTime:
		*target = metav1.NewMicroTime(time.Unix(one(f, times), int64(f.Intn(1000000))*1000))
	case *metav1.Duration:
		target.Duration = time.Duration(f.Int63n(1e15) - 1e14)
	case *resource.Quantity:
		*target = resource.MustParse(one(f, quantities))
	case *intstr.IntOrString:
		*target = intstr.Parse(one(f, append([]string{"80", "0"}, texts...)))
	case *runtime.RawExtension:
		target.Raw = []byte(one(f, documents))
	case *metav1.FieldsV1:
		target.Raw = []byte(one(f, documents))
	case *apiextensionsv1.JSON:
		target.Raw = []byte(one(f, values))
	case *apiextensionsv1.JSONSchemaPropsOrArray:
		if f.Intn(2) == 0 {
			target.Schema = &apiextensionsv1.JSONSchemaProps{Type: "string"}
		} else {
			target.JSONSchemas = []apiextensionsv1.JSONSchemaProps{{Type: "string"}, {Nullable: true}}
		}
	case *apiextensionsv1.JSONSchemaPropsOrBool:
		if target.Allows = f.Intn(2) == 0; target.Allows {
			target.Schema = &apiextensionsv1.JSONSchemaProps{Type: "integer"}
		}
	case *apiextensionsv1.JSONSchemaPropsOrStringArray:
		if f.Intn(2) == 0 {
			target.Schema = &apiextensionsv1.JSONSchemaProps{Type: "number"}
		} else {
			target.Property = []string{"x", "y"}
		}
	default:
		return false
	}
	return true
}

func one[T any](f *filler, choices []T) T {
	return choices[f.Intn(len(choices))]
}
