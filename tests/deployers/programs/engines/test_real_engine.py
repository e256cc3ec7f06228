"""Containers of a real podman: the same promises as for processes, kept by somebody else's program."""

from __future__ import annotations

import asyncio
import signal
from datetime import timedelta
from typing import TYPE_CHECKING

from tests.cluster.node import fixtures, images
from tests.deployers.programs import folder_worlds
from tests.deployers.programs.folder_worlds import a_run, until

from landform.deployers.programs.contract.outcomes import End
from landform.deployers.programs.contract.sandboxes import Inputs, Program
from landform.deployers.programs.engines.api import EngineApi
from landform.deployers.programs.engines.launcher import EngineLauncher
from landform.deployers.programs.engines.settings import EngineSettings

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.deployers.programs.folder_worlds import World

    from landform.deployers.programs.contract.identities import RunId
    from landform.deployers.programs.contract.outcomes import Result

pytestmark = [*fixtures.MARKS]


def a_script(**settings: object) -> Program:
    return Program(image=images.SHELL, command=("/bin/sh",), is_script=True, settings=settings)


async def run_script(
    place: World, text: str, run: RunId | None = None, settings: Mapping[str, object] | None = None
) -> tuple[Result, str]:
    """What becomes of a script in an image, and what it prints."""
    run = run or a_run()
    await place.begin(run, a_script(**(settings or {})), Inputs(imports=b'{"a": 1}', script=text.encode()))
    printed = asyncio.create_task(place.printed(run))
    result = await place.finished(run)
    said = await printed
    await place.sandbox.remove(run)
    return result, said


async def test_a_container_gets_its_files_and_leaves_exports_and_output(real: World) -> None:
    text = 'id -u; id -g; cat "$IMPORTS_PATH" > "$EXPORTS_PATH"; echo to stderr >&2; grep NoNewPrivs /proc/self/status'
    result, printed = await run_script(real, text)
    assert result.outcome.succeeded
    assert result.exports == b'{"a": 1}'
    assert printed.split("\n")[:3] == ["1000", "3000", "to stderr"]
    assert printed.split()[-1] == "1"


async def test_state_is_there_in_the_next_run_also_after_a_failure(real: World) -> None:
    result, _ = await run_script(real, "echo one > $STATE_PATH/file; chmod 640 $STATE_PATH/file; exit 3")
    assert (result.outcome.end, result.outcome.exit_code) == (End.EXITED, 3)
    _, printed = await run_script(real, "cat $STATE_PATH/file; stat -c %a $STATE_PATH/file", a_run("job-2"))
    assert printed == "one\n640\n"


async def test_a_container_goes_on_without_its_deployer(real: World) -> None:
    run = a_run()
    text = b'echo begun; while [ ! -e "$CONTENT_PATH/go" ]; do sleep 0.1; done; echo "x: 1" > "$EXPORTS_PATH"'
    await real.begin(run, a_script(), Inputs(script=text))
    output = real.sandbox.output(run)
    assert await anext(output) == b"begun\n"
    await output.aclose()  # type: ignore[attr-defined]
    await real.restart()
    assert await real.sandbox.has(run)
    await real.begin(run, a_script(), Inputs(script=text))
    (real.folder(run) / "files" / "content" / "go").touch()
    result = await real.finished(run)
    assert result.exports == b"x: 1\n"
    assert await real.printed(run) == "begun\n"
    assert list(await real.sandbox.runs()) == [run]


async def test_a_container_that_is_asked_to_end_may_clean_up(real: World) -> None:
    run = a_run()
    text = b"trap 'echo cleaned; exit 0' TERM; echo up; while :; do sleep 0.1; done"
    await real.begin(run, a_script(), Inputs(script=text))
    output = real.sandbox.output(run)
    assert await anext(output) == b"up\n"
    await real.sandbox.stop(run, timedelta(seconds=20))
    outcome = (await real.finished(run)).outcome
    assert (outcome.exit_code, outcome.reason) == (0, "Stopped")
    assert b"cleaned\n" in b"".join([piece async for piece in output])


async def test_a_container_that_does_not_end_is_killed(real: World) -> None:
    run = a_run()
    await real.begin(run, a_script(), Inputs(script=b"trap '' TERM; echo up; while :; do sleep 0.1; done"))
    assert await anext(real.sandbox.output(run)) == b"up\n"
    await real.sandbox.stop(run, timedelta(seconds=1))
    outcome = (await real.finished(run)).outcome
    assert (outcome.end, outcome.signal, outcome.reason) == (End.SIGNALED, signal.SIGKILL, "Stopped")


async def test_a_missing_command_and_a_missing_image_are_told_in_podmans_words(podman_socket: Path) -> None:
    settings = EngineSettings(pull_patience=timedelta(seconds=1))
    async with folder_worlds.world(lambda: EngineLauncher(EngineApi(str(podman_socket)), "here", settings)) as place:
        await place.begin(a_run(), Program(image=images.SHELL, command=("/no/such",)))
        outcome = (await place.finished(a_run())).outcome
        assert (outcome.end, outcome.reason) == (End.NOT_STARTED, "ContainerCannotRun")
        assert "/no/such" in outcome.message
        await place.begin(a_run("job-2"), Program(image="localhost/missing:1"))
        outcome = (await place.finished(a_run("job-2"))).outcome
        assert (outcome.end, outcome.reason) == (End.NOT_STARTED, "ErrImagePull")
        assert "localhost/missing:1" in outcome.message


async def test_the_network_can_be_switched_off_and_the_root_be_read_only(real: World) -> None:
    text = "ls /sys/class/net; touch /file 2>/dev/null || echo sealed; touch /tmp/file && echo room"
    _, printed = await run_script(real, text, settings={"network": False, "readOnlyRoot": True})
    assert printed.split() == ["lo", "sealed", "room"]
    _, printed = await run_script(real, "ls /sys/class/net", a_run("job-2"))
    assert "eth0" in printed


async def test_a_container_over_its_memory_is_ended(real: World) -> None:
    program = Program(
        image=images.PYTHON,
        command=("python", "-c", "b'x' * 200_000_000"),
        settings={"resources": {"limits": {"memory": "50M"}}},
    )
    await real.begin(a_run(), program)
    outcome = (await real.finished(a_run())).outcome
    assert outcome.end in (End.OUT_OF_MEMORY, End.SIGNALED)  # this podman does not always notice why
    assert not outcome.succeeded


async def test_what_is_left_of_dead_items_is_found_and_removed(real: World) -> None:
    run = a_run()
    await real.begin(run, a_script(), Inputs(script=b"exit 0"))
    await real.finished(run)
    await asyncio.to_thread(real.folder(run).rename, real.root.parent / "away")
    assert list(await real.sandbox.items()) == [run.item]
    await real.sandbox.forget(run.item)
    assert list(await real.sandbox.items()) == []


async def test_a_container_that_somebody_removed_is_killed_or_lost(real: World, podman_socket: Path) -> None:
    run = a_run()
    await real.begin(run, a_script(), Inputs(script=b"sleep 100"))
    finished = asyncio.create_task(real.finished(run))
    await until(lambda: bool(real.reports))
    api = EngineApi(str(podman_socket))
    await api.remove(f"landform-{run.token}")
    await api.close()
    outcome = (await finished).outcome
    assert outcome.end in (End.LOST, End.SIGNALED)  # it is killed before it goes, and may be seen in between
