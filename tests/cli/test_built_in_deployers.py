"""The deployers of programs in a home and beside one, with settings of their own."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.cli.processes import PATIENCE_SECONDS, command, environment, run, up

from landform.api.phases import Phase
from landform.cluster.kinds import DEPLOY_ITEMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from landform.api.deployitems import DeployItem
    from landform.cluster.http import HttpCluster

CONFIG = {"apiVersion": "script.deployer.landscaper.gardener.cloud/v1alpha1", "kind": "ProviderConfiguration"}


@pytest.fixture
def programs() -> Iterator[Path]:
    """A folder that the programs' user can get to."""
    path = Path(tempfile.mkdtemp(prefix="landform-programs-"))
    os.chmod(path, 0o711)
    yield path
    shutil.rmtree(path)


@contextmanager
def serving(*arguments: str | Path) -> Iterator[None]:
    """A deployer as a process of its own, to its orderly end."""
    line = command("deployer", "run", *arguments)
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
    try:
        yield
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_SECONDS) == 0
    finally:
        process.kill()
        process.communicate()


async def create(cluster: HttpCluster, name: str, script: str) -> None:
    """A script item that gives itself a job."""
    annotations = {"landscaper.gardener.cloud/operation": "test-reconcile"}
    body = {
        "metadata": {"name": name, "annotations": annotations},
        "spec": {"type": "script", "config": {**CONFIG, "script": script}},
    }
    await cluster.create(DEPLOY_ITEMS, body, namespace="default")


async def ended(cluster: HttpCluster, name: str) -> DeployItem:
    """An item when its job is over."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            item = await cluster.get(DEPLOY_ITEMS, name, namespace="default")
            if item.status.phase in (Phase.SUCCEEDED, Phase.FAILED):
                return item
            await asyncio.sleep(0.05)


async def finished(cluster: HttpCluster, name: str, script: str) -> DeployItem:
    """A script item when its job is over."""
    await create(cluster, name, script)
    return await ended(cluster, name)


async def eventually(condition: Callable[[], bool]) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            if condition():
                return
            await asyncio.sleep(0.05)


async def test_a_home_takes_settings_for_its_deployers(tmp_path: Path, programs: Path) -> None:
    settings = tmp_path / "script.yaml"
    settings.write_text(f"folder: {programs}\ngrace: 1s\n")
    with up(tmp_path / "data", "--deployer-config", f"script={settings}") as home:
        async with home.cluster() as cluster:
            item = await finished(cluster, "one", 'case "$STATE_PATH" in ' + f"{programs}/*) ;; *) exit 1; esac")
            assert item.status.phase == Phase.SUCCEEDED, item.status.last_error
        assert await home.stopped() == 0
    assert os.listdir(programs) == []


async def test_a_built_in_deployer_may_be_a_process_of_its_own(tmp_path: Path, programs: Path) -> None:
    settings = tmp_path / "script.yaml"
    settings.write_text(f"identity: beside\nfolder: {programs}\n")
    with (
        up(tmp_path / "data", "--deployers", "mock") as home,
        serving("script", "--config", settings, "--data", home.folder),
    ):
        async with home.cluster() as cluster:
            item = await finished(cluster, "one", "true")
        assert item.status.phase == Phase.SUCCEEDED, item.status.last_error
        assert item.status.deployer is not None
        assert item.status.deployer.identity == "beside"


async def test_a_home_that_is_killed_finds_its_program_again(tmp_path: Path, programs: Path) -> None:
    marks = programs / "marks"
    marks.write_bytes(b"")
    marks.chmod(0o666)
    script = f'echo begin >> {marks}; sleep 4; echo end >> {marks}; echo "done: true" > "$EXPORTS_PATH"'
    settings = tmp_path / "script.yaml"
    settings.write_text(f"folder: {programs}\n")
    arguments = ("--deployer-config", f"script={settings}")
    with up(tmp_path / "data", *arguments) as first:
        async with first.cluster() as cluster:
            await create(cluster, "one", script)
            await eventually(lambda: marks.read_text() == "begin\n")
        first.kill()
    with up(tmp_path / "data", *arguments) as second:
        async with second.cluster() as cluster:
            item = await ended(cluster, "one")
            assert item.status.phase == Phase.SUCCEEDED, item.status.last_error
            assert item.status.export_ref is not None
        assert await second.stopped() == 0
    assert marks.read_text() == "begin\nend\n"


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("script", "script names no file for a deployer; give NAME=FILE with one of mock, manifest"),
        ("nobody=x.yaml", "nobody=x.yaml names no file for a deployer"),
        ("script=missing.yaml", "missing.yaml cannot be read"),
    ],
)
def test_settings_that_are_none_are_refused(tmp_path: Path, word: str, sentence: str) -> None:
    code, _, errors = run("up", "--data", tmp_path / "data", "--deployer-config", word)
    assert code in (1, 2)
    assert sentence in " ".join(errors.split())
    assert "Traceback" not in errors
