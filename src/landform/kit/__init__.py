"""Small pure helpers that know nothing of Landform: clocks, durations, JSONPath, patches, YAML, versions and the like.

What belongs here could be a library of its own. Nothing here does I/O or imports another folder of ours.
"""
