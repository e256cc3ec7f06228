"""What everybody here agrees on: variables and paths, which run, how it ended, what a sandbox is."""
