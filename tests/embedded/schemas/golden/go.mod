module landform/golden

go 1.24.0

require (
	k8s.io/apiextensions-apiserver v0.34.10
	k8s.io/apimachinery v0.34.10
)
