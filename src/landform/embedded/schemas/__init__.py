"""Structural schemas: what an OpenAPI v3 schema says of an object, and the checks and changes that follow from it.

`nodes` is the parsed form that validation, defaulting, pruning, strategic merge patch and field ownership all read.
Pure: no store, no HTTP.
"""
