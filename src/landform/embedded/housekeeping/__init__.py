"""What the home does by itself: collect garbage, empty namespaces, serve new kinds, keep accounts, expire events.

Each housekeeper listens to the store's history, notes which object needs a look, and looks at it in a worker of
`chores`. All of them write through the registry, like everyone else.
"""
