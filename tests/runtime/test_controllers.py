"""Controllers on the embedded home in virtual time: what errors mean, and that they stay with their object."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.runtime.samples import World, copy, in_a_world

from landform.cluster import errors
from landform.cluster.codec import key_of
from landform.cluster.resources import CONFIG_MAPS, ObjectKey
from landform.runtime import outcomes
from landform.runtime.errors import LeaseLost, Retry, Terminal
from landform.runtime.intents import Create, Delete, Intent, Patch, WakeAt
from landform.runtime.outcomes import Outcome, Result
from landform.testing import time

if TYPE_CHECKING:
    from landform.cluster.interface import Cluster
    from landform.cluster.resources import Unstructured


def raising(error: BaseException) -> Any:
    def decide(snapshot: Unstructured) -> list[Intent]:
        raise error

    return decide


def test_what_is_wanted_is_done() -> None:
    async def scenario(world: World) -> None:
        await world.create("one", wanted="x")
        await asyncio.sleep(1)
        assert await world.data("one") == {"wanted": "x", "have": "x"}
        assert (world.result_count("done"), world.result_count("wait")) == (1.0, 1.0)

    in_a_world(scenario)


def test_a_bug_in_one_object_is_retried_ever_later_and_never_stops_another() -> None:
    async def scenario(world: World) -> None:
        world.copier.decisions["bad"] = raising(ZeroDivisionError("a bug"))
        await world.create("bad")
        await world.create("good", wanted="x")
        await asyncio.sleep(30)
        assert (await world.data("good"))["have"] == "x"
        tries = [at for name, at in world.copier.seen if name == "bad"]
        assert 5 <= len(tries) <= 12
        assert tries[-1] - tries[-2] > tries[2] - tries[1]

    in_a_world(scenario)


def test_a_terminal_error_is_marked_once_and_looked_at_again_when_the_object_changes() -> None:
    async def scenario(world: World) -> None:
        world.copier.decisions["bad"] = raising(Terminal("BadSpec", "it cannot work"))
        await world.create("bad")
        await asyncio.sleep(600)
        assert (await world.data("bad"))["error"] == "BadSpec: it cannot work"
        assert len(world.copier.seen) == 2  # the second saw its own mark, which then changed nothing
        world.copier.decisions["bad"] = copy
        await world.cluster.patch(CONFIG_MAPS, "bad", {"data": {"wanted": "y"}}, namespace="default")
        await asyncio.sleep(1)
        assert (await world.data("bad"))["have"] == "y"

    in_a_world(scenario)


def test_what_the_cluster_calls_invalid_is_marked_and_not_tried_again() -> None:
    def decide(snapshot: Unstructured) -> list[Intent]:
        return [Patch(CONFIG_MAPS, snapshot, {"data": {"not a key!": "x"}})]

    async def scenario(world: World) -> None:
        world.copier.decisions["bad"] = decide
        await world.create("bad")
        await asyncio.sleep(600)
        assert (await world.data("bad"))["error"].startswith("Invalid: ")
        assert len(world.copier.seen) <= 2

    in_a_world(scenario)


def test_a_decision_on_an_old_version_changes_nothing_and_is_made_again() -> None:
    def decide(snapshot: Unstructured) -> list[Intent]:
        old = {**snapshot, "metadata": {**snapshot["metadata"], "resourceVersion": "1"}}
        return [Patch(CONFIG_MAPS, old, {"data": {"have": "stale"}})]

    async def scenario(world: World) -> None:
        world.copier.decisions["one"] = decide
        await world.create("one", wanted="x")
        await asyncio.sleep(0.01)
        assert "have" not in await world.data("one")
        assert world.result_count("conflict") == 1.0
        world.copier.decisions.clear()
        await asyncio.sleep(1)
        assert (await world.data("one"))["have"] == "x"

    in_a_world(scenario)


def test_a_wake_up_comes_at_its_moment() -> None:
    async def scenario(world: World) -> None:
        moment = time.START + timedelta(seconds=90)
        world.copier.decisions["one"] = lambda snapshot: [WakeAt(moment), WakeAt(moment + timedelta(hours=1))]
        await world.create("one")
        await asyncio.sleep(91)
        assert [at for _, at in world.copier.seen[:2]] == pytest.approx([0.0, 90.0])

    in_a_world(scenario)


def test_a_wake_up_in_the_past_does_not_keep_the_process_busy() -> None:
    async def scenario(world: World) -> None:
        world.copier.decisions["one"] = lambda snapshot: [WakeAt(time.START - timedelta(days=1))]
        await world.create("one")
        await asyncio.sleep(1)
        assert 2 <= len(world.copier.seen) <= 21

    in_a_world(scenario)


def test_the_writer_sees_its_own_writes_before_the_watch_shows_them() -> None:
    seen: list[object] = []

    async def scenario(world: World) -> None:
        one = await world.create("one")
        await asyncio.sleep(1)
        key = key_of(one)
        await Patch(CONFIG_MAPS, one, {"data": {"a": "1"}}).perform(world.hands, key)
        seen.append((world.informer.get(key) or {}).get("data"))
        child = {"metadata": {"name": "two", "namespace": "default"}}
        await Create(CONFIG_MAPS, child).perform(world.hands, key)
        seen.append(world.informer.get(ObjectKey("default", "two")) is not None)

    in_a_world(scenario)
    assert seen == [{"a": "1"}, True]


def test_a_patch_that_changes_nothing_is_not_sent() -> None:
    async def scenario(world: World) -> None:
        one = await world.create("one", a="1")
        await Patch(CONFIG_MAPS, one, {"data": {"a": "1", "b": None}}).perform(world.hands, key_of(one))
        found = await world.cluster.get(CONFIG_MAPS, "one", namespace="default")
        assert found["metadata"]["resourceVersion"] == one["metadata"]["resourceVersion"]

    in_a_world(scenario)


def test_only_the_version_that_was_decided_on_is_deleted() -> None:
    async def scenario(world: World) -> None:
        old = await world.create("one")
        await world.cluster.patch(CONFIG_MAPS, "one", {"data": {"a": "1"}}, namespace="default")
        with pytest.raises(errors.Conflict):
            await Delete(CONFIG_MAPS, old).perform(world.hands, key_of(old))
        current = await world.cluster.get(CONFIG_MAPS, "one", namespace="default")
        await Delete(CONFIG_MAPS, current).perform(world.hands, key_of(old))
        await Delete(CONFIG_MAPS, current).perform(world.hands, key_of(old))  # gone already: as wanted
        with pytest.raises(errors.NotFound):
            await world.cluster.get(CONFIG_MAPS, "one", namespace="default")

    in_a_world(scenario)


class Gate:
    """A fence that a test opens and closes."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def owns(self, root: ObjectKey) -> bool:
        return self.seconds > 0

    def remaining(self, root: ObjectKey) -> float:
        if not self.owns(root):
            raise LeaseLost("closed")
        return self.seconds


def test_what_another_replica_owns_is_left_alone_until_it_is_ours() -> None:
    gate = Gate(0.0)

    async def scenario(world: World) -> None:
        await world.create("one", wanted="x")
        await asyncio.sleep(60)
        assert world.copier.seen == []
        gate.seconds = 4.0
        world.controller.resync()
        await asyncio.sleep(1)
        assert (await world.data("one"))["have"] == "x"

    in_a_world(scenario, fence=gate)


def test_a_write_that_takes_longer_than_the_lease_is_given_up() -> None:
    gate = Gate(4.0)

    class Slow:
        async def patch(self, *args: Any, **kwargs: Any) -> Any:
            gate.seconds = 0.0
            await asyncio.sleep(3600)

    async def scenario(world: World) -> None:
        await world.create("one", wanted="x")
        await asyncio.sleep(60)
        assert world.result_count("released") == 1.0
        assert not world.controller.queue.running

    in_a_world(scenario, fence=gate, wrap=lambda cluster: Slow())


def test_a_write_that_was_given_up_is_done_again_if_the_lease_was_renewed_meanwhile() -> None:
    class SlowAtFirst:
        def __init__(self, cluster: Cluster) -> None:
            self._cluster = cluster
            self._calls = 0

        async def patch(self, *args: Any, **kwargs: Any) -> Any:
            self._calls += 1
            if self._calls == 1:
                await asyncio.sleep(3600)
            return await self._cluster.patch(*args, **kwargs)

    async def scenario(world: World) -> None:
        await world.create("one", wanted="x")
        await asyncio.sleep(10)
        assert world.result_count("released") == 1.0
        assert (await world.data("one"))["have"] == "x"

    in_a_world(scenario, fence=Gate(4.0), wrap=SlowAtFirst)


def test_something_else_that_was_cancelled_does_not_take_the_key_with_it() -> None:
    async def scenario(world: World) -> None:
        world.copier.decisions["one"] = raising(asyncio.CancelledError())
        await world.create("one", wanted="x")
        await asyncio.sleep(0.01)
        world.copier.decisions.clear()
        await asyncio.sleep(10)
        assert (await world.data("one"))["have"] == "x"

    in_a_world(scenario)


def test_a_fault_of_the_framework_ends_the_controller_loudly() -> None:
    async def scenario(world: World) -> None:
        world.controller.queue.finish = None  # type: ignore[assignment, method-assign]
        await world.create("one")
        await asyncio.sleep(1)

    with pytest.raises(BaseExceptionGroup) as caught:
        in_a_world(scenario)
    assert caught.group_contains(TypeError)


def test_stopping_finishes_what_runs_and_begins_nothing() -> None:
    class Slowly:
        async def perform(self, hands: object, root: ObjectKey) -> None:
            await asyncio.sleep(5)
            finished.append(root.name)

    finished: list[str] = []

    async def scenario(world: World) -> None:
        for name in ("a", "b", "c", "d", "e", "f"):  # four of them have a slot
            world.copier.decisions[name] = lambda snapshot: [Slowly()]
            await world.create(name)
        await asyncio.sleep(1)

    in_a_world(scenario)
    assert sorted(finished) == ["a", "b", "c", "d"]


@settings(max_examples=15)
@given(
    st.lists(st.sampled_from(["conflict", "bug", "unreachable", "busy"]), max_size=12),
    st.integers(0, 2**16),
)
def test_whatever_fails_for_a_while_everything_is_done_in_the_end(faults: list[str], seed: int) -> None:
    pending = list(faults)
    kinds: dict[str, Exception] = {
        "conflict": errors.Conflict("changed meanwhile"),
        "bug": KeyError("bug"),
        "unreachable": errors.Unreachable("no answer"),
        "busy": errors.TooManyRequests("slow down", retry_after=2.0),
    }

    def decide(snapshot: Unstructured) -> list[Intent]:
        if pending:
            raise kinds[pending.pop()]
        return copy(snapshot)

    async def scenario(world: World) -> None:
        for name in ("a", "b", "c"):
            world.copier.decisions[name] = decide
            await world.create(name, wanted=name)
        await asyncio.sleep(1000)
        for name in ("a", "b", "c"):
            assert (await world.data(name))["have"] == name
        assert len(world.controller.queue) == 0

    in_a_world(scenario, seed=seed)


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (errors.Conflict("old"), Outcome(Result.CONFLICT)),
        (errors.AlreadyExists("there"), Outcome(Result.CONFLICT)),
        (errors.NotFound("gone"), Outcome.back_off()),
        (errors.Unreachable("silence"), Outcome.back_off()),
        (errors.ServerError("broken"), Outcome.back_off()),
        (errors.Forbidden("no right"), Outcome.back_off()),
        (errors.TooManyRequests("busy", retry_after=7.0), Outcome.back_off(7.0)),
        (errors.Invalid("wrong"), Outcome(Result.TERMINAL)),
        (errors.BadRequest("wrong"), Outcome(Result.TERMINAL)),
        (errors.TooLarge("much"), Outcome(Result.TERMINAL)),
        (Retry("not yet", after=5.0), Outcome.back_off(5.0)),
        (Terminal("Bad", "never"), Outcome(Result.TERMINAL)),
        (LeaseLost("not ours"), Outcome(Result.RELEASED)),
        (ValueError("a bug"), Outcome.back_off()),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_each_error_says_how_to_go_on(error: Exception, outcome: Outcome) -> None:
    assert outcomes.of_error(error) == outcome
