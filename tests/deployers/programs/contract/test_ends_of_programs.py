"""How a program comes to its end other than by itself: deadlines, interrupts, new jobs, kills, and deletion."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tests.deployers.programs.contract.sites import error_of, provider_status

from landform.api.names import Annotation
from landform.api.phases import Phase

if TYPE_CHECKING:
    from tests.deployers.programs.contract.sites import User

FOR_EVER = "echo begin; while :; do sleep 0.1; done"
STUBBORN = "trap '' TERM; " + FOR_EVER
ON_DELETE = '[ "$OPERATION" != DELETE ] || '
COUNT = 'echo x >> "$STATE_PATH/runs"'
RUNS = 'echo "runs: $(wc -l < "$STATE_PATH/runs")" > "$EXPORTS_PATH"'


async def test_a_program_that_never_ends_is_stopped_when_its_time_is_over(user: User) -> None:
    await user.create(FOR_EVER, timeout=f"{user.place.moment}s")
    await user.world.trigger()
    item = await user.done()
    assert item.status.phase == Phase.FAILED
    assert f"did not end within {user.place.moment:g}s and was stopped" in error_of(item)
    assert error_of(item).endswith("begin")
    assert item.status.last_error is not None
    assert "ERR_TIMEOUT" in (item.status.last_error.codes or ())
    assert (await user.left())[0] == []


async def test_a_program_that_does_not_heed_term_is_killed(user: User) -> None:
    await user.create(STUBBORN, timeout=f"{user.place.moment}s")
    await user.world.trigger()
    item = await user.done()
    assert "it was killed, because it had not ended 1 s after TERM" in error_of(item)
    assert (await user.left())[0] == []


async def test_what_a_program_says_and_keeps_when_it_is_told_to_end_counts(user: User) -> None:
    asked = f"trap 'echo asked; {COUNT}; exit 3' TERM"
    await user.create(
        f'[ -e "$STATE_PATH/runs" ] && {{ {RUNS}; exit; }}; {asked}; {FOR_EVER}', timeout=f"{user.place.moment}s"
    )
    await user.world.trigger()
    item = await user.done()
    assert ": it ended on TERM" in error_of(item)
    assert error_of(item).endswith("\nasked")
    await user.again()
    assert await user.exported() == {"runs": 1}


async def test_an_interrupt_stops_the_program_and_says_so(user: User) -> None:
    await user.create(FOR_EVER)
    await user.world.trigger()
    await user.running()
    await user.interrupt()
    async with asyncio.timeout(user.place.patience):
        while True:
            told = [message for _, reason, message in await user.world.events() if reason == "ProgramStopped"]
            if told and not (await user.left())[0]:
                break
            await asyncio.sleep(0.1)
    assert told[0].startswith("the program was stopped, because the job was ended by somebody")


async def test_a_later_job_ends_the_run_of_an_earlier_one_and_has_its_own(user: User) -> None:
    script = f"{COUNT}; {RUNS}; echo begin; sleep 2"
    await user.create(script)
    await user.world.trigger()
    await user.running()
    item = await user.again()
    assert (item.status.phase, item.status.job_id_finished) == (Phase.SUCCEEDED, "job-2")
    # What the first had done before it was stopped it had done, so the second must know of it.
    assert await user.exported() == {"runs": 2}
    assert provider_status(item)["jobID"] == "job-2"


async def test_a_deployer_that_is_killed_while_a_program_runs_finds_it_again(user: User) -> None:
    await user.create(f"{COUNT}; {RUNS}; echo begin; sleep 2; echo end")
    await user.world.trigger()
    await user.running()
    await user.restart()
    item = await user.done()
    assert item.status.phase == Phase.SUCCEEDED, item.status.last_error
    assert await user.exported() == {"runs": 1}
    assert await user.printed() == "begin\nend\n"


async def test_a_program_whose_deployer_is_gone_when_its_time_is_over_is_stopped_by_the_next(user: User) -> None:
    await user.create(FOR_EVER, timeout=f"{user.place.moment + 2}s")
    await user.world.trigger()
    await user.running()
    await user.restart(after=2.0)
    item = await user.done()
    assert item.status.phase == Phase.FAILED
    async with asyncio.timeout(user.place.patience):
        while True:
            if not (await user.left())[0]:
                return
            await asyncio.sleep(0.1)


async def test_a_scheduled_pass_runs_the_program_again(user: User) -> None:
    await user.run(f"{COUNT}; {RUNS}", config={"continuousReconcile": {"every": "1s"}})
    async with asyncio.timeout(user.place.patience):
        while True:
            if (await user.exported())["runs"] >= 2:
                return
            await asyncio.sleep(0.1)


async def test_deletion_runs_the_program_with_state_and_target_and_leaves_nothing(user: User) -> None:
    await user.world.create_target(config={"a": 1})
    checks = '[ -s "$STATE_PATH/runs" ] && grep -q example.org/place "$TARGET_PATH"'
    await user.run(
        f"{COUNT}; echo begin; {ON_DELETE} {{ {checks}; }}", target={"name": "place", "namespace": "default"}
    )
    await user.world.delete()
    await user.gone()
    assert await user.left() == ([], [])
    assert await user.secrets() == []


async def test_a_deletion_that_fails_can_be_repeated(user: User) -> None:
    await user.run(f'{ON_DELETE} {{ {COUNT}; [ "$(wc -l < "$STATE_PATH/runs")" -gt 1 ]; }}')
    await user.world.delete()
    item = await user.done()
    assert item.status.phase == Phase.DELETE_FAILED
    assert "exit code 1" in error_of(item)
    await user.world.trigger()
    await user.gone()


async def test_an_item_whose_program_never_began_goes_without_it(user: User) -> None:
    await user.create("false")
    await user.world.delete()
    await user.gone()
    assert await user.printed() == ""


async def test_force_cleanup_skips_the_program(user: User) -> None:
    await user.run(f"{COUNT}; {ON_DELETE} exit 1")
    await user.annotate(Annotation.FORCE_CLEANUP, "")
    await user.world.delete()
    await user.gone()
    assert await user.left() == ([], [])


async def test_force_cleanup_ends_a_deletion_that_hangs(user: User) -> None:
    await user.run(f"{ON_DELETE} {{ {FOR_EVER}; }}")
    await user.world.delete()
    await user.until(lambda item: provider_status(item)["lastOperation"] == "DELETE")
    await user.annotate(Annotation.FORCE_CLEANUP, "true")
    await user.gone()
    assert await user.left() == ([], [])
