"""What `landform.cluster.Cluster` promises, as one suite that runs on every home a cluster can have.

Expectations, message texts included, are those of a real kube-apiserver, against which `make test-cluster` runs this
same suite; the embedded home has to give the same answers in process and over HTTPS.
"""
