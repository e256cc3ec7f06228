"""Hooks are called for real, in order, and are heard."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from tests.deployers.library.worlds import World, in_a_world

from landform.api import jobs
from landform.api.names import Annotation
from landform.api.phases import Phase
from landform.deployers.library import HookCall, HookResult, Hooks, HookType, Terminal, selectors

if TYPE_CHECKING:
    from landform.deployers.library import Item

ALL = tuple(HookType)


class Note:
    """A hook that notes its calls and answers what it is told to."""

    def __init__(self, *answers: HookResult | Exception | None) -> None:
        self.calls: list[HookCall] = []
        self.answers = list(answers)

    async def __call__(self, call: HookCall) -> HookResult | None:
        self.calls.append(call)
        answer = self.answers.pop(0) if self.answers else None
        if isinstance(answer, Exception):
            raise answer
        return answer

    @property
    def types(self) -> list[HookType]:
        return [call.type for call in self.calls]


def hooked(note: Note, *types: HookType) -> Hooks:
    return Hooks().with_hook(note, *types)


def test_a_job_calls_the_hooks_in_order() -> None:
    note = Note()

    async def scenario(world: World) -> None:
        async def work(item: Item) -> None:
            assert note.types[-1] == HookType.BEFORE_RECONCILE

        world.sample.on_reconcile = work
        await world.create_target()
        await world.create(target={"name": "place", "namespace": "default"})
        await asyncio.sleep(0.1)
        note.calls.clear()
        await world.trigger()
        await asyncio.sleep(0.05)
        assert note.types[:7] == [
            HookType.START,
            HookType.DURING_RESPONSIBILITY_CHECK,
            HookType.AFTER_RESPONSIBILITY_CHECK,
            HookType.SHOULD_RECONCILE,
            HookType.BEFORE_ANY_RECONCILE,
            HookType.BEFORE_RECONCILE,
            HookType.END,
        ]
        assert (note.calls[0].item, note.calls[0].target) == (None, None)
        for call in note.calls[1:7]:
            assert call.item is not None
            assert call.target is not None

    in_a_world(scenario, hooks=hooked(note, *ALL))


def test_a_deletion_has_a_hook_of_its_own() -> None:
    note = Note()

    async def scenario(world: World) -> None:
        await world.run_job()
        await world.delete()
        await asyncio.sleep(0.05)
        assert note.types == [HookType.BEFORE_RECONCILE, HookType.BEFORE_DELETE]

    in_a_world(scenario, hooks=hooked(note, HookType.BEFORE_RECONCILE, HookType.BEFORE_DELETE))


def test_a_forced_job_has_a_hook_of_its_own() -> None:
    note = Note()

    async def scenario(world: World) -> None:
        await world.run_job(metadata={"annotations": {Annotation.OPERATION: "force-reconcile"}})
        assert note.types == [HookType.BEFORE_FORCE_RECONCILE]

    in_a_world(scenario, hooks=hooked(note, HookType.BEFORE_RECONCILE, HookType.BEFORE_FORCE_RECONCILE))


@pytest.mark.parametrize(
    "type_", [HookType.START, HookType.DURING_RESPONSIBILITY_CHECK, HookType.AFTER_RESPONSIBILITY_CHECK]
)
def test_a_hook_before_the_work_may_end_the_pass(type_: HookType) -> None:
    note = Note(*[HookResult(abort=True)] * 100)

    async def scenario(world: World) -> None:
        await world.run_job(seconds=60)
        assert (world.sample.calls, world.writes) == ([], [])

    in_a_world(scenario, hooks=hooked(note, type_))


def test_a_pass_that_a_hook_ended_comes_back_when_the_hook_says_so() -> None:
    note = Note(HookResult(abort=True, requeue_after=30.0))

    async def scenario(world: World) -> None:
        await world.create()
        note.answers = [None] if not note.calls else []
        await asyncio.sleep(0.1)
        note.answers = [HookResult(abort=True, requeue_after=30.0)]
        await world.trigger()
        await asyncio.sleep(60)
        assert world.sample.times() == pytest.approx([30.1])

    in_a_world(scenario, hooks=hooked(note, HookType.AFTER_RESPONSIBILITY_CHECK))


def test_should_reconcile_may_ask_for_a_pass_without_a_job() -> None:
    note = Note()

    async def scenario(world: World) -> None:
        await world.run_job()
        note.answers = [HookResult(), HookResult(abort=True)]
        await world.patch("one", {"metadata": {"annotations": {"look": "here"}}})
        await asyncio.sleep(0.05)
        status = (await world.item()).status
        assert len(world.sample.times()) == 2
        assert jobs.is_pass(status.job_id)
        assert (jobs.base(status.job_id), status.job_id_finished) == ("job-1", status.job_id)

    in_a_world(scenario, hooks=hooked(note, HookType.SHOULD_RECONCILE))


def test_should_reconcile_cannot_stop_a_job() -> None:
    async def scenario(world: World) -> None:
        assert (await world.run_job()).status.phase == Phase.SUCCEEDED

    in_a_world(scenario, hooks=hooked(Note(*[HookResult(abort=True)] * 9), HookType.SHOULD_RECONCILE))


def test_the_wish_of_should_reconcile_to_come_back_is_kept_though_there_is_nothing_to_do() -> None:
    note = Note(*[HookResult(abort=True, requeue_after=100.0)] * 9)

    async def scenario(world: World) -> None:
        await world.create()
        await asyncio.sleep(350)
        assert len(note.calls) == 4

    in_a_world(scenario, hooks=hooked(note, HookType.SHOULD_RECONCILE))


@pytest.mark.parametrize("type_", [HookType.BEFORE_ANY_RECONCILE, HookType.BEFORE_RECONCILE])
def test_a_hook_may_put_the_work_off(type_: HookType) -> None:
    async def scenario(world: World) -> None:
        item = await world.run_job(seconds=60)
        assert item.status.phase == Phase.SUCCEEDED
        assert world.sample.times() == pytest.approx([20.0])

    in_a_world(scenario, hooks=hooked(Note(HookResult(abort=True, requeue_after=20.0)), type_))


@pytest.mark.parametrize("type_", [HookType.BEFORE_ANY_RECONCILE, HookType.AFTER_RESPONSIBILITY_CHECK])
def test_an_error_of_a_hook_is_told_and_passes(type_: HookType) -> None:
    note = Note(OSError("no disk"))

    async def scenario(world: World) -> None:
        await world.create()
        await asyncio.sleep(0.3)
        note.answers = [OSError("no disk")]
        await world.trigger()
        await asyncio.sleep(5)
        status = (await world.item()).status
        assert (status.phase, status.last_error) == (Phase.SUCCEEDED, None)
        assert status.first_error is not None
        assert "no disk" in status.first_error.message

    in_a_world(scenario, hooks=hooked(note, type_))


def test_an_error_of_a_hook_that_does_not_pass_ends_the_job_in_time() -> None:
    note = Note()

    async def scenario(world: World) -> None:
        note.answers = [OSError("no disk")] * 10**4
        item = await world.run_job(seconds=900)
        assert (item.status.phase, item.status.job_id_finished) == (Phase.FAILED, "job-1")
        assert len(world.writes) == 2

    in_a_world(scenario, hooks=hooked(note, HookType.SHOULD_RECONCILE))


def test_a_final_error_of_a_hook_fails_the_job_at_once() -> None:
    note = Note()

    async def scenario(world: World) -> None:
        note.answers = [Terminal("Never", "not with me")] * 100
        item = await world.run_job()
        assert item.status.phase == Phase.FAILED
        assert item.status.last_error is not None
        assert item.status.last_error.reason == "Never"

    in_a_world(scenario, hooks=hooked(note, HookType.AFTER_RESPONSIBILITY_CHECK))


def test_an_error_at_the_start_is_just_tried_again() -> None:
    note = Note(OSError("not yet"), OSError("not yet"))

    async def scenario(world: World) -> None:
        item = await world.run_job(seconds=5)
        assert item.status.phase == Phase.SUCCEEDED
        assert item.status.first_error is None

    in_a_world(scenario, hooks=hooked(note, HookType.START))


def test_a_hook_may_make_an_instance_responsible() -> None:
    async def scenario(world: World) -> None:
        assert (await world.run_job()).status.phase == Phase.SUCCEEDED

    in_a_world(
        scenario,
        hooks=hooked(Note(*[HookResult()] * 99), HookType.DURING_RESPONSIBILITY_CHECK),
        selectors=selectors.parse([{"targets": [{"name": "elsewhere"}]}]),
    )
