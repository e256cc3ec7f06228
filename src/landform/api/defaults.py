"""Defaults that an object gets when it is stored, over plain JSON data."""

from __future__ import annotations

from typing import Any

from landform.api import catalog, names

_WITH_CONTEXT = frozenset({"Installation", "Execution", "DeployItem"})


def apply_defaults(obj: Any) -> None:
    """Fill in, in place, what the object leaves out. Objects that are not ours, or malformed, stay as they are."""
    if not isinstance(obj, dict) or not _is_ours(obj):
        return
    spec, status = obj.get("spec"), obj.get("status")
    if obj["kind"] in _WITH_CONTEXT and isinstance(spec, dict) and spec.get("context") in (None, ""):
        spec["context"] = names.DEFAULT_CONTEXT
    if obj["kind"] == "DeployItem" and isinstance(status, dict):
        status.pop("deployItemPhase", None)


def _is_ours(obj: dict[str, Any]) -> bool:
    api_version, kind = obj.get("apiVersion"), obj.get("kind")
    return isinstance(api_version, str) and isinstance(kind, str) and catalog.find(api_version, kind) is not None
