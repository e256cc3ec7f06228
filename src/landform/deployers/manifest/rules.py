"""What is wrong with a configuration, field by field; pure. No fault quotes a manifest: it may hold a secret."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.api import faults
from landform.deployers.manifest import customchecks
from landform.deployers.manifest.configuration import Drift, Policy, PredefinedType, UpdateStrategy
from landform.kit import jsonpath

if TYPE_CHECKING:
    import enum
    from collections.abc import Iterator

    from landform.api.faults import Fault
    from landform.deployers.manifest.configuration import (
        Configuration,
        CustomGroup,
        DeletionGroup,
        Export,
        Manifest,
        Objects,
        ReadinessChecks,
        TypedReference,
    )


def check(config: Configuration) -> list[Fault]:
    """Everything that is wrong."""
    return list(_check(config))


def _check(config: Configuration) -> Iterator[Fault]:
    yield from _one_of("updateStrategy", config.update_strategy, UpdateStrategy)
    yield from _one_of("drift", config.drift, Drift)
    for number, manifest in enumerate(config.manifests or ()):
        yield from _manifest(f"manifests[{number}]", manifest)
    yield from _readiness("readinessChecks", config.readiness_checks)
    for number, export in enumerate(config.exports.exports or ()):
        yield from _export(f"exports.exports[{number}]", export)
    yield from _followed("exports.exports", config.exports.exports or [])
    for field, groups in (
        ("deletionGroups", config.deletion_groups),
        ("deletionGroupsDuringUpdate", config.deletion_groups_during_update),
    ):
        for number, group in enumerate(groups or ()):
            yield from _group(f"{field}[{number}]", group)


def _manifest(path: str, manifest: Manifest) -> Iterator[Fault]:
    yield from _one_of(f"{path}.policy", manifest.policy, Policy)
    if not manifest.manifest:
        yield faults.required(f"{path}.manifest", "a manifest must not be empty")
    elif manifest.manifest.get("items") is None:
        yield from _object(f"{path}.manifest", manifest.manifest)
    else:
        yield from _items(f"{path}.manifest.items", manifest.manifest["items"])


def _items(path: str, items: object) -> Iterator[Fault]:
    if not isinstance(items, list):
        yield faults.type_invalid(path, items, "array")
        return
    for number, item in enumerate(items):
        if isinstance(item, dict):
            yield from _object(f"{path}[{number}]", item)
        else:
            yield faults.type_invalid(f"{path}[{number}]", item, "object")


def _object(path: str, obj: dict[str, object]) -> Iterator[Fault]:
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict):
        metadata = {}
    for field, value in (
        ("apiVersion", obj.get("apiVersion")),
        ("kind", obj.get("kind")),
        ("metadata.name", metadata.get("name")),
    ):
        if not isinstance(value, str) or not value:
            yield faults.required(f"{path}.{field}", "an object of a cluster needs apiVersion, kind and a name")
    namespace = metadata.get("namespace")
    if namespace is not None and not isinstance(namespace, str):
        yield faults.type_invalid(f"{path}.metadata.namespace", namespace, "string")
    for field in ("labels", "annotations"):
        value = metadata.get(field)
        if value is not None and not isinstance(value, dict):
            yield faults.type_invalid(f"{path}.metadata.{field}", value, "object")


def _readiness(path: str, checks: ReadinessChecks) -> Iterator[Fault]:
    for number, objects in enumerate(checks.default or ()):
        yield from _objects(f"{path}.default[{number}]", objects)
    for number, check in enumerate(checks.custom or ()):
        try:
            customchecks.parse(check, f"{path}.custom[{number}]")
        except customchecks.InvalidCheck as wrong:
            yield from wrong.faults


def _objects(path: str, objects: Objects) -> Iterator[Fault]:
    selector = objects.label_selector
    if not objects.resource_selector and selector is None:
        yield faults.required(path, "at least one of resourceSelector, labelSelector is needed")
    for number, reference in enumerate(objects.resource_selector or ()):
        yield from _reference(f"{path}.resourceSelector[{number}]", reference)
    if selector is not None:
        yield from _texts(f"{path}.labelSelector", apiVersion=selector.api_version, kind=selector.kind)
        if not selector.match_labels:
            yield faults.required(f"{path}.labelSelector.matchLabels", "name at least one label")


def _export(path: str, export: Export) -> Iterator[Fault]:
    yield from _texts(path, key=export.key, jsonPath=export.json_path)
    if export.key and not all(export.key.split(".")):
        yield faults.invalid(f"{path}.key", export.key, "every part between dots must have a name")
    yield from _json_path(f"{path}.jsonPath", export.json_path)
    if export.from_resource is not None:
        yield from _reference(f"{path}.fromResource", export.from_resource)
    if (second := export.from_object_ref) is not None:
        place = f"{path}.fromObjectRef"
        yield from _texts(place, apiVersion=second.api_version, kind=second.kind, jsonPath=second.json_path)
        yield from _json_path(f"{place}.jsonPath", second.json_path)


def _followed(path: str, exports: list[Export]) -> Iterator[Fault]:
    """A value that is followed must be found again among what was exported, so its key must be its own."""
    for number, export in enumerate(exports):
        others = (other.key for place, other in enumerate(exports) if place != number)
        if export.follow and any(_overlap(export.key, key) for key in others):
            detail = "an export that is followed needs a key that no other export shares, begins or continues"
            yield faults.invalid(f"{path}[{number}].key", export.key, detail)


def _overlap(one: str, other: str) -> bool:
    """Whether two keys with dots lead to the same place, or one through the other."""
    return f"{one}.".startswith(f"{other}.") or f"{other}.".startswith(f"{one}.")


def _group(path: str, group: DeletionGroup) -> Iterator[Fault]:
    predefined, custom = group.predefined_resource_group, group.custom_resource_group
    if (predefined is None) == (custom is None):
        yield faults.required(path, "exactly one of predefinedResourceGroup, customResourceGroup is needed")
    elif predefined is not None:
        yield from _one_of(f"{path}.predefinedResourceGroup.type", predefined.type, PredefinedType)
    elif custom is not None:
        yield from _custom_group(f"{path}.customResourceGroup", custom)


def _custom_group(path: str, group: CustomGroup) -> Iterator[Fault]:
    if not group.resources:
        yield faults.required(f"{path}.resources", "name at least one kind")
    for number, resource in enumerate(group.resources or ()):
        yield from _texts(f"{path}.resources[{number}]", apiVersion=resource.api_version, kind=resource.kind)
    if group.target_name and not group.delete_all_resources:
        yield faults.invalid(
            f"{path}.targetName",
            group.target_name,
            "another target needs deleteAllResources: what the item deployed is on its own target",
        )


def _reference(path: str, reference: TypedReference) -> Iterator[Fault]:
    yield from _texts(path, apiVersion=reference.api_version, kind=reference.kind, name=reference.name)


def _texts(path: str, **values: str) -> Iterator[Fault]:
    for field, value in values.items():
        if not value:
            yield faults.required(f"{path}.{field}")


def _json_path(path: str, text: str) -> Iterator[Fault]:
    if not text:
        return
    try:
        jsonpath.compile(text)
    except jsonpath.InvalidPath as fault:
        yield faults.invalid(path, text, str(fault))


def _one_of(path: str, value: str, kind: type[enum.StrEnum]) -> Iterator[Fault]:
    known = [str(each) for each in kind]
    if value not in known:
        yield faults.Fault(
            faults.Reason.NOT_SUPPORTED,
            path,
            f'Unsupported value: "{value}": supported values: {", ".join(known)}',
            value,
        )
