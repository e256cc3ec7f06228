"""Namespaces: held by a finalizer of their own, in their spec, until they are empty."""

from __future__ import annotations

from landform.embedded.strategies.strategy import Object, Strategy

NAME_LABEL = "kubernetes.io/metadata.name"


def _prepare(obj: Object, old: Object | None) -> None:
    """A namespace's name is also a label, so that selectors can name it."""
    metadata = obj["metadata"]
    metadata["labels"] = {**(metadata.get("labels") or {}), NAME_LABEL: metadata.get("name", "")}
    if old is None:
        obj["spec"] = {"finalizers": ["kubernetes"]}
        obj["status"] = {"phase": "Active"}


STRATEGY = Strategy(_prepare)
