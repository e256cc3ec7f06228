"""Virtual time: an event loop whose clock jumps to the next timer as soon as nothing else is to be done.

    def test_an_hour_passes_at_once() -> None:
        async def scenario() -> None:
            await asyncio.sleep(3600)
        time.run(scenario())

Everything that waits through asyncio or through `VirtualClock` takes no real time, and happens in the same order in
each run. Sockets are polled but never waited for: a server on loopback belongs into a test in real time.
"""

from __future__ import annotations

import asyncio
import selectors
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from concurrent.futures import Executor

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

START = datetime(2030, 1, 1, tzinfo=UTC)
"""When virtual time begins."""


class Deadlock(RuntimeError):
    """Every task waits, and nothing will ever wake one."""


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop in virtual time.

    Invariant: time moves only when no callback is ready and no thread works for the loop, and then exactly to the
    next timer.
    """

    def __init__(self, *, with_sockets: bool = True) -> None:
        self.virtual_time = 0.0
        self._threads = 0
        super().__init__(_JumpingSelector(self, with_sockets))

    def time(self) -> float:
        return self.virtual_time

    def run_in_executor(self, executor: Executor | None, func: Callable[[*Ts], T], *args: *Ts) -> asyncio.Future[T]:
        """Run in a thread; time stands still until it is done."""
        future = super().run_in_executor(executor, func, *args)
        self._threads += 1
        future.add_done_callback(self._thread_done)
        return future

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:
        """End the threads; the loop waits for them, whatever the time."""
        self._threads += 1
        try:
            await super().shutdown_default_executor()
        finally:
            self._threads -= 1

    def is_waiting_for_threads(self) -> bool:
        """Whether a thread works for the loop."""
        return self._threads > 0

    def _thread_done(self, _future: asyncio.Future[Any]) -> None:
        self._threads -= 1


class _JumpingSelector(selectors.DefaultSelector):
    """Polls; and where the loop would wait, moves its time."""

    def __init__(self, loop: VirtualLoop, with_sockets: bool) -> None:
        super().__init__()
        self._loop = loop
        self._with_sockets = with_sockets

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready: list[tuple[selectors.SelectorKey, int]] = []
        if self._with_sockets:
            ready = super().select(None if self._loop.is_waiting_for_threads() and timeout != 0 else 0)
        if ready or timeout == 0 or self._loop.is_waiting_for_threads():
            return ready
        if timeout is None:
            raise Deadlock("every task waits, and nothing will ever wake one")
        self._loop.virtual_time += timeout
        return ready


class VirtualClock:
    """The running loop's time as a `Clock`; `skew` seconds ahead of the others, as machines are."""

    def __init__(self, *, skew: float = 0.0) -> None:
        self.skew = skew

    def now(self) -> datetime:
        return START + timedelta(seconds=self.monotonic() + self.skew)

    def monotonic(self) -> float:
        return asyncio.get_running_loop().time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end in virtual time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)
