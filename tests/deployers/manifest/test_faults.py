"""Targets that stop and start, writers that interfere, and refusals that pass: everything resumes, nothing leaks."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

import pytest
from tests.deployers.manifest.places import (
    CONFIG_MAPS,
    NAMESPACE,
    Place,
    config_map,
    deployment,
    error,
    in_place,
    managed,
    waits_for,
)

from landform.api.phases import Phase
from landform.cluster.errors import Conflict, Forbidden, Unauthorized, Unreachable
from landform.cluster.kinds import TARGETS
from landform.deployers.manifest.parallel import AT_ONCE

if TYPE_CHECKING:
    from collections.abc import Callable

    from landform.cluster.errors import ClusterError

VERBS = ("get", "list", "create", "replace", "patch", "delete", "discover", "version")


class Troubled:
    """A cluster that can be stopped, and that fails calls as a test says."""

    def __init__(self, cluster: Any) -> None:
        self._cluster = cluster
        self.fails: Callable[[str], ClusterError | None] = lambda verb: None
        self.calls: list[str] = []
        self._watches: set[asyncio.Task[Any]] = set()

    def stop(self) -> None:
        """Nobody is reached any more, watches break."""
        self.fails = lambda verb: Unreachable("the cluster is down")
        for task in self._watches:
            task.cancel()

    def start(self) -> None:
        self.fails = lambda verb: None

    def __getattr__(self, verb: str) -> Any:
        call = getattr(self._cluster, verb)
        if verb == "watch":
            return lambda *args, **kwargs: _Watch(self, call(*args, **kwargs))
        if verb not in VERBS:
            return call

        async def troubled(*args: Any, **kwargs: Any) -> Any:
            self.calls.append(verb)
            if (error := self.fails(verb)) is not None:
                raise error
            return await call(*args, **kwargs)

        return troubled


class _Watch:
    def __init__(self, owner: Troubled, inner: Any) -> None:
        self._owner = owner
        self._inner = inner

    async def __aenter__(self) -> _Watch:
        if (error := self._owner.fails("watch")) is not None:
            raise error
        self._events = await self._inner.__aenter__()
        return self

    async def __aexit__(self, *details: Any) -> None:
        await self._inner.__aexit__(*details)

    def __aiter__(self) -> _Watch:
        return self

    async def __anext__(self) -> Any:
        task = asyncio.ensure_future(anext(self._events))
        self._owner._watches.add(task)
        try:
            await asyncio.wait((task,))
            if task.cancelled():
                raise Unreachable("the watch broke")
            return task.result()
        finally:
            self._owner._watches.discard(task)
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, StopAsyncIteration):
                await task


def troubled(place: Place) -> Troubled:
    cluster = Troubled(place.target)
    place.world.clusters["https://place"] = cluster
    return cluster


def test_a_target_that_is_down_is_tried_again_until_it_is_up() -> None:
    async def scenario(place: Place) -> None:
        cluster = troubled(place)
        cluster.stop()
        item = await place.run(config_map(), seconds=5)
        assert (item.status.phase, error(item)) == (Phase.PROGRESSING, "the cluster is down")
        cluster.start()
        assert (await place.later(seconds=20)).status.phase == Phase.SUCCEEDED

    in_place(scenario)


def test_a_target_that_stops_in_the_middle_of_applying_is_finished_later() -> None:
    async def scenario(place: Place) -> None:
        cluster = troubled(place)
        left = 10

        def fails(verb: str) -> ClusterError | None:
            nonlocal left
            left -= verb == "create"
            return Unreachable("the cluster is down") if left < 0 else None

        cluster.fails = fails
        item = await place.run(*(config_map(f"m{number}") for number in range(30)), seconds=3)
        assert "the cluster is down" in error(item)
        assert len(managed(item)) == 30
        cluster.start()
        item = await place.later(seconds=30)
        assert (item.status.phase, len(managed(item))) == (Phase.SUCCEEDED, 30)

    in_place(scenario)


def test_a_target_that_is_down_is_not_asked_for_each_object() -> None:
    async def scenario(place: Place) -> None:
        cluster = troubled(place)
        await place.run(config_map("probe"))  # so that the kinds are known
        spaces = [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"n{number}"}} for number in range(200)
        ]
        cluster.stop()
        cluster.calls.clear()
        await place.run(*spaces, *(config_map(f"m{number}") for number in range(200)), name="two", seconds=0.5)
        assert cluster.calls.count("create") <= AT_ONCE
        cluster.start()
        assert (await place.later("two", seconds=30)).status.phase == Phase.SUCCEEDED

    in_place(scenario)


def test_a_target_that_stops_while_it_is_waited_for_is_told_and_taken_up_again() -> None:
    async def scenario(place: Place) -> None:
        cluster = troubled(place)
        await place.run(deployment(), seconds=3)
        cluster.stop()
        item = await place.later(seconds=20)
        assert item.status.phase == Phase.PROGRESSING
        assert "the cluster is down" in waits_for(item) + error(item)
        await place.roll_out()
        cluster.start()
        item = await place.later(seconds=60)
        assert (item.status.phase, error(item)) == (Phase.SUCCEEDED, "")
        assert len(place.deployer._watches) == 0

    in_place(scenario)


def test_a_short_break_of_a_watch_costs_no_try() -> None:
    async def scenario(place: Place) -> None:
        cluster = troubled(place)
        await place.run(deployment(), seconds=3)
        cluster.stop()
        await asyncio.sleep(0.05)
        cluster.start()
        item = await place.later(seconds=30)
        assert item.status.first_error is None
        await place.roll_out()
        assert (await place.later(seconds=0.1)).status.phase == Phase.SUCCEEDED

    in_place(scenario)


def test_a_target_that_stops_while_objects_go_is_finished_later() -> None:
    async def scenario(place: Place) -> None:
        cluster = troubled(place)
        await place.run(config_map(finalizers=["example.org/hold"]), config_map("two"))
        await place.world.delete()
        await asyncio.sleep(2)
        cluster.stop()
        await asyncio.sleep(20)
        change = {"metadata": {"finalizers": None}}
        await place.target.patch(CONFIG_MAPS, "one", change, namespace=NAMESPACE)
        cluster.start()
        await asyncio.sleep(60)
        assert await place.world.is_gone()

    in_place(scenario)


def test_a_target_that_does_not_let_us_in_fails_the_item_at_once() -> None:
    async def scenario(place: Place) -> None:
        cluster = troubled(place)
        cluster.fails = lambda verb: Unauthorized("the token has expired")
        item = await place.run(config_map(), seconds=1)
        assert (item.status.phase, error(item)) == (Phase.FAILED, "the token has expired")
        assert item.status.last_error is not None
        assert item.status.last_error.codes == ("ERR_UNAUTHORIZED",)

    in_place(scenario)


def test_a_second_target_that_is_down_is_named() -> None:
    async def scenario(place: Place) -> None:
        other = Troubled(place.target)
        await place.add_target("far", other)
        other.stop()
        reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "one", "namespace": NAMESPACE}
        export = {"key": "x", "jsonPath": ".data", "fromResource": reference, "targetName": "far"}
        item = await place.run(config_map(data={"a": "1"}), exports={"exports": [export]}, seconds=1)
        assert error(item) == ("the cluster of target far, which targetName says, cannot be used: the cluster is down")
        other.start()
        assert (await place.later(seconds=20)).status.phase == Phase.SUCCEEDED

    in_place(scenario)


def test_a_second_target_that_does_not_exist_fails_the_item() -> None:
    async def scenario(place: Place) -> None:
        reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "one", "namespace": NAMESPACE}
        export = {"key": "x", "jsonPath": ".data", "fromResource": reference, "targetName": "far"}
        item = await place.run(config_map(), exports={"exports": [export]}, seconds=1)
        assert (item.status.phase, error(item)) == (Phase.FAILED, "targetName: target default/far does not exist")

    in_place(scenario)


def test_another_writer_does_not_win_a_storm_of_conflicts() -> None:
    async def scenario(place: Place) -> None:
        cluster = troubled(place)
        await place.run(config_map(data={"a": "1"}))
        storm = iter(range(12))
        cluster.fails = lambda verb: (
            Conflict("somebody else was faster") if verb == "replace" and next(storm, None) is not None else None
        )
        await place.change(config_map(data={"a": "2"}))
        item = await place.again()
        assert (item.status.phase, item.status.first_error) == (Phase.SUCCEEDED, None)
        assert await place.data() == {"a": "2"}

    in_place(scenario)


def test_a_refusal_that_passes_is_tried_again() -> None:
    async def scenario(place: Place) -> None:
        cluster = troubled(place)
        cluster.fails = lambda verb: Forbidden("exceeded quota: maps") if verb == "create" else None
        item = await place.run(config_map(), seconds=3)
        assert error(item) == f"ConfigMap {NAMESPACE}/one: exceeded quota: maps"
        assert item.status.phase == Phase.PROGRESSING
        cluster.start()
        assert (await place.later(seconds=20)).status.phase == Phase.SUCCEEDED

    in_place(scenario)


def test_an_object_that_exists_is_found_though_new_ones_are_refused() -> None:
    async def scenario(place: Place) -> None:
        cluster = troubled(place)
        await place.put(config_map(data={"a": "old"}))
        cluster.fails = lambda verb: Forbidden("exceeded quota") if verb == "create" else None
        assert (await place.run(config_map(data={"a": "new"}))).status.phase == Phase.SUCCEEDED
        assert await place.data() == {"a": "new"}

    in_place(scenario)


def test_new_access_data_are_used_by_the_next_try() -> None:
    async def scenario(place: Place) -> None:
        cluster = troubled(place)
        await place.run(deployment(), seconds=3)
        cluster.stop()
        await asyncio.sleep(10)
        place.world.clusters["https://moved"] = place.target
        content = {"kubeconfig": {"clusters": [{"name": "c", "cluster": {"server": "https://moved"}}]}}
        await place.world.cluster.patch(TARGETS, "place", {"spec": {"config": content}}, namespace="default")
        await place.roll_out()
        assert (await place.later(seconds=30)).status.phase == Phase.SUCCEEDED

    in_place(scenario)


@pytest.mark.parametrize("from_now_on", [False, True])
def test_who_may_see_one_namespace_only_waits_there(from_now_on: bool) -> None:
    async def scenario(place: Place) -> None:
        cluster = Troubled(place.target)
        inner, watch, is_narrow = cluster._cluster.list, cluster.watch, asyncio.Event()

        async def narrow(resource: Any, *, namespace: str = "", **options: Any) -> Any:
            if resource.namespaced and not namespace and is_narrow.is_set():
                raise Forbidden("you may not list all namespaces")
            return await inner(resource, namespace=namespace, **options)

        @contextlib.asynccontextmanager
        async def narrow_watch(resource: Any, *, namespace: str = "", **options: Any) -> Any:
            if not namespace and is_narrow.is_set():
                raise Forbidden("you may not watch all namespaces")
            async with watch(resource, namespace=namespace, **options) as events:
                yield events

        setattr(cluster, "list", narrow)  # noqa: B010 - it has no such attribute of its own
        setattr(cluster, "watch", narrow_watch)  # noqa: B010
        place.world.clusters["https://place"] = cluster
        if not from_now_on:
            is_narrow.set()
        item = await place.run(deployment(), seconds=2)
        assert f"Deployment {NAMESPACE}/web" in waits_for(item)
        if from_now_on:  # a watch that breaks and may not go on as it did
            is_narrow.set()
            cluster.stop()
            cluster.start()
            await asyncio.sleep(30)
        await place.roll_out()
        assert (await place.later(seconds=0.1)).status.phase == Phase.SUCCEEDED

    in_place(scenario)


def test_what_a_process_created_before_it_died_is_not_forgotten_by_the_next() -> None:
    async def scenario(place: Place) -> None:
        cluster = troubled(place)
        hangs = asyncio.Event()
        create = place.target.create

        async def create_and_hang(*args: Any, **kwargs: Any) -> Any:
            await create(*args, **kwargs)
            await hangs.wait()

        setattr(cluster, "create", create_and_hang)  # noqa: B010 - it has no such attribute of its own
        await place.run(config_map("lost"), seconds=1)
        assert await place.exists(CONFIG_MAPS, "lost")
        await place.world.stop()
        place.world.clusters["https://place"] = place.target
        await place.change(config_map("new"))
        await place.world.start()
        item = await place.again(seconds=5)
        assert (item.status.phase, managed(item)) == (Phase.SUCCEEDED, ["ConfigMap new"])
        assert not await place.exists(CONFIG_MAPS, "lost")

    in_place(scenario)
