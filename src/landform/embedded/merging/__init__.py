"""How writes by several parties become one object: strategic merge patch and server-side apply.

`strategic` applies a strategic merge patch. `ownership` is the door to server-side apply: it merges an applied
configuration into an object and keeps `metadata.managedFields`, the record of who set which field. Everything else
here serves it: `fieldsets` (sets of fields and their algebra), `shapes` (how a schema tells fields apart),
`comparing`, `combining`, `checking`, `entries` (the wire form of managedFields), `managers` (names of field managers).

Pure functions over plain JSON data and schema nodes, with the results, words and wire forms of the Kubernetes API
server. Inputs are never changed; results may share parts with them. No store, no HTTP, no clock.
"""
