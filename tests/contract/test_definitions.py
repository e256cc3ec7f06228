"""CustomResourceDefinitions: from a definition to a kind that is served, and back."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

import pytest
from tests.contract.objects import definition, ensure_served, eventually, exists

from landform.cluster import errors
from landform.cluster.interface import PatchType, WriteOptions
from landform.cluster.resources import CUSTOM_RESOURCE_DEFINITIONS, untyped

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from landform.cluster.interface import Cluster
    from landform.cluster.resources import Unstructured


@pytest.fixture
async def group(cluster: Cluster) -> AsyncIterator[str]:
    """An API group of the test's own; its definitions of Gadgets and Tools are removed afterwards."""
    group = f"g{uuid.uuid4().hex[:8]}.landform.test"
    yield group
    for plural in ("gadgets", "tools"):
        try:
            await cluster.delete(CUSTOM_RESOURCE_DEFINITIONS, f"{plural}.{group}")
        except errors.NotFound:
            continue


def conditions(crd: Unstructured) -> dict[str, tuple[str, str]]:
    """Status and reason of each condition."""
    found = crd.get("status", {}).get("conditions") or []
    return {condition["type"]: (condition["status"], condition["reason"]) for condition in found}


async def established(cluster: Cluster, name: str) -> Unstructured:
    """The definition, once its names are accepted and it is served."""

    async def is_established() -> bool:
        crd = await cluster.get(CUSTOM_RESOURCE_DEFINITIONS, name)
        return conditions(crd).get("Established", ("", ""))[0] == "True"

    await eventually(is_established, f"{name} is established")
    return await cluster.get(CUSTOM_RESOURCE_DEFINITIONS, name)


async def test_a_definition_gets_established(cluster: Cluster, group: str) -> None:
    await cluster.create(CUSTOM_RESOURCE_DEFINITIONS, definition("Gadget", group=group))
    crd = await established(cluster, f"gadgets.{group}")
    assert conditions(crd) == {
        "NamesAccepted": ("True", "NoConflicts"),
        "Established": ("True", "InitialNamesAccepted"),
    }
    assert crd["status"]["acceptedNames"] == {
        "kind": "Gadget",
        "listKind": "GadgetList",
        "plural": "gadgets",
        "singular": "gadget",
    }
    assert crd["status"]["storedVersions"] == ["v1"]
    assert crd["spec"]["conversion"] == {"strategy": "None"}


async def test_names_that_are_left_out_are_derived(cluster: Cluster, group: str) -> None:
    wish = definition("Gadget", group=group)
    wish["spec"]["names"] = {"kind": "Gadget", "plural": "gadgets"}
    created = await cluster.create(CUSTOM_RESOURCE_DEFINITIONS, wish)
    assert created["spec"]["names"] == {
        "kind": "Gadget",
        "listKind": "GadgetList",
        "plural": "gadgets",
        "singular": "gadget",
    }


async def test_a_new_kind_is_served_and_discovered(cluster: Cluster, group: str, namespace: str) -> None:
    gadgets = untyped(f"{group}/v1", "Gadget", "gadgets")
    await ensure_served(cluster, definition("Gadget", group=group))
    await cluster.create(gadgets, {"metadata": {"name": "one"}, "any": {"thing": [1, 2.5, None]}}, namespace=namespace)
    assert (await cluster.get(gadgets, "one", namespace=namespace))["any"] == {"thing": [1, 2.5, None]}

    async def is_discovered() -> bool:
        return gadgets in await cluster.discover()

    await eventually(is_discovered, "the new kind is discovered")


async def test_a_status_without_a_schema_is_kept_as_the_object_is(cluster: Cluster, group: str, namespace: str) -> None:
    gadgets = untyped(f"{group}/v1", "Gadget", "gadgets")
    await ensure_served(cluster, definition("Gadget", group=group))
    await cluster.create(gadgets, {"metadata": {"name": "one"}}, namespace=namespace)
    status, options = {"conditions": [{"type": "Ready"}]}, WriteOptions(subresource="status")
    changed = await cluster.patch(gadgets, "one", {"status": status}, namespace=namespace, options=options)
    assert changed["status"] == status


async def test_a_kind_may_be_cluster_scoped(cluster: Cluster, group: str) -> None:
    gadgets = untyped(f"{group}/v1", "Gadget", "gadgets", namespaced=False)
    await ensure_served(cluster, definition("Gadget", group=group, scope="Cluster"))
    created = await cluster.create(gadgets, {"metadata": {"name": "one"}})
    assert "namespace" not in created["metadata"]
    assert await cluster.get(gadgets, "one") == created


async def test_every_served_version_shows_the_same_objects(cluster: Cluster, group: str, namespace: str) -> None:
    await ensure_served(cluster, definition("Gadget", group=group, versions=["v1", "v1beta1"]))
    new, old = (untyped(f"{group}/{version}", "Gadget", "gadgets") for version in ("v1", "v1beta1"))
    created = await cluster.create(old, {"metadata": {"name": "one"}, "spec": {"a": 1}}, namespace=namespace)
    assert created["apiVersion"] == f"{group}/v1beta1"
    other = await cluster.get(new, "one", namespace=namespace)
    assert other["apiVersion"] == f"{group}/v1"
    assert other["spec"] == {"a": 1}
    assert other["metadata"]["uid"] == created["metadata"]["uid"]


async def test_a_version_that_is_not_served_is_not_found(cluster: Cluster, group: str, namespace: str) -> None:
    wish = definition("Gadget", group=group, versions=["v1", "v1beta1"])
    wish["spec"]["versions"][1]["served"] = False
    await ensure_served(cluster, wish)
    with pytest.raises(errors.NotFound):
        await cluster.list(untyped(f"{group}/v1beta1", "Gadget", "gadgets"), namespace=namespace)


async def test_without_a_status_subresource_status_is_part_of_the_object(
    cluster: Cluster, group: str, namespace: str
) -> None:
    wish = definition("Gadget", group=group)
    del wish["spec"]["versions"][0]["subresources"]
    await ensure_served(cluster, wish)
    gadgets = untyped(f"{group}/v1", "Gadget", "gadgets")
    created = await cluster.create(
        gadgets, {"metadata": {"name": "one"}, "status": {"phase": "Done"}}, namespace=namespace
    )
    assert created["status"] == {"phase": "Done"}
    patched = await cluster.patch(gadgets, "one", {"status": {"phase": "Other"}}, namespace=namespace)
    assert patched["metadata"]["generation"] == 2
    with pytest.raises(errors.NotFound):
        await cluster.get(gadgets, "one", namespace=namespace, subresource="status")


async def test_a_changed_schema_counts_soon(cluster: Cluster, group: str, namespace: str) -> None:
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"a": {"type": "string"}}}}}
    await ensure_served(cluster, definition("Gadget", group=group, schema=schema))
    gadgets = untyped(f"{group}/v1", "Gadget", "gadgets")
    step = {
        "op": "add",
        "path": "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/a/maxLength",
        "value": 1,
    }
    changed = await cluster.patch(CUSTOM_RESOURCE_DEFINITIONS, f"gadgets.{group}", [step], type=PatchType.JSON)
    assert changed["metadata"]["generation"] == 2

    async def counts() -> bool:
        wish = {"metadata": {"generateName": "g-"}, "spec": {"a": "long"}}
        try:
            await cluster.create(gadgets, wish, namespace=namespace, options=WriteOptions(dry_run=True))
        except errors.Invalid as refusal:
            return refusal.causes == (
                errors.Cause("FieldValueTooLong", "Too long: may not be more than 1 byte", "spec.a"),
            )
        return False

    await eventually(counts, "the new schema counts")


async def test_a_deleted_definition_takes_its_objects_with_it(cluster: Cluster, group: str, namespace: str) -> None:
    gadgets = untyped(f"{group}/v1", "Gadget", "gadgets")
    await ensure_served(cluster, definition("Gadget", group=group))
    await cluster.create(gadgets, {"metadata": {"name": "one"}}, namespace=namespace)
    await cluster.delete(CUSTOM_RESOURCE_DEFINITIONS, f"gadgets.{group}")

    async def is_gone() -> bool:
        return not await exists(cluster, CUSTOM_RESOURCE_DEFINITIONS, f"gadgets.{group}")

    await eventually(is_gone, "the definition is gone")
    with pytest.raises(errors.NotFound):
        await cluster.list(gadgets, namespace=namespace)

    await ensure_served(cluster, definition("Gadget", group=group))
    assert list((await cluster.list(gadgets, namespace=namespace)).items) == []


async def test_the_name_is_plural_and_group(cluster: Cluster, group: str) -> None:
    wish = definition("Gadget", group=group)
    wish["metadata"]["name"] = f"wrong.{group}"
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(CUSTOM_RESOURCE_DEFINITIONS, wish)
    assert caught.value.message == (
        f'CustomResourceDefinition.apiextensions.k8s.io "wrong.{group}" is invalid: '
        f'metadata.name: Invalid value: "wrong.{group}": must be spec.names.plural+"."+spec.group'
    )


async def test_a_definition_needs_a_structural_schema(cluster: Cluster, group: str) -> None:
    wish = definition("Gadget", group=group)
    del wish["spec"]["versions"][0]["schema"]
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(CUSTOM_RESOURCE_DEFINITIONS, wish)
    assert caught.value.message == (
        f'CustomResourceDefinition.apiextensions.k8s.io "gadgets.{group}" is invalid: '
        "spec.versions[0].schema.openAPIV3Schema: Required value"
    )


async def test_a_field_of_the_schema_needs_a_type(cluster: Cluster, group: str) -> None:
    schema = {"type": "object", "properties": {"spec": {"properties": {"a": {"type": "string"}}}}}
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(CUSTOM_RESOURCE_DEFINITIONS, definition("Gadget", group=group, schema=schema))
    assert caught.value.message == (
        f'CustomResourceDefinition.apiextensions.k8s.io "gadgets.{group}" is invalid: '
        "spec.validation.openAPIV3Schema.properties[spec].type: Required value: "
        "must not be empty for specified object fields"
    )


async def test_a_default_has_to_fit_its_schema(cluster: Cluster, group: str) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer", "default": "none"}}}
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(CUSTOM_RESOURCE_DEFINITIONS, definition("Gadget", group=group, schema=schema))
    assert caught.value.message == (
        f'CustomResourceDefinition.apiextensions.k8s.io "gadgets.{group}" is invalid: '
        'spec.validation.openAPIV3Schema.properties[a].default: Invalid value: "string":  '
        'in body must be of type integer: "string"'
    )


async def test_exactly_one_version_is_the_stored_one(cluster: Cluster, group: str) -> None:
    wish = definition("Gadget", group=group, versions=["v1", "v2"])
    wish["spec"]["versions"][1]["storage"] = True
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(CUSTOM_RESOURCE_DEFINITIONS, wish)
    assert [(cause.field, cause.reason) for cause in caught.value.causes] == [
        ("spec.versions", "FieldValueInvalid"),
        ("status.storedVersions", "FieldValueInvalid"),
    ]
    assert caught.value.causes[0].message.endswith("must have exactly one version marked as storage version")
    assert caught.value.causes[1].message == 'Invalid value: ["v1"]: must have the storage version v2'


async def test_the_scope_is_one_of_two_words(cluster: Cluster, group: str) -> None:
    with pytest.raises(errors.Invalid) as caught:
        await cluster.create(CUSTOM_RESOURCE_DEFINITIONS, definition("Gadget", group=group, scope="Wide"))
    assert caught.value.message == (
        f'CustomResourceDefinition.apiextensions.k8s.io "gadgets.{group}" is invalid: '
        'spec.scope: Unsupported value: "Wide": supported values: "Cluster", "Namespaced"'
    )


async def test_scope_and_kind_cannot_change(cluster: Cluster, group: str) -> None:
    await ensure_served(cluster, definition("Gadget", group=group))
    await established(cluster, f"gadgets.{group}")
    with pytest.raises(errors.Invalid) as caught:
        await cluster.patch(
            CUSTOM_RESOURCE_DEFINITIONS, f"gadgets.{group}", {"spec": {"scope": "Cluster", "names": {"kind": "Other"}}}
        )
    assert caught.value.message == (
        f'CustomResourceDefinition.apiextensions.k8s.io "gadgets.{group}" is invalid: '
        '[spec.scope: Invalid value: "Cluster": field is immutable, '
        'spec.names.kind: Invalid value: "Other": field is immutable]'
    )


async def test_a_name_that_another_definition_uses_is_not_accepted(cluster: Cluster, group: str) -> None:
    await ensure_served(cluster, definition("Gadget", group=group))
    rival = definition("Tool", group=group)
    rival["spec"]["names"]["kind"] = "Gadget"
    await cluster.create(CUSTOM_RESOURCE_DEFINITIONS, rival)

    async def is_refused() -> bool:
        crd = await cluster.get(CUSTOM_RESOURCE_DEFINITIONS, f"tools.{group}")
        return conditions(crd).get("NamesAccepted", ("", ""))[0] == "False"

    await eventually(is_refused, "the names are refused")
    crd = await cluster.get(CUSTOM_RESOURCE_DEFINITIONS, f"tools.{group}")
    assert conditions(crd) == {"NamesAccepted": ("False", "KindConflict"), "Established": ("False", "NotAccepted")}
