"""The rules of ``metadata``: what the home sets itself, what a client may change, and what is refused. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.cluster.errors import BadRequest, Cause
from landform.embedded import faults, naming
from landform.embedded.schemas import causes, gotexts, values
from landform.kit import names

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
_LISTS = (("finalizers", "string", str), ("ownerReferences", "object", dict), ("managedFields", "object", dict))
_STANDARD_FINALIZERS = ("kubernetes", "orphan", "foregroundDeletion")
_OWNER_FIELDS = ("apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion")


def of(type_: ResourceType, obj: Any) -> Metadata:
    """The metadata of a body, of the right types and without what is empty; BadRequest otherwise."""
    if not isinstance(obj, dict):
        raise BadRequest("the body of the request must be an object")
    metadata = obj.get("metadata")
    if metadata is None:
        metadata = obj["metadata"] = {}
    if not isinstance(metadata, dict):
        raise faults.undecodable(type_, f'metadata must be of type object: "{values.type_name(metadata)}"')
    # An empty list of managedFields means something: it resets them.
    empty = [name for name, value in metadata.items() if value is None or (not value and name in _COLLECTIONS)]
    for name in empty:
        del metadata[name]
    for field, expected, found in _type_faults(metadata):
        raise faults.undecodable(type_, f'metadata.{field} must be of type {expected}: "{values.type_name(found)}"')
    return metadata


_COLLECTIONS = frozenset({*_TEXT_MAPS, "finalizers", "ownerReferences"})


def _type_faults(metadata: Metadata) -> Iterator[tuple[str, str, Any]]:
    """Fields of the wrong type: which, what was expected, what was found."""
    for field in _TEXT_FIELDS:
        if not isinstance(metadata.get(field, ""), str):
            yield field, "string", metadata[field]
    for field in _TEXT_MAPS:
        texts = metadata.get(field, {})
        if not isinstance(texts, dict):
            yield field, "object", texts
            continue
        for key, value in texts.items():
            if not isinstance(value, str):
                yield f"{field}[{key}]", "string", value
    for field, expected, item_type in _LISTS:
        items = metadata.get(field, [])
        if not isinstance(items, list):
            yield field, "array", items
            continue
        for index, item in enumerate(items):
            if not isinstance(item, item_type):
                yield f"{field}[{index}]", expected, item


def carry_over(metadata: Metadata, old: Metadata) -> None:
    """Keep what a client cannot change on an existing object; another uid stays, to be refused."""
    uid = metadata.get("uid")
    for field in SYSTEM_FIELDS:
        if field in old:
            metadata[field] = old[field]
        else:
            metadata.pop(field, None)
    if uid:
        metadata["uid"] = uid


def of_status_write(type_: ResourceType, new: Metadata, old: Metadata) -> Metadata:
    """What metadata becomes by a write to the status: only built-in kinds let some of it be changed that way."""
    changeable = ("managedFields",) if type_.custom else ("managedFields", "annotations", "finalizers")
    kept = {field: value for field, value in old.items() if field not in changeable}
    return kept | {field: new[field] for field in changeable if field in new}


def check(type_: ResourceType, metadata: Metadata, old: Metadata | None) -> list[Cause]:
    """Everything that is wrong with the metadata."""
    return [
        *_identity_causes(type_, metadata, old),
        *_label_causes(metadata),
        *_annotation_causes(metadata),
        *_owner_causes(metadata),
        *_finalizer_causes(type_, metadata, old),
    ]


def _identity_causes(type_: ResourceType, metadata: Metadata, old: Metadata | None) -> Iterator[Cause]:
    name = metadata.get("name", "")
    if old is not None:
        for field in ("name", "namespace", "uid"):
            if metadata.get(field) != old.get(field):
                yield causes.invalid(f"metadata.{field}", metadata.get(field, ""), "field is immutable")
        return
    generated = metadata.get("generateName", "")
    if generated:
        # What ends with a dash does not when something is put behind it.
        whole = f"{generated[:-1]}a" if len(generated) > 1 and generated.endswith("-") else generated
        for problem in naming.name_problems(type_.group_resource, whole):
            yield causes.invalid("metadata.generateName", generated, problem)
    if not name:
        yield causes.required("metadata.name", "name or generateName is required")
    else:
        for problem in naming.name_problems(type_.group_resource, name):
            yield causes.invalid("metadata.name", name, problem)


def _label_causes(metadata: Metadata) -> Iterator[Cause]:
    for key, value in metadata.get("labels", {}).items():
        for problem in names.qualified(key):
            yield causes.invalid("metadata.labels", key, problem)
        for problem in names.label_value(value):
            yield causes.invalid("metadata.labels", value, problem)


def _annotation_causes(metadata: Metadata) -> Iterator[Cause]:
    size = 0
    for key, value in metadata.get("annotations", {}).items():
        size += len(key.encode()) + len(value.encode())
        for problem in names.qualified(key.lower()):
            yield causes.invalid("metadata.annotations", key, problem)
    if size > LARGEST_ANNOTATIONS:
        yield causes.too_long("metadata.annotations", LARGEST_ANNOTATIONS)


def _owner_causes(metadata: Metadata) -> Iterator[Cause]:
    owners = metadata.get("ownerReferences", [])
    controller = ""
    for owner in owners:
        api_version = owner.get("apiVersion")
        if not isinstance(api_version, str) or not api_version or api_version.count("/") > 1:
            yield causes.invalid("metadata.ownerReferences.apiVersion", api_version or "", "version must not be empty")
        for field in ("kind", "name", "uid"):
            if not isinstance(owner.get(field), str) or not owner[field]:
                yield causes.invalid(f"metadata.ownerReferences.{field}", owner.get(field) or "", "must not be empty")
        if (api_version, owner.get("kind")) == ("v1", "Event"):
            yield _bad_owners(_shown(owner), "/v1, Kind=Event is disallowed from being an owner")
        if owner.get("controller"):
            named = f"{owner.get('kind')}/{owner.get('name')}"
            if controller:
                yield _bad_owners(
                    f"[{','.join(map(_shown, owners))}]",
                    'Only one reference can have Controller set to true. Found "true" in references for'
                    f" {controller} and {named}",
                )
            controller = controller or named


def _shown(owner: dict[str, Any]) -> str:
    """A reference with its fields in the order of the API server's own type; other objects are shown sorted."""
    fields = (f'"{field}":{gotexts.as_json(owner[field])}' for field in _OWNER_FIELDS if field in owner)
    return f"{{{','.join(fields)}}}"


def _bad_owners(shown: str, why: str) -> Cause:
    return Cause("FieldValueInvalid", f"Invalid value: {shown}: {why}", "metadata.ownerReferences")


def _finalizer_causes(type_: ResourceType, metadata: Metadata, old: Metadata | None) -> Iterator[Cause]:
    finalizers = metadata.get("finalizers", [])
    for finalizer in finalizers:
        for problem in names.qualified(finalizer):
            yield causes.invalid("metadata.finalizers", finalizer, problem)
    if "orphan" in finalizers and "foregroundDeletion" in finalizers:
        problem = "finalizer orphan and foregroundDeletion cannot be both set"
        yield causes.invalid("metadata.finalizers", finalizers, problem)
    if old is not None and "deletionTimestamp" in old:
        yield from _new_finalizer_causes(finalizers, old.get("finalizers", []))
    for index, finalizer in enumerate(finalizers):
        if not type_.custom and "/" not in finalizer and finalizer not in _STANDARD_FINALIZERS:
            problem = "name is neither a standard finalizer name nor is it fully qualified"
            yield causes.invalid(f"metadata.finalizers[{index}]", finalizer, problem)


def _new_finalizer_causes(finalizers: list[str], old: list[str]) -> Iterator[Cause]:
    new = [finalizer for finalizer in finalizers if finalizer not in old]
    if new:
        shown = ", ".join(f'"{finalizer}"' for finalizer in new)
        yield causes.forbidden(
            "metadata.finalizers",
            f"no new finalizers can be added if the object is being deleted, found new finalizers []string{{{shown}}}",
        )
