"""How writes by several parties become one object: strategic merge patch and server-side apply.

`strategic` applies a strategic merge patch. `ownership` is the door to server-side apply: it merges an applied
configuration into an object and keeps `metadata.managedFields`, the record of who set which field. Everything else
here serves it: `scopes` (what it needs to know of a kind), `fieldsets` (sets of fields and their algebra), `shapes`
(how a schema tells fields apart), `comparing`, `combining`, `checking`, `entries` (the wire form of managedFields),
`conflicts`, `lastapplied` (from client-side to server-side apply), `structs` and `zeros` (what built-in kinds can
hold). `managers` knows names of field managers.

Pure functions over plain JSON data and schema nodes, with the results, words and wire forms of the Kubernetes API
server. Inputs are never changed; results may share parts with them. No store, no HTTP, no clock.
"""
