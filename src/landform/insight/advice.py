"""Advice: what a person can do about the last step of a chain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from landform.api import phases
from landform.api.deployitems import DeployItem
from landform.api.names import Annotation, Operation
from landform.api.waiting import WaitReason
from landform.insight import landscapes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.api.installations import Installation
    from landform.insight.landscapes import Landscape, Worker

NO_CONTROLLER: Final = (
    "Is a controller running? `landform up` has one inside; on Kubernetes it is `landform controller`."
)
OPERATIONS: Final = (Operation.RECONCILE, Operation.RENEW, Operation.INTERRUPT)
"""What an Installation can be asked to do."""

MISSPELT: Final = f"Set the annotation {Annotation.OPERATION} to one of {', '.join(OPERATIONS)}, or take it off."
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
    WaitReason.FINALIZER: "Whoever set the finalizer has to take it off.",
    WaitReason.RETRY: (
        "It is tried again by itself; to end that, mend the cause or use `landform interrupt {root} -n {namespace}`."
    ),
}

_OF_WAITS_IN_DELETION: Final[Mapping[str, str]] = {
    WaitReason.NO_DEPLOYER: "Start a deployer of that type",
    WaitReason.TARGET: "Create or mend the Target; then it goes on by itself",
    WaitReason.UNINSTALL: "Look at what is left in its own cluster",
    WaitReason.RETRY: "It is tried again by itself",
}
"""The same for an item that is being deleted; each time there is another way out."""

_WAY_OUT: Final = "; to give up what is installed, use `landform delete {root} -n {namespace} --without-uninstall`."


def of_wait(reason: str, landscape: Landscape, obj: Worker) -> str:
    """What can be done about a wait."""
    key = landscapes.key_of(obj)
    root = landscapes.root_of(landscape, obj)
    names = {"name": key.name, "namespace": key.namespace, "root": root.metadata.name if root else "NAME"}
    if obj.metadata.deletion_timestamp is not None and reason in _OF_WAITS_IN_DELETION:
        return (_OF_WAITS_IN_DELETION[reason] + _WAY_OUT).format(**names)
    return _OF_WAITS.get(reason, "").format(**names)


def of_failure(landscape: Landscape, obj: Worker) -> str:
    """What can be done about a failed object."""
    root = landscapes.root_of(landscape, obj)
    if root is not None and phases.is_deletion(obj.status.phase):
        again = f"landform delete {root.metadata.name} -n {root.metadata.namespace}"
        return f"Mend the cause, then try again with `{again}`; to give up what is installed, add --without-uninstall."
    if root is not None:
        return f"Mend the cause, then start again with {_reconcile(root)}."
    if isinstance(obj, DeployItem):
        return f"Mend the cause, then start again with {_test_reconcile(obj)}."
    return "Mend the cause, then start it again."


def of_late_data(landscape: Landscape, obj: Worker) -> str:
    """What can be done about values that no job has published."""
    root = landscapes.root_of(landscape, obj)
    if root is None:
        return "A new job of the root Installation publishes them."
    return f"Publish them with {_reconcile(root)}, unless a job begins by itself in a moment."


def start(installation: Installation) -> str:
    """How a root is started."""
    return f"Start it with {_reconcile(installation)}."


def start_item(item: DeployItem) -> str:
    """How an item is started that belongs to nobody."""
    return f"Start it with {_test_reconcile(item)}."


def of_deletion(root: Installation) -> str:
    """What can be done about a part that somebody deletes."""
    return f"Have it deleted, and made anew if the blueprint still has it, with {_reconcile(root)}."


def of_job_before_deletion(obj: Worker) -> str:
    """What can be done about a job that a deletion waits for."""
    key = landscapes.key_of(obj)
    return f"To delete it at once, end its job with `landform interrupt {key.name} -n {key.namespace}`."


def _test_reconcile(item: DeployItem) -> str:
    key = landscapes.key_of(item)
    operation = f"{Annotation.OPERATION}={Operation.TEST_RECONCILE}"
    return f"`kubectl annotate deployitem {key.name} -n {key.namespace} {operation}`"


def _reconcile(root: Installation) -> str:
    key = landscapes.key_of(root)
    return f"`landform reconcile {key.name} -n {key.namespace}`"
