"""Checks, exports and deletion groups may name a second cluster, by the name of its Target."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from tests.deployers.manifest.places import (
    CONFIG_MAPS,
    DEPLOYMENTS,
    NAMESPACE,
    Place,
    config_map,
    deployment,
    in_place,
    managed,
    waits_for,
)

from landform.api.phases import Phase
from landform.cluster.resources import NAMESPACES
from landform.testing import homes

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

FAR = {"apiVersion": "v1", "kind": "ConfigMap", "name": "far", "namespace": NAMESPACE}


def in_two_places(scenario: Callable[[Place, Place], Awaitable[None]]) -> None:
    """Run a scenario with a second target, called second."""

    async def main(place: Place) -> None:
        async with homes.in_process(place.world.surroundings) as cluster:
            await cluster.create(NAMESPACES, {"metadata": {"name": NAMESPACE}})
            await place.add_target("second", cluster)
            await scenario(place, Place(place.world, cluster, place.deployer))
            await place.world.stop()

    in_place(main)


def test_a_value_may_come_from_there() -> None:
    async def scenario(place: Place, second: Place) -> None:
        await second.put(config_map("far", {"token": "t"}))
        export = {"key": "token", "jsonPath": ".data.token", "fromResource": FAR, "targetName": "second"}
        item = await place.run(config_map(), exports={"exports": [export]}, seconds=1)
        assert item.status.phase == Phase.SUCCEEDED
        assert await place.world.exported() == {"token": "t"}

    in_two_places(scenario)


def test_an_item_that_moves_there_deletes_nothing_of_others() -> None:
    """What it remembers is on its former target, also where something of the same name is here."""

    async def scenario(place: Place, second: Place) -> None:
        await place.run(config_map(), config_map("two"))
        await second.put(config_map("two", {"whose": "theirs"}))
        await place.change(config_map())
        await place.world.patch("one", {"spec": {"target": {"name": "second"}}})
        item = await place.again(seconds=1)
        assert (item.status.phase, managed(item)) == (Phase.SUCCEEDED, ["ConfigMap one"])
        assert await second.exists(CONFIG_MAPS, "one")
        assert await second.data("two") == {"whose": "theirs"}

    in_two_places(scenario)


def test_a_check_may_look_there() -> None:
    async def scenario(place: Place, second: Place) -> None:
        check = {
            "name": "far-token",
            "resourceSelector": [FAR],
            "requirements": [{"jsonPath": ".data.token", "operator": "exists"}],
            "targetName": "second",
        }
        await place.put(config_map("far", {"token": "t"}))
        item = await place.run(config_map(), readinessChecks={"custom": [check]}, seconds=2)
        assert waits_for(item) == f"check far-token: ConfigMap {NAMESPACE}/far does not exist"
        await second.put(config_map("far", {"token": "t"}))
        assert (await place.later(seconds=0.1)).status.phase == Phase.SUCCEEDED

    in_two_places(scenario)


def test_the_default_rules_may_judge_objects_there_by_name_and_by_labels() -> None:
    async def scenario(place: Place, second: Place) -> None:
        reference = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "namespace": NAMESPACE}
        labels = {"apiVersion": "apps/v1", "kind": "Deployment", "matchLabels": {"by": "flux"}}
        checks: dict[str, Any] = {
            "default": [
                {"targetName": "second", "resourceSelector": [reference]},
                {"targetName": "second", "labelSelector": labels},
            ]
        }
        item = await place.run(config_map(), readinessChecks=checks, seconds=2)
        assert waits_for(item) == (f"Deployment {NAMESPACE}/web: it does not exist; and 1 more")
        await second.put(deployment(), DEPLOYMENTS)
        await second.roll_out()
        assert waits_for(await place.later(seconds=2)) == "there is no Deployment with by=flux"
        labelled = deployment("other")
        labelled["metadata"]["labels"] = {"by": "flux"}
        await second.put(labelled, DEPLOYMENTS)
        assert f"Deployment {NAMESPACE}/other: " in waits_for(await place.later(seconds=2))
        await second.roll_out("other")
        assert (await place.later(seconds=0.1)).status.phase == Phase.SUCCEEDED

    in_two_places(scenario)


def test_a_deletion_group_may_clear_kinds_there() -> None:
    async def scenario(place: Place, second: Place) -> None:
        await second.put(config_map("far", finalizers=["example.org/hold"]))
        resources = [{"apiVersion": "v1", "kind": "configmaps", "names": ["far"]}]
        clearing = {"customResourceGroup": {"resources": resources, "deleteAllResources": True, "targetName": "second"}}
        own = {"predefinedResourceGroup": {"type": "namespaced-resources"}}
        await place.run(config_map(), deletionGroups=[clearing, own])
        await place.world.delete()
        item = await place.later(seconds=2)
        assert f"ConfigMap {NAMESPACE}/far is being deleted" in waits_for(item)
        assert await place.exists(CONFIG_MAPS, "one")
        change = {"metadata": {"finalizers": None}}
        await second.target.patch(CONFIG_MAPS, "far", change, namespace=NAMESPACE)
        await asyncio.sleep(1)
        assert await place.world.is_gone()
        assert not await place.exists(CONFIG_MAPS, "one")

    in_two_places(scenario)
