"""Exported values are followed on clusters behind HTTPS, embedded and real."""

from __future__ import annotations

import asyncio
import base64
from typing import TYPE_CHECKING, Any

import msgspec
from tests.deployers.manifest.realplaces import PATIENCE, RealPlace, real_place

from landform.api.conditions import Condition, find
from landform.api.phases import Phase
from landform.cluster.resources import CONFIG_MAPS, SECRETS
from landform.deployers.manifest.following import CONDITION

if TYPE_CHECKING:
    from landform.api.deployitems import DeployItem


async def exported(place: RealPlace, wanted: Any) -> None:
    """Return when the item exports this."""
    found = None
    async with asyncio.timeout(PATIENCE):
        while found != wanted:
            await asyncio.sleep(0.05)
            secret = await place.home.get(SECRETS, "one-export", namespace=place.at)
            found = msgspec.json.decode(base64.b64decode(secret["data"]["config"]))


def said(item: DeployItem) -> Condition | None:
    return find(item.status.conditions, CONDITION)


async def test_a_value_is_followed_while_it_changes_goes_and_comes_back(target: str) -> None:
    async with real_place() as place:
        client = await place.add_target("place", target)
        async with client:
            reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "result", "namespace": place.namespace}
            export = {"key": "a", "jsonPath": ".data.a", "fromResource": reference, "follow": True}
            await client.create(CONFIG_MAPS, place.config_map("result", {"a": "1"}), namespace=place.namespace)
            await place.create(place.config_map(), exports={"exports": [export]})
            assert (await place.finished()).status.phase == Phase.SUCCEEDED
            await exported(place, {"a": "1"})
            await client.patch(CONFIG_MAPS, "result", {"data": {"a": "2"}}, namespace=place.namespace)
            await exported(place, {"a": "2"})
            await client.delete(CONFIG_MAPS, "result", namespace=place.namespace)
            item = await place.until(lambda item: (found := said(item)) is not None and found.status == "False")
            assert item.status.phase == Phase.SUCCEEDED
            await exported(place, {"a": "2"})
            await client.create(CONFIG_MAPS, place.config_map("result", {"a": "3"}), namespace=place.namespace)
            await exported(place, {"a": "3"})
            await place.until(lambda item: (found := said(item)) is not None and found.status == "True")
            await place.delete()
            await place.gone()
