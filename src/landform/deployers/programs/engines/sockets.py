"""Where the API socket of podman or docker is."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_SCHEME: Final = "unix://"


def find(configured: str = "", environ: Mapping[str, str] | None = None) -> str:
    """The path of the first socket that there is; empty if there is none.

    What is configured counts alone; else what the variables of podman and docker name, else the places where they
    listen: those of this user first, and podman before docker.
    """
    environ = os.environ if environ is None else environ
    candidates = [_path(configured)] if configured else [*_named(environ), *_well_known(environ, os.geteuid())]
    return next((path for path in candidates if _is_socket(path)), "")


def _named(environ: Mapping[str, str]) -> Iterator[str]:
    for variable in ("CONTAINER_HOST", "DOCKER_HOST"):
        value = environ.get(variable, "")
        if value.startswith(_SCHEME):
            yield _path(value)


def _well_known(environ: Mapping[str, str], user: int) -> Iterator[str]:
    if user != 0:
        own = environ.get("XDG_RUNTIME_DIR") or f"/run/user/{user}"
        yield f"{own}/podman/podman.sock"
        yield f"{own}/docker.sock"
        if home := environ.get("HOME"):
            yield f"{home}/.docker/run/docker.sock"
            yield f"{home}/.local/share/containers/podman/machine/podman.sock"
    yield "/run/podman/podman.sock"
    yield "/run/docker.sock"
    yield "/var/run/docker.sock"


def _path(address: str) -> str:
    return address.removeprefix(_SCHEME)


def _is_socket(path: str) -> bool:
    try:
        return stat.S_ISSOCK(Path(path).stat().st_mode) and os.access(path, os.R_OK | os.W_OK)
    except OSError:
        return False
