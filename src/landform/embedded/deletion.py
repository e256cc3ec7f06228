"""What deleting an object means: at once, or held by finalizers, and what becomes of those it owns. Pure."""

from __future__ import annotations

from typing import Any

from landform.cluster.interface import Propagation
from landform.embedded.catalog import GroupResource

Object = dict[str, Any]

ORPHAN = "orphan"
FOREGROUND = "foregroundDeletion"
CLEANUP = "customresourcecleanup.apiextensions.k8s.io"
"""Holds a CustomResourceDefinition until the last of its objects is gone."""

DEFINITIONS = GroupResource("apiextensions.k8s.io", "customresourcedefinitions")
NAMESPACES = GroupResource("", "namespaces")


_KEPT_NAMESPACES = ("default", "kube-system", "kube-public")


def is_kept(resource: GroupResource, name: str) -> bool:
    """Whether an object can never be deleted: the namespaces that every cluster has."""
    return resource == NAMESPACES and name in _KEPT_NAMESPACES


def begin(resource: GroupResource, obj: Object, propagation: Propagation | None, now: str) -> None:
    """Mark the object, in place, as one that is going."""
    metadata = obj["metadata"]
    finalizers = _finalizers(metadata.get("finalizers") or [], propagation)
    if resource == DEFINITIONS and CLEANUP not in finalizers:
        finalizers.append(CLEANUP)
    if finalizers:
        metadata["finalizers"] = finalizers
    else:
        metadata.pop("finalizers", None)
    if "deletionTimestamp" not in metadata:
        metadata["deletionTimestamp"] = now
        metadata["deletionGracePeriodSeconds"] = 0
        if "generation" in metadata:
            metadata["generation"] += 1
    if resource == NAMESPACES:
        obj["status"] = {**(obj.get("status") or {}), "phase": "Terminating"}


def is_held(resource: GroupResource, obj: Object) -> bool:
    """Whether something must still happen before a deleted object may go."""
    if obj["metadata"].get("finalizers"):
        return True
    return resource == NAMESPACES and bool((obj.get("spec") or {}).get("finalizers"))


def _finalizers(found: list[str], propagation: Propagation | None) -> list[str]:
    """The finalizers that a choice of propagation leads to; without a choice they stay as they are."""
    if propagation is None:
        return list(found)
    kept = [finalizer for finalizer in found if finalizer not in (ORPHAN, FOREGROUND)]
    if propagation is Propagation.ORPHAN:
        return [*kept, ORPHAN]
    if propagation is Propagation.FOREGROUND:
        return [*kept, FOREGROUND]
    return kept
