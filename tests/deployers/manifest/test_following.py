"""Exported values are followed after the job, if the item wants it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.deployers.manifest.places import CONFIG_MAPS, NAMESPACE, Place, config_map, in_place

from landform.api.conditions import find
from landform.api.errors import OperationFailed
from landform.api.names import Annotation
from landform.cluster.errors import ServerError
from landform.cluster.kinds import TARGETS
from landform.cluster.resources import SECRETS, SERVICE_ACCOUNTS
from landform.deployers.manifest import decoding
from landform.deployers.manifest.configuration import V1ALPHA2
from landform.deployers.manifest.debouncing import LONGEST_SECONDS, PAUSE_SECONDS, QUIET_SECONDS
from landform.deployers.manifest.following import CONDITION, PATIENCE_SECONDS


def export(key: str = "token", path: str = ".data.token", name: str = "one", **more: Any) -> dict[str, Any]:
    resource = {"apiVersion": "v1", "kind": "ConfigMap", "name": name, "namespace": NAMESPACE}
    return {"key": key, "jsonPath": path, "fromResource": resource, "follow": True, **more}


def exports(*each: dict[str, Any]) -> dict[str, Any]:
    return {"exports": list(each)}


async def change(place: Place, name: str = "one", **data: str | None) -> None:
    await place.target.patch(CONFIG_MAPS, name, {"data": data}, namespace=NAMESPACE)


async def said(place: Place, name: str = "one") -> tuple[str, str]:
    found = find((await place.world.item(name)).status.conditions, CONDITION)
    return (found.status, found.message) if found is not None else ("", "")


def renewals(place: Place) -> int:
    return place.world.writes.count("patch secrets")


def test_a_value_that_changes_after_the_job_is_exported_anew() -> None:
    async def scenario(place: Place) -> None:
        item = await place.run(config_map(data={"token": "a"}), exports=exports(export()))
        assert await place.world.exported() == {"token": "a"}
        await change(place, token="b")
        await asyncio.sleep(QUIET_SECONDS - 0.2)
        assert await place.world.exported() == {"token": "a"}
        await asyncio.sleep(0.3)
        assert await place.world.exported() == {"token": "b"}
        now = await place.world.item()
        assert now.status == item.status
        assert "ExportsRenewed" in [reason for _, reason, _ in await place.world.events()]

    in_place(scenario)


def test_a_value_that_is_not_followed_stays_as_the_job_exported_it() -> None:
    async def scenario(place: Place) -> None:
        await place.run(config_map(data={"token": "a"}), exports=exports(export(follow=False)))
        await change(place, token="b")
        await asyncio.sleep(600)
        assert await place.world.exported() == {"token": "a"}
        assert len(place.deployer._watches) == 0

    in_place(scenario)


def test_nothing_is_written_when_something_else_changes() -> None:
    async def scenario(place: Place) -> None:
        await place.run(config_map(data={"token": "a"}), exports=exports(export()))
        place.world.writes.clear()
        for number in range(20):
            await change(place, other=str(number))
            await asyncio.sleep(1)
        assert place.world.writes == []

    in_place(scenario)


def test_all_values_of_an_item_are_renewed_together() -> None:
    async def scenario(place: Place) -> None:
        given = exports(export(), export("user", ".data.user", follow=False))
        await place.run(config_map(data={"token": "a", "user": "ada"}), exports=given)
        await change(place, user="grace")
        await asyncio.sleep(60)
        assert await place.world.exported() == {"token": "a", "user": "ada"}
        await change(place, token="b")
        await asyncio.sleep(2)
        assert await place.world.exported() == {"token": "b", "user": "grace"}
        assert renewals(place) == 1

    in_place(scenario)


def test_a_value_that_never_rests_is_exported_now_and_then() -> None:
    async def scenario(place: Place) -> None:
        await place.run(config_map(data={"token": "a"}), exports=exports(export()))
        for number in range(400):  # for 100 s
            await change(place, token=str(number))
            await asyncio.sleep(0.25)
        assert 100 / LONGEST_SECONDS / 2 <= renewals(place) <= 100 / PAUSE_SECONDS
        await asyncio.sleep(PAUSE_SECONDS + 1)
        assert await place.world.exported() == {"token": "399"}

    in_place(scenario)


def test_a_value_that_changes_and_rests_in_turn_is_renewed_no_more_often() -> None:
    async def scenario(place: Place) -> None:
        await place.run(config_map(data={"token": "a"}), exports=exports(export()))
        for number in range(50):
            await change(place, token=str(number))
            await asyncio.sleep(2)
        assert renewals(place) <= 100 / PAUSE_SECONDS + 1

    in_place(scenario)


def test_a_value_that_comes_back_at_once_is_no_change() -> None:
    async def scenario(place: Place) -> None:
        await place.run(config_map(data={"token": "a"}), exports=exports(export()))
        await change(place, token="b")
        await asyncio.sleep(0.5)
        await change(place, token="a")
        await asyncio.sleep(60)
        assert renewals(place) == 0

    in_place(scenario)


def test_a_restart_goes_on_following_and_finds_what_it_missed() -> None:
    async def scenario(place: Place) -> None:
        await place.run(config_map(data={"token": "a"}), exports=exports(export()))
        await place.world.stop()
        await change(place, token="b")
        await place.world.start()
        await asyncio.sleep(2)
        assert await place.world.exported() == {"token": "b"}
        await change(place, token="c")
        await asyncio.sleep(PAUSE_SECONDS + 2)
        assert await place.world.exported() == {"token": "c"}

    in_place(scenario)


def test_a_value_that_vanishes_stays_exported_and_the_item_says_so() -> None:
    async def scenario(place: Place) -> None:
        await place.run(config_map(data={"token": "a"}), exports=exports(export()))
        await place.target.delete(CONFIG_MAPS, "one", namespace=NAMESPACE)
        await asyncio.sleep(2)
        assert await place.world.exported() == {"token": "a"}
        assert await said(place) == (
            "False",
            "export token: ConfigMap shop/one does not exist; what was exported last is kept",
        )
        item = await place.world.item()
        assert item.status.phase == "Succeeded"
        writes = len(place.world.writes)
        await asyncio.sleep(600)
        assert len(place.world.writes) == writes
        await place.put(config_map(data={"token": "b"}))
        await asyncio.sleep(3)
        assert await place.world.exported() == {"token": "b"}
        assert (await said(place))[0] == "True"

    in_place(scenario)


def test_a_field_that_vanishes_is_told_without_its_value() -> None:
    async def scenario(place: Place) -> None:
        await place.run(config_map(data={"token": "a", "user": "ada"}), exports=exports(export()))
        await change(place, token=None)
        await asyncio.sleep(2)
        status, message = await said(place)
        assert (status, "has no .data.token" in message, "ada" in message) == ("False", True, False)

    in_place(scenario)


def test_a_second_object_is_followed_when_the_reference_leads_elsewhere() -> None:
    second = {"apiVersion": "v1", "kind": "ConfigMap", "jsonPath": ".data.token"}
    robot = {"apiVersion": "v1", "kind": "ServiceAccount", "name": "robot", "namespace": NAMESPACE}
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot", "namespace": NAMESPACE}}

    async def scenario(place: Place) -> None:
        await place.put(config_map("first", {"token": "a"}))
        await place.put(config_map("other", {"token": "b"}))
        given = export(path=".secrets[0]", fromResource=robot, fromObjectRef=second)
        await place.run({**account, "secrets": [{"name": "first"}]}, exports=exports(given))
        assert await place.world.exported() == {"token": "a"}
        await change(place, "first", token="c")
        await asyncio.sleep(2)
        assert await place.world.exported() == {"token": "c"}
        await place.target.patch(SERVICE_ACCOUNTS, "robot", {"secrets": [{"name": "other"}]}, namespace=NAMESPACE)
        await asyncio.sleep(PAUSE_SECONDS + 2)
        assert await place.world.exported() == {"token": "b"}

    in_place(scenario)


def test_an_item_with_a_job_is_left_to_the_job() -> None:
    async def scenario(place: Place) -> None:
        await place.run(config_map(data={"token": "a"}), exports=exports(export()))
        await change(place, token="b")
        await place.again(seconds=3)  # which writes its manifest, so the value is as before
        assert await place.world.exported() == {"token": "a"}
        assert renewals(place) == 0
        await change(place, token="c")
        await asyncio.sleep(2)
        assert await place.world.exported() == {"token": "c"}

    in_place(scenario)


def test_a_deleted_item_is_followed_no_longer() -> None:
    async def scenario(place: Place) -> None:
        await place.run(config_map(data={"token": "a"}), exports=exports(export()))
        await asyncio.sleep(1)
        assert len(place.deployer._watches) == 1
        await place.world.delete()
        await asyncio.sleep(5)
        assert await place.world.is_gone()
        assert len(place.deployer._watches) == 0

    in_place(scenario)


def test_an_item_that_wants_it_no_longer_is_left_alone() -> None:
    async def scenario(place: Place) -> None:
        obj = config_map(data={"token": "a"})
        await place.run(obj, exports=exports(export()))
        await place.change(obj, exports=exports(export(follow=False)))
        await place.again()
        await asyncio.sleep(1)
        assert len(place.deployer._watches) == 0

    in_place(scenario)


def test_many_followers_share_one_watch() -> None:
    async def scenario(place: Place) -> None:
        for number in range(30):
            name = f"item-{number}"
            obj = config_map(name, {"token": "a"})
            await place.create(obj, name=name, exports=exports(export(name=name)))
            await place.world.trigger(name)
        await asyncio.sleep(5)
        assert len(place.deployer._watches) == 1
        await change(place, "item-7", token="b")
        await asyncio.sleep(2)
        assert await place.world.exported("item-7-export") == {"token": "b"}
        assert renewals(place) == 1

    in_place(scenario)


def test_a_target_that_cannot_be_reached_is_told_after_a_while_and_followed_again() -> None:
    async def scenario(place: Place) -> None:
        await place.run(config_map(data={"token": "a"}), exports=exports(export()))
        await place.world.cluster.delete(TARGETS, "place", namespace="default")
        await asyncio.sleep(PATIENCE_SECONDS + 5)
        status, message = await said(place)
        assert status == "False"
        assert "target default/place does not exist" in message
        await change(place, token="b")
        await place.add_target("place", place.target)
        await asyncio.sleep(3)
        assert await place.world.exported() == {"token": "b"}
        assert (await said(place))[0] == "True"

    in_place(scenario)


def test_keys_that_overlap_cannot_be_followed() -> None:
    given = exports(export("a.b"), export("a", follow=False))
    config = {"apiVersion": V1ALPHA2, "kind": "ProviderConfiguration", "exports": given}
    with pytest.raises(OperationFailed, match="needs a key that no other export shares"):
        decoding.read(config)
    decoding.read({**config, "exports": exports(export("a.b"), export("ab"), export("a.c"))})


def test_a_cluster_that_fails_while_a_change_is_due_is_asked_again_and_not_without_a_pause() -> None:
    async def scenario(place: Place) -> None:
        await place.run(config_map(data={"token": "a"}), exports=exports(export()))
        await asyncio.sleep(1)
        reads = 0
        get = place.target.get

        async def failing(*args: Any, **kwargs: Any) -> Any:
            nonlocal reads
            reads += 1
            if reads < 5:
                raise ServerError("it is in trouble")
            return await get(*args, **kwargs)

        place.target.get = failing  # type: ignore[method-assign]
        await change(place, token="b")
        await asyncio.sleep(120)
        place.target.get = get  # type: ignore[method-assign]
        assert await place.world.exported() == {"token": "b"}
        assert 5 <= reads <= 15

    in_place(scenario)


def test_values_that_a_scheduled_pass_exports_are_late_too() -> None:
    async def scenario(place: Place) -> None:
        given = exports(export(name="theirs", follow=False))
        await place.put(config_map("theirs", {"token": "a"}))
        await place.run(config_map(), exports=given, continuousReconcile={"every": "1m"})
        await change(place, "theirs", token="b")
        await asyncio.sleep(70)
        assert await place.world.exported() == {"token": "b"}
        secret = await place.world.cluster.get(SECRETS, "one-export", namespace="default")
        assert Annotation.EXPORTS_RENEWED in secret["metadata"]["annotations"]

    in_place(scenario)
