"""How containers of an engine are made."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True)
class EngineSettings:
    """How containers are made, and how patient their launcher is."""

    network: bool = True
    """Whether containers have the engine's default network. An item may switch it off for itself, and never on."""

    read_only_root: bool = False
    """Whether containers can write nothing but their files and /tmp, unless an item says otherwise."""

    memory: int | None = None
    """Most bytes of memory of a container; an item may say less. None: no limit."""

    pids: int | None = None
    """Most processes in a container; None: the engine's own limit."""

    cpus: float | None = None
    """Most processors that a container may use; an item may say less. None: no limit."""

    output: int = 4 << 20
    """Bytes of output that the engine keeps of each run, where its log driver can be told."""

    pull_patience: timedelta = timedelta(seconds=60)
    """How long the engine may fail to pull an image before the run is given up."""
