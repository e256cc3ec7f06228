"""Server-side apply and the tracking of who owns which field, as the API server does it.

`update` says what ``metadata.managedFields`` becomes when an object is created, replaced or patched. `apply` merges
an applied configuration and says the same. Both are to be called with the object as the request wants it, before
the server's own changes (generation, resetting the status). `differ_only_in_times` is asked right before storing: an
object that differs from the live one in nothing else need not be written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from landform.cluster.errors import BadRequest, ServerError
from landform.embedded.merging import (
    checking,
    combining,
    comparing,
    conflicts,
    entries,
    fieldsets,
    lastapplied,
    structs,
)
from landform.embedded.merging.entries import APPLY, UPDATE, Owned, Ownership
from landform.embedded.merging.reconciling import reconciled
from landform.embedded.merging.scopes import group_version_kind
from landform.embedded.merging.shapes import ShapeError

if TYPE_CHECKING:
    from datetime import datetime

    from landform.embedded.merging.comparing import Comparison
    from landform.embedded.merging.fieldsets import FieldSet
    from landform.embedded.merging.scopes import Scope

Object = dict[str, Any]
ManagedFields = list[dict[str, Any]]

BEFORE_FIRST_APPLY = "before-first-apply"
"""Owns what was there when an object without managedFields is applied to."""

_NEVER_OWNED_METADATA = frozenset(
    ("name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName", "generation", "managedFields",
     "resourceVersion")
)  # fmt: skip
_NEVER_OWNED = fieldsets.from_paths(
    [("f:apiVersion",), ("f:kind",), ("f:metadata",), *(("f:metadata", f"f:{name}") for name in _NEVER_OWNED_METADATA)]
)


@dataclass(frozen=True)
class Applied:
    """The result of an apply."""

    object: Object
    """The object with its new managedFields."""

    changed: bool
    """Whether anything but times would be stored: if not, the write can be skipped."""


def update(scope: Scope, live: Object | None, new: Object, *, manager: str, now: datetime) -> ManagedFields:
    """The managedFields of an object that was created (no `live`) or changed other than by apply.

    Empty if its owners are not tracked: somebody has reset managedFields and nobody has applied since.
    """
    try:
        owners = _owners_before(scope, live, new)
        if live is not None and not owners:
            return []
        wanted = structs.held(_tracked(new), scope.node) if scope.built_in else _tracked(new)
        changes = comparing.compare(_tracked(live if live is not None else scope.blank), wanted, scope.root)
        owners = _credit(scope, owners, changes.without(scope.ignored), manager, now)
    except ShapeError:
        return []  # as the API server: an item without its key is for validation to refuse
    return entries.encode(entries.cap(owners), built_in=scope.built_in)


def apply(
    scope: Scope, live: Object | None, applied: Object, *, manager: str, now: datetime, force: bool = False
) -> Applied:
    """`live` with an applied configuration merged in, or a new object.

    Raises Conflict if it would change fields of other managers and `force` is not given, BadRequest and ServerError
    if the configuration cannot be applied.
    """
    _check_applied(scope, applied)
    before = _without_managed_fields(live) if live is not None else None
    owners = _owners_of(live) if live is not None else {}
    if before is not None and not owners:
        changes = comparing.compare(_tracked(scope.blank), _tracked(before), scope.root)
        owners = _credit(scope, {}, changes.without(scope.ignored), BEFORE_FIRST_APPLY, now)
    merged, owners = _merge(scope, before, applied, owners, manager, force=force)
    if scope.built_in:
        merged = structs.held(merged, scope.node)
    key = entries.manager_of(manager, APPLY, scope.api_version, scope.subresource)
    if key in owners and (before is None or not comparing.same(before, merged)):
        owners[key] = Owned(owners[key].fields, scope.api_version, _stamp(now))
    if manager == lastapplied.KUBECTL and lastapplied.annotation_of(merged):
        merged = lastapplied.with_annotation(merged, applied)
    result = _with_managed_fields(merged, entries.encode(owners, built_in=scope.built_in))
    return Applied(result, live is None or not differ_only_in_times(live, result))


def differ_only_in_times(live: Object, new: Object) -> bool:
    """Whether two objects are equal but for resourceVersion and the times in managedFields."""
    old, managed = _managed_fields(live), _managed_fields(new)
    if len(old) != len(managed) or any(
        {**before, "time": None} != {**after, "time": None} for before, after in zip(old, managed, strict=True)
    ):
        return False
    return comparing.same(_content(live), _content(new))


def _content(obj: Object) -> Object:
    apart = ("managedFields", "resourceVersion")
    metadata = {name: value for name, value in obj["metadata"].items() if name not in apart and value is not None}
    return {**obj, "metadata": metadata}


def _owners_before(scope: Scope, live: Object | None, new: Object) -> Ownership:
    """The owners that an update starts from: those the request brings along, else those of the live object."""
    of_live = _owners_of(live) if live is not None else {}
    given = (new.get("metadata") or {}).get("managedFields")
    if scope.subresource or not isinstance(given, list):
        return of_live
    if entries.is_reset(given):
        return {}
    if live is not None and given == _managed_fields(live):
        return of_live
    try:
        return entries.decode(given) or of_live
    except entries.EntryError:
        return of_live


def _owners_of(live: Object) -> Ownership:
    try:
        return entries.decode(_managed_fields(live), trusted=True)
    except entries.EntryError:
        return {}


def _credit(scope: Scope, owners: Ownership, changes: Comparison, manager: str, now: datetime) -> Ownership:
    """The owners after an update: what it wrote is its own now, what it removed is nobody's."""
    written = changes.written
    result = _deprived(scope, owners, fieldsets.union(written, changes.removed))
    if written:
        key = entries.manager_of(manager, UPDATE, scope.api_version, scope.subresource)
        previous = result.get(key)
        fields = fieldsets.union(previous.fields, written) if previous else written
        result[key] = Owned(fields, scope.api_version, _stamp(now))
    return result


def _deprived(scope: Scope, owners: Ownership, gone: FieldSet) -> Ownership:
    """The owners without some fields; those left with none, or in a version that is gone, are dropped."""
    result: Ownership = {}
    for manager, owned in owners.items():
        if scope.api_versions is not None and owned.api_version not in scope.api_versions:
            continue
        fields = fieldsets.difference(reconciled(owned.fields, scope.root), gone)
        if fields:
            result[manager] = owned if fields is owned.fields else Owned(fields, owned.api_version, owned.time)
    return result


def _check_applied(scope: Scope, applied: Object) -> None:
    version, kind = (value if isinstance(value, str) else "" for value in map(applied.get, ("apiVersion", "kind")))
    if (version, kind) != (scope.api_version, scope.kind):
        raise BadRequest(f"invalid object type: {group_version_kind(version, kind)}")
    metadata = applied.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    if isinstance(metadata.get("managedFields"), list):
        raise BadRequest("metadata.managedFields must be nil")
    faults = checking.faults(applied, scope.root)
    if faults:
        name = f"{metadata.get('namespace', '')}/{metadata.get('name', '')}"
        described = f"{name}; {group_version_kind(version, kind)}"
        raise ServerError(f"failed to create typed patch object ({described}): {faults}")


def _merge(
    scope: Scope, live: Object | None, applied: Object, owners: Ownership, manager: str, *, force: bool
) -> tuple[Object, Ownership]:
    """The merged object and its owners; Conflict unless `force`, or kubectl moves over from client-side apply."""
    merged, owners, found = _merge_forced(scope, live, applied, owners, manager)
    if not found or force:
        return merged, owners
    if manager == lastapplied.KUBECTL and live is not None:
        kept = lastapplied.fields_kept(scope, live)
        found = [conflict for conflict in found if not fieldsets.has(kept, conflict.path)]
    if found:
        raise conflicts.error(found)
    return merged, owners


def _merge_forced(
    scope: Scope, live: Object | None, applied: Object, owners: Ownership, manager: str
) -> tuple[Object, Ownership, list[conflicts.FieldConflict]]:
    """The merged object, its owners if the apply wins everywhere, and where it would have to win."""
    key = entries.manager_of(manager, APPLY, scope.api_version, scope.subresource)
    owners = _deprived(scope, owners, {})
    last = owners.pop(key, None)
    fields = fieldsets.recursive_difference(fieldsets.from_object(applied, scope.root), scope.ignored)
    own = fieldsets.difference(fields, _NEVER_OWNED)
    try:
        merged = applied if live is None else combining.combine(live, applied, scope.root)
        if live is not None and last is not None and last.fields != own:
            merged = _pruned(scope, merged, last.fields, [fields, *(owned.fields for owned in owners.values())])
        changes = comparing.compare(live if live is not None else merged, merged, scope.root).without(scope.ignored)
    except ShapeError as error:
        raise ServerError(f"failed to merge config: {error}") from error
    written = changes.written
    contested = {other: fieldsets.intersection(owned.fields, written) for other, owned in owners.items()}
    result = _deprived(scope, owners, fieldsets.union(written, changes.removed))
    if own:
        result[key] = Owned(own, scope.api_version, last.time if last else None)
    return merged, result, conflicts.listed({other: set_ for other, set_ in contested.items() if set_})


def _pruned(scope: Scope, merged: Object, last: FieldSet, owned: list[FieldSet]) -> Object:
    """The merged object without what the manager applied before and now neither it nor anybody else owns."""
    root = scope.root

    def named(fields: FieldSet) -> FieldSet:
        return fieldsets.with_named_fields(fields, root)

    def fields_of(value: Any) -> FieldSet:
        return named(fieldsets.from_object(value, root)) if value else {}

    before, everything = named(last), fields_of(merged)
    managed: FieldSet = {}
    for fields in owned:
        managed = fieldsets.union(managed, fields)
    # Taking out what was applied before may take too much, as structs go with their fields: bring back what is owned,
    left = fields_of(combining.remove(merged, before, root))
    unowned = fieldsets.difference(everything, fieldsets.union(left, named(managed)))
    left = fields_of(combining.remove(merged, unowned, root))
    # and what nobody owns but the manager never applied either.
    dropped = fieldsets.intersection(fieldsets.difference(everything, left), before)
    pruned: Object = combining.remove(merged, dropped, root)
    return pruned


def _tracked(obj: Any) -> Object:
    """The parts of an object that somebody can own."""
    result = {name: value for name, value in obj.items() if name != "apiVersion" and name != "kind"}
    metadata = result.get("metadata") or {}
    result["metadata"] = {name: value for name, value in metadata.items() if name not in _NEVER_OWNED_METADATA}
    return result


def _managed_fields(obj: Object) -> ManagedFields:
    return (obj.get("metadata") or {}).get("managedFields") or []


def _without_managed_fields(obj: Object) -> Object:
    metadata = {name: value for name, value in obj["metadata"].items() if name != "managedFields"}
    return {**obj, "metadata": metadata}


def _with_managed_fields(obj: Object, managed: ManagedFields) -> Object:
    metadata = {**(obj.get("metadata") or {}), "managedFields": managed}
    if not managed:
        del metadata["managedFields"]
    return {**obj, "metadata": metadata}


def _stamp(now: datetime) -> str:
    return now.isoformat()[:19] + "Z"  # several times faster than strftime, and this is done for every write
