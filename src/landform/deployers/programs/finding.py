"""Finding what is there to run programs: a host cluster, the API socket of a container engine."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from landform.cluster import kubeconfig
from landform.cluster.errors import ConfigurationError
from landform.deployers.programs.choosing import Available

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.deployers.programs.settings import Settings

_VARIABLES = ("CONTAINER_HOST", "DOCKER_HOST")
_UNIX = "unix://"
_SYSTEM = Path("/var/lib/landform/programs")


def available(settings: Settings, environ: Mapping[str, str]) -> Available:
    """What is there now."""
    return Available(host=bool(settings.host.kubeconfig) or _is_in_pod(environ), engine=_engine(settings, environ))


def sockets(environ: Mapping[str, str], user: int) -> list[Path]:
    """Where the API sockets of podman and docker usually are, in the order in which they are preferred; pure."""
    named = [environ[name].removeprefix(_UNIX) for name in _VARIABLES if environ.get(name, "").startswith(_UNIX)]
    runtime = environ.get("XDG_RUNTIME_DIR") or f"/run/user/{user}"
    own = [f"{runtime}/podman/podman.sock"] if user else []
    others = ["/run/podman/podman.sock", f"{runtime}/docker.sock", "/run/docker.sock", "/var/run/docker.sock"]
    return [Path(path) for path in (*named, *own, *others)]


def folder_of_home(data: Path, user: int) -> Path:
    """Where the files of programs lie for a home on a data folder; pure.

    Started as root, programs run as another user, who must be able to get there; and a data folder is private.
    """
    if user:
        return data / "programs"
    return _SYSTEM / hashlib.blake2b(str(data).encode(), digest_size=8).hexdigest()


def default_folder(environ: Mapping[str, str], user: int) -> Path:
    """Where the files of programs lie if nobody says another place; pure."""
    if not user:
        return _SYSTEM / "default"
    state = environ.get("XDG_STATE_HOME") or str(Path(environ.get("HOME") or "/") / ".local" / "state")
    return Path(state) / "landform" / "programs"


def _engine(settings: Settings, environ: Mapping[str, str]) -> str:
    if settings.engine.socket:
        return settings.engine.socket
    there = (path for path in sockets(environ, os.geteuid()) if path.is_socket() and os.access(path, os.W_OK))
    return str(next(there, ""))


def _is_in_pod(environ: Mapping[str, str]) -> bool:
    try:
        kubeconfig.in_cluster(environ)
    except ConfigurationError:
        return False
    return True
