"""What is wrong with a configuration, field by field; pure. No fault quotes a manifest: it may hold a secret."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from landform.api import faults
from landform.cluster import selectors
from landform.deployers.manifest import customchecks, objects
from landform.deployers.manifest import readiness_fields as fields
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

_INCOMPLETE: Final = "an object of a cluster needs apiVersion, kind and a name"
_UNNAMED: Final = f"{_INCOMPLETE}; generateName would make another object with each job"


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
    else:
        yield from _content(f"{path}.manifest", manifest.manifest)


def _content(path: str, content: dict[str, Any], *, is_nested: bool = False) -> Iterator[Fault]:
    """An object, or a list of objects and lists."""
    items = objects.items_of(content, is_nested=is_nested)
    if items is None:
        yield from _object(path, content)
    elif not isinstance(items, list):
        yield faults.type_invalid(f"{path}.items", items, "array")
    else:
        for number, item in enumerate(items):
            if isinstance(item, dict):
                yield from _content(f"{path}.items[{number}]", item, is_nested=True)
            else:
                yield faults.type_invalid(f"{path}.items[{number}]", item, "object")


def _object(path: str, obj: dict[str, Any]) -> Iterator[Fault]:
    metadata = fields.mapping(obj, "metadata")
    for field, value in (
        ("apiVersion", obj.get("apiVersion")),
        ("kind", obj.get("kind")),
        ("metadata.name", metadata.get("name")),
    ):
        if value is not None and not isinstance(value, str):
            yield faults.type_invalid(f"{path}.{field}", value, "string")
        elif not value:
            yield faults.required(f"{path}.{field}", _UNNAMED if metadata.get("generateName") else _INCOMPLETE)
    namespace = metadata.get("namespace")
    if namespace is not None and not isinstance(namespace, str):
        yield faults.type_invalid(f"{path}.metadata.namespace", namespace, "string")
    for field in ("labels", "annotations"):
        value = metadata.get(field)
        if value is not None and not isinstance(value, dict):
            yield faults.type_invalid(f"{path}.metadata.{field}", value, "object")


def _readiness(path: str, checks: ReadinessChecks) -> Iterator[Fault]:
    for number, further in enumerate(checks.default or ()):
        yield from _objects(f"{path}.default[{number}]", further)
    for number, check in enumerate(checks.custom or ()):
        try:
            customchecks.parse(check, f"{path}.custom[{number}]")
        except customchecks.InvalidCheck as wrong:
            yield from wrong.faults


def _objects(path: str, further: Objects) -> Iterator[Fault]:
    selector = further.label_selector
    if not further.resource_selector and selector is None:
        yield faults.required(path, "at least one of resourceSelector, labelSelector is needed")
    for number, reference in enumerate(further.resource_selector or ()):
        yield from _reference(f"{path}.resourceSelector[{number}]", reference)
    if selector is not None:
        yield from _texts(f"{path}.labelSelector", apiVersion=selector.api_version, kind=selector.kind)
        if not selector.match_labels:
            yield faults.required(f"{path}.labelSelector.matchLabels", "name at least one label")
        for key, value in (selector.match_labels or {}).items():
            if wrong := selectors.check_label_key(key) or selectors.check_label_value(value):
                yield faults.invalid(f"{path}.labelSelector.matchLabels[{key}]", value, wrong)


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
