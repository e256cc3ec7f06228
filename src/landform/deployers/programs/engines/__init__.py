"""Programs as containers of podman or docker on this machine, through the API socket that both have.

Containers are found again by their names and labels; nothing of them is kept in this process.
"""
