"""Programs of users as deploy items: what the container and the script deployer share.

One contract, three places to run them. A program gets files and environment variables, and leaves exports and state.
What is staged before it and collected after it is the same everywhere; only the sandbox differs. Knows neither of the
two deployers.

The package imports nothing by itself, because the init and wait containers start from a few of its modules only, and
every one they do not load is time that nobody waits.
"""
