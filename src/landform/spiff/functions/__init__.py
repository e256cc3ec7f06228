"""The functions of the language, by family; each takes a `Call` and returns a result."""
