"""Runs whose files lie in a folder of this machine: staging and collecting, whatever it is that runs the programs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from landform.api.errors import OperationFailed
from landform.cluster.kinds import DEPLOY_ITEMS
from landform.deployers.library.failures import FinalFailure
from landform.deployers.programs.contract.contract import Layout
from landform.deployers.programs.contract.faults import ProgramDataError
from landform.deployers.programs.contract.outcomes import End, Outcome, Result
from landform.deployers.programs.contract.sandboxes import Progress, State, Step
from landform.deployers.programs.files import collecting, staging
from landform.deployers.programs.local.launchers import STOPPED
from landform.deployers.programs.local.places import Places
from landform.deployers.programs.states import statewriting
from landform.deployers.programs.states.states import StateStore
from landform.deployers.programs.tasks import threads

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from datetime import timedelta

    from landform.cluster.interface import Cluster
    from landform.deployers.programs.contract.identities import ItemId, RunId
    from landform.deployers.programs.contract.sandboxes import Order, Program, Report, SandboxName
    from landform.deployers.programs.local.launchers import Launcher
    from landform.deployers.programs.local.places import Place


States = Callable[["ItemId"], State]
"""Gives the state of an item."""


def home_states(cluster: Cluster, *, identity: str = "") -> States:
    """States in the cluster and the namespace that their items live in, and that go with them."""

    def of(item: ItemId) -> StateStore:
        owner = {
            "apiVersion": DEPLOY_ITEMS.api_version,
            "kind": DEPLOY_ITEMS.kind,
            "name": item.name,
            "uid": item.uid,
        }
        return StateStore(cluster, item.namespace, item, identity=identity, owner=owner, by_name=True)

    return of


@dataclass
class _Waiting:
    """A run that is staged and whose program was not started yet; gone with this process, and then begun anew."""

    program: Program
    over: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the program was started, or never will be."""


class FolderSandbox:
    """A sandbox for one launcher; each needs a root of its own."""

    def __init__(self, root: Path, launcher: Launcher, states: States) -> None:
        self.name: SandboxName = launcher.name
        self._places = Places(root)
        self._launcher = launcher
        self._states = states
        self._waiting: dict[str, _Waiting] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._adopting: asyncio.Task[None] | None = None

    async def begin(self, order: Order) -> None:
        await self._adopted()
        run = order.run
        if await self.has(run):
            return
        await self._stage(order)
        self._waiting[run.token] = _Waiting(order.program)
        if await self._launcher.is_ready(order.program):
            await self._start(self._places.of(run), lambda _progress: None)

    async def has(self, run: RunId) -> bool:
        place = self._places.of(run)
        if not await asyncio.to_thread(place.is_there):
            return False
        if run.token in self._waiting or await self._launcher.has_started(place):
            return True
        return await asyncio.to_thread(place.result) is not None

    async def finished(self, run: RunId, report: Report) -> Result:
        await self._adopted()
        place = self._places.of(run)
        await self._start(place, report)
        result = await asyncio.to_thread(place.result)
        if result is not None:
            return result
        outcome = await self._launcher.wait(place, report)
        report(Progress(Step.COLLECTING))
        async with self._collecting(run):
            return await self._collected(place, outcome)

    async def output(self, run: RunId) -> AsyncIterator[bytes]:
        waiting = self._waiting.get(run.token)
        if waiting is not None:
            await waiting.over.wait()
        place = self._places.of(run)
        if await self._launcher.has_started(place):
            async for data in self._launcher.output(place):
                yield data

    async def stop(self, run: RunId, grace: timedelta) -> None:
        place = self._places.of(run)
        waiting = self._waiting.pop(run.token, None)
        if waiting is not None:
            waiting.over.set()
            await threads.finish(place.keep_result, Result(_never_started()))
        if await self._launcher.has_started(place):
            await self._launcher.stop(place, grace)

    async def remove(self, run: RunId) -> None:
        place = self._places.of(run)
        self._waiting.pop(run.token, None)
        async with self._collecting(run):
            await self._launcher.remove(place)
            await threads.finish(self._places.remove, place.folder)
        self._locks.pop(run.token, None)

    async def runs(self) -> Sequence[RunId]:
        there = await asyncio.to_thread(lambda: [place.run for place in self._places.all()])
        return tuple(dict.fromkeys([*there, *await self._launcher.left()]))

    async def items(self) -> Sequence[ItemId]:
        """Those with runs. State is not asked for: it goes with the item, as its owner says."""
        return tuple(dict.fromkeys(run.item for run in await self.runs()))

    async def forget(self, item: ItemId) -> None:
        for run in await self.runs():
            if run.item == item:
                await self.remove(run)
        await threads.finish(self._places.forget, item)
        await self._states(item).remove()

    def state(self, item: ItemId) -> State:
        return self._states(item)

    async def close(self) -> None:
        if self._adopting is not None:
            await asyncio.wait([self._adopting])
        await self._launcher.close()
        await asyncio.to_thread(self._places.close)

    async def _stage(self, order: Order) -> None:
        """Stage the inputs and the last state; nothing is found of it before it is complete."""
        owner = self._launcher.owner
        try:
            place = await threads.finish(self._prepared, order)
            found = await self._states(order.run.item).restore(_state(place), owner=owner, adopts=order.adopts)
            if found is None:
                await threads.finish(place.without_state.touch)
            await threads.finish(self._places.settle, place)
        except ProgramDataError as error:
            raise FinalFailure("StageProgram", type(error).__name__, "its files cannot be staged") from error
        except OSError as error:
            text = f"its files cannot be staged in {self._places.root}"
            raise OperationFailed("StageProgram", "StagingFailed", text) from error

    def _prepared(self, order: Order) -> Place:
        owner = self._launcher.owner
        place = self._places.prepare(order.run, owner)
        staging.stage(place.files, order.inputs, owner=owner)
        return place

    async def _start(self, place: Place, report: Report) -> None:
        """Start a program that waits for it."""
        waiting = self._waiting.get(place.run.token)
        if waiting is None:
            return
        outcome = await self._launcher.start(place, waiting.program, report)
        if outcome is not None:
            await threads.finish(place.keep_result, Result(outcome))
        self._waiting.pop(place.run.token, None)
        waiting.over.set()

    def _collecting(self, run: RunId) -> asyncio.Lock:
        """Held by whoever takes what a run left, or removes it: half of a folder must not be taken for a state."""
        return self._locks.setdefault(run.token, asyncio.Lock())

    async def _collected(self, place: Place, outcome: Outcome) -> Result:
        if not await asyncio.to_thread(place.is_there):
            return Result(Outcome(End.LOST, reason="RunRemoved", message="somebody else removed what was left of it"))
        try:
            known = await asyncio.to_thread(place.result)
            if known is not None:
                return known
            fault = await self._keep_state(place, outcome)
            return await threads.finish(_collect, place, outcome, fault)
        except OSError as error:  # such as a full disk; what the program left is still there for another time
            text = f"what it left in {place.folder} cannot be collected"
            raise OperationFailed("CollectProgram", "CollectionFailed", text) from error

    async def _keep_state(self, place: Place, outcome: Outcome) -> str:
        """Keep the state that a program left, also one that failed or was stopped; the fault if that cannot be.

        What it has done in the world it has done, and the next run must know of it.
        """
        if outcome.end is End.NOT_STARTED or await threads.finish(_has_no_state, place):
            return ""
        try:
            await self._states(place.run.item).save(_state(place), place.run.token)
        except ProgramDataError as error:
            return str(error)
        return ""

    async def _adopted(self) -> None:
        """Let the launcher take over what runs already, before it starts anything."""
        if self._adopting is None:
            self._adopting = asyncio.create_task(self._adopt(), name=f"adopt {self.name} programs")
        await asyncio.shield(self._adopting)

    async def _adopt(self) -> None:
        await threads.finish(self._places.sweep)
        await self._launcher.adopt(await asyncio.to_thread(lambda: list(self._places.all())))


def _collect(place: Place, outcome: Outcome, fault: str) -> Result:
    """Take the exports if the program says that it did its work, and write down what became of the run."""
    exports = None
    if not fault and outcome.succeeded and outcome.reason != STOPPED:
        try:
            exports = collecting.read_exports(place.files)
        except ProgramDataError as error:
            fault = str(error)
    result = Result(outcome, exports, fault)
    place.keep_result(result)
    return result


def _state(place: Place) -> Path:
    return Path(Layout(PurePosixPath(place.files)).state)


def _has_no_state(place: Place) -> bool:
    """Whether there was no state before the run, and there is none after it: as with most programs."""
    return place.without_state.exists() and statewriting.is_nothing(_state(place))


def _never_started() -> Outcome:
    return Outcome(End.NOT_STARTED, reason=STOPPED, message="it was stopped before it was started")
