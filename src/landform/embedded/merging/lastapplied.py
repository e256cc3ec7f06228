"""The annotation of client-side ``kubectl apply``, and how an object moves from it to server-side apply."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from landform.embedded.merging import checking, comparing, elements, fieldsets

if TYPE_CHECKING:
    from landform.embedded.merging.fieldsets import FieldSet
    from landform.embedded.merging.scopes import Scope

ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration"
KUBECTL = "kubectl"
"""The only manager that moves over: others say by their name that they want to be apart."""

MAX_ANNOTATIONS = 256 * 1024
"""Bytes that all annotations of an object may have together."""


def annotation_of(obj: dict[str, Any]) -> str:
    """The last configuration that client-side apply left on the object; empty if none."""
    annotations = (obj.get("metadata") or {}).get("annotations") or {}
    text = annotations.get(ANNOTATION)
    return text if isinstance(text, str) else ""


def fields_kept(scope: Scope, live: dict[str, Any]) -> FieldSet:
    """The fields that client-side apply set and nobody changed since: taking them over is no conflict."""
    try:
        last = json.loads(annotation_of(live))
    except (ValueError, RecursionError):
        return {}
    if not isinstance(last, dict) or last.get("apiVersion") != scope.api_version:
        return {}
    if checking.faults(last, scope.root) or checking.faults(live, scope.root):
        return {}
    changes = comparing.compare(last, live, scope.root)
    changed = fieldsets.union(changes.written, changes.removed)
    return fieldsets.difference(fieldsets.from_object(last, scope.root), changed)


def with_annotation(obj: dict[str, Any], applied: dict[str, Any]) -> dict[str, Any]:
    """The object with its annotation brought up to what was applied, so that client-side apply can go on from it."""
    annotations = {**obj["metadata"]["annotations"], ANNOTATION: _configuration(applied)}
    if sum(len(key.encode()) + len(value.encode()) for key, value in annotations.items()) > MAX_ANNOTATIONS:
        del annotations[ANNOTATION]
    return {**obj, "metadata": {**obj["metadata"], "annotations": annotations}}


def _configuration(applied: dict[str, Any]) -> str:
    """The applied configuration as the annotation holds it: sorted, compact, without itself, with a line end."""
    metadata = dict(applied.get("metadata") or {})
    if isinstance(metadata.get("annotations"), dict):
        metadata["annotations"] = {k: v for k, v in metadata["annotations"].items() if k != ANNOTATION}
    elif "annotations" in metadata:
        del metadata["annotations"]
    return elements.compact(_sorted({**applied, "metadata": metadata})) + "\n"


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value
