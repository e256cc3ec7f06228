"""The story of one run: a program is begun once under the item's job, followed to its end, and what it left taken over.

Whatever is done is done so that the next deployer can go on after a `kill -9` at any point:

1. the provider status says that the run begins, before it does;
2. a run that has begun is found again in its sandbox, with its output and its end;
3. exports are written, then the provider status says that the job's program succeeded (or failed), then the run is
   removed. So a program that has come to its end is never run again for the same job.

A run that is cut off is stopped if nobody wants it any more, and left alone if only this process lets go of it.
"""

from __future__ import annotations

import asyncio
import logging
import signal
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from landform.api.deployitems import time_allowed
from landform.api.waiting import WaitReason
from landform.deployers.library.endings import Ending
from landform.deployers.programs.contract.contract import Operation
from landform.deployers.programs.contract.faults import ProgramDataError
from landform.deployers.programs.contract.identities import ItemId, RunId
from landform.deployers.programs.contract.outcomes import End
from landform.deployers.programs.files import exportfiles
from landform.deployers.programs.runs import failures, memory, reporting
from landform.deployers.programs.runs.logs import LogKeeper
from landform.runtime.recorders import EventType

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from datetime import timedelta

    from landform.deployers.library import Item
    from landform.deployers.library.failures import FinalFailure
    from landform.deployers.programs.contract.outcomes import Result
    from landform.deployers.programs.contract.sandboxes import Order, Progress, Sandbox
    from landform.deployers.programs.runs.memory import Memory

log = logging.getLogger(__name__)

AT_ONCE: Final = 8
"""How many runs begin at once: of many, the first ones should run before a word is written about the others."""


@dataclass(frozen=True)
class Terms:
    """How a deployer deals with all of its programs."""

    api_version: str
    """Of its provider status."""

    grace: timedelta
    """How long a program may take to end when it is asked to."""

    log_limit: int
    """How many bytes of its output are kept."""

    beginning: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))
    """Held by each run while it begins."""


def item_id(item: Item) -> ItemId:
    """Which item it is."""
    return ItemId(item.namespace, item.name, item.object.metadata.uid or "")


class ProgramRun:
    """One run of an item's program; `hide` takes out of its output what an error must not show."""

    def __init__(self, item: Item, sandbox: Sandbox, run: RunId, terms: Terms, hide: Callable[[str], str]) -> None:
        self.run = run
        self._item = item
        self._sandbox = sandbox
        self._terms = terms
        self._hide = hide
        self._clock = item.surroundings.clock
        self._memory: Memory = memory.read(item.provider_status)
        self._log = LogKeeper(item.home, self.run, self._clock, terms.log_limit)
        self._has_ended = False

    async def perform(self, order: Callable[[], Awaitable[Order]]) -> None:
        """Return when the program has succeeded under this job, now or before; FinalFailure if it has failed.

        `order` is asked for what to run only if the run has not begun.
        """
        if self._memory.has_succeeded(self.run):
            if self._memory.exported:
                self._item.keep_exports()
            return await self._sandbox.remove(self.run)
        if self._memory.has_failed(self.run):
            await self._sandbox.remove(self.run)
            raise failures.again(self._memory.reason, self._memory.message)
        try:
            if not await self._has_begun():
                await self._begin(await order())
            await self._take_over(await self._follow())
        except asyncio.CancelledError:
            ending = self._item.ending
            if ending is not None and ending.is_over and self._memory.is_of(self.run):
                await self._stop(ending)
                if ending is Ending.OUT_OF_TIME and self._memory.has_succeeded(self.run):
                    return  # all was done in time but for the tidying up
            raise

    async def _has_begun(self) -> bool:
        """Whether the run is found in its sandbox; it is not if the provider status does not say that it begins."""
        return self._memory.is_of(self.run) and await self._sandbox.has(self.run)

    async def _begin(self, order: Order) -> None:
        """Say that the run begins, and begin it, when it is its turn."""
        self._item.waiting(WaitReason.PROGRAM, f"the program is being started ({self._sandbox.name})")
        async with self._terms.beginning:
            self._remember(self._memory.begun(self.run, self._sandbox.name, order.program.image, self._clock.now()))
            reporting.staging(self._item)
            await self._item.progress()
            await self._sandbox.begin(order)
        log.info("the program begins (%s, %s)", self.run.operation, self._sandbox.name)

    async def _follow(self) -> Result:
        """Wait for the end of the program, and keep what it prints."""
        following = asyncio.create_task(
            self._log.follow(lambda: self._sandbox.output(self.run)), name=f"output of {self.run.item}"
        )
        try:
            result = await self._sandbox.finished(self.run, self._report)
            await self._log.rest(following)
            return result
        finally:
            following.cancel()
            await asyncio.wait((following,))

    def _report(self, progress: Progress) -> None:
        """The sandbox says how far the run is."""
        self._remember(self._memory.with_progress(progress))
        reporting.underway(self._item, progress)
        self._item.waiting(WaitReason.PROGRAM, reporting.sentence(progress, self._memory))

    async def _take_over(self, result: Result) -> None:
        """Take over what the program left, so that it is never run again for this job; then tidy up."""
        self._has_ended = True
        self._item.working()
        self._remember(self._memory.ended(result.outcome))
        failure, has_exported = await self._taken(result)
        reporting.ended(self._item, result, failure)
        await self._log.end()
        if failure is None:
            self._remember(self._memory.success(self.run, exported=has_exported))
        else:
            self._remember(self._memory.failure(self.run, failure.reason, failure.message))
        await self._item.progress()
        await self._sandbox.remove(self.run)
        if failure is not None:
            raise failure
        log.info("the program succeeded (%s)", self.run.operation)

    async def _taken(self, result: Result) -> tuple[FinalFailure | None, bool]:
        """How it failed, if it did; and whether there are exports."""
        tail = self._hide(self._log.tail())
        if not result.outcome.succeeded:
            return failures.of_outcome(result.outcome, tail, result.fault), False
        if self.run.operation is Operation.DELETE:
            return None, False  # nobody needs any more what it may have left
        if result.fault:
            return failures.of_collection(result.fault, tail), False
        if result.exports is None:
            return None, False
        try:
            values = await asyncio.to_thread(exportfiles.parse, result.exports)
        except ProgramDataError as fault:
            return failures.of_collection(str(fault), tail), False
        await self._item.export(values)
        return None, True

    async def _stop(self, ending: Ending) -> None:
        """Nobody wants the program any more: end it, and say so."""
        told = "" if self._has_ended else await self._stopped_and_heard()
        await self._log.end()
        await self._sandbox.remove(self.run)
        if self._has_ended:
            return
        if ending is not Ending.OUT_OF_TIME:
            self._item.tell(EventType.WARNING, "ProgramStopped", f"{reporting.why(ending)}: {told}")
            return
        allowed = str(time_allowed(self._item.object))
        failure = failures.out_of_time(allowed, told, self._hide(self._log.tail()))
        self._remember(self._memory.failure(self.run, failure.reason, failure.message))
        reporting.stopped(self._item, failure)
        raise failure from None

    async def _stopped_and_heard(self) -> str:
        """End the program, and keep what it prints about that; the words for how that went.

        Some sandboxes remove the output with the program, so it is listened to meanwhile; others tell the last of it
        only afterwards.
        """
        listening = asyncio.create_task(
            self._log.listen(lambda: self._sandbox.output(self.run)), name=f"last output of {self.run.item}"
        )
        try:
            told = await self._stopped()
        finally:
            listening.cancel()
            await asyncio.wait((listening,))
        await self._log.read_again(lambda: self._sandbox.output(self.run))
        return told

    async def _stopped(self) -> str:
        """End the program; the words for how that went."""
        grace = self._terms.grace
        began = self._clock.monotonic()
        await self._sandbox.stop(self.run, grace)
        took = self._clock.monotonic() - began
        left = await keep_state(self._sandbox, self.run)
        if left is None or left.outcome.end is End.LOST:
            killed = took >= grace.total_seconds()
        else:
            killed = left.outcome.signal == signal.SIGKILL
        seconds = f"{grace.total_seconds():g} s"
        told = f"it was killed, because it had not ended {seconds} after TERM" if killed else "it ended on TERM"
        return f"{told}; {left.fault}" if left is not None and left.fault else told

    def _remember(self, known: Memory) -> None:
        self._memory = known
        self._item.provider_status = known.plain(self._terms.api_version)


async def end_older(item: Item, sandbox: Sandbox, older: RunId, terms: Terms) -> None:
    """End what is left of an earlier job's run: its end would be no news, and two must not run at a time."""
    if await sandbox.has(older):
        item.waiting(WaitReason.PROGRAM, f"the program of an earlier job ({older.job}) is being ended")
        await sandbox.stop(older, terms.grace)
        await keep_state(sandbox, older)
        await sandbox.remove(older)
        item.working()


async def keep_state(sandbox: Sandbox, stopped: RunId) -> Result | None:
    """Have the state kept that a stopped program left: what it has done in the world it has done.

    What is left of it, if anything.
    """
    if not await sandbox.has(stopped):
        return None
    result = await sandbox.finished(stopped, lambda _progress: None)
    if result.fault:
        log.warning("the program was stopped, and what it left is not kept: %s", result.fault)
    return result
