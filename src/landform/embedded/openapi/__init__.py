"""OpenAPI documents of what is served: what ``kubectl explain``, ``apply`` and validation in clients read.

`operations` says which requests there are; `v3` writes a document per group version, `v2` one for everything,
which client-go takes as `protobuf` only. Pure functions from resource types to data.
"""
