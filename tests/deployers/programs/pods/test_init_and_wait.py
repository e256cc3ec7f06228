"""What the init and wait containers do, with the rights that they have."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.deployers.programs.pods.mounts import Pod, served
from tests.deployers.programs.pods.nodes import ITEM, NAMESPACE, ORDER, RUN, ended, running, status

from landform.cluster.resources import SECRETS
from landform.deployers.programs.contract import labels
from landform.deployers.programs.contract.contract import Operation
from landform.deployers.programs.contract.identities import RunId
from landform.deployers.programs.contract.outcomes import End, Outcome
from landform.deployers.programs.contract.sandboxes import Inputs
from landform.deployers.programs.files import archives
from landform.deployers.programs.pods import names, results, wait
from landform.deployers.programs.pods.apiserver import ApiFault, ApiServer
from landform.deployers.programs.pods.inputs import PIECE

if TYPE_CHECKING:
    from pathlib import Path

GOOD = Outcome(End.EXITED, exit_code=0)


async def collect(server: ApiServer, task: wait.Task, outcome: Outcome) -> None:
    """What the wait container does when it knows the end."""
    await wait.complete(server, task, outcome, await wait.left(server, task))


async def test_wait_sees_the_end_of_main_and_says_what_it_left(tmp_path: Path) -> None:
    async with served() as (home, sandbox):
        inputs = Inputs(imports=b'{"a": 1}', content=archives.pack_files({"big": os.urandom(2 * PIECE)}), script=b"#!")
        await sandbox.begin(replace(ORDER, inputs=inputs))
        pod = Pod(home, sandbox, RUN, tmp_path)
        await pod.stage()
        assert (pod.shared / "imports" / "import.json").read_bytes() == b'{"a": 1}'
        assert (pod.shared / "content" / "big").stat().st_size == 2 * PIECE
        assert os.access(pod.shared / "script" / "run", os.X_OK)
        server, task = await pod.server(), await pod.task()
        async with asyncio.TaskGroup() as group:
            finished = group.create_task(sandbox.finished(RUN, lambda _: None))
            end = group.create_task(asyncio.to_thread(wait.main_end, server, task.pod))
            await pod.say(status(init=ended(), main=running(), wait=running()))
            (pod.shared / "state" / "soil").write_bytes(os.urandom(3 * PIECE))
            (pod.shared / "exports" / "values").write_bytes(b"b: 2")
            await pod.say(status(init=ended(), main=ended(), wait=running()))
            outcome = await end
            await collect(server, task, outcome)
        result = finished.result()
        assert result.outcome == outcome
        assert outcome.succeeded
        assert (result.exports, result.fault) == (b"b: 2", "")
        await sandbox.remove(RUN)

        again = RunId(ITEM, "job-2", Operation.DELETE)
        await sandbox.begin(replace(ORDER, run=again))
        next_pod = Pod(home, sandbox, again, tmp_path / "next")
        await next_pod.stage()
        soil = (pod.shared / "state" / "soil").read_bytes()
        assert (next_pod.shared / "state" / "soil").read_bytes() == soil


async def test_state_is_kept_and_exports_are_not_when_the_program_failed(tmp_path: Path) -> None:
    async with served() as (home, sandbox):
        await sandbox.begin(ORDER)
        pod = Pod(home, sandbox, RUN, tmp_path)
        await pod.stage()
        (pod.shared / "state" / "soil").write_bytes(b"dry")
        (pod.shared / "exports" / "values").write_bytes(b"b: 2")
        await collect(await pod.server(), await pod.task(), Outcome(End.EXITED, exit_code=7))
        result = await sandbox.finished(RUN, lambda _: None)
        assert (result.outcome.exit_code, result.exports, result.fault) == (7, None, "")
        stored = await home.list(SECRETS, namespace=NAMESPACE)
        assert [each for each in stored.items if each["metadata"]["labels"].get(labels.TYPE) == "state"]


async def test_state_that_cannot_be_kept_is_a_fault_and_exports_are_read_still(tmp_path: Path) -> None:
    async with served() as (home, sandbox):
        await sandbox.begin(ORDER)
        pod = Pod(home, sandbox, RUN, tmp_path)
        await pod.stage()
        (pod.shared / "state" / "link").symlink_to("/etc/passwd")
        (pod.shared / "exports" / "values").write_bytes(b"b: 2")
        await collect(await pod.server(), await pod.task(), GOOD)
        result = await sandbox.finished(RUN, lambda _: None)
        assert result.fault.startswith("the state cannot be kept: link ")
        assert result.exports == b"b: 2"


async def test_a_run_that_was_given_up_stays_given_up(tmp_path: Path) -> None:
    async with served() as (home, sandbox):
        await sandbox.begin(ORDER)
        pod = Pod(home, sandbox, RUN, tmp_path)
        await pod.stage()
        server, task = await pod.server(), await pod.task()
        await pod.say(status("Failed", more={"reason": "Evicted", "message": "no room"}))
        given_up = await sandbox.finished(RUN, lambda _: None)
        assert given_up.outcome.reason == "Evicted"
        await collect(server, task, GOOD)
        assert await sandbox.finished(RUN, lambda _: None) == given_up


async def test_wait_keeps_what_is_there_when_it_is_told_to_end(tmp_path: Path) -> None:
    async with served() as (home, sandbox):
        await sandbox.begin(ORDER)
        pod, told = Pod(home, sandbox, RUN, tmp_path), asyncio.Event()
        await pod.stage()
        await pod.say(status(init=ended(), main=running(), wait=running()))
        async with asyncio.TaskGroup() as group:
            finished = group.create_task(sandbox.finished(RUN, lambda _: None))
            waited = group.create_task(wait.attend(await pod.server(), await pod.task(), told))
            await asyncio.sleep(0.3)
            (pod.shared / "state" / "soil").write_bytes(os.urandom(3 * PIECE))
            (pod.shared / "exports" / "values").write_bytes(b"b: 2")
            told.set()
            await waited
            assert not finished.done()
            await pod.say(status("Failed", init=ended(), main=ended(143), wait=ended()))
        result = finished.result()
        assert (result.outcome.signal, result.exports, result.fault) == (15, None, "")
        again = RunId(ITEM, "job-2", Operation.DELETE)
        await sandbox.remove(RUN)
        await sandbox.begin(replace(ORDER, run=again))
        next_pod = Pod(home, sandbox, again, tmp_path / "next")
        await next_pod.stage()
        soil = (pod.shared / "state" / "soil").read_bytes()
        assert (next_pod.shared / "state" / "soil").read_bytes() == soil


async def test_wait_says_the_end_too_if_it_is_known_in_a_moment(tmp_path: Path) -> None:
    async with served() as (home, sandbox):
        await sandbox.begin(ORDER)
        pod, told = Pod(home, sandbox, RUN, tmp_path), asyncio.Event()
        await pod.stage()
        (pod.shared / "exports" / "values").write_bytes(b"b: 2")
        await pod.say(status(init=ended(), main=ended(), wait=running()))
        told.set()
        await wait.attend(await pod.server(), await pod.task(), told)
        result = await sandbox.finished(RUN, lambda _: None)
        assert (result.outcome.succeeded, result.exports) == (True, b"b: 2")


async def test_wait_that_is_started_again_begins_anew(tmp_path: Path) -> None:
    async with served() as (home, sandbox):
        await sandbox.begin(ORDER)
        pod, told = Pod(home, sandbox, RUN, tmp_path), asyncio.Event()
        await pod.stage()
        await pod.say(status(init=ended(), main=running(), wait=running()))
        server, task = await pod.server(), await pod.task()
        (pod.shared / "state" / "soil").write_bytes(b"dry")
        told.set()
        await wait.attend(server, task, told)
        async with asyncio.TaskGroup() as group:
            group.create_task(wait.attend(server, task, asyncio.Event()))
            finished = group.create_task(sandbox.finished(RUN, lambda _: None))
            await asyncio.sleep(0.3)
            assert results.left(await asyncio.to_thread(server.get_secret, task.result)) is None
            await pod.say(status(init=ended(), main=ended(), wait=running()))
        assert finished.result().outcome.succeeded
        await wait.attend(server, task, asyncio.Event())


async def test_the_account_of_an_item_opens_nothing_else(tmp_path: Path) -> None:
    async with served() as (home, sandbox):
        await sandbox.begin(ORDER)
        server = await Pod(home, sandbox, RUN, tmp_path).server()
        for refused in (names.inputs_name(RUN, 0), "another"):
            with pytest.raises(ApiFault) as caught:
                await asyncio.to_thread(server.get_secret, refused)
            assert caught.value.code == 403
        with pytest.raises(ApiFault) as caught:
            await asyncio.to_thread(lambda: list(server.watch_pod("another")))
        assert caught.value.code == 403
        assert (await asyncio.to_thread(server.get_secret, names.result_name(RUN)))["kind"] == "Secret"


async def test_a_pod_that_is_gone_ends_the_waiting(tmp_path: Path) -> None:
    async with served() as (home, sandbox):
        await sandbox.begin(ORDER)
        pod = Pod(home, sandbox, RUN, tmp_path)
        server = await pod.server()
        async with asyncio.TaskGroup() as group:
            end = group.create_task(asyncio.to_thread(_end_or_fault, server, names.pod_name(RUN)))
            await pod.say(status(init=ended(), main=running(), wait=running()))
            await asyncio.sleep(0.5)
            await sandbox.remove(RUN)
        assert end.result() == "the pod is gone"


def _end_or_fault(server: ApiServer, pod: str) -> str:
    try:
        return str(wait.main_end(server, pod))
    except wait.Stopped as stopped:
        return str(stopped)


@pytest.mark.parametrize("module", ["init", "wait"])
def test_little_is_loaded_before_work_begins(module: str) -> None:
    code = f"import sys, landform.deployers.programs.pods.{module}; print('\\n'.join(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"aiohttp", "msgspec", "yaml", "landform.cluster", "landform.api"} | (
        {"ssl"} if module == "init" else set()
    )
    assert not heavy.intersection(loaded)
