"""What an Installation imports: read from the objects of its scope, and written into its inner one."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import yaml

from landform.api import anyjson, scopes
from landform.api.names import Annotation, Label, SourceType
from landform.blueprints import elements, hashes
from landform.blueprints.definitions import FlowType
from landform.blueprints.hashes import Fingerprints
from landform.blueprints.values import TARGETS as TARGET_TYPES
from landform.blueprints.values import ImportValue
from landform.cluster.kinds import DATA_OBJECTS
from landform.cluster.kinds import TARGETS as TARGET_OBJECTS
from landform.cluster.resources import CONFIG_MAPS, SECRETS
from landform.installations import relations, writing
from landform.kit import yamls

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from landform.api.installations import DataImport, Installation, TargetImport
    from landform.api.references import LocalConfigMapReference, LocalSecretReference
    from landform.api.targets import Target
    from landform.blueprints.values import ScopeEntry
    from landform.cluster.resources import Resource, Unstructured
    from landform.installations.snapshot import Snapshot
    from landform.runtime.intents import Intent


@dataclass(frozen=True)
class Missing:
    """An object, or an entry of one, that an import names and that is not there."""

    message: str
    resource: Resource[Any]
    name: str
    seen: Any = None
    """The object, if it is there and only the entry is not."""


@dataclass
class Reading:
    """What the import objects say."""

    given: dict[str, ImportValue] = field(default_factory=dict)
    """The value of each import, by its name."""

    missing: list[Missing] = field(default_factory=list)
    objects: list[tuple[Resource[Any], Any]] = field(default_factory=list)
    """The DataObjects and Targets that were read."""

    data: dict[str, str] = field(default_factory=dict)
    """Fingerprints of data, by name of the import."""

    targets: dict[FlowType, dict[str, dict[str, str]]] = field(default_factory=dict)
    """Fingerprints of Targets by type of the import, its name, and their position or key."""

    @property
    def hash(self) -> str:
        """Changes when any imported value does, be it only the Secret behind a Target."""
        single, lists, maps = (
            self.targets.get(type, {}) for type in (FlowType.TARGET, FlowType.TARGET_LIST, FlowType.TARGET_MAP)
        )
        fingerprints = Fingerprints(
            data=self.data,
            targets={name: "".join(elements.values()) for name, elements in single.items()},
            target_lists={name: list(elements.values()) for name, elements in lists.items()},
            target_maps=maps,
        )
        return hashes.imports_hash(fingerprints)


def read(snapshot: Snapshot) -> Reading:
    """Read all imports of an Installation."""
    reading = Reading()
    imports = snapshot.installation.spec.imports
    for data in imports.data or ():
        _read_data(snapshot, data, reading)
    for target in imports.targets or ():
        _read_targets(snapshot, target, reading)
    return reading


def _read_data(snapshot: Snapshot, imported: DataImport, reading: Reading) -> None:
    if imported.data_ref:
        _read_data_object(snapshot, imported, imported.data_ref, reading)
    elif imported.secret_ref is not None:
        secret = snapshot.secret(imported.secret_ref.name)
        entries = {key: base64.b64decode(text or "") for key, text in (secret or {}).get("data", {}).items()}
        _read_entries(SECRETS, secret, imported.name, imported.secret_ref, entries, reading)
    elif imported.config_map_ref is not None:
        config_map = snapshot.config_map(imported.config_map_ref.name)
        _read_entries(
            CONFIG_MAPS, config_map, imported.name, imported.config_map_ref, _config_entries(config_map or {}), reading
        )


def _read_data_object(snapshot: Snapshot, imported: DataImport, reference: str, reading: Reading) -> None:
    name = scopes.object_name(relations.scope_of(snapshot.installation), reference)
    found = snapshot.data_object(name)
    title = _title(DATA_OBJECTS, name, reference)
    if found is None:
        message = f'import "{imported.name}": there is no {title}'
        reading.missing.append(Missing(message, DATA_OBJECTS, name))
        return
    reading.objects.append((DATA_OBJECTS, found))
    annotation = (found.metadata.annotations or {}).get(Annotation.HASH)
    fingerprint = hashes.of_data(bytes(found.data), annotation)
    _note_data(reading, imported.name, anyjson.value(found.data), title, fingerprint)


def _config_entries(config_map: Unstructured) -> dict[str, bytes]:
    binary = config_map.get("binaryData")
    if binary is not None:
        return {key: base64.b64decode(text or "") for key, text in binary.items()}
    return {key: text.encode() for key, text in (config_map.get("data") or {}).items()}


def _read_entries(
    resource: Resource[Any],
    obj: Unstructured | None,
    name: str,
    reference: LocalSecretReference | LocalConfigMapReference,
    entries: Mapping[str, bytes],
    reading: Reading,
) -> None:
    title = f"{resource.kind} {reference.name}"
    if obj is None:
        message = f'import "{name}": there is no {title}'
        reading.missing.append(Missing(message, resource, reference.name))
    elif not reference.key:
        values = {key: _parsed(content) for key, content in entries.items()}
        content = json.dumps(sorted(entries.items()), default=bytes.hex).encode()
        _note_data(reading, name, values, title, hashes.of_data(content))
    elif reference.key in entries:
        content = entries[reference.key]
        _note_data(reading, name, _parsed(content), f"{title}, key {reference.key}", hashes.of_data(content))
    else:
        message = f'import "{name}": {title} has no key {reference.key!r}'
        reading.missing.append(Missing(message, resource, reference.name, obj))


def _note_data(reading: Reading, name: str, value: Any, source: str, fingerprint: str) -> None:
    reading.given[name] = ImportValue(FlowType.DATA, value, source)
    reading.data[name] = fingerprint


def _parsed(content: bytes) -> Any:
    """An entry as YAML; what is no YAML stays a text."""
    text = content.decode("utf-8", "replace")
    try:
        return yamls.load(text)
    except (yaml.YAMLError, ValueError):
        return text


def _read_targets(snapshot: Snapshot, imported: TargetImport, reading: Reading) -> None:
    if imported.target:
        found = _targets(snapshot, imported.name, {"": imported.target}, reading)
        _note_targets(snapshot, reading, imported.name, FlowType.TARGET, found)
    elif imported.targets is not None:
        names = {str(index): name for index, name in enumerate(imported.targets)}
        found = _targets(snapshot, imported.name, names, reading)
        _note_targets(snapshot, reading, imported.name, FlowType.TARGET_LIST, found)
    elif imported.target_map is not None:
        found = _targets(snapshot, imported.name, imported.target_map, reading)
        _note_targets(snapshot, reading, imported.name, FlowType.TARGET_MAP, found)
    elif imported.target_list_ref:
        listed = elements.listed(_elements(snapshot, imported.target_list_ref))
        found = {str(index): target for index, target in enumerate(listed)}
        _note_targets(snapshot, reading, imported.name, FlowType.TARGET_LIST, found)
    elif imported.target_map_ref:
        found = elements.mapped(_elements(snapshot, imported.target_map_ref))
        _note_targets(snapshot, reading, imported.name, FlowType.TARGET_MAP, found)


def _targets(snapshot: Snapshot, name: str, wanted: Mapping[str, str], reading: Reading) -> dict[str, Target]:
    """Named Targets of the scope, by position or key."""
    scope, found = relations.scope_of(snapshot.installation), {}
    for place, reference in wanted.items():
        object_name = scopes.object_name(scope, reference)
        target = snapshot.target(object_name)
        if target is None:
            message = f'import "{name}": there is no {_title(TARGET_OBJECTS, object_name, reference)}'
            reading.missing.append(Missing(message, TARGET_OBJECTS, object_name))
        else:
            found[place] = target
    return found


def _elements(snapshot: Snapshot, reference: str) -> list[Target]:
    """The Targets of a list or map that the parent imports in this job."""
    wanted = {Label.DATA_KEY: reference, Label.DATA_SOURCE_TYPE: SourceType.IMPORT, Label.DATA_JOB_ID: snapshot.job}
    return [
        target
        for target in snapshot.targets_in(relations.scope_of(snapshot.installation))
        if all((target.metadata.labels or {}).get(key) == value for key, value in wanted.items())
    ]


def _note_targets(snapshot: Snapshot, reading: Reading, name: str, type: FlowType, found: Mapping[str, Target]) -> None:
    plain = {place: writing.plain(target) for place, target in found.items()}
    value: Any = plain
    if type == FlowType.TARGET_LIST:
        value = list(plain.values())
    elif type == FlowType.TARGET:
        value = plain.get("")
    names = ", ".join(target.metadata.name or "" for target in found.values())
    if value is not None:
        reading.given[name] = ImportValue(type, value, f"Target {names}" if names else "")
    reading.objects.extend((TARGET_OBJECTS, target) for target in found.values())
    fingerprints = {place: _fingerprint(snapshot, target) for place, target in found.items()}
    reading.targets.setdefault(type, {})[name] = fingerprints


def _fingerprint(snapshot: Snapshot, target: Target) -> str:
    """Of what the Target says, and of what the Secret says that it refers to."""
    reference = target.spec.secret_ref
    secret = snapshot.secret(reference.name) if reference is not None else None
    content = json.dumps((secret or {}).get("data") or {}, sort_keys=True)
    return hashes.of_target(target.metadata.generation, hashes.of_data(content.encode()) if secret else None)


def _title(resource: Resource[Any], object_name: str, reference: str) -> str:
    """An object as people know it: by what they called it, and by its name if that is another."""
    written = reference.removeprefix(scopes.LITERAL_PREFIX)
    return f"{resource.kind} {written}" + (f" (object {object_name})" if object_name != written else "")


def write_scope(snapshot: Snapshot, entries: Iterable[ScopeEntry]) -> list[Intent]:
    """Write the imports into the inner scope, where the children find them."""
    intents: list[Intent] = []
    for entry in entries:
        intents.extend(_write_entry(snapshot, entry))
    return intents


def _write_entry(snapshot: Snapshot, entry: ScopeEntry) -> list[Intent]:
    scope = relations.inner_scope_of(snapshot.installation)
    name = scopes.object_name(scope, entry.name)
    labels = {
        **data_labels(snapshot.installation, scope, entry.definition.name, SourceType.IMPORT),
        str(Label.DATA_INDEX): str(entry.index) if entry.index is not None else None,
        str(Label.DATA_TARGET_MAP_KEY): entry.key,
    }
    if entry.definition.type not in TARGET_TYPES:
        return write_data(snapshot, name, labels, entry.value)
    metadata = entry.value.get("metadata") or {}
    is_single = entry.index is None and entry.key is None
    copied = {part: metadata.get(part) or {} for part in ("labels", "annotations")} if is_single else {}
    return write_target(
        snapshot, name, {**copied.get("labels", {}), **labels}, copied.get("annotations", {}), entry.value["spec"]
    )


def data_labels(installation: Installation, scope: str, key: str, type: SourceType) -> dict[str, str | None]:
    """The labels of an object that the Installation writes into a scope."""
    return {
        str(Label.DATA_CONTEXT): scope or None,
        str(Label.DATA_SOURCE): relations.inner_scope_of(installation),
        str(Label.DATA_SOURCE_TYPE): str(type),
        str(Label.DATA_KEY): key,
        str(Label.DATA_JOB_ID): installation.status.job_id,
    }


def write_data(snapshot: Snapshot, name: str, labels: Mapping[str, str | None], value: Any) -> list[Intent]:
    """Make a DataObject be so."""
    annotations = {str(Annotation.HASH): content_hash(value)}
    metadata = _metadata(snapshot, name, labels, annotations)
    return writing.ensure(DATA_OBJECTS, snapshot.data_object(name), {"metadata": metadata, "data": value})


def write_target(
    snapshot: Snapshot,
    name: str,
    labels: Mapping[str, str | None],
    annotations: Mapping[str, str],
    spec: Mapping[str, Any],
) -> list[Intent]:
    """Make a Target be so."""
    annotations = {**annotations, str(Annotation.HASH): content_hash(spec)}
    metadata = _metadata(snapshot, name, labels, annotations)
    return writing.ensure(TARGET_OBJECTS, snapshot.target(name), {"metadata": metadata, "spec": dict(spec)})


def content_hash(value: Any) -> str:
    """The content of the hash annotation: sha1 of the value as JSON that is indented by two and has its keys sorted."""
    text = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False)
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


def _metadata(
    snapshot: Snapshot, name: str, labels: Mapping[str, str | None], annotations: Mapping[str, str]
) -> Unstructured:
    return {
        "name": name,
        "namespace": snapshot.namespace,
        "labels": dict(labels),
        "annotations": dict(annotations),
        "ownerReferences": [writing.owner_reference(snapshot.installation)],
    }
