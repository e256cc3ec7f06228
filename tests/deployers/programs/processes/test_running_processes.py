"""What a program as a local process finds, and what becomes of its end."""

from __future__ import annotations

import json
import os
import signal
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from tests.deployers.programs import folder_worlds
from tests.deployers.programs.folder_worlds import a_run, script

from landform.deployers.programs.contract.contract import Operation
from landform.deployers.programs.contract.outcomes import End
from landform.deployers.programs.contract.sandboxes import Inputs, Program, Step
from landform.deployers.programs.processes.launcher import ProcessLauncher
from landform.deployers.programs.processes.settings import Limits, ProcessSettings

if TYPE_CHECKING:
    from tests.deployers.programs.folder_worlds import World


async def test_a_script_gets_its_files_and_leaves_exports(place: World) -> None:
    run = a_run()
    await place.begin(
        run,
        'cat "$IMPORTS_PATH" > "$EXPORTS_PATH"; cat "$TARGET_PATH"; ls "$CONTENT_PATH"; echo "$OPERATION"',
        Inputs(imports=b'{"a": 1}', target=b'{"target": {}}'),
    )
    result = await place.finished(run)
    assert result.outcome.succeeded
    assert result.exports == b'{"a": 1}'
    assert result.fault == ""
    assert await place.printed(run) == '{"target": {}}RECONCILE\n'
    assert [report.step for report in place.reports] == [Step.RUNNING, Step.COLLECTING]


async def test_the_environment_is_clean_and_the_contract_wins(place: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_DEPLOYER", "x")
    program, inputs = script("env", env={"MINE": "yes", "OPERATION": "nonsense"})
    await place.begin(a_run(operation=Operation.DELETE), program, inputs)
    await place.finished(a_run(operation=Operation.DELETE))
    printed = await place.printed(a_run(operation=Operation.DELETE))
    seen = dict(line.split("=", 1) for line in printed.splitlines())
    assert seen["MINE"] == "yes"
    assert seen["OPERATION"] == "DELETE"
    assert seen["STATE"] == seen["STATE_PATH"]
    assert "SECRET_OF_THE_DEPLOYER" not in seen
    assert seen["HOME"] == seen["PWD"]
    assert set(seen) <= {
        *("PATH", "LANG", "HOME", "PWD", "MINE", "OPERATION", "IMPORTS_PATH", "EXPORTS_PATH", "EXPORT_PATH", "_"),
        *("STATE_PATH", "STATE", "TARGET_PATH", "COMPONENT_DESCRIPTOR_PATH", "CONTENT_PATH", "SHLVL", "OLDPWD"),
    }


async def test_arguments_follow_the_script(place: World) -> None:
    program, inputs = script('printf "%s|" "$@"', args=("a b", "", "*"))
    await place.begin(a_run(), program, inputs)
    await place.finished(a_run())
    assert await place.printed(a_run()) == "a b||*|"


@pytest.mark.skipif(not folder_worlds.IS_ROOT, reason="only root can become another user")
async def test_root_drops_to_the_user_of_the_contract() -> None:
    async with folder_worlds.world(ProcessLauncher) as place:
        _, printed = await place.result(
            "id -u; id -g; id -G; touch $STATE_PATH/mine; grep NoNewPrivs /proc/self/status; cat $HOME/../started"
        )
    lines = printed.splitlines()
    assert lines[:2] == ["1000", "3000"]
    assert set(lines[2].split()) == {"3000", "2000"}
    assert lines[3].split() == ["NoNewPrivs:", "1"]
    assert "Permission denied" in lines[4]


async def test_an_exit_code_is_told_and_exports_of_a_failure_are_not(place: World) -> None:
    result, printed = await place.result('echo "{}" > "$EXPORTS_PATH"; echo no >&2; exit 7')
    assert (result.outcome.end, result.outcome.exit_code) == (End.EXITED, 7)
    assert not result.outcome.succeeded
    assert result.exports is None
    assert printed == "no\n"
    assert result.outcome.started is not None
    assert result.outcome.finished is not None
    assert result.outcome.started <= result.outcome.finished


async def test_a_signal_is_told(place: World) -> None:
    result, _ = await place.result("kill -SEGV $$")
    assert (result.outcome.end, result.outcome.signal) == (End.SIGNALED, signal.SIGSEGV)


async def test_a_kill_by_somebody_else_may_be_for_want_of_memory(place: World) -> None:
    result, _ = await place.result("kill -KILL $$")
    assert (result.outcome.end, result.outcome.signal) == (End.SIGNALED, signal.SIGKILL)
    assert result.outcome.message == "killed (SIGKILL), possibly out of memory"


async def test_a_broken_pipe_ends_a_program_as_it_does_everywhere_else(place: World) -> None:
    _, printed = await place.result("trap '' TERM; (while :; do echo x; done; echo survived >&2) | head -n 1")
    assert printed == "x\n"


async def test_a_missing_interpreter_is_named(place: World) -> None:
    await place.begin(a_run(), Program(command=("/opt/none/perl6",), is_script=True), Inputs(script=b""))
    outcome = (await place.finished(a_run())).outcome
    assert outcome.end is End.NOT_STARTED
    assert outcome.message == "/opt/none/perl6 is not there: install it on this machine, or name another interpreter"


async def test_a_program_without_a_command_is_not_started(place: World) -> None:
    await place.begin(a_run(), Program(image="example.com/x:1"))
    outcome = (await place.finished(a_run())).outcome
    assert (outcome.end, outcome.reason) == (End.NOT_STARTED, "NoCommand")


async def test_everything_that_a_program_started_ends_with_it(place: World) -> None:
    deaf = '(trap "" TERM HUP; sleep 1000) & echo $!'
    result, printed = await place.result(f"sleep 1000 & echo $!; setsid sh -c 'sleep 1000 & echo $!; {deaf}' & wait $!")
    assert result.outcome.succeeded
    started = [int(line) for line in printed.split()]
    assert len(started) == 3
    assert [pid for pid in started if _lives(pid)] == []


async def test_limits_hold() -> None:
    limits = Limits(open_files=50, file_size=1 << 20, memory=1 << 30)
    async with folder_worlds.world(lambda: ProcessLauncher(ProcessSettings(limits=limits))) as place:
        result, printed = await place.result(
            "ulimit -n; ulimit -c; ulimit -v; head -c 2000000 /dev/zero > big; echo $?"
        )
        assert result.outcome.succeeded
        assert printed.split()[:3] == ["50", "0", str(1 << 20)]
        assert printed.split()[-1] == str(128 + signal.SIGXFSZ)


async def test_processor_time_beyond_the_limit_is_told() -> None:
    settings = ProcessSettings(limits=Limits(cpu_seconds=1))
    async with folder_worlds.world(lambda: ProcessLauncher(settings)) as place:
        result, _ = await place.result("while :; do :; done")
    assert result.outcome.end is End.SIGNALED
    assert result.outcome.signal in (signal.SIGXCPU, signal.SIGKILL)


async def test_state_is_there_in_the_next_run_also_after_a_failure(place: World) -> None:
    await place.result("echo one > $STATE_PATH/file; mkdir $STATE_PATH/empty; chmod 750 $STATE_PATH/empty; exit 1")
    _, printed = await place.result("cat $STATE_PATH/file; stat -c %a $STATE_PATH/empty", a_run("job-2"))
    assert printed == "one\n750\n"


async def test_state_that_cannot_be_kept_is_a_fault_and_the_old_one_stays(place: World) -> None:
    await place.result("echo one > $STATE_PATH/file")
    result, _ = await place.result("echo two > $STATE_PATH/file; ln -s / $STATE_PATH/out", a_run("job-2"))
    assert "out is a symbolic link" in result.fault
    _, printed = await place.result("cat $STATE_PATH/file", a_run("job-3"))
    assert printed == "one\n"


async def test_folders_that_a_program_locked_are_removed(place: World) -> None:
    await place.result("mkdir -p deep/er; touch deep/er/file; chmod 500 deep/er deep; chmod 0 .")
    await place.restart()  # which waits until all is cleared
    assert list(place.root.iterdir()) == []


async def test_what_is_there_is_found_by_its_run(place: World) -> None:
    run, other = a_run(), a_run("job-2")
    await place.begin(run, "exit 0")
    await place.begin(other, "exit 0")
    assert await place.sandbox.has(run)
    assert set(await place.sandbox.runs()) == {run, other}
    assert list(await place.sandbox.items()) == [run.item]
    await place.finished(run)
    await place.finished(other)
    await place.sandbox.forget(run.item)
    assert not await place.sandbox.has(run)
    assert list(await place.sandbox.items()) == []


async def test_a_program_that_is_asked_to_end_may_clean_up(place: World) -> None:
    run = a_run()
    await place.begin(run, "trap 'echo cleaned; exit 0' TERM; echo up; while :; do :; done")
    output = place.sandbox.output(run)
    assert await anext(output) == b"up\n"
    await place.sandbox.stop(run, timedelta(seconds=30))
    assert await anext(output) == b"cleaned\n"
    assert [piece async for piece in output] == []
    outcome = (await place.finished(run)).outcome
    assert (outcome.exit_code, outcome.reason) == (0, "Stopped")


async def test_the_grace_is_for_all_that_a_program_started(place: World) -> None:
    run = a_run()
    child = "trap 'sleep 0.2; echo saved; exit' TERM; echo up; while :; do :; done"
    await place.begin(run, f'sh -c "{child}"; echo never')
    output = place.sandbox.output(run)
    assert await anext(output) == b"up\n"
    await place.sandbox.stop(run, timedelta(seconds=30))
    assert b"".join([piece async for piece in output]) == b"saved\n"


async def test_a_program_that_does_not_end_is_ended_and_its_state_is_kept(place: World) -> None:
    run = a_run()
    await place.begin(run, "trap '' TERM; echo half > $STATE_PATH/file; echo up; while :; do sleep 1; done")
    output = place.sandbox.output(run)
    assert await anext(output) == b"up\n"
    await place.sandbox.stop(run, timedelta(milliseconds=50))
    assert [piece async for piece in output] == []
    outcome = (await place.finished(run)).outcome
    assert (outcome.signal, outcome.reason) == (signal.SIGKILL, "Stopped")
    assert outcome.message == "it did not end within its grace, and was killed"
    _, printed = await place.result("ls $STATE_PATH", a_run("job-2"))
    assert printed == "file\n"


async def test_only_the_last_output_is_kept() -> None:
    async with folder_worlds.world(lambda: ProcessLauncher(ProcessSettings(output=1000))) as place:
        _, printed = await place.result("seq 1 2000")
    assert printed.endswith("1999\n2000\n")
    assert 1000 <= len(printed) <= 1250


async def test_a_result_can_be_had_again(place: World) -> None:
    run = a_run()
    await place.begin(run, 'echo "x: 1" > "$EXPORTS_PATH"')
    first = await place.finished(run)
    await place.restart()
    assert await place.finished(run) == first
    record = json.loads((place.folder(run) / "run.json").read_text())
    assert record["item"]["name"] == run.item.name


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
