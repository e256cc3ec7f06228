"""Finding what is there to run programs: a host cluster, the API socket of a container engine."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from landform.cluster import kubeconfig
from landform.cluster.errors import ConfigurationError
from landform.deployers.programs.engines import sockets
from landform.deployers.programs.grounds.choosing import Available

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.deployers.programs.setup.settings import Settings

_SYSTEM = Path("/var/lib/landform/programs")


def available(settings: Settings, environ: Mapping[str, str]) -> Available:
    """What is there now."""
    host = bool(settings.host.kubeconfig) or _is_in_pod(environ)
    return Available(host=host, engine=sockets.find(settings.engine.socket, environ))


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


def _is_in_pod(environ: Mapping[str, str]) -> bool:
    try:
        kubeconfig.in_cluster(environ)
    except ConfigurationError:
        return False
    return True
