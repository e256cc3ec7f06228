"""Scheduled passes restore what others changed, or only tell; what clusters do by themselves is no drift."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.deployers.manifest.places import (
    CONFIG_MAPS,
    DEPLOYMENTS,
    NAMESPACE,
    SECRETS,
    Place,
    config_map,
    definition,
    deployment,
    drifted,
    error,
    in_place,
    widget,
)

from landform.api.phases import Phase
from landform.cluster.resources import CUSTOM_RESOURCE_DEFINITIONS, NAMESPACES
from landform.deployers.manifest import differences

HOURLY = {"every": "1h"}
HOUR = 3601.0


async def change(place: Place, **data: str | None) -> None:
    await place.target.patch(CONFIG_MAPS, "one", {"data": data}, namespace=NAMESPACE)


def test_by_default_a_pass_restores_what_was_changed_or_deleted() -> None:
    async def scenario(place: Place) -> None:
        await place.run(config_map(data={"a": "1"}), config_map("two"), continuousReconcile=HOURLY)
        await change(place, a="2")
        await place.target.delete(CONFIG_MAPS, "two", namespace=NAMESPACE)
        item = await place.later(seconds=HOUR)
        assert (item.status.phase, error(item)) == (Phase.SUCCEEDED, "")
        assert await place.data() == {"a": "1"}
        assert await place.exists(CONFIG_MAPS, "two")
        message = f"ConfigMap {NAMESPACE}/one differs at .data.a; ConfigMap {NAMESPACE}/two was deleted"
        assert ("Normal", "DriftCorrected", message) in await place.world.events()

    in_place(scenario)


def test_a_pass_that_only_detects_tells_the_fields_and_changes_nothing() -> None:
    async def scenario(place: Place) -> None:
        reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "one", "namespace": NAMESPACE}
        exports = {"exports": [{"key": "x", "jsonPath": ".data", "fromResource": reference}]}
        await place.run(
            config_map(data={"a": "1"}), config_map("two"), continuousReconcile=HOURLY, drift="detect", exports=exports
        )
        await change(place, a="2", b="3")
        await place.target.delete(CONFIG_MAPS, "two", namespace=NAMESPACE)
        version = (await place.get(CONFIG_MAPS, "one"))["metadata"]["resourceVersion"]
        item = await place.later(seconds=HOUR)
        message = f"ConfigMap {NAMESPACE}/one differs at .data.a, .data.b; ConfigMap {NAMESPACE}/two was deleted"
        assert item.status.phase == Phase.SUCCEEDED
        assert drifted(item) == ("True", message)
        assert ("Warning", "DriftDetected", message) in await place.world.events()
        assert (await place.get(CONFIG_MAPS, "one"))["metadata"]["resourceVersion"] == version
        assert not await place.exists(CONFIG_MAPS, "two")
        assert item.status.export_ref is not None
        # A job restores everything, whatever passes do.
        item = await place.again()
        assert drifted(item)[0] == "False"
        assert await place.data() == {"a": "1"}

    in_place(scenario)


def test_what_went_with_its_namespace_or_its_kind_was_deleted() -> None:
    async def scenario(place: Place) -> None:
        space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "extra"}}
        inside = config_map("inside", namespace="extra")
        await place.run(space, inside, definition(), widget(), drift="detect", continuousReconcile=HOURLY, seconds=3)
        await place.target.delete(NAMESPACES, "extra")
        await place.target.delete(CUSTOM_RESOURCE_DEFINITIONS, "widgets.example.org")
        item = await place.later(seconds=HOUR)
        assert (item.status.phase, error(item)) == (Phase.SUCCEEDED, "")
        for name in ("Namespace extra", "ConfigMap extra/inside", f"Widget {NAMESPACE}/w"):
            assert f"{name} was deleted" in drifted(item)[1]

    in_place(scenario)


def test_when_all_is_well_again_the_condition_says_so() -> None:
    async def scenario(place: Place) -> None:
        await place.run(config_map(data={"a": "1"}), continuousReconcile=HOURLY, drift="detect")
        await change(place, a="2")
        assert drifted(await place.later(seconds=HOUR))[0] == "True"
        await change(place, a="1")
        assert drifted(await place.later(seconds=HOUR)) == ("False", "everything is as it was deployed")

    in_place(scenario)


def test_defaults_of_the_cluster_and_the_patch_after_deployment_are_no_drift() -> None:
    async def scenario(place: Place) -> None:
        off = {"disableDefault": True}
        settings = {"patchAfterDeployment": {"spec": {"paused": True}}, "annotateBeforeCreate": {"made": "once"}}
        web = deployment()
        del web["spec"]["replicas"]
        web["metadata"]["annotations"] = {"made": "manifest"}
        await place.run(
            web, settings=settings, continuousReconcile=HOURLY, drift="detect", readinessChecks=off, seconds=1
        )
        assert (await place.get(DEPLOYMENTS, "web"))["spec"]["paused"] is True
        annotation = {"deployment.kubernetes.io/revision": "1"}
        scaled = {"metadata": {"annotations": annotation}, "spec": {"replicas": 4}}
        await place.target.patch(DEPLOYMENTS, "web", scaled, namespace=NAMESPACE)
        assert drifted(await place.later(seconds=HOUR))[0] == "False"
        await place.target.patch(DEPLOYMENTS, "web", {"spec": {"minReadySeconds": 7}}, namespace=NAMESPACE)
        item = await place.later(seconds=HOUR)
        assert drifted(item) == ("True", f"Deployment {NAMESPACE}/web differs at .spec.minReadySeconds")

    in_place(scenario)


def test_the_values_of_a_secret_are_not_told() -> None:
    async def scenario(place: Place) -> None:
        secret = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": "s", "namespace": NAMESPACE},
            "stringData": {"password": "hunter2"},
        }
        await place.run(secret, continuousReconcile=HOURLY, drift="detect")
        await place.target.patch(SECRETS, "s", {"data": {"password": "b3RoZXI="}}, namespace=NAMESPACE)
        item = await place.later(seconds=HOUR)
        assert drifted(item)[0] == "True"
        assert "password" in drifted(item)[1]
        told = f"{item} {await place.world.events()}"
        assert all(text not in told.replace(str(item.spec), "") for text in ("aHVudGVyMg==", "b3RoZXI="))

    in_place(scenario)


@pytest.mark.parametrize(
    ("live", "result", "said", "paths"),
    [
        ({"spec": {"a": 1}}, {"spec": {"a": 2}}, {"spec": {"a": 2}}, [".spec.a"]),
        ({"spec": {"a": 1}}, {"spec": {"a": 2}}, {"spec": {}}, []),
        ({"spec": {"a": 1}}, {"spec": {}}, {"spec": {}}, [".spec.a"]),
        ({"spec": {}}, {"spec": {"a": 1}}, {}, []),
        ({"spec": {}}, {"spec": {"a": 1}}, {"spec": {"a": 1}}, [".spec.a"]),
        ({"l": [{"a": 1}]}, {"l": [{"a": 2}]}, {"l": [{"a": 2}]}, [".l[0].a"]),
        ({"l": [1, 2]}, {"l": [1]}, {"l": [1]}, [".l"]),
        ({"status": 1}, {"status": 2}, {"status": 2}, []),
        ({"data": {"a.b": "x"}}, {"data": {"a.b": "y"}}, {"data": {"a.b": "y"}}, [".data['a.b']"]),
        ({"metadata": {"labels": {"x": "1"}}}, {"metadata": {"labels": {}}}, {}, []),
    ],
)
def test_only_what_others_did_is_drift(live: Any, result: Any, said: Any, paths: list[str]) -> None:
    assert differences.drift(live, result, said) == paths


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)
OBJECT = st.dictionaries(st.sampled_from(["spec", "data", "x"]), JSON)


@given(OBJECT, OBJECT)
def test_what_is_the_same_has_not_drifted(obj: dict[str, Any], said: dict[str, Any]) -> None:
    assert differences.drift(obj, obj, said) == []
    assert differences.fields(obj, obj) == ()


@given(OBJECT, OBJECT)
def test_what_is_said_and_differs_has_drifted(live: dict[str, Any], result: dict[str, Any]) -> None:
    names = {path[1:].partition(".")[0].partition("[")[0] for path in differences.drift(live, result, result)}
    assert names == {name for name in (*live, *result) if repr(live.get(name, 0)) != repr(result.get(name, 0))}
