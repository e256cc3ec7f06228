module golden/jsonpath

go 1.24.0

require k8s.io/client-go v0.34.10
