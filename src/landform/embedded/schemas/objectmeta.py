"""The metadata of an object that is embedded in another one, and the checks that Kubernetes makes of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from landform.cluster.errors import Cause
from landform.embedded.schemas import gotexts
from landform.embedded.schemas.nodes import Node, parse
from landform.kit import names

if TYPE_CHECKING:
    from landform.embedded.schemas.rules import Rules

_TEXT = {"type": "string"}
_TEXTS = {"type": "object", "additionalProperties": _TEXT}
_TIME = {"type": "string", "format": "date-time"}
_NUMBER = {"type": "integer"}
_FLAG = {"type": "boolean"}

OBJECT_META: Final[Node] = parse(
    {
        "type": "object",
        "properties": {
            "annotations": _TEXTS,
            "creationTimestamp": _TIME,
            "deletionGracePeriodSeconds": _NUMBER,
            "deletionTimestamp": _TIME,
            "finalizers": {"type": "array", "items": _TEXT},
            "generateName": _TEXT,
            "generation": _NUMBER,
            "labels": _TEXTS,
            "managedFields": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "apiVersion": _TEXT,
                        "fieldsType": _TEXT,
                        "fieldsV1": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                        "manager": _TEXT,
                        "operation": _TEXT,
                        "subresource": _TEXT,
                        "time": _TIME,
                    },
                },
            },
            "name": _TEXT,
            "namespace": _TEXT,
            "ownerReferences": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "apiVersion": _TEXT,
                        "blockOwnerDeletion": _FLAG,
                        "controller": _FLAG,
                        "kind": _TEXT,
                        "name": _TEXT,
                        "uid": _TEXT,
                    },
                },
            },
            "resourceVersion": _TEXT,
            "selfLink": _TEXT,
            "uid": _TEXT,
        },
    }
)
"""What metadata may hold, in any object."""

META_FIELDS: Final = ("apiVersion", "kind", "metadata")
"""The fields that every object has, whether its schema names them or not."""

_GROUP_VERSION = re.compile(r"[^/]*(/[^/]*)?\Z")


def faults(rules: Rules, value: Any, path: str = "") -> list[Cause]:
    """All that is wrong with the type and the metadata of embedded resources."""
    causes: list[Cause] = []
    if isinstance(value, dict):
        if rules.embedded_resource:
            causes += resource_faults(value, path)
        for name, inner in value.items():
            if name in rules.properties:
                causes += faults(rules.properties[name], inner, f"{path}.{name}" if path else name)
            elif rules.additional is not None:
                causes += faults(rules.additional, inner, f"{path}[{name}]")
    elif isinstance(value, list) and rules.items is not None:
        for index, item in enumerate(value):
            causes += faults(rules.items, item, f"{path}[{index}]")
    return causes


def resource_faults(resource: dict[str, Any], path: str) -> list[Cause]:
    """What is wrong with one embedded resource, apart from its schema."""
    causes = [
        Cause("FieldValueRequired", "Required value", f"{path}.{name}")
        for name in ("apiVersion", "kind")
        if name not in resource
    ]
    for name, value in resource.items():
        if name == "apiVersion":
            causes += _word_faults(value, f"{path}.apiVersion", _api_version_fault)
        elif name == "kind":
            causes += _word_faults(value, f"{path}.kind", _kind_fault)
        elif name == "metadata":
            causes += _metadata_faults(value, f"{path}.metadata")
    return causes


def _word_faults(value: Any, path: str, fault_of: Any) -> list[Cause]:
    why = "must be a string" if not isinstance(value, str) else fault_of(value) if value else "must not be empty"
    return [_invalid(path, value, why)] if why else []


def _api_version_fault(text: str) -> str:
    return "" if _GROUP_VERSION.match(text) else f"unexpected GroupVersion string: {text}"


def _kind_fault(text: str) -> str:
    problems = names.dns_1035_label(text.lower())
    return f"may have mixed case, but should otherwise match: {','.join(problems)}" if problems else ""


def _metadata_faults(metadata: Any, path: str) -> list[Cause]:
    if not isinstance(metadata, dict):
        return [_invalid(path, metadata, "must be an object")]
    causes = []
    for field, check in (("generateName", names.path_prefix), ("name", names.path_segment), ("namespace", names.label)):
        text = metadata.get(field) or ""
        if not isinstance(text, str):
            causes.append(_invalid(f"{path}.{field}", text, "must be a string"))
        elif text:
            causes += [_invalid(f"{path}.{field}", text, why) for why in check(text)]
    causes += _map_faults(metadata.get("labels"), f"{path}.labels", labels=True)
    causes += _map_faults(metadata.get("annotations"), f"{path}.annotations", labels=False)
    return causes


def _map_faults(texts: Any, path: str, *, labels: bool) -> list[Cause]:
    if texts is None:
        return []
    if not isinstance(texts, dict) or not all(isinstance(value, str) for value in texts.values()):
        return [_invalid(path, texts, "must be an object whose values are strings")]
    causes = []
    for key, value in texts.items():
        causes += [_invalid(path, key, why) for why in names.qualified(key if labels else key.lower())]
        if labels:
            causes += [_invalid(path, value, why) for why in names.label_value(value)]
    return causes


def _invalid(path: str, value: Any, why: str) -> Cause:
    return Cause("FieldValueInvalid", f"Invalid value: {gotexts.bad_value(value)}: {why}", path)
