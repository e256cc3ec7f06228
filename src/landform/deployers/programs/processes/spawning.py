"""The deployer's side of the nursery: started when the first keeper is needed, and again if it died. Blocks."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final

from landform.deployers.programs.processes import keeper

if TYPE_CHECKING:
    from collections.abc import Sequence

_CODE: Final = (
    "import sys; sys.path.append(sys.argv[1]); import keeper, nursery;"
    " nursery.main(keeper.main, (keeper.ORDER, keeper.LOCK, keeper.ENDED, keeper.CONTROL))"
)


class Nursery:
    """Where keepers come from; any thread may ask."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None

    def spawn(self, descriptors: Sequence[int]) -> None:
        """Start a keeper with its order, lock, and both FIFOs; OSError if that cannot be."""
        with self._lock:
            if not self._asked(descriptors):  # it died meanwhile: what it was asked for last was not done
                self._close()
                if not self._asked(descriptors):
                    raise OSError(f"no process to keep programs can be started with {sys.executable}")

    def close(self) -> None:
        """End the nursery; keepers go on."""
        with self._lock:
            self._close()

    def _asked(self, descriptors: Sequence[int]) -> bool:
        try:
            asked = self._socket or self._open()
            socket.send_fds(asked, [b"."], descriptors)
            return bool(asked.recv(1))
        except (BrokenPipeError, ConnectionResetError):
            return False

    def _open(self) -> socket.socket:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket = ours
        libraries = os.environ.get("LD_LIBRARY_PATH")
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _CODE, str(Path(keeper.__file__).parent)],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                env={"LD_LIBRARY_PATH": libraries} if libraries else {},
                start_new_session=True,
            )
        return ours

    def _close(self) -> None:
        if self._socket is not None:
            self._socket.close()
        if self._process is not None:
            self._process.wait()
        self._socket = self._process = None
