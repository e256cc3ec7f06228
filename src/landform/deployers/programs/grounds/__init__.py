"""Which sandbox an item runs in, shared by all that use it."""
