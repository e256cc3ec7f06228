"""The manager of a process: starts its parts in order, says when all are ready, and stops them in order."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from landform.kit.errors import LandformError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager

log = logging.getLogger(__name__)

SIGNALS = (signal.SIGTERM, signal.SIGINT)


class PartEnded(LandformError):
    """A part of the process ended though nobody had asked it to."""


class Life:
    """What a part and the manager tell each other."""

    def __init__(self) -> None:
        self._ready = asyncio.Event()
        self._stopping = asyncio.Event()

    def ready(self) -> None:
        """The part says: whoever needs me may start."""
        self._ready.set()

    @property
    def is_ready(self) -> bool:
        """Whether the part has said so."""
        return self._ready.is_set()

    @property
    def is_stopping(self) -> bool:
        """Whether the part is asked to end."""
        return self._stopping.is_set()

    async def stopping(self) -> None:
        """Return when the part is asked to end."""
        await self._stopping.wait()

    async def until_ready(self) -> None:
        """Return when the part is ready."""
        await self._ready.wait()

    def stop(self) -> None:
        """The manager says: finish, then return."""
        self._stopping.set()


class Part(Protocol):
    """Something that runs as long as the process does."""

    async def run(self, life: Life) -> None:
        """Get ready and say so; work until asked to stop; finish and return. May be cancelled when it takes too long.

        Whatever it raises ends the whole process.
        """
        ...


class Entered:
    """A part that is an ``async with`` block: ready once it is entered."""

    def __init__(self, context: AbstractAsyncContextManager[object]) -> None:
        self._context = context

    async def run(self, life: Life) -> None:
        async with self._context:
            life.ready()
            await life.stopping()


@dataclass(eq=False)
class _Running:
    """A part that was started."""

    name: str
    life: Life
    task: asyncio.Task[None]


@dataclass
class Manager:
    """Runs groups of parts.

    Invariants:
    - a group is started when every part of the groups before it is ready, and asked to stop when every part of the
      groups after it has ended;
    - a part that fails, or ends by itself, stops all others, and its error comes out of `run`;
    - from the request to stop, `run` returns within `stop_seconds` and what it takes the parts to be cancelled;
    - a second request to stop cancels what still runs, at once.
    """

    groups: Sequence[Mapping[str, Part]]
    """Parts by name."""

    stop_seconds: float = 25.0
    """How long running work may take to finish; less than the 30 s that Kubernetes gives a pod."""

    _running: list[list[_Running]] = field(default_factory=list, init=False)
    _early: list[_Running] = field(default_factory=list, init=False)
    _asked: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    _hurried: asyncio.Event = field(default_factory=asyncio.Event, init=False)

    @property
    def is_ready(self) -> bool:
        """Whether every part is ready and none was asked to stop."""
        return not self.unready()

    def unready(self) -> list[str]:
        """The names of the parts that are not ready; all of them once it was asked to stop."""
        if self._asked.is_set():
            return [name for group in self.groups for name in group]
        ready = {part.name for group in self._running for part in group if part.life.is_ready}
        return [name for group in self.groups for name in group if name not in ready]

    def stop(self) -> None:
        """Ask to stop; the second time, at once."""
        if self._asked.is_set():
            self._hurried.set()
        self._asked.set()

    async def run(self) -> None:
        """Start, wait until `stop`, and end; raises what a part raised."""
        try:
            for group in self.groups:
                if not await self._start(group):
                    break
            else:
                log.info("ready")
                await self._until_asked([part.task for group in self._running for part in group])
            log.info("stopping")
            self._asked.set()
            await self._end()
        finally:
            await self._cancel(part for group in self._running for part in group)
        self._raise_first_failure()

    async def _start(self, group: Mapping[str, Part]) -> bool:
        """Start the parts of a group; whether all got ready before something else happened."""
        started: list[_Running] = []
        self._running.append(started)
        for name, part in group.items():
            life = Life()
            started.append(_Running(name, life, asyncio.create_task(part.run(life), name=name)))
        ready = asyncio.ensure_future(asyncio.gather(*(part.life.until_ready() for part in started)))
        try:
            await self._until_asked([ready, *(part.task for one in self._running for part in one)])
            return ready.done()
        finally:
            ready.cancel()
            await asyncio.gather(ready, return_exceptions=True)

    async def _until_asked(self, others: Sequence[asyncio.Future[Any]]) -> None:
        """Return when asked to stop, or when one of the others is done."""
        asked = asyncio.create_task(self._asked.wait(), name="request to stop")
        try:
            await asyncio.wait([asked, *others], return_when=asyncio.FIRST_COMPLETED)
        finally:
            asked.cancel()

    async def _end(self) -> None:
        """Ask group by group, the last first, to finish, within the time there is for all."""
        self._note_early_ends()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.stop_seconds):
                for group in reversed(self._running):
                    for part in group:
                        part.life.stop()
                    await self._until_ended_or_hurried([part.task for part in group])

    async def _until_ended_or_hurried(self, tasks: Sequence[asyncio.Task[None]]) -> None:
        hurried = asyncio.create_task(self._hurried.wait(), name="second request to stop")
        ended = asyncio.ensure_future(asyncio.wait(tasks))
        try:
            await asyncio.wait([hurried, ended], return_when=asyncio.FIRST_COMPLETED)
            if hurried.done():
                raise TimeoutError
        finally:
            hurried.cancel()
            ended.cancel()

    async def _cancel(self, parts: Iterator[_Running]) -> None:
        left = [part for part in parts if not part.task.done()]
        for part in left:
            log.warning("%s did not finish in time and is cancelled", part.name)
            part.task.cancel()
        if left:
            await asyncio.wait([part.task for part in left])

    def _note_early_ends(self) -> None:
        self._early = [part for group in self._running for part in group if part.task.done()]

    def _raise_first_failure(self) -> None:
        parts = [part for group in self._running for part in group]
        for part in (*self._early, *parts):
            if not part.task.cancelled() and (error := part.task.exception()) is not None:
                raise error
        for part in self._early:
            raise PartEnded(f"{part.name} ended by itself; that is a bug in it, see the log before this line")


@contextlib.contextmanager
def stopped_by_signals(manager: Manager) -> Iterator[None]:
    """Within this, SIGTERM and SIGINT stop the manager, and a second one ends the process there and then.

    At once is safe: a replica that dies without a word is one of the things the others are made for.
    """
    loop = asyncio.get_running_loop()

    def handle() -> None:
        for number in SIGNALS:
            loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_DFL)
        manager.stop()

    before = {number: signal.getsignal(number) for number in SIGNALS}
    for number in SIGNALS:
        loop.add_signal_handler(number, handle)
    try:
        yield
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)
