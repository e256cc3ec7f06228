"""What is to be done with an item that no run works on; pure."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

from landform.api import jobs
from landform.api.names import TRUE, Annotation, Finalizer, Label, Operation
from landform.api.phases import Phase
from landform.cluster.kinds import EXECUTIONS
from landform.deployers.library.records import is_deleting

if TYPE_CHECKING:
    from landform.api.deployitems import DeployItem


class Step(enum.Enum):
    """One thing to do."""

    NOTHING = enum.auto()
    CLAIM_TEST = enum.auto()
    """Give the item a job of its own, because a test asks for it."""
    CLAIM_PASS = enum.auto()
    """Begin a scheduled pass."""
    CLAIM_DELETION = enum.auto()
    """Give the item a job of its own, because it is to go and belongs to nobody who would give it one."""
    SKIP = enum.auto()
    """Finish the job without the deployer: nothing has changed."""
    LET_GO = enum.auto()
    """Let the item go without the deployer."""
    PREPARE = enum.auto()
    """Change the metadata before the work begins."""
    WORK = enum.auto()


def decide(item: DeployItem, *, is_due: bool) -> Step:
    """The next step; `is_due` says that a hook wants a pass though there is no job."""
    deleting, busy = is_deleting(item), jobs.is_busy(item.status)
    if deleting and not has_finalizer(item):
        return Step.NOTHING  # it was uninstalled, or never installed; others hold it
    if not busy and deleting:
        return _unasked_deletion(item)
    if not busy:
        if operation(item) == Operation.TEST_RECONCILE:
            return Step.CLAIM_TEST
        return Step.CLAIM_PASS if is_due else Step.NOTHING
    if deleting and is_kept_installed(item):
        return Step.LET_GO
    if not deleting and is_unchanged(item):
        return Step.SKIP
    return Step.PREPARE if preparation(item) else Step.WORK


def _unasked_deletion(item: DeployItem) -> Step:
    """The next step for an item that is to go without a job for that."""
    if is_controlled(item):
        return Step.NOTHING  # its Execution gives it a job in its turn
    if is_kept_installed(item):
        return Step.LET_GO
    # What has failed is not tried for ever; whoever has mended the cause asks for another try.
    has_failed = item.status.phase == Phase.DELETE_FAILED and operation(item) != Operation.TEST_RECONCILE
    return Step.NOTHING if has_failed else Step.CLAIM_DELETION


def preparation(item: DeployItem) -> dict[str, Any]:
    """What the metadata need before a deployer works: the finalizer, and no annotation that was obeyed."""
    change: dict[str, Any] = {}
    if not has_finalizer(item):
        change["finalizers"] = [*(item.metadata.finalizers or ()), str(Finalizer.LANDSCAPER)]
    if operation(item) == Operation.TEST_RECONCILE:
        change["annotations"] = {str(Annotation.OPERATION): None}
    return change


def release(item: DeployItem) -> dict[str, Any]:
    """The metadata without our finalizer."""
    return {"finalizers": [each for each in item.metadata.finalizers or () if each != Finalizer.LANDSCAPER] or None}


def is_controlled(item: DeployItem) -> bool:
    """Whether an Execution says what is done with the item, and when."""
    said = item.metadata
    owners = said.owner_references or ()
    return Label.MANAGED_BY in (said.labels or {}) or any(owner.kind == EXECUTIONS.kind for owner in owners)


def is_unchanged(item: DeployItem) -> bool:
    """Whether the item need not be deployed again because only changes matter and there is none."""
    status = item.status
    return (
        bool(item.spec.update_on_change_only)
        and status.phase == Phase.SUCCEEDED
        and item.metadata.generation == status.observed_generation
    )


def is_kept_installed(item: DeployItem) -> bool:
    """Whether the item goes and what it deployed stays."""
    return (item.metadata.annotations or {}).get(Annotation.DELETE_WITHOUT_UNINSTALL) == TRUE


def has_finalizer(item: DeployItem) -> bool:
    """Whether the item waits for its deployer before it goes."""
    return Finalizer.LANDSCAPER in (item.metadata.finalizers or ())


def operation(item: DeployItem) -> str:
    """What the item's annotation asks for."""
    return (item.metadata.annotations or {}).get(Annotation.OPERATION, "")
