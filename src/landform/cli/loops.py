"""How commands run their coroutines: on uvloop where it is installed, and until somebody ends them."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any, TypeVar

from landform.cli.errors import TERMINATED

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

_new_loop: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop
with contextlib.suppress(ImportError):
    import uvloop

    _new_loop = uvloop.new_event_loop

T = TypeVar("T")


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end; SIGTERM lets it tidy up, as Ctrl-C does, and a second one does not."""
    # Every full pass of Python's cycle collector stops all requests for 20 ms and more, the longer the more is stored;
    # nearly all that a request makes is freed without it.
    gc.set_threshold(50_000, 20, 100)
    # Threads that work with files or the database ask for the interpreter's lock after every system call, and wait for
    # it so long if the loop is busy: five milliseconds by default, a hundred times for one program.
    sys.setswitchinterval(0.0005)
    termination = _Termination()
    with asyncio.Runner(loop_factory=_new_loop) as runner:
        try:
            return runner.run(termination.heeded_by(main))
        except asyncio.CancelledError:
            if termination.is_asked:
                raise SystemExit(TERMINATED) from None
            raise


class _Termination:
    """Whether somebody has asked the process to end."""

    def __init__(self) -> None:
        self.is_asked = False

    async def heeded_by(self, main: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine until SIGTERM; one that handles the signal itself takes it over."""
        task = asyncio.current_task()
        # Signals reach the main thread only, and tests run commands in others.
        if task is not None and threading.current_thread() is threading.main_thread():
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self._end, task)
        return await main

    def _end(self, task: asyncio.Task[Any]) -> None:
        if self.is_asked:
            os._exit(TERMINATED)
        self.is_asked = True
        task.cancel()
