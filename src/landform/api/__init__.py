"""The kinds of Landform: typed structs, defaults, validation, phases, conditions, error codes and their CRDs.

Importable alone: no server, no controller, no I/O. Everything here is a value or a pure function of values.
"""
