"""A machine without machinery: programs that take virtual time, and a deployer that can be killed and begun anew."""

from __future__ import annotations

import asyncio
import contextlib
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tests.deployers.library.worlds import World, world

from landform.api import anyjson
from landform.deployers.library import Deployer
from landform.deployers.programs.contract.outcomes import End, Outcome, Result
from landform.deployers.programs.contract.sandboxes import Progress, SandboxName, Step
from landform.deployers.programs.grounds.choosing import Available, Wish
from landform.deployers.programs.grounds.grounds import Grounds
from landform.deployers.programs.runs.deployers import Equipment
from landform.deployers.script import ScriptDeployer
from landform.testing import time

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
    from datetime import datetime, timedelta
    from pathlib import Path

    from landform.api.deployitems import DeployItem
    from landform.cluster.interface import Cluster
    from landform.deployers.library import Desk, Item
    from landform.deployers.programs.contract.identities import ItemId, RunId
    from landform.deployers.programs.contract.sandboxes import Order, Program, Report, Sandbox, State
    from landform.kit.surroundings import Surroundings

CONFIG = {"apiVersion": "script.deployer.landscaper.gardener.cloud/v1alpha1", "kind": "ProviderConfiguration"}
SUCCESS = Outcome(End.EXITED, 0)


@dataclass(frozen=True)
class Act:
    """What a program does."""

    seconds: float = 5.0
    outcome: Outcome = SUCCESS
    exports: bytes | None = b"url: here\n"
    output: tuple[bytes, ...] = (b"hello\n",)
    heeds_term: bool = True
    fault: str = ""


@dataclass
class Running:
    """A run on the machine."""

    order: Order
    act: Act
    begun: float
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    stopped: bool = False


@dataclass
class Machine:
    """What stays when a deployer is killed."""

    act: Callable[[RunId], Act] = lambda run: Act()
    running: dict[RunId, Running] = field(default_factory=dict)
    started: list[RunId] = field(default_factory=list)
    programs: list[Program] = field(default_factory=list)
    stopped: list[RunId] = field(default_factory=list)
    salvaged: list[RunId] = field(default_factory=list)
    """Stopped runs whose state was kept."""

    forgotten: list[ItemId] = field(default_factory=list)
    kept: set[ItemId] = field(default_factory=set)
    """Items that have a state."""

    states: dict[SandboxName, str] = field(default_factory=dict)
    """What the item has kept, by place."""

    passed: list[str] = field(default_factory=list)
    """The points that deployers have come by."""

    kill_at: int | None = None
    """The point, by number, that a deployer does not come past."""

    kill_in: str = ""
    """Or by name."""

    killed: asyncio.Event = field(default_factory=asyncio.Event)

    async def point(self, name: str) -> None:
        """A point at which a deployer may be killed: it does nothing more, and nobody tells it."""
        self.passed.append(name)
        if name == self.kill_in or (self.kill_at is not None and len(self.passed) > self.kill_at):
            self.killed.set()
            await asyncio.Event().wait()


class FakeSandbox:
    """A sandbox on a machine."""

    def __init__(self, machine: Machine, name: SandboxName = SandboxName.PROCESS) -> None:
        self.name = name
        self.machine = machine
        self.is_closed = False

    async def begin(self, order: Order) -> None:
        assert not self.is_closed
        await self.machine.point("before begin")
        if order.run not in self.machine.running:
            self.machine.started.append(order.run)
            self.machine.programs.append(order.program)
            self.machine.kept.add(order.run.item)
            now = asyncio.get_running_loop().time()
            self.machine.running[order.run] = Running(order, self.machine.act(order.run), now)
        await self.machine.point("after begin")

    async def has(self, run: RunId) -> bool:
        return run in self.machine.running

    async def finished(self, run: RunId, report: Report) -> Result:
        found = self.machine.running[run]
        if found.stopped:
            self.machine.salvaged.append(run)
            return Result(Outcome(End.SIGNALED, signal=15 if found.act.heeds_term else 9), fault=found.act.fault)
        report(Progress(Step.STAGING))
        report(Progress(Step.RUNNING, status={"podName": "a-pod", "containerStatus": {"imageID": "sha256:1"}}))
        await self.machine.point("running")
        left = found.begun + found.act.seconds - asyncio.get_running_loop().time()
        if left > 0:
            await asyncio.sleep(left)
        report(Progress(Step.COLLECTING))
        await self.machine.point("collecting")
        return Result(found.act.outcome, found.act.exports if found.act.outcome.succeeded else None, found.act.fault)

    async def output(self, run: RunId) -> AsyncIterator[bytes]:
        found = self.machine.running[run]
        pause = found.act.seconds / (len(found.act.output) + 1)
        for number, piece in enumerate(found.act.output, 1):
            await asyncio.sleep(max(0.0, found.begun + pause * number - asyncio.get_running_loop().time()))
            yield piece
            if found.stopped:
                return

    async def stop(self, run: RunId, grace: timedelta) -> None:
        found = self.machine.running.get(run)
        if found is None:
            return
        self.machine.stopped.append(run)
        await asyncio.sleep(1.0 if found.act.heeds_term else grace.total_seconds())
        found.stopped = True

    async def remove(self, run: RunId) -> None:
        await self.machine.point("before remove")
        self.machine.running.pop(run, None)
        await self.machine.point("after remove")

    async def runs(self) -> Sequence[RunId]:
        return list(self.machine.running)

    async def items(self) -> Sequence[ItemId]:
        return list(self.machine.kept)

    async def forget(self, item: ItemId) -> None:
        assert not [run for run in self.machine.running if run.item == item]
        self.machine.kept.discard(item)
        self.machine.forgotten.append(item)

    def state(self, item: ItemId) -> State:
        return FakeState(self.machine, self.name, item)

    async def close(self) -> None:
        self.is_closed = True


@dataclass(frozen=True)
class FakeState:
    """The state of an item in a sandbox."""

    machine: Machine
    place: SandboxName
    item: ItemId

    async def restore(self, folder: Path, *, owner: object = None, adopts: bool = False) -> object:
        if self.place not in self.machine.states:
            return None
        return (folder / "state").write_text(self.machine.states[self.place])

    async def save(self, folder: Path, run: str) -> None:
        await self.machine.point("moving")
        there = folder / "state"
        self.machine.states[self.place] = there.read_text() if there.exists() else ""

    async def remove(self) -> None:
        self.machine.states.pop(self.place, None)


class Replaceable(Deployer):
    """Passes everything on to a deployer that a test may replace by a new one, as a restart does."""

    def __init__(self, make: Callable[[], Deployer]) -> None:
        self._make = make
        self.renew()

    def renew(self) -> None:
        self.inner = self._make()
        self.type, self.name = self.inner.type, self.inner.name

    async def reconcile(self, item: Item) -> None:
        await self.inner.reconcile(item)

    async def delete(self, item: Item) -> None:
        await self.inner.delete(item)

    async def serve(self, desk: Desk) -> None:
        await self.inner.serve(desk)

    def next_pass(self, item: DeployItem, last: datetime) -> datetime | None:
        return self.inner.next_pass(item, last)


class KillingCluster:
    """A cluster between whose writes a deployer may be killed."""

    def __init__(self, cluster: Cluster, machine: Machine) -> None:
        self._cluster = cluster
        self._machine = machine

    def __getattr__(self, verb: str) -> Any:
        call = getattr(self._cluster, verb)
        if verb not in ("create", "replace", "patch", "delete"):
            return call

        async def watched(resource: Any, *args: Any, **kwargs: Any) -> Any:
            await self._machine.point(f"before {verb} {resource.plural}")
            answer = await call(resource, *args, **kwargs)
            await self._machine.point(f"after {verb} {resource.plural}")
            return answer

        return watched


@dataclass
class Stage:
    """A world with a deployer of scripts on a machine."""

    world: World
    machine: Machine

    async def run_job(
        self, name: str = "one", *, seconds: float = 0.05, script: str = "true", **more: Any
    ) -> DeployItem:
        config = {**CONFIG, "script": script, **more.pop("config", {})}
        return await self.world.run_job(name, seconds=seconds, config=config, **more)

    async def killed(self) -> None:
        """Begin anew after a kill."""
        await self.end()
        await self.begin()

    async def end(self) -> None:
        """Have nothing left of the killed deployer."""
        working = next(task for task in asyncio.all_tasks() if task.get_name() == "controller")
        working.cancel()
        await asyncio.wait([working])
        with contextlib.suppress(asyncio.CancelledError):
            await self.world.stop()

    async def begin(self) -> None:
        """Another deployer takes over."""
        assert isinstance(self.world.deployer, Replaceable)
        self.machine.kill_at, self.machine.kill_in = None, ""
        self.world.deployer.renew()
        await self.world.start()
        self.arm()

    def arm(self) -> None:
        """Have the deployer be killed between writes too."""
        self.world.counting._cluster = KillingCluster(self.world.cluster, self.machine)

    async def status_of(self, name: str = "one") -> Mapping[str, Any]:
        """The provider status."""
        found = (await self.world.item(name)).status.provider_status
        decoded: Mapping[str, Any] = anyjson.value(found)
        return decoded


def equipment(machine: Machine, **more: Any) -> Equipment:
    """A deployer's equipment for a machine."""

    @asynccontextmanager
    async def opened(home: Cluster, surroundings: Surroundings) -> AsyncIterator[Sandbox]:
        sandbox = FakeSandbox(machine)
        yield sandbox
        await sandbox.close()

    grounds = Grounds(Wish.PROCESS, Available, {SandboxName.PROCESS: opened})
    return replace(Equipment(grounds), **more)


@asynccontextmanager
async def stage(machine: Machine | None = None, **more: Any) -> AsyncIterator[Stage]:
    """Everything running, in virtual time."""
    machine = machine or Machine()
    deployer = Replaceable(lambda: ScriptDeployer(equipment(machine, **more)))
    async with world(deployer) as opened:
        set_up = Stage(opened, machine)
        set_up.arm()
        yield set_up


def on_stage(scenario: Callable[[Stage], Awaitable[None]], machine: Machine | None = None, **more: Any) -> None:
    """Run a scenario."""

    async def main() -> None:
        async with stage(machine, **more) as opened:
            await scenario(opened)

    time.run(main())
