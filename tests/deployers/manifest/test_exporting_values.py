"""Values are exported from objects of the target, also when they appear later."""

from __future__ import annotations

from typing import Any

from tests.deployers.manifest.places import (
    CONFIG_MAPS,
    NAMESPACE,
    SECRETS,
    Place,
    config_map,
    error,
    in_place,
    waits_for,
)

from landform.api.phases import Phase

ONE = {"apiVersion": "v1", "kind": "ConfigMap", "name": "one", "namespace": NAMESPACE}


def exports(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"exports": list(entries)}


def test_values_are_exported_under_nested_keys() -> None:
    async def scenario(place: Place) -> None:
        item = await place.run(
            config_map(data={"a": "1", "b": "2"}),
            exports=exports(
                {"key": "db.a", "jsonPath": ".data.a", "fromResource": ONE},
                {"key": "db.b", "jsonPath": "data.b", "fromResource": ONE},
                {"key": "all", "jsonPath": "{.data}", "fromResource": ONE},
                {"key": "ignored", "jsonPath": ".data"},
            ),
        )
        assert item.status.phase == Phase.SUCCEEDED
        assert await place.world.exported() == {"db": {"a": "1", "b": "2"}, "all": {"a": "1", "b": "2"}}
        assert item.status.export_ref is not None

    in_place(scenario)


def test_a_value_that_appears_later_is_waited_for() -> None:
    async def scenario(place: Place) -> None:
        other = {**ONE, "name": "other"}
        item = await place.run(
            config_map(), exports=exports({"key": "x", "jsonPath": ".data.x", "fromResource": other}), seconds=2
        )
        assert waits_for(item) == f"export x: ConfigMap {NAMESPACE}/other does not exist"
        await place.put(config_map("other"))
        assert waits_for(await place.later(seconds=2)) == f"export x: ConfigMap {NAMESPACE}/other has no .data.x"
        await place.target.patch(CONFIG_MAPS, "other", {"data": {"x": "now"}}, namespace=NAMESPACE)
        assert (await place.later(seconds=0.05)).status.phase == Phase.SUCCEEDED
        assert await place.world.exported() == {"x": "now"}

    in_place(scenario)


def test_a_value_that_never_appears_fails_the_item_with_its_key() -> None:
    async def scenario(place: Place) -> None:
        entry = {"key": "x", "jsonPath": ".data.x", "fromResource": ONE}
        item = await place.run(config_map(), exports=exports(entry), timeout="20s", seconds=30)
        assert item.status.phase == Phase.FAILED
        assert error(item) == f"given up after 20s: export x: ConfigMap {NAMESPACE}/one has no .data.x"

    in_place(scenario)


def test_a_reference_leads_to_the_value_of_a_second_object() -> None:
    async def scenario(place: Place) -> None:
        account = {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": "robot", "namespace": NAMESPACE},
            "secrets": [{"name": "token"}],
        }
        entry = {
            "key": "token",
            "jsonPath": ".secrets[0]",
            "fromResource": {"apiVersion": "v1", "kind": "ServiceAccount", "name": "robot", "namespace": NAMESPACE},
            "fromObjectRef": {"apiVersion": "v1", "kind": "Secret", "jsonPath": ".data.token"},
        }
        item = await place.run(account, exports=exports(entry), seconds=2)
        assert waits_for(item) == f"export token: Secret {NAMESPACE}/token does not exist"
        await place.put({"metadata": {"name": "token"}, "data": {"token": "c2VjcmV0"}}, SECRETS)
        assert (await place.later(seconds=0.05)).status.phase == Phase.SUCCEEDED
        assert await place.world.exported() == {"token": "c2VjcmV0"}

    in_place(scenario)


def test_what_is_exported_no_longer_is_taken_back() -> None:
    async def scenario(place: Place) -> None:
        entry = {"key": "x", "jsonPath": ".data", "fromResource": ONE}
        await place.run(config_map(), exports=exports(entry), seconds=1)
        await place.world.patch("one", {"spec": {"config": {"exports": None}}})
        item = await place.again()
        assert item.status.export_ref is None

    in_place(scenario)
