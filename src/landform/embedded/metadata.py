"""The rules of ``metadata``: what the home sets itself, what a client may change, and what is refused. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.cluster.errors import BadRequest, Cause
from landform.cluster.labels import check_label_key, check_label_value
from landform.embedded import faults, naming

if TYPE_CHECKING:
    from collections.abc import Iterator

    from landform.embedded.catalog import ResourceType

Metadata = dict[str, Any]

SYSTEM_FIELDS = (
    "uid",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "generation",
    "selfLink",
)
"""Fields that only the home sets; what a client writes there is ignored."""

LARGEST_ANNOTATIONS = 256 * 1024

_TEXT_FIELDS = ("name", "generateName", "namespace", "uid", "resourceVersion")
_TEXT_MAPS = ("labels", "annotations")


def of(obj: Any) -> Metadata:
    """The metadata of a body, cleaned of nulls and of the right types; BadRequest otherwise."""
    if not isinstance(obj, dict):
        raise BadRequest("the body of the request must be an object")
    metadata = obj.setdefault("metadata", {})
    if metadata is None:
        metadata = obj["metadata"] = {}
    if not isinstance(metadata, dict):
        raise BadRequest("metadata must be an object")
    for field in [field for field, value in metadata.items() if value is None]:
        del metadata[field]
    for field, expected, problem in _type_faults(metadata):
        raise BadRequest(f"metadata.{field} must be {expected}, not {problem}")
    return metadata


def _type_faults(metadata: Metadata) -> Iterator[tuple[str, str, str]]:
    """Fields of the wrong type: which, what was expected, what was found."""
    for field in _TEXT_FIELDS:
        if not isinstance(metadata.get(field, ""), str):
            yield field, "a string", type(metadata[field]).__name__
    for field in _TEXT_MAPS:
        values = metadata.get(field, {})
        if not isinstance(values, dict):
            yield field, "an object", type(values).__name__
            continue
        for key, value in values.items():
            if not isinstance(value, str):
                yield f"{field}[{key}]", "a string", type(value).__name__
    if not _is_list_of(metadata.get("finalizers", []), str):
        yield "finalizers", "a list of strings", "something else"
    if not _is_list_of(metadata.get("ownerReferences", []), dict):
        yield "ownerReferences", "a list of objects", "something else"
    if not _is_list_of(metadata.get("managedFields", []), dict):
        yield "managedFields", "a list of objects", "something else"


def _is_list_of(value: object, item: type) -> bool:
    return isinstance(value, list) and all(isinstance(entry, item) for entry in value)


def carry_over(metadata: Metadata, old: Metadata) -> None:
    """Keep what a client cannot change on an existing object."""
    for field in (*SYSTEM_FIELDS, "generateName"):
        if field in old:
            metadata[field] = old[field]
        else:
            metadata.pop(field, None)


def check(type_: ResourceType, metadata: Metadata, old: Metadata | None) -> list[Cause]:
    """Everything that is wrong with the metadata."""
    return [
        *_name_causes(type_, metadata, old),
        *_label_causes(metadata),
        *_annotation_causes(metadata),
        *_owner_causes(metadata),
        *_finalizer_causes(metadata, old),
    ]


def _name_causes(type_: ResourceType, metadata: Metadata, old: Metadata | None) -> Iterator[Cause]:
    name = metadata.get("name", "")
    if old is not None:
        if name != old.get("name"):
            yield faults.bad_value("metadata.name", name, "field is immutable")
        return
    if not name:
        yield faults.required("metadata.name", "name or generateName is required")
        return
    for problem in naming.name_problems(type_.group_resource, name):
        yield faults.bad_value("metadata.name", name, problem)


def _label_causes(metadata: Metadata) -> Iterator[Cause]:
    for key, value in (metadata.get("labels") or {}).items():
        if problem := check_label_key(key):
            yield faults.bad_value("metadata.labels", key, problem)
        if problem := check_label_value(value):
            yield faults.bad_value("metadata.labels", value, problem)


def _annotation_causes(metadata: Metadata) -> Iterator[Cause]:
    size = 0
    for key, value in (metadata.get("annotations") or {}).items():
        size += len(key) + len(value)
        if problem := check_label_key(key.lower()):
            yield faults.bad_value("metadata.annotations", key, problem)
    if size > LARGEST_ANNOTATIONS:
        yield Cause(
            "FieldValueTooLong",
            f"Too long: may not be more than {LARGEST_ANNOTATIONS} bytes",
            "metadata.annotations",
        )


def _owner_causes(metadata: Metadata) -> Iterator[Cause]:
    controller = ""
    for index, owner in enumerate(metadata.get("ownerReferences") or ()):
        place = f"metadata.ownerReferences[{index}]"
        for field, problem in (
            ("apiVersion", "version must not be empty"),
            ("kind", "must not be empty"),
            ("name", "must not be empty"),
            ("uid", "must not be empty"),
        ):
            if not isinstance(owner.get(field), str) or not owner[field]:
                yield faults.bad_value(f"{place}.{field}", owner.get(field) or "", problem)
        if owner.get("controller"):
            shown = f"{owner.get('apiVersion')}/{owner.get('kind')}:{owner.get('name')}"
            if controller:
                yield faults.bad_value(
                    "metadata.ownerReferences",
                    shown,
                    "Only one reference can have Controller set to true. Found"
                    f' "true" in references for {controller} and {owner.get("name")}',
                )
            controller = str(owner.get("name"))


def _finalizer_causes(metadata: Metadata, old: Metadata | None) -> Iterator[Cause]:
    finalizers = metadata.get("finalizers") or []
    for finalizer in finalizers:
        if problem := check_label_key(finalizer):
            yield faults.bad_value("metadata.finalizers", finalizer, problem)
    if old is not None and "deletionTimestamp" in old:
        new = [finalizer for finalizer in finalizers if finalizer not in (old.get("finalizers") or ())]
        if new:
            shown = ", ".join(f'"{finalizer}"' for finalizer in new)
            yield faults.not_allowed(
                "metadata.finalizers",
                "no new finalizers can be added if the object is being deleted,"
                f" found new finalizers []string{{{shown}}}",
            )
