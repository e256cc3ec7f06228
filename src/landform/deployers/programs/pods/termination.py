"""The last words of a container, where the kubelet looks for them."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Final

LOG: Final = Path("/dev/termination-log")

_LONGEST = 4000
"""The kubelet keeps 4096 bytes."""


def tell(message: str, log: Path = LOG) -> None:
    """Say why this container could not do its work, in its log too."""
    print(message, file=sys.stderr, flush=True)
    with contextlib.suppress(OSError):  # then the kubelet takes the end of the log
        log.write_bytes(message.encode(errors="replace")[:_LONGEST])
