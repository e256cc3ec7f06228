"""What the library promises holds whatever happens: lost answers, crashes, two processes, impatient people."""

from __future__ import annotations

import asyncio
import contextlib
import random
from typing import TYPE_CHECKING, Any

import pytest
from tests.deployers.library.worlds import CONFIG, TYPE

from landform.api import jobs
from landform.api.phases import is_final
from landform.cluster.errors import Conflict, NotFound, Unreachable
from landform.cluster.interface import WriteOptions
from landform.cluster.kinds import DEPLOY_ITEMS
from landform.cluster.resources import SECRETS
from landform.deployers.library import Deployer, Retry, Terminal, serving
from landform.kit.clocks import rfc3339
from landform.kit.ids import RandomIds
from landform.kit.surroundings import Surroundings
from landform.testing import homes, time

if TYPE_CHECKING:
    from landform.api.deployitems import DeployItem
    from landform.cluster.interface import Cluster
    from landform.deployers.library import Item

NAMES = ("a", "b", "c")
WRITES = ("create", "patch", "delete")


class Flaky:
    """A cluster whose writes sometimes fail, before they take effect or after."""

    def __init__(self, cluster: Cluster, chance: random.Random) -> None:
        self._cluster = cluster
        self._chance = chance

    def __getattr__(self, verb: str) -> Any:
        call = getattr(self._cluster, verb)
        if verb not in WRITES:
            return call

        async def flaky(*args: Any, **kwargs: Any) -> Any:
            await asyncio.sleep(self._chance.random() * 0.02)
            fate = self._chance.random()
            if fate < 0.05:
                raise Unreachable("the request was lost")
            answer = await call(*args, **kwargs)
            if fate < 0.1:
                raise Unreachable("the answer was lost")
            return answer

        return flaky


class Watched(Deployer):
    """Works for chance times with chance results, and checks what the library promises."""

    type = TYPE
    name = "watched.deployer.example.org"

    def __init__(self, cluster: Cluster, chance: random.Random) -> None:
        self._cluster = cluster
        self._chance = chance
        self.working: set[str] = set()
        self.faults: list[str] = []
        self.calls = 0

    async def reconcile(self, item: Item) -> None:
        await self._work(item, deleting=False)
        await item.export({"job": item.job_id})

    async def delete(self, item: Item) -> None:
        await self._work(item, deleting=True)

    async def _work(self, item: Item, *, deleting: bool) -> None:
        self.calls += 1
        if item.name in self.working:
            self.faults.append(f"two work on {item.name}")
        self.working.add(item.name)
        try:
            await self._check(item.name, item.job_id, deleting=deleting)
            await asyncio.sleep(self._chance.choice((0.0, 0.01, 0.5, 20.0)))
            fate = self._chance.random()
            if fate < 0.2:
                raise Retry("not yet")
            if fate < 0.3 and not deleting:
                raise Terminal("Never", "not at all")
            await self._check(item.name, item.job_id, deleting=deleting)
        finally:
            self.working.discard(item.name)

    async def _check(self, name: str, job: str, *, deleting: bool) -> None:
        """The item must still want what is done; if it does not, we are stopped as soon as the watch shows it."""
        for _ in range(3):
            stored = await self._cluster.get(DEPLOY_ITEMS, name, namespace="default")
            wanted = jobs.is_busy(stored.status) and stored.status.job_id == job
            if wanted and (stored.metadata.deletion_timestamp is not None) == deleting:
                return
            await asyncio.sleep(0.001)
        self.faults.append(f"{name} is worked on for {job} though that is over")


class Play:
    """A home, one deployer in two processes, and people who change their minds."""

    def __init__(self, cluster: Cluster, seed: int) -> None:
        self.cluster = cluster
        self.chance = random.Random(seed)
        self.surroundings = Surroundings(clock=time.VirtualClock(), ids=RandomIds(self.chance), random=self.chance)
        self.deployer = Watched(cluster, self.chance)
        self.processes: list[asyncio.Task[None]] = []
        self.jobs = 0
        self.faults: list[str] = []

    def start(self) -> None:
        """One more process."""
        settings = serving.Settings(identity=f"p{len(self.processes)}")
        cluster: Any = Flaky(self.cluster, self.chance)
        manager = serving.manager(self.deployer, cluster, settings, surroundings=self.surroundings)
        self.processes.append(asyncio.create_task(manager.run(), name="process"))

    async def crash(self) -> None:
        """End a process without a word: its lease stays behind."""
        process = self.processes.pop(0)
        process.cancel()
        await asyncio.gather(process, return_exceptions=True)

    async def act(self) -> None:
        """Whatever comes into people's minds."""
        name = self.chance.choice(NAMES)
        match self.chance.randrange(7):
            case 0 | 1 | 2:
                await self.trigger(name)
            case 3:
                await self.interrupt(name)
            case 4:
                await self.cluster.delete(DEPLOY_ITEMS, name, namespace="default")
                await self.trigger(name)
            case 5:
                change = {"spec": {"config": {"some": str(self.chance.random())}}}
                await self.cluster.patch(DEPLOY_ITEMS, name, change, namespace="default")
            case 6 if self.processes:
                await self.crash()
                self.start()

    async def create(self, name: str) -> None:
        config = {**CONFIG, "continuousReconcile": {"every": "45s"}}
        spec = {"type": TYPE, "timeout": "2m", "config": config}
        await self.cluster.create(DEPLOY_ITEMS, {"metadata": {"name": name}, "spec": spec}, namespace="default")

    async def trigger(self, name: str) -> None:
        self.jobs += 1
        now = rfc3339(self.surroundings.clock.now())
        await self._write(name, {"jobID": f"job-{self.jobs}", "jobIDGenerationTime": now})

    async def interrupt(self, name: str) -> None:
        item = await self.cluster.get(DEPLOY_ITEMS, name, namespace="default")
        if jobs.is_busy(item.status):
            phase = "DeleteFailed" if item.metadata.deletion_timestamp else "Failed"
            await self._write(name, {"phase": phase, "jobIDFinished": item.status.job_id})

    async def _write(self, name: str, status: dict[str, Any]) -> None:
        item = await self.cluster.get(DEPLOY_ITEMS, name, namespace="default")
        change = {"status": {"observedGeneration": item.status.observed_generation, **status}}
        options = WriteOptions(subresource="status")
        await self.cluster.patch(DEPLOY_ITEMS, name, change, namespace="default", options=options)

    async def follow(self) -> None:
        """Look at every version of every item."""
        async with self.cluster.watch(DEPLOY_ITEMS, namespace="default") as events:
            async for event in events:
                if event.object is not None:
                    self.check(event.object)

    def check(self, item: DeployItem) -> None:
        """Equal job ids mean a final phase, and the other way round."""
        status = item.status
        if status.job_id_finished and not jobs.is_busy(status) and not is_final(status.phase):
            self.faults.append(f"{item.metadata.name}: finished in phase {status.phase}")

    async def settled(self) -> bool:
        """Whether every job has ended."""
        found = await self.cluster.list(DEPLOY_ITEMS, namespace="default")
        return not any(jobs.is_busy(item.status) for item in found.items)


async def play(seed: int) -> Play:
    async with homes.in_process(Surroundings(clock=time.VirtualClock())) as cluster:
        self = Play(cluster, seed)
        following = asyncio.create_task(self.follow(), name="follow")
        try:
            for _ in range(2):
                self.start()
            for _ in range(30):
                for name in NAMES:
                    with contextlib.suppress(Conflict):
                        await self.create(name)
                with contextlib.suppress(NotFound, Conflict):
                    await self.act()
                await asyncio.sleep(self.chance.choice((0.0, 0.05, 1.0, 7.0, 30.0)))
            await asyncio.sleep(130)  # longer than any job may take
            for _ in range(60):
                if await self.settled():
                    break
                await asyncio.sleep(1)  # a scheduled pass may be under way
            assert await self.settled()
            assert not following.done()
        finally:
            while self.processes:
                await self.crash()
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)
        for secret in (await cluster.list(SECRETS, namespace="default")).items:
            assert secret["metadata"]["name"].endswith("-export")
        return self


@pytest.mark.parametrize("seed", range(8))
def test_every_job_ends_and_no_promise_is_broken(seed: int, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("CRITICAL")
    played = time.run(play(seed))
    assert played.faults + played.deployer.faults == []
    assert played.deployer.calls > 10
    assert played.deployer.working == set()
