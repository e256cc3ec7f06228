"""A real Kubernetes control plane for tests and benchmarks: etcd, kube-apiserver and kube-controller-manager.

`build` makes the binaries once and keeps them outside the repository, `processes` runs them on loopback ports.
Knows nothing of Landform, so that whatever it says about Kubernetes is Kubernetes' own word.
"""
