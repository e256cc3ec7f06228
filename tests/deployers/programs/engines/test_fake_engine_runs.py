"""What a launcher makes of an engine's answers, also of those that no healthy engine gives."""

from __future__ import annotations

import asyncio
import base64
import json
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from tests.deployers.programs.folder_worlds import IS_ROOT, a_run, until

from landform.api.errors import OperationFailed
from landform.deployers.programs.contract.outcomes import End
from landform.deployers.programs.contract.sandboxes import Program, Step

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.deployers.programs.engines.fake_engine import FakeEngine
    from tests.deployers.programs.folder_worlds import World

THERE = Program(image="example.com/there:1", command=("run",), args=("--all",))


async def test_a_container_gets_its_files_its_user_and_nothing_more(fake: FakeEngine, place: World) -> None:
    run = a_run()
    await place.begin(run, Program(image="example.com/there:1", command=("run",), args=("x",), env={"A": "1"}))
    made = fake.only.body
    assert (made["Entrypoint"], made["Cmd"]) == (["run"], ["x"])
    assert "A=1" in made["Env"]
    assert "EXPORTS_PATH=/data/ls/shared/exports/values" in made["Env"]
    host = made["HostConfig"]
    assert host["Binds"] == [f"{place.folder(run)}/files:/data/ls/shared:Z"]
    assert host["CapDrop"] == ["ALL"]
    assert host["SecurityOpt"] == ["no-new-privileges"]
    assert "NetworkMode" not in host
    if IS_ROOT:
        assert (made["User"], host["GroupAdd"]) == ("1000:3000", ["2000"])
    assert (await place.finished(run)).outcome.succeeded


async def test_an_image_that_is_missing_is_pulled_with_credentials(fake: FakeEngine, place: World) -> None:
    run = a_run()
    credentials = b'{"auths": {"example.com": {"username": "me", "password": "secret", "auth": "bWU6c2VjcmV0"}}}'
    await place.begin(run, Program(image="example.com/away", pull_credentials=credentials))
    assert fake.containers == {}
    assert (await place.finished(run)).outcome.succeeded
    ((image, auth),) = fake.pulls
    assert image == "example.com/away:latest"
    said = json.loads(base64.urlsafe_b64decode(auth or ""))
    assert said == {"username": "me", "password": "secret", "serveraddress": "example.com"}
    assert place.reports[0].message == "image example.com/away:latest is being pulled"


async def test_pulling_is_tried_again_for_a_while(fake: FakeEngine, place: World) -> None:
    fake.pull_errors = ["registry is busy"]
    await place.begin(a_run(), Program(image="example.com/away:2"))
    assert (await place.finished(a_run())).outcome.succeeded
    assert len(fake.pulls) == 2
    assert "last time: registry is busy" in place.reports[1].message


async def test_an_image_that_cannot_be_had_ends_the_run_in_the_words_of_the_engine(
    fake: FakeEngine, place: World
) -> None:
    fake.pull_errors = ["manifest unknown"] * 100
    await place.begin(a_run(), Program(image="example.com/away:2"))
    outcome = (await place.finished(a_run())).outcome
    assert (outcome.end, outcome.reason) == (End.NOT_STARTED, "ErrImagePull")
    assert outcome.message == "image example.com/away:2 cannot be pulled: manifest unknown"
    assert fake.clock.slept <= 3


async def test_a_container_that_cannot_start_is_told_in_the_words_of_the_engine(fake: FakeEngine, place: World) -> None:
    fake.start_error = "exec: no such file"
    await place.begin(a_run(), THERE)
    outcome = (await place.finished(a_run())).outcome
    assert (outcome.end, outcome.reason) == (End.NOT_STARTED, "ContainerCannotRun")
    assert outcome.message == "exec: no such file"


@pytest.mark.parametrize(
    ("code", "end", "signal", "message"),
    [
        (7, End.EXITED, None, ""),
        (255, End.EXITED, None, ""),
        (139, End.SIGNALED, 11, ""),
        (137, End.SIGNALED, 9, "killed (SIGKILL), possibly out of memory"),
    ],
)
async def test_an_exit_code_tells_the_signal(
    fake: FakeEngine, place: World, code: int, end: End, signal: int | None, message: str
) -> None:
    fake.is_ending = False
    await place.begin(a_run(), THERE)
    fake.only.end(code)
    outcome = (await place.finished(a_run())).outcome
    assert (outcome.end, outcome.exit_code, outcome.signal, outcome.message) == (end, code, signal, message)


async def test_want_of_memory_is_told(fake: FakeEngine, place: World) -> None:
    fake.is_ending = False
    await place.begin(a_run(), THERE)
    fake.only.end(137, is_out_of_memory=True)
    assert (await place.finished(a_run())).outcome.end is End.OUT_OF_MEMORY


async def test_output_comes_while_it_is_printed_and_the_rest_at_the_end(fake: FakeEngine, place: World) -> None:
    fake.is_ending = False
    await place.begin(a_run(), THERE)
    output = place.sandbox.output(a_run())
    finished = asyncio.create_task(place.finished(a_run()))
    fake.only.printed = b"first\n"
    assert await _read(output, 6) == b"first\n"
    fake.only.end(printed=b"last words\n")
    assert b"".join([piece async for piece in output]) == b"last words\n"
    assert (await finished).outcome.succeeded


async def test_an_engine_that_goes_away_meanwhile_is_waited_for(fake: FakeEngine, place: World) -> None:
    fake.is_ending = False
    await place.begin(a_run(), THERE)
    output = place.sandbox.output(a_run())
    fake.only.printed = b"first"
    assert await _read(output, 5) == b"first"
    finished = asyncio.create_task(place.finished(a_run()))
    await until(lambda: bool(place.reports))
    await fake.down()
    await until(lambda: "does not answer" in place.reports[-1].message)
    await fake.up()
    fake.only.end(printed=b" and last")
    assert b"".join([piece async for piece in output]) == b" and last"
    assert (await finished).outcome.succeeded


async def test_an_engine_that_is_away_fails_a_beginning_and_says_so(fake: FakeEngine, place: World) -> None:
    await fake.down()
    with pytest.raises(OperationFailed, match="does not answer") as caught:
        await place.begin(a_run(), THERE)
    assert caught.value.reason == "EngineGone"
    await fake.up()
    await place.begin(a_run(), THERE)
    assert (await place.finished(a_run())).outcome.succeeded


async def test_a_container_that_somebody_removed_is_lost(fake: FakeEngine, place: World) -> None:
    fake.is_ending = False
    await place.begin(a_run(), THERE)
    fake.containers.clear()
    outcome = (await place.finished(a_run())).outcome
    assert (outcome.end, outcome.reason) == (End.LOST, "ContainerLost")


async def test_a_container_that_podman_removes_just_now_is_lost_too(fake: FakeEngine, place: World) -> None:
    fake.is_ending = False
    await place.begin(a_run(), THERE)
    fake.inspect_errors = ["container 62c5 does not exist in database: no such container"]
    fake.containers.clear()
    assert (await place.finished(a_run())).outcome.end is End.LOST


async def test_a_container_that_was_made_and_not_started_is_made_anew(fake: FakeEngine, place: World) -> None:
    await place.begin(a_run(), THERE)
    fake.only.status = "created"
    await place.restart()
    assert not await place.sandbox.has(a_run())
    await place.begin(a_run(), THERE)
    assert (await place.finished(a_run())).outcome.succeeded


async def test_stopping_asks_with_the_grace_and_keeps_the_state(fake: FakeEngine, place: World) -> None:
    fake.is_ending = False
    run = a_run()
    await place.begin(run, THERE)
    (place.folder(run) / "files" / "state" / "half").touch()
    await place.sandbox.stop(run, timedelta(seconds=29.5))
    assert fake.only.stop_seconds == "30"
    outcome = (await place.finished(run)).outcome
    assert (outcome.reason, outcome.message) == ("Stopped", "it did not end within its grace, and was killed")
    await place.sandbox.remove(run)
    fake.is_ending = True
    await place.begin(a_run("job-2"), THERE)
    await place.finished(a_run("job-2"))
    state = place.folder(a_run("job-2")) / "files" / "state"
    assert [path.name for path in state.iterdir()] == ["half"]


async def test_containers_without_folders_are_found_and_those_of_others_are_not(fake: FakeEngine, place: World) -> None:
    run = a_run()
    await place.begin(run, THERE)
    place.folder(run).rename(place.root.parent / "away")
    assert list(await place.sandbox.runs()) == [run]
    fake.only.body["Labels"]["landform.realm"] = "elsewhere"
    assert list(await place.sandbox.runs()) == []
    fake.only.body["Labels"]["landform.realm"] = "here"
    await place.sandbox.forget(run.item)
    assert fake.containers == {}


async def test_a_program_without_an_image_is_not_started(place: World) -> None:
    await place.begin(a_run(), Program(command=("run",)))
    assert (await place.finished(a_run())).outcome.reason == "NoImage"


async def test_steps_are_told_with_what_the_status_shows(fake: FakeEngine, place: World) -> None:
    fake.is_ending = False
    await place.begin(a_run(), THERE)
    finished = asyncio.create_task(place.finished(a_run()))
    await until(lambda: bool(place.reports))
    fake.only.end()
    await finished
    assert [report.step for report in place.reports] == [Step.RUNNING, Step.RUNNING, Step.COLLECTING]
    said = {"image": "example.com/there:1", "imageID": "sha256:1", "reason": "Running"}
    assert place.reports[0].status == {"podName": f"landform-{a_run().token}", "containerStatus": said}


async def _read(output: AsyncIterator[bytes], size: int) -> bytes:
    """The next so many bytes, in whatever pieces they come."""
    data = b""
    while len(data) < size:
        data += await anext(output)
    return data
