"""What items export, put together in the one DataObject that their Installation reads."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from typing import TYPE_CHECKING, Any

import yaml

from landform.api import anyjson, scopes
from landform.api.dataobjects import DataObject
from landform.api.errors import OperationFailed
from landform.api.names import Annotation, Label
from landform.api.references import ObjectReference
from landform.api.structs import ObjectMeta
from landform.cluster.kinds import DATA_OBJECTS
from landform.executions import items, writing
from landform.kit import yamls
from landform.runtime.intents import Create, Patch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.api.executions import Execution
    from landform.cluster.resources import Unstructured
    from landform.executions.snapshot import Snapshot
    from landform.runtime.intents import Intent

KEY = "config"
"""The key of an export Secret that holds the values."""

_COMPLETING = "handlePhaseCompleting"


def value(item: str, secret: Unstructured) -> dict[str, Any] | None:
    """What an item exports, by its Secret; OperationFailed, without any of the content, if it cannot be read."""
    text = (secret.get("data") or {}).get(KEY)
    if text is None:
        return None
    try:
        found = yamls.load(base64.b64decode(text, validate=True).decode())
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark
        place = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        raise unreadable(item, secret["metadata"]["name"], f"it is not YAML{place}") from None
    except (binascii.Error, ValueError, yaml.YAMLError):
        raise unreadable(item, secret["metadata"]["name"], "it is not YAML") from None
    if found is None or isinstance(found, dict):
        return found
    raise unreadable(item, secret["metadata"]["name"], "it is not a map of values")


def unreadable(item: str, secret: str, why: str) -> OperationFailed:
    """The exports of an item cannot be had."""
    message = f"the exports of deploy item {item} cannot be read from key {KEY!r} of Secret {secret}: {why}"
    return OperationFailed(_COMPLETING, "ReadExports", message)


def missing(item: str, secret: str) -> OperationFailed:
    """There is no Secret where an item says its exports are."""
    message = f"deploy item {item} says that its exports are in Secret {secret}, which does not exist"
    return OperationFailed(_COMPLETING, "ExportSecretMissing", f"{message}; run the job again to have it written")


def elsewhere(item: str, namespace: str) -> OperationFailed:
    """An item points to a Secret that is none of its business."""
    message = f"deploy item {item} says that its exports are in namespace {namespace}; they must be in its own"
    return OperationFailed(_COMPLETING, "ReadExports", message)


def reference(execution: Execution) -> ObjectReference:
    """Where the values are."""
    return ObjectReference(name=_name(execution), namespace=execution.metadata.namespace)


def _name(execution: Execution) -> str:
    return scopes.object_name(scopes.execution_scope(execution.metadata.name or ""), "")


def stored(snapshot: Snapshot, values: Mapping[str, Any]) -> Intent:
    """Write the values of all items, by their names in the Execution."""
    wanted = _data_object(snapshot.execution, values)
    if snapshot.export is None:
        return Create(DATA_OBJECTS, wanted)
    change = {
        "metadata": {
            "labels": wanted.metadata.labels,
            "annotations": wanted.metadata.annotations,
            "ownerReferences": writing.plain(wanted.metadata.owner_references),
        },
        **writing.difference({"data": snapshot.export.data}, {"data": wanted.data}),
    }
    return Patch(DATA_OBJECTS, snapshot.export, change)


def _data_object(execution: Execution, values: Mapping[str, Any]) -> DataObject:
    scope = scopes.execution_scope(execution.metadata.name or "")
    text = json.dumps(values, indent=2, sort_keys=True, ensure_ascii=False)
    return DataObject(
        metadata=ObjectMeta(
            name=_name(execution),
            namespace=execution.metadata.namespace,
            labels={Label.DATA_CONTEXT: scope, Label.DATA_SOURCE: scope},
            # Not a secret's protection, only a name for the content.
            annotations={Annotation.HASH: hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()},
            owner_references=(items.owner_of(execution),),
        ),
        data=anyjson.of(values),
    )
