"""What is special about single kinds: how a Secret, a Namespace or one of Landform's kinds is prepared and checked.

A strategy is two pure functions over plain JSON data. Kinds that are not named here follow their schema alone.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from landform.api import defaults, validation
from landform.api.structs import GROUP
from landform.cluster.errors import Cause
from landform.embedded import definitions, faults
from landform.embedded.catalog import GroupResource, ResourceType
from landform.embedded.schemas import structural

if TYPE_CHECKING:
    from collections.abc import Callable

Object = dict[str, Any]


def _nothing_to_prepare(obj: Object, old: Object | None) -> None:
    """Most kinds are stored as they come."""


def _nothing_to_check(obj: Object, old: Object | None) -> list[Cause]:
    """Most kinds are checked by their schema alone."""
    return []


@dataclass(frozen=True)
class Strategy:
    """How one kind differs from all others."""

    prepare: Callable[[Object, Object | None], None] = _nothing_to_prepare
    """Complete or normalise the object before it is checked; `old` is what it replaces."""

    check: Callable[[Object, Object | None], list[Cause]] = _nothing_to_check
    """Rules beyond the schema."""


PLAIN = Strategy()

_IMMUTABLE = "field is immutable when `immutable` is set"


def _prepare_secret(obj: Object, old: Object | None) -> None:
    """``stringData`` is write-only: it ends up in ``data``, base64 encoded. The type is Opaque unless given."""
    texts = obj.pop("stringData", None)
    if isinstance(texts, dict):
        data = obj.get("data") or {}
        obj["data"] = data
        for key, text in texts.items():
            data[key] = base64.b64encode(str(text).encode()).decode()
    obj.setdefault("type", old["type"] if old else "Opaque")


def _check_secret(obj: Object, old: Object | None) -> list[Cause]:
    causes = _check_bytes(obj, "data")
    if old is not None and obj.get("type") != old.get("type"):
        causes.append(faults.bad_value("type", obj.get("type"), "field is immutable"))
    return causes + _check_immutable(obj, old, ("data",))


def _check_config_map(obj: Object, old: Object | None) -> list[Cause]:
    twice = set(obj.get("data") or {}) & set(obj.get("binaryData") or {})
    causes = [faults.bad_value("data", key, f"duplicate of key present in binaryData: {key}") for key in sorted(twice)]
    return causes + _check_bytes(obj, "binaryData") + _check_immutable(obj, old, ("data", "binaryData"))


def _check_bytes(obj: Object, field: str) -> list[Cause]:
    """Values must be base64."""
    causes = []
    for key, value in (obj.get(field) or {}).items():
        try:
            base64.b64decode(value or "", validate=True)
        except (binascii.Error, ValueError):
            causes.append(faults.bad_value(f"{field}[{key}]", "...", "must be base64 encoded"))
    return causes


def _check_immutable(obj: Object, old: Object | None, fields: tuple[str, ...]) -> list[Cause]:
    """An object marked immutable keeps its data, and the mark."""
    if old is None or not old.get("immutable"):
        return []
    causes = [
        faults.not_allowed(field, _IMMUTABLE) for field in fields if (obj.get(field) or {}) != (old.get(field) or {})
    ]
    if not obj.get("immutable"):
        causes.insert(0, faults.not_allowed("immutable", _IMMUTABLE))
    return causes


def _prepare_namespace(obj: Object, old: Object | None) -> None:
    """A namespace is held by its own finalizer, in its spec, until it is empty; its name is also a label."""
    metadata = obj["metadata"]
    metadata["labels"] = {**(metadata.get("labels") or {}), "kubernetes.io/metadata.name": metadata.get("name", "")}
    if old is None:
        obj["spec"] = {"finalizers": ["kubernetes"]}
        obj["status"] = {"phase": "Active"}


def _prepare_definition(obj: Object, old: Object | None) -> None:
    """Names that may be left out; the status follows at once, written by the keeper of definitions."""
    obj["spec"] = definitions.defaulted(obj)["spec"]


def _check_definition(obj: Object, old: Object | None) -> list[Cause]:
    causes = structural.check_definition(obj)
    if old is not None and old["spec"].get("scope") != obj.get("spec", {}).get("scope"):
        causes.append(faults.bad_value("spec.scope", obj["spec"].get("scope"), "field is immutable"))
    return causes


def _check_landform(obj: Object, old: Object | None) -> list[Cause]:
    return [Cause(fault.reason, fault.message, fault.field) for fault in validation.validate(obj, old)]


def _prepare_landform(obj: Object, old: Object | None) -> None:
    defaults.apply_defaults(obj)


_LANDFORM = Strategy(_prepare_landform, _check_landform)

_BY_RESOURCE: dict[GroupResource, Strategy] = {
    GroupResource("", "secrets"): Strategy(_prepare_secret, _check_secret),
    GroupResource("", "configmaps"): Strategy(check=_check_config_map),
    GroupResource("", "namespaces"): Strategy(_prepare_namespace),
    GroupResource("apiextensions.k8s.io", "customresourcedefinitions"): Strategy(
        _prepare_definition, _check_definition
    ),
}


def strategy_of(type_: ResourceType) -> Strategy:
    """What is special about this kind."""
    if type_.group == GROUP:
        return _LANDFORM
    return _BY_RESOURCE.get(type_.group_resource, PLAIN)
