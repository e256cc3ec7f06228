"""Values that change after the job reach whoever uses them, by a job in which nobody else has to work."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tests.deployers.manifest.latescapes import SHOP, Landscape, importer, in_a_landscape, installation
from tests.deployers.manifest.places import kubeconfig

from landform.api import jobs
from landform.api.conditions import ConditionType, find
from landform.api.names import Operation
from landform.api.phases import Phase
from landform.cluster.kinds import INSTALLATIONS, TARGETS
from landform.cluster.resources import CONFIG_MAPS
from landform.installations.latedata import EVERY

if TYPE_CHECKING:
    from landform.cluster.resources import Unstructured


def test_a_late_value_reaches_its_user_and_nobody_else_works() -> None:
    async def scenario(landscape: Landscape) -> None:
        async with landscape.running():
            first = await landscape.apply(installation())
            assert (first.status.phase, await landscape.out()) == (Phase.SUCCEEDED, "v0+v0")
            assert sorted(landscape.deployer.worked) == ["other", "source", "user"]
            landscape.deployer.worked.clear()
            await landscape.change("v1")
            await asyncio.sleep(5)
            root = await landscape.root()
            assert await landscape.out() == "v1+v1"
            assert landscape.deployer.worked == ["user"]
            assert jobs.is_renewal(root.status.job_id)
            assert root.status.phase == Phase.SUCCEEDED
            for name in ("source", "user", "other"):
                status = (await landscape.item(name)).status
                assert (status.job_id, status.job_id_finished) == (root.status.job_id, root.status.job_id)
            assert await landscape.late() == {}
            writes = len(landscape.writes)
            await asyncio.sleep(600)
            assert len(landscape.writes) == writes

    in_a_landscape(scenario)


def test_without_a_wish_everybody_says_that_there_is_late_data_and_a_job_publishes_it() -> None:
    async def scenario(landscape: Landscape) -> None:
        async with landscape.running():
            first = await landscape.apply(installation(late=None))
            await landscape.change("v1")
            await asyncio.sleep(100)
            assert await landscape.out() == "v0+v0"
            said = await landscape.late()
            source = (await landscape.item("source")).metadata.name
            assert sorted(name.split()[0] for name in said) == [
                "DeployItem",
                "Execution",
                "Installation",
                "Installation",
            ]
            assert all(f"deploy item {source} (source) exports new values since" in each for each in said.values())
            assert "reconcile this installation to publish them" in said["Installation root"]
            assert "NotPublished" in await landscape.events()
            assert (await landscape.root()).status.job_id == first.status.job_id
            await landscape.reconcile()
            await asyncio.sleep(1)
            await landscape.settled()
            assert (await landscape.out(), await landscape.late()) == ("v1+v1", {})
            assert sorted(landscape.deployer.worked) == ["other", "other", "source", "source", "user", "user"]

    in_a_landscape(scenario)


def test_an_ordinary_job_always_does_the_work() -> None:
    async def scenario(landscape: Landscape) -> None:
        async with landscape.running():
            await landscape.apply(installation())
            await landscape.change("v1")
            await asyncio.sleep(5)
            landscape.deployer.worked.clear()
            await landscape.reconcile()
            await asyncio.sleep(2)
            assert sorted(landscape.deployer.worked) == ["other", "source", "user"]
            assert not jobs.is_renewal((await landscape.settled()).status.job_id)

    in_a_landscape(scenario)


def test_a_job_that_renews_can_be_asked_for_by_hand() -> None:
    async def scenario(landscape: Landscape) -> None:
        async with landscape.running():
            await landscape.apply(installation(late=None))
            await landscape.change("v1")
            await asyncio.sleep(5)
            landscape.deployer.worked.clear()
            await landscape.reconcile(operation=Operation.RENEW)
            await asyncio.sleep(2)
            assert (landscape.deployer.worked, await landscape.out()) == (["user"], "v1+v1")

    in_a_landscape(scenario)


def test_a_storm_of_changes_makes_few_jobs() -> None:
    async def scenario(landscape: Landscape) -> None:
        seen = set()
        async with landscape.running():
            await landscape.apply(installation())
            for number in range(1200):  # for 300 s
                await landscape.change(f"v{number}")
                await asyncio.sleep(0.25)
                seen.add((await landscape.root()).status.job_id)
            assert 3 <= len(seen) - 1 <= 300 / EVERY.total_seconds() + 1
            await asyncio.sleep(60)
            assert (await landscape.out(), await landscape.late()) == ("v1199+v1199", {})

    in_a_landscape(scenario)


def test_a_change_while_nobody_runs_is_found_at_the_start() -> None:
    async def scenario(landscape: Landscape) -> None:
        async with landscape.running():
            await landscape.apply(installation())
        await landscape.change("v1")
        async with landscape.running():
            await asyncio.sleep(10)
            assert await landscape.out() == "v1+v1"

    in_a_landscape(scenario)


def test_a_change_during_a_job_is_published_by_the_next() -> None:
    async def scenario(landscape: Landscape) -> None:
        async with landscape.running():
            await landscape.apply(installation())
            await landscape.reconcile()
            for number in range(20):
                await landscape.change(f"v{number}")
                await asyncio.sleep(0.01)
            await asyncio.sleep(60)
            assert (await landscape.out(), await landscape.late()) == ("v19+v19", {})

    in_a_landscape(scenario)


def test_a_value_that_vanishes_fails_nothing() -> None:
    async def scenario(landscape: Landscape) -> None:
        async with landscape.running():
            first = await landscape.apply(installation())
            await landscape.cluster.delete(CONFIG_MAPS, "result", namespace=SHOP)
            await asyncio.sleep(100)
            root = await landscape.root()
            assert (root.status.job_id, root.status.phase) == (first.status.job_id, Phase.SUCCEEDED)
            assert await landscape.out() == "v0+v0"

    in_a_landscape(scenario)


def test_what_was_changed_and_not_reconciled_is_not_applied_by_the_way() -> None:
    async def scenario(landscape: Landscape) -> None:
        async with landscape.running():
            first = await landscape.apply(installation())
            change = {"spec": {"automaticReconcile": {"lateData": True, "succeededReconcile": {"interval": "999h"}}}}
            await landscape.cluster.patch(INSTALLATIONS, "root", change, namespace="default")
            await landscape.change("v1")
            await asyncio.sleep(100)
            assert (await landscape.root()).status.job_id == first.status.job_id
            assert "the specification has changed since the last one" in (await landscape.late())["Installation root"]

    in_a_landscape(scenario)


def test_a_job_that_fails_on_late_data_is_not_repeated_before_another_value_comes() -> None:
    async def scenario(landscape: Landscape) -> None:
        async with landscape.running():
            await landscape.apply(installation())
            await landscape.change("17")  # rendered as a number, which the blueprint does not allow
            await asyncio.sleep(1000)
            failed = await landscape.root()
            assert failed.status.phase == Phase.FAILED
            assert await landscape.out() == "v0+v0"
            await asyncio.sleep(1000)
            assert (await landscape.root()).status.job_id == failed.status.job_id
            await landscape.change("v2")
            await asyncio.sleep(100)
            root = await landscape.root()
            assert (root.status.phase, await landscape.out()) == (Phase.SUCCEEDED, "v2+v2")
            assert find(root.status.conditions, ConditionType.LATE_DATA) is None

    in_a_landscape(scenario)


def test_roots_that_import_what_was_renewed_renew_in_turn() -> None:
    async def scenario(landscape: Landscape) -> None:
        async with landscape.running():
            await landscape.apply(installation())
            await landscape.apply(importer())
            landscape.deployer.worked.clear()
            await landscape.change("v1")
            await asyncio.sleep(20)
            found = await landscape.cluster.get(CONFIG_MAPS, "importer", namespace=SHOP)
            assert found["data"] == {"value": "v1+v1"}
            assert landscape.deployer.worked == ["user", "using"]
            assert jobs.is_renewal((await landscape.root("importer")).status.job_id)

    in_a_landscape(scenario)


def test_an_item_whose_target_says_something_else_works_in_a_job_that_renews() -> None:
    async def scenario(landscape: Landscape) -> None:
        async with landscape.running():
            await landscape.apply(installation())
            landscape.deployer.worked.clear()
            await landscape.reconcile(operation=Operation.RENEW)
            await asyncio.sleep(5)
            assert landscape.deployer.worked == []
            spec = {"config": {"kubeconfig": kubeconfig("https://moved")}}
            await landscape.cluster.patch(TARGETS, "cluster", {"spec": spec}, namespace="default")
            await landscape.reconcile(operation=Operation.RENEW)
            await asyncio.sleep(5)
            assert sorted(landscape.deployer.worked) == ["other", "source", "user"]

    in_a_landscape(scenario)


def test_only_roots_can_be_asked_to_renew() -> None:
    async def scenario(landscape: Landscape) -> None:
        async with landscape.running():
            first = await landscape.apply(installation())
            children = (await landscape.cluster.list(INSTALLATIONS, namespace="default")).items
            [child] = [each for each in children if (each.metadata.name or "").startswith("user-")]
            await landscape.reconcile(child.metadata.name or "", Operation.RENEW)
            await asyncio.sleep(5)
            child = await landscape.root(child.metadata.name or "")
            assert child.status.job_id == first.status.job_id
            assert "landscaper.gardener.cloud/operation" not in (child.metadata.annotations or {})

    in_a_landscape(scenario)


def test_a_request_to_reconcile_replaces_one_to_renew() -> None:
    async def scenario(landscape: Landscape) -> None:
        async with landscape.running():
            await landscape.apply(installation())
            landscape.deployer.worked.clear()
        await landscape.reconcile(operation=Operation.RENEW)
        await landscape.reconcile()
        async with landscape.running():
            await asyncio.sleep(5)
            assert sorted(landscape.deployer.worked) == ["other", "source", "user"]

    in_a_landscape(scenario)


def test_following_costs_no_writes_as_long_as_nothing_changes() -> None:
    async def written(landscape: Landscape, obj: Unstructured) -> list[str]:
        landscape.writes.clear()
        await landscape.apply(obj)
        await asyncio.sleep(60)
        found = sorted(landscape.writes)
        await landscape.cluster.delete(INSTALLATIONS, "root", namespace="default")
        await asyncio.sleep(60)
        return found

    async def scenario(landscape: Landscape) -> None:
        async with landscape.running():
            await asyncio.sleep(10)  # until every namespace has its Context
            plain = await written(landscape, installation(late=None, follow=False))
            assert await written(landscape, installation()) == plain

    in_a_landscape(scenario)
