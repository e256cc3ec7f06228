"""Custom objects and their schema: defaults, pruning, validation in the API server's words, strictness."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.contract.objects import config_map, widget

from landform.cluster import errors
from landform.cluster.interface import PatchType, WriteOptions
from landform.cluster.resources import CONFIG_MAPS

if TYPE_CHECKING:
    from landform.cluster.interface import Cluster
    from landform.cluster.resources import Resource, Unstructured

STRICT = WriteOptions(field_validation="Strict")


async def test_defaults_are_filled_in(cluster: Cluster, namespace: str, widgets: Resource[Unstructured]) -> None:
    created = await cluster.create(widgets, widget("one", {"ports": [{"name": "a", "port": 1}]}), namespace=namespace)
    assert created["spec"] == {"size": 3, "ports": [{"name": "a", "port": 1, "protocol": "TCP"}]}


async def test_defaults_of_an_absent_parent_are_not_filled_in(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    bare = {"apiVersion": widgets.api_version, "kind": widgets.kind, "metadata": {"name": "one"}}
    created = await cluster.create(widgets, bare, namespace=namespace)
    assert "spec" not in created


async def test_null_takes_the_default_where_null_is_not_allowed(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    created = await cluster.create(widgets, widget("one", {"size": None, "note": None}), namespace=namespace)
    assert created["spec"] == {"size": 3, "note": None}


async def test_unknown_fields_are_pruned(cluster: Cluster, namespace: str, widgets: Resource[Unstructured]) -> None:
    spec = {"nonsense": 1, "ports": [{"name": "a", "port": 1, "nonsense": 2}]}
    created = await cluster.create(widgets, widget("one", spec) | {"more": 3}, namespace=namespace)
    assert created["spec"] == {"size": 3, "ports": [{"name": "a", "port": 1, "protocol": "TCP"}]}
    assert "more" not in created


async def test_unknown_fields_are_kept_where_the_schema_says_so(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    free = {"any": {"thing": [1, "two", 2.5, True, None, {"deep": {}}]}}
    created = await cluster.create(widgets, widget("one", {"free": free}), namespace=namespace)
    assert created["spec"]["free"] == free


@pytest.mark.parametrize("amount", [5, "50%"])
async def test_an_amount_may_be_a_number_or_a_text(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured], amount: int | str
) -> None:
    created = await cluster.create(widgets, widget("one", {"amount": amount}), namespace=namespace)
    assert created["spec"]["amount"] == amount


def fault(field: str, reason: str, message: str) -> errors.Cause:
    """A cause, without the words that all reasons share."""
    return errors.Cause(f"FieldValue{reason}", message, field)


def mistyped(field: str, wanted: str, found: str) -> errors.Cause:
    """The cause for a value of the wrong type."""
    return fault(field, "TypeInvalid", f'Invalid value: "{found}": {field} in body must be of type {wanted}: "{found}"')


FAULTS: dict[str, tuple[Any, set[errors.Cause]]] = {
    "too-large": (
        {"size": 11},
        {fault("spec.size", "Invalid", "Invalid value: 11: spec.size in body should be less than or equal to 10")},
    ),
    "too-small": (
        {"size": 0},
        {fault("spec.size", "Invalid", "Invalid value: 0: spec.size in body should be greater than or equal to 1")},
    ),
    "text-for-number": ({"size": "three"}, {mistyped("spec.size", "integer", "string")}),
    "fraction-for-integer": ({"size": 2.5}, {mistyped("spec.size", "integer", "number")}),
    "number-for-text": ({"title": 5}, {mistyped("spec.title", "string", "integer")}),
    "boolean-for-text": ({"title": True}, {mistyped("spec.title", "string", "boolean")}),
    "object-for-text": ({"title": {"a": 1}}, {mistyped("spec.title", "string", "object")}),
    "not-in-enum": (
        {"color": "blue"},
        {fault("spec.color", "NotSupported", 'Unsupported value: "blue": supported values: "red", "green"')},
    ),
    "too-long": ({"title": "abcdef"}, {fault("spec.title", "TooLong", "Too long: may not be more than 5 bytes")}),
    "no-match": (
        {"title": "ABC"},
        {fault("spec.title", "Invalid", "Invalid value: \"ABC\": spec.title in body should match '^[a-z]*$'")},
    ),
    "too-long-before-no-match": (
        {"title": "ABCDEF"},
        {fault("spec.title", "TooLong", "Too long: may not be more than 5 bytes")},
    ),
    "text-for-list": ({"steps": "one"}, {mistyped("spec.steps", "array", "string")}),
    "too-many": (
        {"steps": ["a", "b", "c", "d"]},
        {fault("spec.steps", "TooMany", "Too many: 4: must have at most 3 items")},
    ),
    "item-of-wrong-type": ({"steps": ["a", 2]}, {mistyped("spec.steps[1]", "string", "integer")}),
    "null-item": ({"steps": [None]}, {mistyped("spec.steps[0]", "string", "null")}),
    "missing-required": (
        {"ports": [{"name": "a", "port": 1}, {"name": "b"}]},
        {fault("spec.ports[1].port", "Required", "Required value")},
    ),
    "duplicate-key": (
        {"ports": [{"name": "a", "port": 1}, {"name": "a", "port": 2}]},
        {fault("spec.ports[1]", "Duplicate", 'Duplicate value: {"name":"a"}')},
    ),
    "duplicate-in-set": ({"tags": ["a", "a"]}, {fault("spec.tags[1]", "Duplicate", 'Duplicate value: "a"')}),
    "map-value-of-wrong-type": ({"limits": {"a": 1, "b": "two"}}, {mistyped("spec.limits.b", "integer", "string")}),
    "list-for-object": ({"limits": []}, {mistyped("spec.limits", "object", "array")}),
    "boolean-for-amount": ({"amount": True}, {mistyped("spec.amount", "integer,string", "boolean")}),
    "no-date": ({"until": "tomorrow"}, {mistyped("spec.until", "date-time", "tomorrow")}),
    "text-for-object": ("nothing", {mistyped("spec", "object", "string")}),
    "two-faults": (
        {"size": 0, "color": "blue"},
        {
            fault("spec.size", "Invalid", "Invalid value: 0: spec.size in body should be greater than or equal to 1"),
            fault("spec.color", "NotSupported", 'Unsupported value: "blue": supported values: "red", "green"'),
        },
    ),
}


@pytest.mark.parametrize(("spec", "faults"), FAULTS.values(), ids=FAULTS.keys())
async def test_an_object_that_breaks_its_schema_is_refused_with_every_fault(
    cluster: Cluster,
    namespace: str,
    widgets: Resource[Unstructured],
    spec: Any,
    faults: set[errors.Cause],
) -> None:
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(widgets, widget("one", spec), namespace=namespace)
    refusal = caught.value
    assert set(refusal.causes) == faults
    assert refusal.details == {"name": "one", "group": "contract.landform.test", "kind": "Widget"}
    texts = [f"{cause.field}: {cause.message}" for cause in refusal.causes]
    listed = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    assert refusal.message == f'Widget.contract.landform.test "one" is invalid: {listed}'


async def test_the_status_has_a_schema_too(cluster: Cluster, namespace: str, widgets: Resource[Unstructured]) -> None:
    await cluster.create(widgets, widget("one"), namespace=namespace)
    status = WriteOptions(subresource="status")
    await cluster.patch(widgets, "one", {"status": {"observed": 1}}, namespace=namespace, options=status)
    with pytest.raises(errors.Invalid) as caught:
        await cluster.patch(widgets, "one", {"status": {"observed": "many"}}, namespace=namespace, options=status)
    # Kubernetes names the field without "status." where it says what is wrong with it.
    assert caught.value.message.removesuffix(' in body must be of type integer: "string"') in (
        'Widget.contract.landform.test "one" is invalid: status.observed: Invalid value: "string": observed',
        'Widget.contract.landform.test "one" is invalid: status.observed: Invalid value: "string": status.observed',
    )


async def test_strict_validation_refuses_unknown_fields(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured]
) -> None:
    spec = {"nonsense": 1, "ports": [{"name": "a", "port": 1, "more": 2}]}
    with pytest.raises(errors.BadRequest) as caught:
        await cluster.create(widgets, widget("one", spec), namespace=namespace, options=STRICT)
    assert caught.value.message == (
        'Widget in version "v1" cannot be handled as a Widget: strict decoding error: '
        'unknown field "spec.nonsense", unknown field "spec.ports[0].more"'
    )


async def test_strict_validation_refuses_unknown_fields_of_built_in_kinds(cluster: Cluster, namespace: str) -> None:
    obj = config_map("one", nonsense=1) | {"other": 2}
    with pytest.raises(errors.BadRequest) as caught:
        await cluster.create(CONFIG_MAPS, obj, namespace=namespace, options=STRICT)
    assert caught.value.message == (
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: '
        'unknown field "metadata.nonsense", unknown field "other"'
    )


@pytest.mark.parametrize(
    ("type", "patch"),
    [
        (PatchType.MERGE, {"spec": {"nonsense": 1}}),
        (PatchType.JSON, [{"op": "add", "path": "/spec/nonsense", "value": 1}]),
    ],
    ids=["merge", "json"],
)
async def test_strict_validation_looks_at_patches_too(
    cluster: Cluster, namespace: str, widgets: Resource[Unstructured], type: PatchType, patch: Any
) -> None:
    await cluster.create(widgets, widget("one"), namespace=namespace)
    with pytest.raises(errors.Invalid) as caught:
        await cluster.patch(widgets, "one", patch, namespace=namespace, type=type, options=STRICT)
    # Between the two stands the whole patched object.
    assert caught.value.message.startswith(' "" is invalid: patch: Invalid value: ')
    assert caught.value.message.endswith(': strict decoding error: unknown field "spec.nonsense"')


async def test_unknown_fields_of_built_in_kinds_are_dropped_without_strictness(
    cluster: Cluster, namespace: str
) -> None:
    created = await cluster.create(CONFIG_MAPS, config_map("one") | {"other": 2}, namespace=namespace)
    assert "other" not in created


async def test_an_unknown_strictness_is_refused(cluster: Cluster, namespace: str) -> None:
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(
            CONFIG_MAPS, config_map("one"), namespace=namespace, options=WriteOptions(field_validation="Sometimes")
        )
    assert caught.value.message == (
        'CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Sometimes": '
        'supported values: "", "Ignore", "Strict", "Warn"'
    )


@pytest.mark.parametrize(
    ("obj", "field"),
    [
        (config_map("one") | {"data": {"a": 1}}, "data"),
        (config_map("one") | {"data": ["a"]}, "data"),
        (config_map("one", labels={"a": 1}), "metadata.labels"),
    ],
    ids=["number-in-data", "data-as-list", "number-as-label"],
)
async def test_a_built_in_field_of_the_wrong_type_is_refused(
    cluster: Cluster, namespace: str, obj: Unstructured, field: str
) -> None:
    with pytest.raises(errors.BadRequest) as caught:
        await cluster.create(CONFIG_MAPS, obj, namespace=namespace)
    opening, _, fault = caught.value.message.partition(" cannot be handled as a ConfigMap: ")
    assert opening == 'ConfigMap in version "v1"'
    # Kubernetes tells of structs and types of Go. Both name the field.
    assert field in fault
