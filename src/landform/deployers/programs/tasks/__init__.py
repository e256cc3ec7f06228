"""Work side by side, as a whole, in a thread."""
