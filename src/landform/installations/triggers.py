"""Starting the root Installations that import what another one exports.

They are asked to start right before that one ends, and wait until it has ended: so a crash between the two neither
loses a start nor makes a second one. Siblings below a root are in the same job; they wait and are woken by the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.api import jobs, phases
from landform.api.names import Annotation, Operation
from landform.api.phases import Phase
from landform.cluster.kinds import INSTALLATIONS
from landform.installations import relations, writing
from landform.runtime.errors import Retry

if TYPE_CHECKING:
    from landform.api.installations import Installation
    from landform.installations.snapshot import Snapshot
    from landform.runtime.intents import Intent


def dependents(snapshot: Snapshot, phase: Phase) -> list[Intent]:
    """Ask each root that imports from this one to start, whether this one succeeded or not.

    After a job that only renewed they need no more than that either.
    """
    if phases.is_deletion(phase) or not relations.is_root(snapshot.installation):
        return []
    circle = snapshot.circle if snapshot.importers else ()
    wish = Operation.RENEW if jobs.is_renewal(snapshot.job) else Operation.RECONCILE
    return [
        writing.annotate(INSTALLATIONS, sibling, Annotation.OPERATION, wish)
        for sibling in snapshot.importers
        if sibling.metadata.name not in circle and _is_to_be_asked(sibling, wish)
    ]


def _is_to_be_asked(sibling: Installation, wish: Operation) -> bool:
    """Not if it goes anyway, nor if it waits at the beginning of a job: it will look at what this one has done."""
    operation = (sibling.metadata.annotations or {}).get(Annotation.OPERATION)
    if operation in (Operation.RECONCILE, wish) or sibling.metadata.deletion_timestamp is not None:
        return False
    if jobs.is_busy(sibling.status) and sibling.status.phase == Phase.INIT:
        return False
    if operation and operation != Operation.RENEW:
        raise Retry(f"installation {sibling.metadata.name} must be started, but is asked to {operation!r} now")
    return True
