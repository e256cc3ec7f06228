module golden/spiff

go 1.25.0

require (
	github.com/mandelsoft/spiff v1.7.0-beta-9
	github.com/mandelsoft/vfs v0.4.4
)

require (
	github.com/Masterminds/semver/v3 v3.4.0 // indirect
	github.com/mandelsoft/filepath v0.0.0-20240223090642-3e2777258aa3 // indirect
	github.com/modern-go/reflect2 v1.0.2 // indirect
	golang.org/x/crypto v0.51.0 // indirect
	golang.org/x/sys v0.45.0 // indirect
)
