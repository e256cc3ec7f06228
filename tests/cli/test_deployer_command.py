"""`landform deployer run`: a deployer of somebody else as a process of its own."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from tests.cli.processes import PATIENCE_SECONDS, Up, command, environment, run, up
from tests.contract.objects import eventually

from landform.api.phases import Phase
from landform.cluster.interface import WriteOptions
from landform.cluster.kinds import DEPLOY_ITEMS
from landform.cluster.resources import LEASES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from landform.api.deployitems import DeployItem
    from landform.cluster.http import HttpCluster

SOURCE = """
from landform.deployers.library import Deployer

class Echo(Deployer):
    type = "example.org/echo"
    name = "echo.deployer.example.org"

    def __init__(self, prefix=""):
        self.prefix = prefix

    @classmethod
    def configured(cls, config):
        return cls(config.get("prefix", ""))

    async def reconcile(self, item):
        await item.export({"said": self.prefix + item.config["say"]})

    async def delete(self, item):
        pass

class Half(Deployer):
    type = name = "half"

    async def reconcile(self, item):
        pass
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    with up(tmp_path_factory.mktemp("home") / "data") as home:
        yield home


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "echoing.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@contextmanager
def serving(folder: Path, *arguments: str | Path) -> Iterator[None]:
    """The deployer from when it says that it serves to its orderly end."""
    line = command("deployer", "run", "echoing:Echo", *arguments)
    log = folder / "log"
    with log.open("wb") as errors:
        process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment())
    try:
        assert process.stdout is not None
        assert "echo.deployer.example.org serves" in process.stdout.readline(), log.read_text()
        yield
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_SECONDS) == 0, log.read_text()
    finally:
        process.kill()
        process.communicate()


async def finished(cluster: HttpCluster, name: str) -> DeployItem:
    """The item after a job that is given to it here."""
    config = {"apiVersion": "echo/v1", "kind": "Echo", "say": "hello"}
    body = {"metadata": {"name": name}, "spec": {"type": "example.org/echo", "config": config}}
    await cluster.create(DEPLOY_ITEMS, body, namespace="default")
    status = {"status": {"jobID": "1", "observedGeneration": 0}}
    await cluster.patch(DEPLOY_ITEMS, name, status, namespace="default", options=WriteOptions(subresource="status"))
    async with asyncio.timeout(PATIENCE_SECONDS), cluster.watch(DEPLOY_ITEMS, namespace="default") as events:
        async for event in events:
            if (item := event.object) and item.metadata.name == name and item.status.job_id_finished == "1":
                return item
    raise AssertionError("the watch ended before the job did")


async def test_it_serves_the_items_of_a_home(home: Up, folder: Path) -> None:
    (folder / "config.yaml").write_text("identity: from-file\nprefix: 'I say '\n")
    arguments = ("--kubeconfig", home.kubeconfig, "--config", folder / "config.yaml", "--log-format", "json")
    async with home.cluster() as cluster:
        with serving(folder, *arguments):
            item = await finished(cluster, "one")
            assert item.status.phase == Phase.SUCCEEDED
            assert item.status.deployer is not None
            assert item.status.deployer.identity == "from-file"
        assert (await cluster.list(LEASES, namespace="default")).items == []


async def test_two_share_the_work(home: Up, folder: Path) -> None:
    async with home.cluster() as cluster:
        with (
            serving(folder, "--data", home.folder, "--identity", "a"),
            serving(folder, "--data", home.folder, "--identity", "b"),
        ):
            workers: set[str] = set()

            async def both_work() -> bool:
                """Whether both have had an item by now; who comes second gets its share when the first has let go."""
                names = [f"shared-{uuid.uuid4().hex[:8]}" for _ in range(12)]
                items = await asyncio.gather(*(finished(cluster, name) for name in names))
                workers.update(item.status.deployer.identity for item in items if item.status.deployer)
                return workers == {"a", "b"}

            await eventually(both_work, "two processes share the work")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["echoing"], "write MODULE:CLASS"),
        (["nowhere:Echo"], "No module named 'nowhere'"),
        (["echoing:Nobody"], "Nobody in echoing is no subclass"),
        (["echoing:Half"], "echoing:Half is not finished: it has no delete"),
        (["echoing:Echo", "--target-selector", "a: b: c"], "--target-selector is not YAML"),
        (["echoing:Echo", "--target-selector", "{labels: [{key: a, operator: like}]}"], "targetSelector[0].labels[0]"),
        (["echoing:Echo", "--config", "list.yaml"], "list.yaml must hold one object"),
        (["script", "--config", "moon.yaml"], "Invalid enum value 'moon' - at `sandbox`"),
        (["echoing:Echo", "--data", "nowhere"], "no Landform home has been started on nowhere"),
    ],
)
def test_what_cannot_be_run_is_said_in_one_sentence(folder: Path, arguments: list[str], sentence: str) -> None:
    (folder / "list.yaml").write_text("[1]")
    (folder / "moon.yaml").write_text("sandbox: moon")
    code, output, errors = run("deployer", "run", *arguments)
    assert (code, output) == (1, "")
    assert errors.startswith("Error: ")
    assert sentence in errors
    assert "Traceback" not in errors
