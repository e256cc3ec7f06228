"""How processes are started, and what they may use."""

from __future__ import annotations

import os
import resource
from dataclasses import dataclass, field

_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(frozen=True)
class Limits:
    """What one process may use; None: as much as the deployer itself."""

    memory: int | None = None
    """Bytes of address space. What a program reserves counts, not only what it uses: leave room."""

    cpu_seconds: int | None = None
    """Seconds of processor time, then it is ended by SIGXCPU."""

    open_files: int | None = None
    """Files, pipes and sockets that it may have open at once."""

    processes: int | None = None
    """Processes and threads that its user may have at once; all programs of this user count together."""

    file_size: int | None = None
    """Bytes of the largest file that it may write."""

    def numbers(self) -> list[tuple[int, int]]:
        """As the system knows them; core files, which would hold secrets, are never written."""
        known = {
            resource.RLIMIT_AS: self.memory,
            resource.RLIMIT_CPU: self.cpu_seconds,
            resource.RLIMIT_NOFILE: self.open_files,
            resource.RLIMIT_NPROC: self.processes,
            resource.RLIMIT_FSIZE: self.file_size,
            resource.RLIMIT_CORE: 0,
        }
        return [(number, value) for number, value in known.items() if value is not None]


@dataclass(frozen=True)
class ProcessSettings:
    """How processes are started."""

    slots: int = 50
    """How many may run at once; further ones wait."""

    limits: Limits = field(default_factory=Limits)
    """What each may use."""

    path: str = field(default_factory=lambda: os.environ.get("PATH", _PATH))
    """Where programs look for commands: the deployer's own PATH, because what is installed for it is what there is."""

    output: int = 4 << 20
    """Bytes of output that are kept of each run while it runs; the oldest go."""
