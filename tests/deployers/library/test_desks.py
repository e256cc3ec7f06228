"""What a deployer does beside its jobs: it lives as long as the deployer, and writes with care."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from tests.deployers.library.test_stopping_work import Gate
from tests.deployers.library.worlds import Sample, World, in_a_world
from tests.docs import pages

from landform.api.conditions import find
from landform.api.names import KUBERNETES_CLUSTER, Annotation
from landform.cluster.errors import Conflict
from landform.cluster.kinds import DEPLOY_ITEMS, TARGETS
from landform.cluster.resources import SECRETS, ObjectKey
from landform.deployers.library import Desk, EventType, Item
from landform.deployers.library.controllers import BETWEEN_SERVICES
from landform.runtime.errors import LeaseLost

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

PAGE = "docs/deployers/library.md"
PLACE = {"name": "place", "namespace": "default"}
ONE = ObjectKey("default", "one")


class Serving(Sample):
    """Hands its desk to the test, and does as the test says."""

    def __init__(self) -> None:
        super().__init__()
        self.began: list[float] = []
        self.ended = 0
        self.desk: Desk
        self.on_serve: Callable[[Desk], Awaitable[None]] = _for_ever

    async def serve(self, desk: Desk) -> None:
        self.began.append(asyncio.get_running_loop().time())
        self.desk = desk
        try:
            await self.on_serve(desk)
        finally:
            self.ended += 1


async def _for_ever(desk: Desk) -> None:
    await asyncio.sleep(10**9)


async def _exporting(item: Item) -> None:
    await item.export({"colour": "blue"})


def at_a_desk(scenario: Callable[[World, Serving], Awaitable[None]], **options: Any) -> None:
    deployer = Serving()

    async def main(world: World) -> None:
        await asyncio.sleep(0)
        await scenario(world, deployer)

    in_a_world(main, deployer=deployer, **options)


def test_a_service_lives_as_long_as_its_deployer() -> None:
    async def scenario(world: World, deployer: Serving) -> None:
        assert (len(deployer.began), deployer.ended) == (1, 0)
        await world.stop()
        assert deployer.ended == 1

    at_a_desk(scenario)


def test_a_service_that_fails_begins_again_later_and_items_are_worked_on_meanwhile() -> None:
    async def failing(desk: Desk) -> None:
        raise RuntimeError("broken")

    async def scenario(world: World, deployer: Serving) -> None:
        await world.stop()
        deployer.began.clear()
        deployer.on_serve = failing
        await world.start()
        await world.run_job(seconds=600)
        pauses = [after - before for before, after in zip(deployer.began, deployer.began[1:], strict=False)]
        assert pauses[0] <= BETWEEN_SERVICES.first
        assert BETWEEN_SERVICES.longest / 2 <= pauses[-1] <= BETWEEN_SERVICES.longest
        assert world.sample.times() != []

    at_a_desk(scenario)


def test_a_service_that_returns_has_nothing_more_to_do() -> None:
    async def nothing(desk: Desk) -> None:
        return None

    async def scenario(world: World, deployer: Serving) -> None:
        await world.stop()
        deployer.began.clear()
        deployer.on_serve = nothing
        await world.start()
        await asyncio.sleep(600)
        assert len(deployer.began) == 1

    at_a_desk(scenario)


def test_a_desk_knows_the_items_of_its_type_that_are_its_own() -> None:
    gate = Gate()

    async def scenario(world: World, deployer: Serving) -> None:
        await world.run_job()
        await world.cluster.create(
            DEPLOY_ITEMS, {"metadata": {"name": "other"}, "spec": {"type": "example.org/other"}}, namespace="default"
        )
        await asyncio.sleep(1)
        assert [item.metadata.name for item in deployer.desk.items()] == ["one"]
        assert deployer.desk.get(ONE) is not None
        assert deployer.desk.get(ONE._replace(name="other")) is None
        gate.is_open = False
        assert deployer.desk.items() == []
        assert deployer.desk.get(ONE) is not None

    at_a_desk(scenario, fence=gate)


def test_a_desk_tells_of_items_and_of_their_targets() -> None:
    async def scenario(world: World, deployer: Serving) -> None:
        told: list[str] = []
        await world.create_target()
        await world.run_job(target=PLACE)
        end = deployer.desk.subscribe(lambda key: told.append(key.name))
        await world.patch("one", {"metadata": {"labels": {"a": "b"}}})
        await asyncio.sleep(1)
        assert told == ["one"]
        await world.cluster.patch(TARGETS, "place", {"spec": {"config": {"new": True}}}, namespace="default")
        await asyncio.sleep(1)
        assert told == ["one", "one"]
        world.controller.resync()
        assert told == ["one", "one", "one"]
        end()
        await world.patch("one", {"metadata": {"labels": {"a": "c"}}})
        await asyncio.sleep(1)
        assert len(told) == 3

    at_a_desk(scenario)


def test_a_client_is_shared_and_given_back() -> None:
    kubeconfig = {
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c"}}],
        "clusters": [{"name": "c", "cluster": {"server": "https://there"}}],
    }

    async def scenario(world: World, deployer: Serving) -> None:
        world.clusters["https://there"] = world.cluster
        await world.create_target(type=KUBERNETES_CLUSTER, config={"kubeconfig": kubeconfig})
        item = await world.run_job(target=PLACE)
        target = await deployer.desk.find_target(item)
        assert deployer.desk.acquire(target) is world.cluster
        await deployer.desk.release(target)

    at_a_desk(scenario)


def test_exports_are_renewed_in_one_write_that_says_when() -> None:
    async def scenario(world: World, deployer: Serving) -> None:
        deployer.on_reconcile = _exporting
        item = await world.run_job(seconds=5)
        seen = deployer.desk.exported(item)
        assert seen is not None
        assert seen.values == {"colour": "blue"}
        world.writes.clear()
        assert not await deployer.desk.renew_exports(item, seen, {"colour": "blue"})
        assert world.writes == []
        assert await deployer.desk.renew_exports(item, seen, {"colour": "red"})
        assert world.writes == ["patch secrets"]
        assert await world.exported() == {"colour": "red"}
        secret = await world.cluster.get(SECRETS, "one-export", namespace="default")
        assert secret["metadata"]["annotations"] == {Annotation.EXPORTS_RENEWED: "2030-01-01T00:00:05Z"}

    at_a_desk(scenario)


def test_the_next_job_takes_the_sign_of_renewal_off_with_the_values_it_exports() -> None:
    async def scenario(world: World, deployer: Serving) -> None:
        deployer.on_reconcile = _exporting
        item = await world.run_job(seconds=5)
        seen = deployer.desk.exported(item)
        assert seen is not None
        await deployer.desk.renew_exports(item, seen, {"colour": "red"})
        await world.trigger()
        await asyncio.sleep(1)
        secret = await world.cluster.get(SECRETS, "one-export", namespace="default")
        assert Annotation.EXPORTS_RENEWED not in secret["metadata"].get("annotations", {})
        assert await world.exported() == {"colour": "blue"}

    at_a_desk(scenario)


def test_a_job_that_exports_at_the_same_time_is_not_overwritten() -> None:
    async def scenario(world: World, deployer: Serving) -> None:
        deployer.on_reconcile = _exporting
        item = await world.run_job(seconds=5)
        seen = deployer.desk.exported(item)
        assert seen is not None

        async def newer(item: Item) -> None:
            await item.export({"colour": "green"})

        deployer.on_reconcile = newer
        await world.trigger()
        await asyncio.sleep(1)
        with pytest.raises(Conflict):
            await deployer.desk.renew_exports(item, seen, {"colour": "red"})
        assert await world.exported() == {"colour": "green"}

    at_a_desk(scenario)


def test_another_replicas_item_is_not_written() -> None:
    gate = Gate()

    async def scenario(world: World, deployer: Serving) -> None:
        deployer.on_reconcile = _exporting
        item = await world.run_job(seconds=5)
        seen = deployer.desk.exported(item)
        assert seen is not None
        gate.is_open = False
        with pytest.raises(LeaseLost):
            await deployer.desk.renew_exports(item, seen, {"colour": "red"})
        with pytest.raises(LeaseLost):
            await deployer.desk.state(item, "Followed", "False", "Gone", "it is gone")

    at_a_desk(scenario, fence=gate)


def test_a_condition_is_written_when_it_says_something_new() -> None:
    async def scenario(world: World, deployer: Serving) -> None:
        await world.run_job(seconds=5)
        for _ in range(2):
            item = deployer.desk.get(ONE)
            assert item is not None
            await deployer.desk.state(item, "Followed", "False", "Gone", "it is gone")
        assert world.writes.count("patch deployitems status") == 2
        deployer.desk.tell(await world.item(), EventType.WARNING, "Gone", "it is gone")
        said = find((await world.item()).status.conditions, "Followed")
        assert said is not None
        assert said.message == "it is gone"
        assert ("Warning", "Gone", "it is gone") in await world.events()

    at_a_desk(scenario)


def test_an_item_with_a_job_is_not_settled() -> None:
    async def scenario(world: World, deployer: Serving) -> None:
        item = await world.run_job()
        assert deployer.desk.is_settled(item)
        deployer.on_reconcile = lambda item: asyncio.sleep(100)
        await world.trigger()
        assert not deployer.desk.is_settled(await world.item())

    at_a_desk(scenario)


def test_the_page_names_everything_that_a_desk_offers() -> None:
    inner = {"changed", "everything_changed", "is_used", "close"}
    offered = [name for name in vars(Desk) if not name.startswith("_") and name not in inner]
    assert [name for name in offered if f"desk.{name}" not in pages.prose(PAGE)] == []
    bounds = f"after {BETWEEN_SERVICES.first:.0f} to {BETWEEN_SERVICES.longest:.0f} s"
    assert bounds in pages.prose(PAGE)
