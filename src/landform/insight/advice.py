"""Advice: what a person can do about the last step of a chain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from landform.api.deployitems import DeployItem
from landform.api.installations import Installation
from landform.api.waiting import WaitReason
from landform.insight import landscapes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.insight.landscapes import Landscape, Worker

NO_CONTROLLER: Final = (
    "Is a controller running? `landform up` has one inside; on Kubernetes it is `landform controller`."
)
WORKING: Final = "It is not stuck: look again in a moment, or watch it with `landform tree --watch`."

_OF_WAITS: Final[Mapping[str, str]] = {
    WaitReason.MISSING_IMPORT: "Create what is missing, or let another Installation export it.",
    WaitReason.PREDECESSOR: "It goes on by itself when the other has succeeded.",
    WaitReason.IMPORTER: (
        "Delete the importer first, or go ahead with `landform delete {name} -n {namespace} --ignore-successors`."
    ),
    WaitReason.NO_DEPLOYER: "Start a deployer of that type, or mend the type of the item if it is misspelt.",
    WaitReason.TARGET: "Create or mend the Target; then it goes on by itself.",
    WaitReason.READINESS: "Look at that object in its own cluster; the item fails when its timeout is over.",
    WaitReason.PROGRAM: "Look at the output of the program; the item fails when its timeout is over.",
    WaitReason.UNINSTALL: (
        "To give up what is installed there, delete the root with `landform delete NAME --without-uninstall`."
    ),
    WaitReason.FINALIZER: "Whoever set the finalizer has to take it off.",
    WaitReason.RETRY: "It is tried again by itself; to end that, use `landform interrupt` on the root Installation.",
}


def of_wait(reason: str, obj: Worker) -> str:
    """What can be done about a wait."""
    key = landscapes.key_of(obj)
    return _OF_WAITS.get(reason, "").format(name=key.name, namespace=key.namespace)


def of_failure(landscape: Landscape, obj: Worker) -> str:
    """What can be done about a failed object."""
    root = _root(landscape, obj)
    if root is None:
        return "Mend the cause, then start it again."
    return f"Mend the cause, then start again with {_reconcile(root)}."


def of_late_data(landscape: Landscape, obj: Worker) -> str:
    """What can be done about values that no job has published."""
    root = _root(landscape, obj)
    if root is None:
        return "A new job of the root Installation publishes them."
    return f"Publish them with {_reconcile(root)}, unless a job begins by itself in a moment."


def start(installation: Installation) -> str:
    """How a root is started."""
    return f"Start it with {_reconcile(installation)}."


def _reconcile(root: Installation) -> str:
    key = landscapes.key_of(root)
    return f"`landform reconcile {key.name} -n {key.namespace}`"


def _root(landscape: Landscape, obj: Worker) -> Installation | None:
    """The Installation at the top of the tree that an object belongs to."""
    key = landscapes.key_of(obj)
    found: Installation | None = None
    if isinstance(obj, Installation):
        found = obj
    elif name := landscapes.execution_of(obj) if isinstance(obj, DeployItem) else key.name:
        found = landscape.installation(key._replace(name=name))
    while found is not None and (parent := landscape.parent(found)) is not None:
        found = parent
    return found
