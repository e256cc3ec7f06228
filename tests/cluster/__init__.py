"""Tests that need a real Kubernetes control plane. Run by `make test-cluster`, never by `make test`."""
