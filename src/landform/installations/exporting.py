"""Exports: written into the Installation's scope. What the job before left stays until all of the new is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.api import anyjson, scopes
from landform.api.errors import OperationFailed
from landform.api.names import Label, SourceType
from landform.blueprints.templating.rendering import Exported
from landform.cluster.kinds import DATA_OBJECTS, TARGETS
from landform.installations import imports, relations, writing
from landform.runtime.errors import Retry
from landform.runtime.intents import Delete

if TYPE_CHECKING:
    from collections.abc import Iterable

    from landform.api.structs import Kind
    from landform.blueprints.exports import ExportedTarget, Exports
    from landform.installations.snapshot import Snapshot
    from landform.runtime.intents import Intent


def gather(snapshot: Snapshot) -> Exported:
    """What export executions see: exports of the deploy items, and the inner scope of this job."""
    scope = relations.inner_scope_of(snapshot.installation)
    data = {_label(obj, Label.DATA_KEY): anyjson.value(obj.data) for obj in _current(snapshot, snapshot.data_in(scope))}
    targets: dict[str, Any] = {}
    for target in _current(snapshot, snapshot.targets_in(scope)):
        key, index = _label(target, Label.DATA_KEY), _label(target, Label.DATA_INDEX)
        element = index or _label(target, Label.DATA_TARGET_MAP_KEY)
        # Each element of a list or map is found like sub-installations find it; the bare name has the first of them.
        targets.setdefault(key, writing.plain(target))
        if element:
            targets[scopes.element_name(key, element)] = writing.plain(target)
    return Exported(_of_items(snapshot), data, targets)


def write(snapshot: Snapshot, exports: Exports) -> list[Intent]:
    """Write the exports, then remove what earlier jobs exported and this one does not."""
    scope = relations.scope_of(snapshot.installation)
    intents: list[Intent] = []
    kept: set[tuple[str, str]] = set()
    for data in exports.data:
        name = scopes.object_name(scope, data.ref)
        _check_owner(snapshot, DATA_OBJECTS.kind, snapshot.data_object(name))
        labels = imports.data_labels(snapshot.installation, scope, data.ref, SourceType.EXPORT)
        intents.extend(imports.write_data(snapshot, name, labels, data.value))
        kept.add((DATA_OBJECTS.kind, name))
    for target in exports.targets:
        name = scopes.object_name(scope, target.ref)
        _check_owner(snapshot, TARGETS.kind, snapshot.target(name))
        intents.extend(_write_target(snapshot, scope, name, target))
        kept.add((TARGETS.kind, name))
    return [*intents, *_remove_stale(snapshot, kept)]


def clean_inner_scope(snapshot: Snapshot) -> list[Intent]:
    """Remove from the inner scope what other jobs left in it."""
    scope = relations.inner_scope_of(snapshot.installation)
    stale: list[Intent] = []
    for data in snapshot.data_in(scope):
        if _is_of_other_job(snapshot, data):
            stale.append(Delete(DATA_OBJECTS, data))
    for target in snapshot.targets_in(scope):
        if _is_of_other_job(snapshot, target):
            stale.append(Delete(TARGETS, target))
    return stale


def _write_target(snapshot: Snapshot, scope: str, name: str, target: ExportedTarget) -> list[Intent]:
    template = target.template
    labels = imports.data_labels(snapshot.installation, scope, target.ref, SourceType.EXPORT)
    plain = writing.plain(template)
    spec = {part: plain[part] for part in ("type", "config", "secretRef") if part in plain}
    return imports.write_target(snapshot, name, {**(template.labels or {}), **labels}, template.annotations or {}, spec)


def _of_items(snapshot: Snapshot) -> dict[str, Any]:
    execution = snapshot.own_execution
    reference = execution.status.export_ref if execution is not None else None
    if reference is None:
        return {}
    found = snapshot.data_object(reference.name)
    if found is None:
        raise Retry(f"the exports of the deploy items, DataObject {reference.name}, have not been seen yet")
    exported: dict[str, Any] = anyjson.value(found.data) or {}
    return exported


def _current(snapshot: Snapshot, objects: Iterable[Any]) -> list[Any]:
    return [obj for obj in objects if not _is_of_other_job(snapshot, obj)]


def _is_of_other_job(snapshot: Snapshot, obj: Kind) -> bool:
    """Whether a job of this tree wrote it, but not this one; what people put there themselves stays."""
    job = _label(obj, Label.DATA_JOB_ID)
    return bool(job) and job != snapshot.job


def _check_owner(snapshot: Snapshot, kind: str, existing: Kind | None) -> None:
    """An object of another Installation is not ours to write; one without an owner is adopted."""
    owner = relations.owner_of(existing) if existing is not None else None
    if existing is not None and owner is not None and owner.uid != snapshot.uid:
        message = (
            f"{kind} {existing.metadata.name} is exported by installation {owner.name} already, and installation "
            f"{snapshot.name} exports the same name; give one of the exports another name"
        )
        raise OperationFailed("handlePhaseCompleting", "CreateOrUpdateExports", message)


def _remove_stale(snapshot: Snapshot, kept: set[tuple[str, str]]) -> list[Intent]:
    stale: list[Intent] = []
    for data in snapshot.written_data():
        if _is_stale_export(data, kept):
            stale.append(Delete(DATA_OBJECTS, data))
    for target in snapshot.written_targets():
        if _is_stale_export(target, kept):
            stale.append(Delete(TARGETS, target))
    return stale


def _is_stale_export(obj: Kind, kept: set[tuple[str, str]]) -> bool:
    is_export = _label(obj, Label.DATA_SOURCE_TYPE) == SourceType.EXPORT
    return is_export and (obj.kind, obj.metadata.name or "") not in kept


def _label(obj: Kind, label: Label) -> str:
    return (obj.metadata.labels or {}).get(label, "")
