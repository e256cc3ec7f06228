"""What a program prints is kept beside its item, with few writes."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from tests.deployers.programs.story.fakes import Act, FakeSandbox, Machine, Stage, on_stage

from landform.api.conditions import ConditionType, find
from landform.api.phases import Phase
from landform.cluster.errors import Forbidden, NotFound
from landform.cluster.resources import SECRETS
from landform.deployers.programs.runs import logs

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from landform.deployers.programs.contract.identities import RunId
    from landform.deployers.programs.runs.logs import KeptLog

TALKATIVE = Act(seconds=20.0, output=tuple(b"line %d\n" % number for number in range(200)))


async def kept(stage: Stage, which: str = logs.LOG) -> KeptLog | None:
    try:
        return logs.read(await stage.world.cluster.get(SECRETS, "one-logs", namespace="default"), which)
    except NotFound:
        return None


def count_writes(stage: Stage) -> Counter[str]:
    """The writes that are made for logs, from now on."""
    counted: Counter[str] = Counter()
    cluster: Any = stage.world.cluster
    for verb in ("create", "patch"):
        call = getattr(cluster, verb)

        def counting(resource: Any, *args: Any, verb: str = verb, call: Any = call, **kwargs: Any) -> Any:
            counted[verb] += resource == SECRETS
            return call(resource, *args, **kwargs)

        setattr(cluster, verb, counting)
    return counted


def test_a_log_is_written_once_a_second_at_most() -> None:
    async def scenario(stage: Stage) -> None:
        counted = count_writes(stage)
        await stage.run_job(seconds=10)
        early = await kept(stage)
        assert early is not None
        assert early.content.startswith(b"line 0\nline 1\n")
        assert not early.header.ended
        await asyncio.sleep(60)
        late = await kept(stage)
        assert late is not None
        assert late.content == b"".join(TALKATIVE.output)
        assert (late.header.job, late.header.operation, late.header.ended) == ("job-1", "RECONCILE", True)
        assert counted["patch"] + counted["create"] <= 23

    on_stage(scenario, Machine(act=lambda run: TALKATIVE))


def test_a_quick_program_costs_one_write_and_a_silent_one_none() -> None:
    async def scenario(stage: Stage) -> None:
        counted = count_writes(stage)
        stage.machine.act = lambda run: Act(seconds=0.5, exports=None)
        await stage.run_job(seconds=60)
        assert counted == {"create": 1, "patch": 0}
        stage.machine.act = lambda run: Act(seconds=0.5, exports=None, output=())
        await stage.run_job("two", seconds=60)
        assert counted == {"create": 1, "patch": 0}

    on_stage(scenario)


def test_the_run_before_the_last_is_kept_and_the_one_before_that_is_not() -> None:
    machine = Machine(act=lambda run: Act(output=(f"{run.job}\n".encode(),)))

    async def scenario(stage: Stage) -> None:
        await stage.run_job(seconds=60)
        for _ in range(2):
            await stage.world.trigger()
            await asyncio.sleep(60)
        last, previous = await kept(stage), await kept(stage, logs.PREVIOUS)
        assert last is not None
        assert previous is not None
        assert (last.content, previous.content) == (b"job-3\n", b"job-2\n")
        assert previous.header.job == "job-2"

    on_stage(scenario, machine)


def test_a_deployer_that_takes_over_keeps_the_same_log_and_not_a_second_one() -> None:
    async def scenario(stage: Stage) -> None:
        await stage.run_job(seconds=10)
        await stage.killed()
        await asyncio.sleep(60)
        late = await kept(stage)
        assert late is not None
        assert late.content == b"".join(TALKATIVE.output)
        assert await kept(stage, logs.PREVIOUS) is None

    on_stage(scenario, Machine(act=lambda run: TALKATIVE))


def test_an_output_that_breaks_off_is_followed_again_and_disturbs_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    followed: list[RunId] = []
    real = FakeSandbox.output

    async def breaking(self: FakeSandbox, run: RunId) -> AsyncIterator[bytes]:
        followed.append(run)
        async for piece in real(self, run):
            yield piece
            if len(followed) == 1:
                raise OSError("broken")

    monkeypatch.setattr(FakeSandbox, "output", breaking)

    async def scenario(stage: Stage) -> None:
        item = await stage.run_job(seconds=60)
        assert item.status.phase == Phase.SUCCEEDED
        late = await kept(stage)
        assert late is not None
        assert late.content == b"".join(TALKATIVE.output)
        assert len(followed) == 2

    on_stage(scenario, Machine(act=lambda run: TALKATIVE))


@pytest.mark.parametrize("rest", [(), (b"line",)], ids=["cannot be read", "is shorter"])
def test_what_was_kept_stays_if_the_output_of_a_stopped_program_is_gone(
    monkeypatch: pytest.MonkeyPatch, rest: tuple[bytes, ...]
) -> None:
    real = FakeSandbox.output

    async def vanishing(self: FakeSandbox, run: RunId) -> AsyncIterator[bytes]:
        if run in self.machine.stopped:
            for piece in rest:
                yield piece
            raise OSError("no such container")
        async for piece in real(self, run):
            yield piece
            if run in self.machine.stopped:
                raise OSError("no such container")

    monkeypatch.setattr(FakeSandbox, "output", vanishing)

    async def scenario(stage: Stage) -> None:
        await stage.run_job(seconds=10)
        before = await kept(stage)
        await stage.world.write_status("one", {"phase": "Failed", "jobIDFinished": "job-1"})
        await asyncio.sleep(60)
        late = await kept(stage)
        assert before is not None
        assert late is not None
        assert len(before.content) > 4
        assert late.content.startswith(before.content)
        assert late.header.ended

    on_stage(scenario, Machine(act=lambda run: TALKATIVE))


def test_a_log_that_cannot_be_kept_disturbs_nobody() -> None:
    async def scenario(stage: Stage) -> None:
        cluster: Any = stage.world.cluster
        create = cluster.create

        async def refuse(resource: Any, obj: Any, **kwargs: Any) -> Any:
            if resource == SECRETS and obj["metadata"]["name"] == "one-logs":
                raise Forbidden("no Secrets here")
            return await create(resource, obj, **kwargs)

        cluster.create = refuse
        item = await stage.run_job(seconds=60)
        assert item.status.phase == Phase.SUCCEEDED
        assert await kept(stage) is None

    on_stage(scenario)


def test_a_secret_of_somebody_else_is_left_alone() -> None:
    async def scenario(stage: Stage) -> None:
        await stage.world.cluster.create(SECRETS, {"metadata": {"name": "one-logs"}}, namespace="default")
        item = await stage.run_job(seconds=60)
        assert item.status.phase == Phase.SUCCEEDED
        assert await kept(stage) is None

    on_stage(scenario)


def test_while_a_program_runs_people_are_told_since_when() -> None:
    async def scenario(stage: Stage) -> None:
        item = await stage.run_job(seconds=10)
        waiting = find(item.status.conditions, ConditionType.WAITING)
        assert waiting is not None
        assert (waiting.reason, waiting.message) == ("Program", "the program: it runs since 2030-01-01T00:00:00Z")
        states = {type_: find(item.status.conditions, type_) for type_ in ("InitContainer", "MainContainer")}
        assert {type_: found.status for type_, found in states.items() if found} == {
            "InitContainer": "True",
            "MainContainer": "Progressing",
        }
        status = await stage.status_of()
        assert (status["podStatus"]["podName"], status["imageID"], status["reason"]) == ("a-pod", "sha256:1", "Running")

    on_stage(scenario, Machine(act=lambda run: TALKATIVE))


def test_a_run_knows_for_which_generation_of_its_item_it_is() -> None:
    async def scenario(stage: Stage) -> None:
        item = await stage.run_job(seconds=10)
        [running] = stage.machine.running.values()
        assert running.order.generation == item.metadata.generation == 1

    on_stage(scenario, Machine(act=lambda run: TALKATIVE))
