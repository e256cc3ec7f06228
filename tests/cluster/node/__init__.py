"""A real node beside the control plane, a real podman, and the images they run, without any registry.

`packages` fetches Debian's programs without installing them; `rooms` gives them namespaces of their own, so that
nothing they do outlives them or is seen by the machine; `nodes` and `podman` run in such rooms. `images` writes what
both can load. Knows Landform only as files to put into an image. Needs root on Linux.
"""
