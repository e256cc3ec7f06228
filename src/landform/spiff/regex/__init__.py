"""Regular expressions in Go's syntax (RE2), matched in linear time.

Leftmost match, first alternative first, no back references: what a pattern and a text cost together is bounded by the
product of their lengths.
"""
