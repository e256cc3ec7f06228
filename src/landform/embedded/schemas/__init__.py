"""Structural schemas: what an OpenAPI v3 schema says of an object, and the checks and changes that follow from it.

`nodes` is the parsed form that validation, defaulting, pruning, strategic merge patch and field ownership all read.
`validation` is fast and only says yes or no, `explaining` finds the API server's words; `structural` judges the
definitions themselves; `bodies` decodes what was sent. Pure: no store, no HTTP.
"""
