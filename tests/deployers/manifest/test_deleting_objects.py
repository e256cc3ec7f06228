"""What was deployed goes, in groups, as policies allow; and nothing is forgotten."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.deployers.manifest.places import (
    CONFIG_MAPS,
    DEPLOYMENTS,
    LABEL,
    NAMESPACE,
    SECRETS,
    WIDGETS,
    Place,
    config_map,
    definition,
    deployment,
    error,
    in_place,
    managed,
    waits_for,
    widget,
)

from landform.api.phases import Phase
from landform.cluster.kinds import TARGETS
from landform.cluster.resources import CUSTOM_RESOURCE_DEFINITIONS
from landform.deployers.manifest import fates
from landform.deployers.manifest.memory import ManagedResource
from landform.deployers.manifest.references import Reference

HOLD: dict[str, Any] = {"finalizers": ["example.org/hold"]}


def custom(*resources: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"customResourceGroup": {"resources": list(resources), **more}}


def predefined(type_: str, **more: Any) -> dict[str, Any]:
    return {"predefinedResourceGroup": {"type": type_, **more}}


MAPS = {"apiVersion": "v1", "kind": "configmaps"}


async def release(place: Place, name: str = "one") -> None:
    await place.target.patch(CONFIG_MAPS, name, {"metadata": {"finalizers": None}}, namespace=NAMESPACE)


def test_an_item_goes_when_its_objects_are_gone_and_tells_what_holds_them() -> None:
    async def scenario(place: Place) -> None:
        await place.run(config_map(**HOLD), config_map("two"))
        await place.world.delete()
        item = await place.later(seconds=2)
        assert waits_for(item) == f"ConfigMap {NAMESPACE}/one is being deleted, held by the finalizer example.org/hold"
        assert not await place.exists(CONFIG_MAPS, "two")
        await release(place)
        await asyncio.sleep(0.05)
        assert await place.world.is_gone()

    in_place(scenario)


def test_objects_go_from_the_inside_out() -> None:
    async def scenario(place: Place) -> None:
        await place.run(definition(), widget(metadata=HOLD), seconds=3)
        await place.world.delete()
        await asyncio.sleep(3)
        live = await place.get(CUSTOM_RESOURCE_DEFINITIONS, "widgets.example.org")
        assert "deletionTimestamp" not in live["metadata"]
        await place.target.patch(WIDGETS, "w", {"metadata": {"finalizers": None}}, namespace=NAMESPACE)
        await asyncio.sleep(3)
        assert not await place.exists(CUSTOM_RESOURCE_DEFINITIONS, "widgets.example.org")
        assert await place.world.is_gone()

    in_place(scenario)


@pytest.mark.parametrize(
    ("policy", "is_kept"), [("manage", False), ("fallback", False), ("immutable", False), ("keep", True)]
)
def test_what_the_item_made_goes_as_the_policy_says(policy: str, is_kept: bool) -> None:
    async def scenario(place: Place) -> None:
        await place.run(config_map(), settings={"policy": policy})
        await place.world.delete()
        await asyncio.sleep(1)
        assert await place.world.is_gone()
        assert await place.exists(CONFIG_MAPS, "one") is is_kept

    in_place(scenario)


@pytest.mark.parametrize("policy", ["immutable", "fallback", "ignore"])
def test_what_somebody_else_made_stays(policy: str) -> None:
    async def scenario(place: Place) -> None:
        await place.put(config_map())
        await place.run(config_map(), settings={"policy": policy})
        await place.world.delete()
        await asyncio.sleep(1)
        assert await place.world.is_gone()
        assert await place.exists(CONFIG_MAPS, "one")

    in_place(scenario)


def test_a_fallback_object_that_lost_the_label_stays() -> None:
    async def scenario(place: Place) -> None:
        await place.run(config_map(), settings={"policy": "fallback"})
        await place.target.patch(CONFIG_MAPS, "one", {"metadata": {"labels": None}}, namespace=NAMESPACE)
        await place.world.delete()
        await asyncio.sleep(1)
        assert await place.world.is_gone()
        assert await place.exists(CONFIG_MAPS, "one")

    in_place(scenario)


def test_the_last_annotations_and_patches_are_remembered_and_made_before_deletion() -> None:
    async def scenario(place: Place) -> None:
        settings = {"annotateBeforeDelete": {"bye": "1"}, "patchBeforeDelete": {"data": {"suspend": "false"}}}
        await place.run(config_map(data={"suspend": "true"}, **HOLD), settings=settings)
        await place.world.patch("one", {"spec": {"config": {"manifests": None}}})
        await place.world.delete()
        await asyncio.sleep(1)
        live = await place.get(CONFIG_MAPS, "one")
        assert live["metadata"]["annotations"] == {"bye": "1"}
        assert live["data"] == {"suspend": "false"}
        await release(place)

    in_place(scenario)


def test_a_patch_that_is_refused_is_named_and_nothing_is_deleted_without_it() -> None:
    async def scenario(place: Place) -> None:
        wrong = {"data": ["x"]}
        item = await place.run(config_map(), settings={"patchBeforeDelete": wrong, "patchAfterDeployment": wrong})
        assert error(item).startswith(f"patchAfterDeployment of ConfigMap {NAMESPACE}/one: ")
        await place.world.delete()
        item = await place.later(seconds=1)
        assert error(item).startswith(f"annotateBeforeDelete, patchBeforeDelete of ConfigMap {NAMESPACE}/one: ")
        assert await place.exists(CONFIG_MAPS, "one")

    in_place(scenario)


def test_custom_groups_set_the_order_and_take_plural_names() -> None:
    async def scenario(place: Place) -> None:
        group = custom(MAPS), custom({"apiVersion": "apps/v1", "kind": "Deployment"})
        await place.run(
            config_map(**HOLD), deployment(), deletionGroups=group, readinessChecks={"disableDefault": True}
        )
        await place.world.delete()
        await asyncio.sleep(2)
        assert await place.exists(DEPLOYMENTS, "web")
        await release(place)
        await asyncio.sleep(1)
        assert not await place.exists(DEPLOYMENTS, "web")
        assert await place.world.is_gone()

    in_place(scenario)


def test_what_no_group_names_stays_and_the_item_goes() -> None:
    async def scenario(place: Place) -> None:
        only_two = custom({**MAPS, "names": ["two"]})
        await place.run(config_map(), config_map("two"), deletionGroups=[only_two])
        await place.world.delete()
        await asyncio.sleep(1)
        assert await place.world.is_gone()
        assert await place.exists(CONFIG_MAPS, "one")
        assert not await place.exists(CONFIG_MAPS, "two")

    in_place(scenario)


def test_the_empty_group_deletes_nothing() -> None:
    async def scenario(place: Place) -> None:
        await place.run(config_map(), deletionGroups=[predefined("empty")])
        await place.world.delete()
        await asyncio.sleep(1)
        assert await place.world.is_gone()
        assert await place.exists(CONFIG_MAPS, "one")

    in_place(scenario)


def test_force_takes_finalizers_off() -> None:
    async def scenario(place: Place) -> None:
        await place.run(config_map(**HOLD), deletionGroups=[predefined("namespaced-resources", forceDelete=True)])
        await place.world.delete()
        await asyncio.sleep(1)
        assert await place.world.is_gone()
        assert not await place.exists(CONFIG_MAPS, "one")

    in_place(scenario)


def test_all_objects_of_a_kind_go_also_those_of_others_and_if_the_item_has_none() -> None:
    async def scenario(place: Place) -> None:
        everything = custom({**MAPS, "namespaces": [NAMESPACE]}, deleteAllResources=True)
        await place.put(config_map("foreign", **HOLD))
        await place.run(config_map(), settings={"policy": "keep"}, deletionGroups=[everything])
        await place.world.delete()
        item = await place.later(seconds=2)
        assert f"ConfigMap {NAMESPACE}/foreign is being deleted" in waits_for(item)
        await release(place, "foreign")
        await asyncio.sleep(1)
        assert await place.world.is_gone()
        assert not await place.exists(CONFIG_MAPS, "one")

    in_place(scenario)


EVERYTHING = custom({**MAPS, "namespaces": [NAMESPACE]}, deleteAllResources=True)


def test_what_is_created_while_everything_goes_goes_too() -> None:
    async def scenario(place: Place) -> None:
        await place.run(config_map(**HOLD), deletionGroups=[EVERYTHING])
        await place.world.delete()
        await asyncio.sleep(1)
        await place.put(config_map("late", **HOLD))
        await release(place)
        item = await place.later(seconds=3)
        assert f"ConfigMap {NAMESPACE}/late is being deleted" in waits_for(item)
        await place.put(config_map("later"))
        await release(place, "late")
        await asyncio.sleep(3)
        assert await place.world.is_gone()
        left = (await place.target.list(CONFIG_MAPS, namespace=NAMESPACE)).items
        assert [obj["metadata"]["name"] for obj in left] == ["kube-root-ca.crt"]

    in_place(scenario)


def test_what_its_keeper_creates_again_and_again_does_not_hold_the_item() -> None:
    async def scenario(place: Place) -> None:
        inner, kept = place.target.delete, 0

        async def delete(resource: Any, name: str, **options: Any) -> Any:
            nonlocal kept
            gone = await inner(resource, name, **options)
            if name == "root-ca":
                kept += 1
                await place.put(config_map("root-ca"))
            return gone

        await place.put(config_map("root-ca"))
        await place.run(config_map(), deletionGroups=[EVERYTHING])
        place.target.delete = delete  # type: ignore[method-assign]
        await place.world.delete()
        await asyncio.sleep(10)
        assert await place.world.is_gone()
        assert kept == 3
        message = f"deleted 3 times and created again each time by somebody else: ConfigMap {NAMESPACE}/root-ca"
        assert ("Warning", "ComesBack", message) in await place.world.events()

    in_place(scenario)


def test_who_creates_ever_new_objects_is_followed_until_time_is_over() -> None:
    async def scenario(place: Place) -> None:
        inner, numbers = place.target.delete, iter(range(10**6))

        async def delete(resource: Any, name: str, **options: Any) -> Any:
            gone = await inner(resource, name, **options)
            if resource.kind == "ConfigMap":
                await place.put(config_map(f"new-{next(numbers)}"))
            return gone

        await place.run(config_map(), deletionGroups=[EVERYTHING], timeout="30s")
        place.target.delete = delete  # type: ignore[method-assign]
        await place.world.delete()
        item = await place.later(seconds=10)
        assert "was created again; deleting continues" in waits_for(item)
        item = await place.later(seconds=25)
        assert item.status.phase == Phase.DELETE_FAILED
        assert next(numbers) < 100, "not more often than once a second"

    in_place(scenario)


def test_what_is_created_again_while_it_is_deleted_is_deleted_again() -> None:
    async def scenario(place: Place) -> None:
        await place.run(config_map(**HOLD), config_map("two", **HOLD))
        await place.world.delete()
        await asyncio.sleep(1)
        await release(place)
        await place.put(config_map())
        await asyncio.sleep(1)
        assert not await place.exists(CONFIG_MAPS, "one")
        await release(place, "two")
        await asyncio.sleep(1)
        assert await place.world.is_gone()

    in_place(scenario)


def test_an_item_that_deployed_nothing_goes_without_its_target() -> None:
    async def scenario(place: Place) -> None:
        nowhere = {"name": "nowhere", "namespace": "default"}
        assert (await place.run(config_map(), target=nowhere)).status.phase == Phase.FAILED
        clearing = [custom(MAPS, deleteAllResources=True)]
        await place.run(config_map(), name="two", target=nowhere, deletionGroups=clearing)
        for name in ("one", "two"):
            await place.world.delete(name)
        item = await place.later("two", 1)
        assert await place.world.is_gone("one")
        assert (item.status.phase, error(item)) == (Phase.DELETE_FAILED, "target default/nowhere does not exist")

    in_place(scenario)


def test_an_item_that_deployed_something_does_not_go_without_its_target() -> None:
    async def scenario(place: Place) -> None:
        await place.run(config_map())
        await place.world.cluster.delete(TARGETS, "place", namespace="default")
        await place.world.delete()
        item = await place.later(seconds=1)
        assert (item.status.phase, error(item)) == (Phase.DELETE_FAILED, "target default/place does not exist")

    in_place(scenario)


BROKEN: dict[str, Any] = {
    "apiVersion": "other/v1",
    "manifests": [{"manifest": None, "policy": "own"}],
    "updateStrategy": "x",
}


def test_a_broken_configuration_does_not_hold_an_item() -> None:
    async def scenario(place: Place) -> None:
        await place.run(config_map())
        await place.world.patch("one", {"spec": {"config": BROKEN}})
        assert (await place.run(name="two", **BROKEN)).status.phase == Phase.FAILED
        await place.run(name="three", manifests=[], deletionGroups=[{}])
        for name in ("one", "two", "three"):
            await place.world.delete(name)
        await asyncio.sleep(1)
        assert [await place.world.is_gone(name) for name in ("one", "two", "three")] == [True, True, True]
        assert not await place.exists(CONFIG_MAPS, "one")

    in_place(scenario)


def test_broken_deletion_groups_of_what_is_deployed_are_told() -> None:
    async def scenario(place: Place) -> None:
        await place.run(config_map())
        await place.world.patch("one", {"spec": {"config": {"deletionGroups": [{}]}}})
        await place.world.delete()
        item = await place.later(seconds=1)
        assert item.status.phase == Phase.DELETE_FAILED
        assert "deletionGroups[0]: Required value: exactly one of" in error(item)
        assert await place.exists(CONFIG_MAPS, "one")

    in_place(scenario)


def test_what_the_item_never_got_to_change_is_not_deleted_with_it() -> None:
    """It is remembered before it is touched, and somebody else's until then."""

    async def scenario(place: Place) -> None:
        await place.put({**config_map(data={"a": "theirs"}), "immutable": True})
        await place.run(config_map(data={"a": "ours"}), timeout="10s", seconds=1)
        await place.world.delete()
        await asyncio.sleep(1)
        assert await place.world.is_gone()
        assert await place.data() == {"a": "theirs"}
        message = f"left, because somebody else made what has the name now: ConfigMap {NAMESPACE}/one"
        assert ("Normal", "LeftAlone", message) in await place.world.events()

    in_place(scenario)


def test_what_a_cluster_answers_and_does_not_keep_is_asked_again_and_holds_nothing() -> None:
    async def scenario(place: Place) -> None:
        api = "authentication.k8s.io/v1"
        await place.run({"apiVersion": api, "kind": "TokenReview", "metadata": {"name": "r"}, "spec": {"token": "t"}})
        item = await place.again()
        assert (item.status.phase, error(item)) == (Phase.SUCCEEDED, "")
        await place.world.delete()
        await asyncio.sleep(1)
        assert await place.world.is_gone()

    in_place(scenario)


def test_an_object_may_move_from_one_item_to_another() -> None:
    async def scenario(place: Place) -> None:
        await place.run(config_map(data={"a": "1"}), config_map("stays"))
        await place.run(config_map(data={"a": "2"}), name="two")
        await place.change(config_map("stays"))
        item = await place.again()
        assert (item.status.phase, managed(item)) == (Phase.SUCCEEDED, ["ConfigMap stays"])
        assert await place.data() == {"a": "2"}
        message = f"left, because another item deploys it now: ConfigMap {NAMESPACE}/one"
        assert ("Normal", "LeftAlone", message) in await place.world.events()
        await place.world.delete("two")
        await asyncio.sleep(1)
        assert not await place.exists(CONFIG_MAPS, "one")

    in_place(scenario)


@pytest.mark.parametrize(
    ("policy", "uid", "label", "left"),
    [
        ("manage", "1", "one", ""),
        ("manage", "1", "", ""),  # somebody took the label off: it is still the same
        ("manage", "1", "two", fates.TAKEN),
        ("manage", "2", "one", ""),  # made again, by an earlier try
        ("manage", "2", "", fates.REPLACED),
        ("manage", None, "one", ""),
        ("manage", None, "", fates.REPLACED),
        ("fallback", "1", "one", ""),
        ("fallback", "1", "", fates.UNLABELLED),
    ],
)
def test_an_object_is_its_items_by_its_label_or_its_uid(policy: str, uid: str | None, label: str, left: str) -> None:
    reference = Reference(api_version="v1", kind="ConfigMap", name="a", namespace="n", uid=uid)
    live = {"metadata": {"uid": "1", "labels": {LABEL: label}}}
    assert fates.foreign(ManagedResource(resource=reference, policy=policy), live, "one") == left


def test_a_kind_that_is_gone_has_no_objects() -> None:
    async def scenario(place: Place) -> None:
        await place.run(definition(), widget(), seconds=3)
        await place.target.delete(CUSTOM_RESOURCE_DEFINITIONS, "widgets.example.org")
        await asyncio.sleep(5)
        await place.world.delete()
        await asyncio.sleep(20)
        assert await place.world.is_gone()

    in_place(scenario)


def test_orphans_go_and_are_remembered_until_then() -> None:
    async def scenario(place: Place) -> None:
        await place.run(config_map(**HOLD), config_map("two"))
        await place.change(config_map("two"))
        item = await place.again(seconds=2)
        assert item.status.phase == Phase.PROGRESSING
        assert managed(item) == ["ConfigMap one", "ConfigMap two"]
        assert "ConfigMap shop/one is being deleted" in waits_for(item)
        await release(place)
        item = await place.later(seconds=1)
        assert (item.status.phase, managed(item)) == (Phase.SUCCEEDED, ["ConfigMap two"])

    in_place(scenario)


def test_an_orphan_is_not_forgotten_when_time_is_over() -> None:
    async def scenario(place: Place) -> None:
        await place.run(config_map(**HOLD), config_map("two"), timeout="30s")
        await place.change(config_map("two"))
        item = await place.again(seconds=40)
        assert (item.status.phase, managed(item)) == (Phase.FAILED, ["ConfigMap one", "ConfigMap two"])
        await release(place)
        item = await place.again()
        assert (item.status.phase, managed(item)) == (Phase.SUCCEEDED, ["ConfigMap two"])

    in_place(scenario)


def test_orphans_go_by_their_own_groups() -> None:
    async def scenario(place: Place) -> None:
        await place.run(config_map(), config_map("two"), deletionGroupsDuringUpdate=[predefined("empty")])
        await place.change(config_map("two"))
        item = await place.again()
        assert (item.status.phase, managed(item)) == (Phase.SUCCEEDED, ["ConfigMap two"])
        assert await place.exists(CONFIG_MAPS, "one")

    in_place(scenario)


def test_an_object_that_is_ignored_from_now_on_is_no_orphan() -> None:
    async def scenario(place: Place) -> None:
        await place.run(config_map())
        await place.change(config_map(), settings={"policy": "ignore"})
        item = await place.again()
        assert managed(item) == []
        assert await place.exists(CONFIG_MAPS, "one")

    in_place(scenario)


def test_another_version_of_the_same_object_is_no_orphan() -> None:
    async def scenario(place: Place) -> None:
        scaler = {
            "apiVersion": "autoscaling/v1",
            "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": "h", "namespace": NAMESPACE},
            "spec": {"maxReplicas": 2, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "x"}},
        }
        await place.run(scaler, config_map())
        await place.change({**scaler, "apiVersion": "autoscaling/v2"}, config_map())
        item = await place.again()
        assert item.status.phase == Phase.SUCCEEDED
        assert managed(item) == ["ConfigMap one", "HorizontalPodAutoscaler h"]

    in_place(scenario)


def test_an_object_is_remembered_before_it_is_created() -> None:
    async def scenario(place: Place) -> None:
        secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "nowhere"}}
        item = await place.run(secret)
        assert item.status.phase == Phase.PROGRESSING
        assert managed(item) == ["Secret s"]
        assert not (await place.target.list(SECRETS, namespace="nowhere")).items

    in_place(scenario)
