"""The engine: the controllers and deployers of one process, put together. No behaviour of its own.

| Room      | What is in it                                                                          |
|-----------|----------------------------------------------------------------------------------------|
| engine    | `Engine`, `Settings`, `Replicas`: everything that one process runs, started in order   |
| roots     | `Roots`: in whose name an object is worked on, so that a tree stays with one replica   |
| deployers | `BUILT_IN`, `Selection`: the deployers that come with Landform, by name                |
"""
