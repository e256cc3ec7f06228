"""What must be true of the whole engine, whatever goes wrong: plain functions over the history of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.simulation.scenarios.core import objects
from tests.simulation.scenarios.core.objects import (
    WORKING,
    has_succeeded,
    is_busy,
    is_deleted,
    is_in_a_pass,
    job_of,
    phase_of,
    status_of,
    template_of,
)

from landform.api import jobs
from landform.api.names import Annotation
from landform.api.phases import FINAL
from landform.cluster.codec import key_of
from landform.cluster.kinds import DATA_OBJECTS, DEPLOY_ITEMS, EXECUTIONS, INSTALLATIONS, TARGETS
from landform.cluster.resources import SECRETS
from landform.testing.simulation import differences, invariants
from landform.testing.simulation.history import PEOPLE, USER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from landform.cluster.resources import ObjectKey, Resource, Unstructured
    from landform.testing.simulation.history import History, Write
    from landform.testing.simulation.scenarios import Invariant

_BEGUN = frozenset({"CleanupOrphaned", "ObjectsCreated", "Progressing", "Completing"})
"""Phases of an Installation that has begun with its work in a job and has not finished it."""


# After each write.


def no_item_runs_before_its_predecessors(history: History) -> Iterator[str]:
    """A deploy item gets a job when all that it depends on have succeeded in it, and never before."""
    write = history.writes[-1]
    if not write.is_of(DEPLOY_ITEMS) or not write.after or job_of(write.before) == job_of(write.after):
        return
    if not is_busy(write.after):
        return  # it was interrupted before it was started
    job, after = job_of(write.after), write.after
    others = {template_of(item): item for item in _beside(history, after)}
    if is_deleted(after):
        for other in others.values():
            if template_of(after) in _dependencies(other) and is_deleted(other):
                yield f"{write.key} is uninstalled though {template_of(other)} still depends on it"
        return
    for name in _dependencies(after):
        if not has_succeeded(others.get(name), job):
            yield f"{write.key} is started though {name} has not succeeded in job {job}"


def no_installation_begins_before_its_predecessors(history: History) -> Iterator[str]:
    """An Installation begins when all siblings it imports from have succeeded: in the same job, or, for roots, at some
    moment since it was started and last."""
    write = history.writes[-1]
    after = write.after
    if not write.is_of(INSTALLATIONS) or not after or not _has_begun(after):
        return
    if _has_begun(write.before) and job_of(write.before) == job_of(after):
        return
    for exporter in objects.exporters(history, after):
        if is_deleted(exporter):
            continue
        if objects.owner_of(after):
            has_come = has_succeeded(exporter, job_of(after))
        else:
            has_come = any(not is_busy(each) for each in _states(history, exporter, _started(history, write)))
        if not has_come:
            yield f"{write.key} begins with job {job_of(after)} though {key_of(exporter)} has not finished before"


def nothing_is_uninstalled_before_its_importers(history: History) -> Iterator[str]:
    """An Installation has its children deleted when no sibling imports from it; unless that is to be ignored."""
    write = history.writes[-1]
    if not write.is_of(INSTALLATIONS) or not write.after or phase_of(write.after) != "Deleting":
        return
    ignored = objects.annotation(write.after, Annotation.DELETE_IGNORE_SUCCESSORS) == "true"
    if phase_of(write.before) == "Deleting" or ignored:
        return
    for importer in objects.importers(history, write.after):
        yield f"{write.key} is uninstalled though {key_of(importer)} imports from it"


def final_phase_and_finished_job_are_one_write(history: History) -> Iterator[str]:
    """A job ends in one write: its final phase and the finished job id come together."""
    write = history.writes[-1]
    if not write.is_of(*WORKING) or not write.after or not write.before:
        return
    ends = status_of(write.before).get("jobIDFinished") != status_of(write.after).get("jobIDFinished")
    if ends and phase_of(write.after) not in FINAL:
        yield f"{write.resource} {write.key} finished its job in phase {phase_of(write.after)}"
    if not ends and phase_of(write.after) in FINAL and phase_of(write.before) != phase_of(write.after):
        yield f"{write.resource} {write.key} reached phase {phase_of(write.after)} before its job was finished"


def equal_ids_mean_a_final_phase(history: History) -> Iterator[str]:
    """Whose job is finished is in a final phase."""
    write = history.writes[-1]
    if not write.is_of(*WORKING) or not write.after or not status_of(write.after).get("jobID"):
        return
    if not is_busy(write.after) and phase_of(write.after) not in FINAL:
        yield f"{write.resource} {write.key} has no job, but phase {phase_of(write.after) or 'none'}"


def finished_jobs_stay_finished(history: History) -> Iterator[str]:
    """A job that was finished is not begun again by anybody."""
    write = history.writes[-1]
    if not write.is_of(*WORKING) or not write.after or not write.before:
        return
    new = status_of(write.after).get("jobID")
    if new == status_of(write.before).get("jobID") or not new:
        return
    for other in reversed(history.writes[:-1]):
        if other.key != write.key or other.resource != write.resource:
            continue
        if other.after is None or other.before is None:
            return  # what was there under this name before is of no interest
        if status_of(other.after).get("jobIDFinished") == new:
            yield f"{write.resource} {write.key} gets job {new} again, which it had finished"
            return


def deployers_leave_finished_items_alone(history: History) -> Iterator[str]:
    """A deployer writes neither status nor exports of an item whose job is finished; it may begin a pass."""
    write = history.writes[-1]
    if write.actor in PEOPLE or not write.after:
        return
    if write.is_of(DEPLOY_ITEMS) and write.before and not is_busy(write.before) and not is_busy(write.after):
        mine = {**status_of(write.after), "conditions": None}
        if mine != {**status_of(write.before), "conditions": None} and not _gets_a_job(write):
            yield f"{write.actor} changed the status of {write.key}, whose job is finished"
    if write.is_of(SECRETS):
        owner = objects.owner_of(write.after)
        for item in history.objects(DEPLOY_ITEMS, write.key.namespace):
            if objects.uid_of(item) == owner and not is_busy(item):
                yield f"{write.actor} wrote exports of {key_of(item)}, whose job is finished"


def success_is_true(history: History) -> Iterator[str]:
    """Who succeeds has children that all succeeded in the same job, and exports what they exported."""
    write = history.writes[-1]
    if not write.is_of(INSTALLATIONS, EXECUTIONS) or not write.after or phase_of(write.after) != "Succeeded":
        return
    if status_of(write.before).get("jobIDFinished") == status_of(write.after).get("jobIDFinished"):
        return
    job, execution = job_of(write.after), write.after
    if write.is_of(INSTALLATIONS):
        found = objects.execution(history, write.after)
        below = objects.children(history, write.after)
        yield from _exports_differ(history, write.after, found)
    else:
        found, below = None, objects.items(history, execution)
    for child in (*below, *([found] if found is not None else ())):
        if not has_succeeded(child, job):
            yield f"{write.resource} {write.key} succeeded in job {job}, but {child['kind']} {key_of(child)} did not"


def nobody_writes_what_another_replica_owns(group: str) -> Invariant:
    """A process that does not own a root changes nothing of its tree that the owner has written.

    It may ask a root to start, as people do.
    """

    def owner(history: History, key: ObjectKey) -> str:
        write = history.writes[-1]
        obj = write.after or write.before
        return invariants.shard_owner(group)(history, objects.root_of(history, obj) if obj else key)

    checks = [invariants.one_owner_per_key(resource, owner) for resource in WORKING]

    def nobody_writes_what_another_replica_owns(history: History) -> Iterator[str]:
        if _only_asks(history.writes[-1]):
            return
        for check in checks:
            yield from (str(finding) for finding in check(history) or ())

    return nobody_writes_what_another_replica_owns


def only_these_fail(reasons: frozenset[str]) -> Invariant:
    """No job fails because something went wrong on the way; only for these reasons, which people gave."""

    def only_these_fail(history: History) -> Iterator[str]:
        write = history.writes[-1]
        if not write.is_of(*WORKING) or not write.after or phase_of(write.after) not in ("Failed", "DeleteFailed"):
            return
        error = status_of(write.after).get("lastError") or {}
        if phase_of(write.before) != phase_of(write.after) and error.get("reason") not in reasons:
            yield f"{write.resource} {write.key} failed: {error.get('reason')}: {error.get('message')}"

    return only_these_fail


def never_changes(name: str) -> Invariant:
    """What is exported under a name stays as it was first."""

    def never_changes(history: History) -> Iterator[str]:
        write = history.writes[-1]
        if not write.is_of(DATA_OBJECTS) or write.key.name != name or not write.before or not write.after:
            return
        if write.before["data"] != write.after["data"]:
            yield f"{write.key} changed from {write.before['data']} to {write.after['data']}"

    return never_changes


ALWAYS: tuple[Invariant, ...] = (
    no_item_runs_before_its_predecessors,
    no_installation_begins_before_its_predecessors,
    nothing_is_uninstalled_before_its_importers,
    final_phase_and_finished_job_are_one_write,
    equal_ids_mean_a_final_phase,
    finished_jobs_stay_finished,
    deployers_leave_finished_items_alone,
    success_is_true,
    invariants.no_lost_updates(*WORKING, DATA_OBJECTS, SECRETS),
    *(invariants.no_duplicate_children(resource, objects.purpose_of) for resource in WORKING),
)


# In the end.


def every_job_ends(history: History) -> Iterator[str]:
    """Nobody has a job, a request or a deletion that is not done with; scheduled passes aside."""
    for resource in WORKING:
        for obj in history.objects(resource):
            if not objects.is_idle(obj) and not is_in_a_pass(obj):
                said = {name: status_of(obj).get(name) for name in ("phase", "jobID", "jobIDFinished", "lastError")}
                waiting = [each.get("message") for each in status_of(obj).get("conditions") or ()]
                yield f"{resource} {key_of(obj)} is not done: {objects.operation_of(obj)} {said} {waiting}"


def exports_are_those_of_the_last_success(history: History) -> Iterator[str]:
    """Each export is what it was when its Installation last succeeded, whatever came after."""
    for installation in history.objects(INSTALLATIONS):
        success = _last_success(history, installation)
        if success is None:
            continue
        for name in objects.exports_of(success.after or {}):
            key = objects.export_key(history, installation, name)
            past = [each for each in history.writes_of(DATA_OBJECTS, key) if each.number < success.number]
            then = past[-1].after["data"] if past and past[-1].after else None
            now = objects.exported(history, installation, name)
            if then != now:
                yield f"{key_of(installation)} exports {now} as {name}, but last succeeded with {then}"


def nothing_is_left_behind(history: History) -> Iterator[str]:
    """Whatever the processes made belongs to something that exists, up to a root."""
    existing = {
        objects.uid_of(obj) for resource in (*WORKING, TARGETS, DATA_OBJECTS) for obj in history.objects(resource)
    }
    for resource in (*WORKING, DATA_OBJECTS, TARGETS, SECRETS):
        for obj in history.objects(resource):
            owners = objects.owners_of(obj)
            if owners and not existing.intersection(owners):
                yield f"{resource} {key_of(obj)} was left behind by its owner"
            if not owners and not _made_by_people(history, resource, obj):
                yield f"{resource} {key_of(obj)} belongs to nobody"


def passes_go_on(every: float) -> Invariant:
    """Scheduled passes happen, and not more often than they should."""

    def passes_go_on(history: History) -> Iterator[str]:
        since = history.converged_at
        if since is None:
            return
        late = [write for write in history.writes_of(DEPLOY_ITEMS) if write.at > since and _begins_a_pass(write)]
        passed = history.now - since
        if not passed / every - 3 <= len(late) <= passed / every + 1:
            yield f"{len(late)} passes began in {passed:.0f} s, not one every {every:.0f} s"

    return passes_go_on


def jobs_go_on(name: str, every: float) -> Invariant:
    """A root Installation starts by itself again and again, and not more often than it should."""

    def jobs_go_on(history: History) -> Iterator[str]:
        since = history.converged_at
        if since is None:
            return
        late = [write for write in _job_starts(history, name) if write.at > since]
        passed = history.now - since
        if not passed / every - 2 <= len(late) <= passed / every + 1:
            yield f"{len(late)} jobs began in {passed:.0f} s, not one every {every:.0f} s"

    return jobs_go_on


def jobs_were_tried(name: str, number: int) -> Invariant:
    """A root Installation has had so many jobs in all, or more: a request may be followed twice if one crashes."""

    def jobs_were_tried(history: History) -> Iterator[str]:
        found = len(_job_starts(history, name))
        if found < number:
            yield f"{name} had {found} jobs, not {number}"

    return jobs_were_tried


EVENTUALLY: tuple[Invariant, ...] = (
    every_job_ends,
    exports_are_those_of_the_last_success,
    nothing_is_left_behind,
    invariants.processes_survive,
)


def _beside(history: History, item: Unstructured) -> list[Unstructured]:
    owner = objects.owner_of(item)
    found = history.objects(DEPLOY_ITEMS, key_of(item).namespace)
    return [each for each in found if objects.owner_of(each) == owner]


def _has_begun(installation: Unstructured | None) -> bool:
    """Whether it has begun with the work of its job; one that needs nothing has also finished at once."""
    phase = phase_of(installation)
    return phase in _BEGUN or (phase == "Succeeded" and not is_busy(installation))


def _dependencies(item: Unstructured) -> list[str]:
    return [name for name in objects.annotation(item, Annotation.DEPENDS_ON).split(",") if name]


def _started(history: History, write: Write) -> int:
    """The number of the write that gave an object its job."""
    first = write.number
    for other in history.writes_of(INSTALLATIONS, write.key):
        if other.after and status_of(other.after).get("jobID") == status_of(write.after).get("jobID"):
            first = min(first, other.number)
    return first


def _states(history: History, obj: Unstructured, since: int) -> list[Unstructured | None]:
    """How an Installation was at a write and ever since."""
    found: list[Unstructured | None] = [obj]
    for write in reversed(list(history.writes_of(INSTALLATIONS, key_of(obj)))):
        if write.number < since:
            break
        found.append(write.before)
    return found


def _gets_a_job(write: Write) -> bool:
    return status_of(write.before).get("jobID") != status_of(write.after).get("jobID")


def _only_asks(write: Write) -> bool:
    """Whether all that the write does is to ask an Installation for something."""
    paths = differences.changes(write.before, write.after)
    return bool(paths) and all(path[-1] == Annotation.OPERATION for path in paths)


def _begins_a_pass(write: Write) -> bool:
    return _gets_a_job(write) and jobs.is_pass(status_of(write.after).get("jobID"))


def _job_starts(history: History, name: str) -> list[Write]:
    return [write for write in history.writes_of(INSTALLATIONS) if write.key.name == name and _gets_a_job(write)]


def _exports_differ(history: History, installation: Unstructured, execution: Unstructured | None) -> Iterator[str]:
    main = next((item for item in objects.items(history, execution) if template_of(item) == "main"), None)
    produced = objects.item_export(history, main) if main is not None else None
    if not produced or jobs.is_pass(status_of(main).get("jobID")):
        return
    for name in objects.exports_of(installation):
        if objects.children(history, installation):
            return  # it exports what the last of them does
        found = objects.exported(history, installation, name)
        if found != produced["value"]:
            yield f"{key_of(installation)} succeeded with the export {found}, but its item made {produced['value']}"


def _last_success(history: History, installation: Unstructured) -> Write | None:
    found = None
    for write in history.writes_of(INSTALLATIONS, key_of(installation)):
        if write.after and objects.uid_of(write.after) == objects.uid_of(installation):
            ends = status_of(write.before).get("jobIDFinished") != status_of(write.after).get("jobIDFinished")
            found = write if ends and phase_of(write.after) == "Succeeded" else found
    return found


def _made_by_people(history: History, resource: Resource[Any], obj: Unstructured) -> bool:
    first = next((write for write in history.writes_of(resource, key_of(obj)) if write.before is None), None)
    return first is None or first.actor == USER
