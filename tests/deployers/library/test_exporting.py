"""Exported values: one Secret for each item, written when they change."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from tests.deployers.library.worlds import World, in_a_world

from landform.api.deployitems import DeployItemExports
from landform.api.phases import Phase
from landform.api.references import LocalSecretReference, ObjectReference
from landform.cluster.errors import NotFound
from landform.cluster.resources import SECRETS
from landform.deployers.library import Terminal

if TYPE_CHECKING:
    from landform.deployers.library import Item


def exporting(values: Any) -> Any:
    async def work(item: Item) -> None:
        await item.export(values)

    return work


def test_the_secret_belongs_to_the_item() -> None:
    async def scenario(world: World) -> None:
        world.sample.on_reconcile = exporting({"b": [1, None], "a": "x"})
        item = await world.run_job()
        secret = await world.cluster.get(SECRETS, "one-export", namespace="default")
        [owner] = secret["metadata"]["ownerReferences"]
        assert (owner["kind"], owner["uid"], owner.get("controller")) == ("DeployItem", item.metadata.uid, None)
        assert await world.exported() == {"a": "x", "b": [1, None]}

    in_a_world(scenario)


def test_the_status_says_where_the_values_are_and_which_generation_they_belong_to() -> None:
    async def scenario(world: World) -> None:
        world.sample.on_reconcile = exporting({"a": 1})
        item = await world.run_job()
        assert item.status.export_ref == ObjectReference(name="one-export", namespace="default")
        secret = LocalSecretReference(name="one-export", key="config")
        assert item.status.exports == DeployItemExports(secret_ref=secret)
        assert item.status.export_generation == item.metadata.generation == 1
        await world.patch("one", {"spec": {"timeout": "1m"}})
        world.sample.on_reconcile = exporting(None)
        await world.trigger()
        await asyncio.sleep(0.05)
        status = (await world.item()).status
        assert (status.observed_generation, status.exports, status.export_generation) == (2, None, None)

    in_a_world(scenario)


def test_values_that_did_not_change_are_not_written() -> None:
    async def scenario(world: World) -> None:
        world.sample.on_reconcile = exporting({"a": 1, "b": 2})
        await world.run_job()
        world.sample.on_reconcile = exporting({"b": 2, "a": 1})
        await world.trigger()
        await asyncio.sleep(0.05)
        assert world.writes == ["create secrets", *["patch deployitems status"] * 2]
        world.sample.on_reconcile = exporting({"b": 3})
        await world.trigger()
        await asyncio.sleep(0.05)
        assert await world.exported() == {"b": 3}

    in_a_world(scenario)


def test_the_reference_that_an_item_has_is_kept() -> None:
    async def scenario(world: World) -> None:
        item = await world.create()
        owner = {
            "apiVersion": "landscaper.gardener.cloud/v1alpha1",
            "kind": "DeployItem",
            "name": "one",
            "uid": item.metadata.uid,
        }
        body = {"metadata": {"name": "older", "ownerReferences": [owner]}, "data": {}}
        await world.cluster.create(SECRETS, body, namespace="default")
        await world.write_status("one", {"exportRef": {"name": "older", "namespace": "default"}})
        world.sample.on_reconcile = exporting({"a": 1})
        await world.trigger()
        await asyncio.sleep(0.05)
        assert await world.exported("older") == {"a": 1}

    in_a_world(scenario)


def test_what_a_successful_run_does_not_export_again_is_gone() -> None:
    async def scenario(world: World) -> None:
        world.sample.on_reconcile = exporting({"a": 1})
        await world.run_job()
        world.sample.on_reconcile = exporting(None)
        await world.trigger()
        await asyncio.sleep(0.05)
        item = await world.item()
        assert (item.status.phase, item.status.export_ref) == (Phase.SUCCEEDED, None)
        with pytest.raises(NotFound):
            await world.exported()

    in_a_world(scenario)


def test_a_failed_run_leaves_the_former_exports() -> None:
    async def fail(item: Item) -> None:
        raise Terminal("Broken", "no")

    async def scenario(world: World) -> None:
        world.sample.on_reconcile = exporting({"a": 1})
        await world.run_job()
        world.sample.on_reconcile = fail
        await world.patch("one", {"spec": {"timeout": "1m"}})
        await world.trigger()
        await asyncio.sleep(0.05)
        item = await world.item()
        assert item.status.phase == Phase.FAILED
        assert item.status.export_ref is not None
        assert item.status.exports is not None
        assert (item.status.observed_generation, item.status.export_generation) == (2, 1)
        assert await world.exported() == {"a": 1}

    in_a_world(scenario)


def test_a_secret_of_somebody_else_is_not_overwritten() -> None:
    async def scenario(world: World) -> None:
        body = {"metadata": {"name": "one-export"}, "data": {"mine": "eA=="}}
        await world.cluster.create(SECRETS, body, namespace="default")
        world.sample.on_reconcile = exporting({"a": 1})
        item = await world.run_job(seconds=0.05)
        assert item.status.last_error is not None
        assert "belongs to someone else" in item.status.last_error.message
        secret = await world.cluster.get(SECRETS, "one-export", namespace="default")
        assert secret["data"] == {"mine": "eA=="}
        await world.cluster.delete(SECRETS, "one-export", namespace="default")
        await asyncio.sleep(20)
        assert await world.exported() == {"a": 1}

    in_a_world(scenario)
