"""Go's time package as templates see it: moments, zones, durations, and layouts to write and read them."""
