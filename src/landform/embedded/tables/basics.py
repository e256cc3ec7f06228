"""Rows of the core group's own kinds: Namespaces, ConfigMaps, Secrets, Events, volumes and nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.embedded import events
from landform.embedded.catalog import Column
from landform.embedded.tables import ages
from landform.embedded.tables.parts import (
    AGE,
    NONE,
    UNSET,
    Printer,
    age_of,
    at,
    condition_status,
    count_at,
    items_at,
    name_of,
    printer,
    text,
    text_at,
    wide,
)

if TYPE_CHECKING:
    from datetime import datetime

    from landform.cluster.resources import Unstructured

_ACCESS_MODES = {
    "ReadWriteOnce": "RWO",
    "ReadOnlyMany": "ROX",
    "ReadWriteMany": "RWX",
    "ReadWriteOncePod": "RWOP",
}
_OLD_STORAGE_CLASS = "volume.beta.kubernetes.io/storage-class"


def _namespace(obj: Unstructured, now: datetime) -> list[Any]:
    return [text_at(obj, "status", "phase"), age_of(obj, now)]


def _config_map(obj: Unstructured, now: datetime) -> list[Any]:
    return [len(at(obj, "data") or ()) + len(at(obj, "binaryData") or ()), age_of(obj, now)]


def _secret(obj: Unstructured, now: datetime) -> list[Any]:
    return [text_at(obj, "type"), len(at(obj, "data") or ()), age_of(obj, now)]


def _service_account(obj: Unstructured, now: datetime) -> list[Any]:
    return [len(items_at(obj, "secrets")), age_of(obj, now)]


def _event(obj: Unstructured, now: datetime) -> list[Any]:
    event = events.to_core(obj)
    first = ages.since(at(event, "firstTimestamp") or at(event, "eventTime"), now)
    last = ages.since(at(event, "lastTimestamp"), now) if at(event, "lastTimestamp") else first
    count = count_at(event, "count") or 1
    if at(event, "series") is not None:
        last = ages.since(at(event, "series", "lastObservedTime"), now)
        count = count_at(event, "series", "count")
    kind, name = text_at(event, "involvedObject", "kind").lower(), text_at(event, "involvedObject", "name")
    return [
        last,
        text_at(event, "type"),
        text_at(event, "reason"),
        f"{kind}/{name}" if name else kind,
        text_at(event, "involvedObject", "fieldPath"),
        _event_source(event),
        text_at(event, "message").strip(),
        first,
        count,
        name_of(event),
    ]


def _event_source(event: Unstructured) -> str:
    host = text_at(event, "source", "host") or text_at(event, "reportingInstance")
    component = events.source_of(event)
    return f"{component}, {host}" if host else component


def _persistent_volume(obj: Unstructured, now: datetime) -> list[Any]:
    claim = at(obj, "spec", "claimRef")
    return [
        text_at(obj, "spec", "capacity", "storage", absent="0"),
        _access_modes(items_at(obj, "spec", "accessModes")),
        text_at(obj, "spec", "persistentVolumeReclaimPolicy"),
        _phase(obj),
        f"{text_at(claim, 'namespace')}/{text_at(claim, 'name')}" if claim else "",
        _storage_class(obj),
        text_at(obj, "spec", "volumeAttributesClassName", absent=UNSET),
        text_at(obj, "status", "reason"),
        age_of(obj, now),
        text_at(obj, "spec", "volumeMode", absent=UNSET),
    ]


def _persistent_volume_claim(obj: Unstructured, now: datetime) -> list[Any]:
    volume = text_at(obj, "spec", "volumeName")
    return [
        _phase(obj),
        volume,
        text_at(obj, "status", "capacity", "storage", absent="0") if volume else "",
        _access_modes(items_at(obj, "status", "accessModes")) if volume else "",
        _storage_class(obj),
        text_at(obj, "spec", "volumeAttributesClassName", absent=UNSET),
        age_of(obj, now),
        text_at(obj, "spec", "volumeMode", absent=UNSET),
    ]


def _access_modes(modes: list[str]) -> str:
    return ",".join(short for mode, short in _ACCESS_MODES.items() if mode in modes)


def _phase(obj: Unstructured) -> str:
    return "Terminating" if at(obj, "metadata", "deletionTimestamp") else text_at(obj, "status", "phase")


def _storage_class(obj: Unstructured) -> str:
    old = at(obj, "metadata", "annotations", _OLD_STORAGE_CLASS)
    return text_at(obj, "spec", "storageClassName") if old is None else str(old)


def _node(obj: Unstructured, now: datetime) -> list[Any]:
    ready = {"True": "Ready", "": "Unknown"}.get(condition_status(obj, "Ready"), "NotReady")
    system = at(obj, "status", "nodeInfo") or {}
    return [
        ready + (",SchedulingDisabled" if at(obj, "spec", "unschedulable") else ""),
        _node_roles(obj),
        age_of(obj, now),
        text_at(system, "kubeletVersion"),
        _node_address(obj, "InternalIP"),
        _node_address(obj, "ExternalIP"),
        text_at(system, "osImage", absent=ages.UNKNOWN),
        text_at(system, "kernelVersion", absent=ages.UNKNOWN),
        text_at(system, "containerRuntimeVersion", absent=ages.UNKNOWN),
    ]


def _node_roles(obj: Unstructured) -> str:
    labels = at(obj, "metadata", "labels") or {}
    prefix = "node-role.kubernetes.io/"
    roles = {key.removeprefix(prefix) for key in labels if key.startswith(prefix)}
    roles.add(labels.get("kubernetes.io/role", ""))
    return ",".join(sorted(roles - {""})) or NONE


def _node_address(obj: Unstructured, type_: str) -> str:
    found = (text_at(a, "address") for a in items_at(obj, "status", "addresses") if a.get("type") == type_)
    return next(found, NONE)


def _resource_quota(obj: Unstructured, now: datetime) -> list[Any]:
    cells: dict[bool, list[str]] = {False: [], True: []}
    for name, hard in sorted((at(obj, "status", "hard") or {}).items()):
        used = text_at(obj, "status", "used", name, absent="0")
        cells[name.startswith("limits.")].append(f"{name}: {used}/{hard}")
    return [", ".join(cells[False]), ", ".join(cells[True]), age_of(obj, now)]


EVENTS = Printer(
    (
        text("Last Seen"),
        text("Type"),
        text("Reason"),
        text("Object"),
        wide("Subobject"),
        wide("Source"),
        text("Message"),
        wide("First Seen"),
        wide("Count"),
        Column("Name", "string", ".metadata.name", format="name", priority=1),
    ),
    _event,
)

PRINTERS: dict[tuple[str, str], Printer] = {
    ("", "namespaces"): printer((text("Status"), AGE), _namespace),
    ("", "configmaps"): printer((text("Data"), AGE), _config_map),
    ("", "secrets"): printer((text("Type"), text("Data"), AGE), _secret),
    ("", "serviceaccounts"): printer((text("Secrets"), AGE), _service_account),
    ("", "events"): EVENTS,
    ("events.k8s.io", "events"): EVENTS,
    ("", "persistentvolumes"): printer(
        (
            text("Capacity"),
            text("Access Modes"),
            text("Reclaim Policy"),
            text("Status"),
            text("Claim"),
            text("StorageClass"),
            text("VolumeAttributesClass"),
            text("Reason"),
            AGE,
            wide("VolumeMode"),
        ),
        _persistent_volume,
    ),
    ("", "persistentvolumeclaims"): printer(
        (
            text("Status"),
            text("Volume"),
            text("Capacity"),
            text("Access Modes"),
            text("StorageClass"),
            text("VolumeAttributesClass"),
            AGE,
            wide("VolumeMode"),
        ),
        _persistent_volume_claim,
    ),
    ("", "nodes"): printer(
        (
            text("Status"),
            text("Roles"),
            AGE,
            text("Version"),
            wide("Internal-IP"),
            wide("External-IP"),
            wide("OS-Image"),
            wide("Kernel-Version"),
            wide("Container-Runtime"),
        ),
        _node,
    ),
    ("", "resourcequotas"): printer((text("Request"), text("Limit"), AGE), _resource_quota),
}
