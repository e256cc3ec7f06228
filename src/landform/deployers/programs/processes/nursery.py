"""The nursery: a process that forks keepers, because a fork takes a millisecond and a new interpreter thirty.

It gets the descriptors of a keeper in each message on the socket that stdin is, answers when the keeper is on its own,
and ends with the deployer. Keepers go on. Like them it stands alone.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import socket
import traceback
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_ABOVE = 64
"""Descriptors are lifted above the numbers that they get in the end, so that none falls on another."""


def main(keep: Callable[[], None], numbers: Sequence[int]) -> None:
    """Fork processes that keep, with the descriptors of each under these numbers, until the deployer is gone."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # whoever ended is reaped by the system
    with socket.socket(fileno=0) as asked:
        while True:
            message, descriptors, _flags, _address = socket.recv_fds(asked, 1, len(numbers))
            if not message:
                return
            if os.fork() == 0:
                _become(keep, dict(zip(numbers, descriptors, strict=True)))
            for descriptor in descriptors:
                os.close(descriptor)
            with contextlib.suppress(BrokenPipeError):  # nobody waits for the answer, and the keeper does not mind
                asked.send(message)


def _become(keep: Callable[[], None], descriptors: dict[int, int]) -> None:
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        lifted = {number: fcntl.fcntl(each, fcntl.F_DUPFD_CLOEXEC, _ABOVE) for number, each in descriptors.items()}
        for number, descriptor in lifted.items():
            os.dup2(descriptor, number, inheritable=False)
        keep()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)
