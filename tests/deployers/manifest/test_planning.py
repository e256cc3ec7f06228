"""A plan tells what would be created, updated, deleted and left, and changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.deployers.manifest.places import (
    CONFIG_MAPS,
    NAMESPACE,
    SECRETS,
    Place,
    config_map,
    definition,
    in_place,
    widget,
)

from landform.cluster.kinds import DEPLOY_ITEMS
from landform.cluster.resources import NAMESPACES

if TYPE_CHECKING:
    from landform.deployers.library import Change, Plan


async def plan(place: Place, name: str = "one") -> Plan:
    found = await place.world.controller.plan(await place.world.item(name))
    assert found is not None
    return found


def told(change: Change) -> str:
    fields = ", ".join(f"{field.path} {field.old!r} -> {field.new!r}" for field in change.fields)
    return " ".join(filter(None, (change.action, change.kind, change.name, fields, change.why)))


def test_a_plan_names_every_object_and_the_fields_that_differ() -> None:
    async def scenario(place: Place) -> None:
        await place.run(config_map("changed", {"a": "1", "b": "1"}), config_map("same"), config_map("dropped"))
        await place.put(config_map("ours", {"a": "x"}))
        await place.change(config_map("changed", {"a": "2"}), config_map("same"), config_map("new"))
        version = (await place.target.list(CONFIG_MAPS)).resource_version
        found = await plan(place)
        assert [told(change) for change in found.changes] == [
            "update ConfigMap changed .data.a '1' -> '2', .data.b '1' -> None",
            "leave ConfigMap same it is as wanted",
            "create ConfigMap new",
            "delete ConfigMap dropped",
        ]
        assert (await place.target.list(CONFIG_MAPS)).resource_version == version
        assert not await place.exists(CONFIG_MAPS, "new")
        assert await place.exists(CONFIG_MAPS, "dropped")

    in_place(scenario)


def test_what_policies_leave_alone_is_told_with_the_reason() -> None:
    async def scenario(place: Place) -> None:
        for name in ("fixed", "theirs"):
            await place.put(config_map(name))
        policies = {"fixed": "immutable", "theirs": "fallback", "other": "ignore"}
        entries = [{"manifest": config_map(name), "policy": policy} for name, policy in policies.items()]
        await place.create(manifests=entries)
        assert [told(change) for change in (await plan(place)).changes] == [
            "leave ConfigMap fixed the policy is immutable",
            "leave ConfigMap theirs the policy is fallback, and it is somebody else's",
            "leave ConfigMap other the policy is ignore",
        ]

    in_place(scenario)


def test_what_belongs_to_something_new_is_planned_too() -> None:
    async def scenario(place: Place) -> None:
        space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "extra"}}
        await place.create(config_map("inside", namespace="extra"), space, definition(), widget())
        assert [told(change) for change in (await plan(place)).changes] == [
            "create CustomResourceDefinition widgets.example.org",
            "create Namespace extra",
            "create ConfigMap inside",
            "create Widget w",
        ]
        assert not await place.exists(NAMESPACES, "extra")

    in_place(scenario)


def test_what_the_cluster_would_refuse_is_told() -> None:
    async def scenario(place: Place) -> None:
        await place.create(config_map("lost", namespace="nowhere"), config_map("BAD NAME"))
        found = await plan(place)
        assert [change.is_refused for change in found.changes] == [True, True]
        assert 'namespaces "nowhere" not found' in found.changes[0].why

    in_place(scenario)


def test_a_plan_for_an_item_that_goes_is_what_would_be_deleted() -> None:
    async def scenario(place: Place) -> None:
        entries = [{"manifest": config_map()}, {"manifest": config_map("kept"), "policy": "keep"}]
        await place.run(manifests=entries)
        await place.target.get(CONFIG_MAPS, "one", namespace=NAMESPACE)
        await place.world.cluster.delete(DEPLOY_ITEMS, "one", namespace="default")
        assert [told(change) for change in (await plan(place)).changes] == [
            "delete ConfigMap one",
            "leave ConfigMap kept the policy is keep",
        ]

    in_place(scenario)


def test_a_plan_for_an_item_that_goes_names_also_what_is_not_its_own() -> None:
    async def scenario(place: Place) -> None:
        await place.put(config_map("theirs"))
        group = {
            "resources": [{"apiVersion": "v1", "kind": "configmaps", "names": ["one", "theirs"]}],
            "deleteAllResources": True,
        }
        await place.run(
            config_map(), config_map("gone"), config_map("other"), deletionGroups=[{"customResourceGroup": group}]
        )
        await place.target.delete(CONFIG_MAPS, "gone", namespace=NAMESPACE)
        await place.world.cluster.delete(DEPLOY_ITEMS, "one", namespace="default")
        assert [told(change) for change in (await plan(place)).changes] == [
            "delete ConfigMap one",
            "leave ConfigMap gone it is gone already",
            "leave ConfigMap other no deletion group names it",
            "delete ConfigMap theirs deleteAllResources",
        ]

    in_place(scenario)


def test_no_plan_holds_a_value_of_a_secret() -> None:
    async def scenario(place: Place) -> None:
        secret = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": "s", "namespace": NAMESPACE},
            "data": {"password": "aHVudGVyMg=="},
        }
        await place.put({**secret, "data": {"password": "b2xk"}}, SECRETS)
        await place.create(secret)
        text = str(await plan(place))
        assert "FieldChange(path='.data.password', old='(hidden)', new='(hidden)')" in text
        assert "aHVudGVyMg" not in text
        assert "b2xk" not in text

    in_place(scenario)
