"""Namespaces: held by a finalizer of their own, in their spec, until they are empty."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.embedded.schemas import causes
from landform.embedded.strategies.strategy import Object, Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from landform.cluster.errors import Cause

NAME_LABEL = "kubernetes.io/metadata.name"


def _prepare(obj: Object, old: Object | None) -> None:
    """A namespace's name is also a label, so that selectors can name it."""
    metadata = obj["metadata"]
    metadata["labels"] = {**(metadata.get("labels") or {}), NAME_LABEL: metadata.get("name", "")}
    if old is None:
        obj["spec"] = {"finalizers": ["kubernetes"]}
        obj["status"] = {"phase": "Active"}


def _check(obj: Object, old: Object | None) -> Iterator[Cause]:
    """The phase follows the deletion, not the other way round."""
    phase = (obj.get("status") or {}).get("phase")
    if "deletionTimestamp" in obj["metadata"]:
        if phase != "Terminating":
            why = "may only be 'Terminating' if `deletionTimestamp` is not empty"
            yield causes.invalid("status.Phase", phase or "", why)
    elif phase != "Active":
        yield causes.invalid("status.Phase", phase or "", "may only be 'Active' if `deletionTimestamp` is empty")


STRATEGY = Strategy(_prepare, _check)
