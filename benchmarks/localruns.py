"""Programs as deploy items, end to end, against the same programs bare in the same place."""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import aiohttp
from tests.cluster.node import images
from tests.cluster.node.podman import Podman

from benchmarks import homes
from landform.api import jobs
from landform.api.names import Finalizer
from landform.api.phases import Phase
from landform.cli import loops
from landform.cluster.informers import Caches
from landform.cluster.interface import WriteOptions
from landform.cluster.kinds import DEPLOY_ITEMS
from landform.deployers.programs.contract.contract import FILES_GROUP, GROUP, USER
from landform.deployers.programs.setup.building import Site
from landform.deployers.script import ScriptDeployer
from landform.engine.engine import Engine
from landform.kit.clocks import rfc3339

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

    from benchmarks.figures import Report
    from landform.api.deployitems import DeployItem
    from landform.cluster.interface import Cluster

ROUNDS: Final = 20
ITEMS: Final = 200
SLOTS: Final = 50
_PROVIDER: Final = {"apiVersion": "script.deployer.landscaper.gardener.cloud/v1alpha1", "kind": "ProviderConfiguration"}


def measure(report: Report) -> None:
    """Processes, and containers of a podman of our own."""
    loops.run(processes(report))
    with Podman() as podman:
        for archive in images.everything():
            podman.load(archive)
        loops.run(engine(report, str(podman.socket)))


async def processes(report: Report) -> None:
    """An empty program as a process, and many that take a second."""
    with _folder() as folder:
        async with _user(folder, {"process": {"slots": SLOTS}}) as user:
            await _overhead(report, "process", user, "", _bare_process, target=60)
            ideal = ITEMS / SLOTS
            report.figure(
                f"{ITEMS} bare processes of 1 s, {SLOTS} at once, times ideal", await _many_bare() / ideal, "x"
            )
            took = await user.many([f"second-{number}" for number in range(ITEMS)], "sleep 1")
            report.at_most(f"{ITEMS} items of 1 s in {SLOTS} slots, times ideal", took / ideal, 1.3, "x")


async def engine(report: Report, socket: str) -> None:
    """An empty program as a container."""
    with _folder() as folder:
        async with (
            _user(folder, {"sandbox": "engine", "engine": {"socket": socket}}) as user,
            aiohttp.ClientSession(connector=aiohttp.UnixConnector(socket)) as session,
        ):
            await _overhead(report, "engine", user, images.SHELL, lambda: _bare_container(session), target=300)


async def _overhead(
    report: Report, what: str, user: _User, image: str, bare: Callable[[], Awaitable[None]], *, target: float
) -> None:
    """In turns, so that a busy machine slows both alike; the first of each is not counted."""
    taken: list[tuple[float, float]] = []
    for number in range(ROUNDS + 1):
        name = f"{what}-{number}"
        await user.create(name, "true", image)
        began = time.perf_counter()
        await bare()
        middle = time.perf_counter()
        await user.run(name)
        taken.append((middle - began, time.perf_counter() - middle))
    alone, ours = (statistics.median(column) * 1000 for column in zip(*taken[1:], strict=True))
    report.figure(f"empty program bare as {what}", alone, "ms")
    report.at_most(f"overhead of an item with it as {what}", ours - alone, target, "ms")


@dataclass
class _User:
    """Somebody with a home that has its file on disk, and the script deployer in the same process."""

    cluster: Cluster
    over: dict[str, asyncio.Future[None]] = field(default_factory=dict)

    async def run(self, name: str) -> None:
        """From the wish for a job until it is done."""
        await self._trigger(name)
        await self.over[name]

    async def many(self, names: list[str], script: str) -> float:
        """Seconds from the first wish until all are done."""
        for name in names:
            await self.create(name, script, "")
        began = time.perf_counter()
        await asyncio.gather(*(self._trigger(name) for name in names))
        await asyncio.gather(*(self.over[name] for name in names))
        return time.perf_counter() - began

    def see(self, _old: DeployItem | None, item: DeployItem | None) -> None:
        """Note the end of an item's job."""
        waiting = self.over.get((item.metadata.name if item else "") or "")
        if item is None or waiting is None or waiting.done() or not item.status.job_id or jobs.is_busy(item.status):
            return
        if item.status.phase == Phase.SUCCEEDED:
            waiting.set_result(None)
        else:
            waiting.set_exception(RuntimeError(f"{item.metadata.name} failed: {item.status.last_error}"))

    async def create(self, name: str, script: str, image: str) -> None:
        """An item without a job, as an Execution makes it."""
        self.over[name] = asyncio.get_running_loop().create_future()
        config = {**_PROVIDER, "script": script, **({"image": image} if image else {})}
        spec = {"type": ScriptDeployer.type, "config": config}
        metadata = {"name": name, "finalizers": [str(Finalizer.LANDSCAPER)]}
        await self.cluster.create(DEPLOY_ITEMS, {"metadata": metadata, "spec": spec}, namespace="default")

    async def _trigger(self, name: str) -> None:
        now = rfc3339(datetime.now(UTC))
        status = {
            "observedGeneration": 1,
            "jobID": f"job-of-{name}",
            "jobIDGenerationTime": now,
            "transitionTimes": {"triggerTime": now},
        }
        options = WriteOptions(subresource="status")
        await self.cluster.patch(DEPLOY_ITEMS, name, {"status": status}, namespace="default", options=options)


@asynccontextmanager
async def _user(folder: Path, config: dict[str, Any]) -> AsyncIterator[_User]:
    deployer = ScriptDeployer.configured(config, Site(folder / "programs"))
    async with homes.in_process(folder / "home") as home, Caches(home.cluster) as caches:
        user = _User(home.cluster)
        caches.informer(DEPLOY_ITEMS).subscribe(user.see)
        await caches.synced()
        async with Engine(home.cluster, deployers=[deployer]).running():
            yield user


@contextmanager
def _folder() -> Iterator[Path]:
    """Where programs of another user get to, and not below the project: new folders are dear in some places."""
    with tempfile.TemporaryDirectory(prefix="bench-") as path:
        Path(path).chmod(0o711)
        yield Path(path)


async def _many_bare() -> float:
    """Seconds that as many processes take without Landform: what the machine is able to do just now."""
    with ThreadPoolExecutor(SLOTS) as slots:
        loop, began = asyncio.get_running_loop(), time.perf_counter()
        await asyncio.gather(*(loop.run_in_executor(slots, _spawn, "sleep 1") for _ in range(ITEMS)))
        return time.perf_counter() - began


async def _bare_process() -> None:
    await asyncio.to_thread(_spawn, "true")


def _spawn(script: str) -> None:
    """The same spawn as Landform's: another user, a clean environment, output in a pipe."""
    is_root = os.geteuid() == 0
    more: dict[str, Any] = {"user": USER, "group": GROUP, "extra_groups": [FILES_GROUP]} if is_root else {}

    subprocess.run(
        ["/bin/sh", "-c", script],
        env={"PATH": os.environ["PATH"]},
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        check=True,
        **more,
    )


async def _bare_container(session: aiohttp.ClientSession) -> None:
    """The same container through the same API: made, started, waited for, its output read, removed."""
    base = "http://engine/v1.41/containers"
    body = {"Image": images.SHELL, "Entrypoint": ["/bin/sh", "/dev/null"], "User": f"{USER}:{GROUP}"}
    async with session.post(f"{base}/create", json=body) as answer:
        url = f"{base}/{(await answer.json())['Id']}"
    for method, path in (
        ("POST", "/start"),
        ("POST", "/wait"),
        ("GET", "/logs?stdout=true&stderr=true"),
        ("DELETE", ""),
    ):
        async with session.request(method, url + path) as answer:
            answer.raise_for_status()
            await answer.read()
