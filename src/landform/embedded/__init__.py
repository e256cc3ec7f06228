"""The cluster in this process: a Kubernetes-compatible API over one SQLite file.

`home.EmbeddedHome` puts the parts together. The store and everything behind it is private to this folder: others
reach state only through `landform.cluster.Cluster`, of which `client.LocalCluster` is the in-process one.
"""
