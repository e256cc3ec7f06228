"""Invariants that most controllers share. Each function here makes one, for `Scenario.always` or `.eventually`."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, TypeAlias

from landform.cluster import codec, selectors
from landform.cluster.resources import EVENTS, LEASES, ObjectKey
from landform.runtime import shards
from landform.runtime.leases import GROUP_LABEL
from landform.testing.simulation.clusters import TOUCHED
from landform.testing.simulation.differences import changes
from landform.testing.simulation.history import HOME, NEIGHBOUR, PEOPLE, Note

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from landform.cluster.resources import Resource, Unstructured
    from landform.testing.simulation.history import History, Write
    from landform.testing.simulation.scenarios import Invariant

Owner: TypeAlias = "Callable[[History, ObjectKey], str]"
"""Which process may write an object now; empty if that is not known."""

_SETTLING_SECONDS = 10.0


# For `eventually`.


def everything_converges(
    resource: Resource[Any], done: Callable[[Unstructured], bool], *, at_least: int = 1
) -> Invariant:
    """In the end, each object of the resource is done, and there are at least so many."""

    def everything_converges(history: History) -> Iterator[str]:
        objects = history.objects(resource)
        for obj in objects:
            if not done(obj):
                yield f"{resource} {codec.key_of(obj)} is not done: {_state(obj)}"
        if len(objects) < at_least:
            yield f"there are {len(objects)} {resource}, not {at_least}"

    return everything_converges


def nothing_left_behind(
    resource: Resource[Any], selector: str = "", *, unless: Callable[[History, Unstructured], bool] | None = None
) -> Invariant:
    """In the end, there are no such objects, unless each has a reason to be there."""
    labels = selectors.parse_labels(selector)

    def nothing_left_behind(history: History) -> Iterator[str]:
        for obj in history.objects(resource):
            if labels.matches(codec.metadata(obj).labels) and not (unless is not None and unless(history, obj)):
                yield f"{resource} {codec.key_of(obj)} was left behind"

    return nothing_left_behind


def no_writes_after_convergence(*ignored: Resource[Any]) -> Invariant:
    """Once everything is as it should be, and some seconds later, processes write nothing; leases and Events aside."""
    quiet = {str(resource) for resource in (LEASES, EVENTS, *ignored)}

    def no_writes_after_convergence(history: History) -> Iterator[str]:
        if history.converged_at is None:
            return
        since = history.converged_at + _SETTLING_SECONDS
        late: defaultdict[str, int] = defaultdict(int)
        for write in reversed(history.writes):
            if write.at < since:
                break
            if write.actor not in PEOPLE and write.resource not in quiet:
                late[f"{write.actor} still writes {write.resource} {write.key}"] += 1
        for text, count in sorted(late.items()):
            yield f"{text}, {count} times in {history.now - since:.0f} s"

    return no_writes_after_convergence


# For `always`.


def no_lost_updates(*resources: Resource[Any]) -> Invariant:
    """No process changes a field that somebody else changed since it last saw the object.

    Nor does it drop the annotation by which the neighbour touches objects, as who writes an old body under a new
    version does.
    """

    def no_lost_updates(history: History) -> Iterator[str]:
        write = history.writes[-1]
        if write.actor in PEOPLE or not write.is_of(*resources) or not write.before or not write.after:
            return
        if _touch(write.before) != _touch(write.after):
            yield f"{write.actor} dropped an annotation of {write.resource} {write.key} that is not its own"
        if _is_conditional(write):
            return
        mine = changes(write.before, write.after)
        for other in _unseen(history, write):
            if lost := changes(other.before, other.after).keys() & mine.keys():
                fields = ", ".join(sorted(".".join(path) for path in lost))
                yield (
                    f"{write.actor} overwrote {fields} of {write.resource} {write.key}, which {other.actor} had"
                    f" changed in version {other.version}; {write.actor} had seen version {write.request.seen}"
                )

    return no_lost_updates


def no_unseen_deletions(*resources: Resource[Any]) -> Invariant:
    """No process deletes an object that it has never seen, only one of the same name before."""

    def no_unseen_deletions(history: History) -> Iterator[str]:
        write = history.writes[-1]
        if write.actor in PEOPLE or write.request.verb != "delete" or not write.is_of(*resources):
            return
        created = _created(history, write)
        if created is not None and write.request.seen < created.version:
            yield (
                f"{write.actor} deleted {write.resource} {write.key}, which was created anew in version"
                f" {created.version}; {write.actor} had seen version {write.request.seen}"
            )

    return no_unseen_deletions


def no_duplicate_children(
    resource: Resource[Any], identity: Callable[[Unstructured], Hashable | None], selector: str = ""
) -> Invariant:
    """At no moment are there two objects for the same purpose; `identity` tells the purpose, None if there is none."""
    labels = selectors.parse_labels(selector)

    def no_duplicate_children(history: History) -> Iterator[str]:
        write = history.writes[-1]
        if not write.is_of(resource) or write.before is not None:
            return
        seen: dict[Hashable, ObjectKey] = {}
        for obj in history.objects(resource):
            purpose = identity(obj) if labels.matches(codec.metadata(obj).labels) else None
            if purpose is None:
                continue
            if purpose in seen:
                yield f"{resource} {seen[purpose]} and {codec.key_of(obj)} are both for {purpose}"
            seen[purpose] = codec.key_of(obj)

    return no_duplicate_children


def claims_are_true(
    resource: Resource[Any], claims: Callable[[Unstructured], bool], truth: Callable[[History, Unstructured], bool]
) -> Invariant:
    """Whenever a process writes an object that claims something, such as a phase, that is the truth at that moment."""

    def claims_are_true(history: History) -> Iterator[str]:
        write = history.writes[-1]
        if write.actor in PEOPLE or not write.is_of(resource) or write.after is None or not claims(write.after):
            return
        if not truth(history, write.after):
            yield f"{write.actor} made {resource} {write.key} claim what is not true: {_state(write.after)}"

    return claims_are_true


def never_goes_back(resource: Resource[Any], *path: str) -> Invariant:
    """A number in the objects never gets smaller: ``never_goes_back(ITEMS, "status", "observedGeneration")``."""

    def never_goes_back(history: History) -> Iterator[str]:
        write = history.writes[-1]
        if not write.is_of(resource) or write.before is None or write.after is None:
            return
        old, new = _value(write.before, path), _value(write.after, path)
        if old is not None and new is not None and new < old:
            yield f"{write.actor} set {'.'.join(path)} of {resource} {write.key} back from {old} to {new}"

    return never_goes_back


def one_owner_per_key(resource: Resource[Any], owner: Owner) -> Invariant:
    """Nobody changes what the present owner of an object wrote; see `lease_holder` and `shard_owner`."""

    def one_owner_per_key(history: History) -> Iterator[str]:
        write = history.writes[-1]
        if write.actor in PEOPLE or not write.is_of(resource):
            return
        owning = owner(history, write.key)
        former = _former(history, write)
        if owning and owning != write.actor and former is not None and former.actor == owning:
            yield (
                f"{write.actor} changed {resource} {write.key}, whose owner {owning} had written it in version"
                f" {former.version}"
            )

    return one_owner_per_key


def lease_holder(namespace: str, name: str) -> Owner:
    """For `one_owner_per_key`: the owner of all objects is who holds this Lease, under the name of its process."""

    def holder(history: History, key: ObjectKey) -> str:
        lease = history.get(LEASES, ObjectKey(namespace, name))
        return _holder(lease) if lease is not None else ""

    return holder


def shard_owner(group: str, *, root: Callable[[ObjectKey], ObjectKey] = lambda key: key) -> Owner:
    """For `one_owner_per_key`: `landform.runtime.shards` divides the objects among replicas of this group."""

    def owner(history: History, key: ObjectKey) -> str:
        leases = [lease for lease in history.objects(LEASES) if codec.metadata(lease).labels.get(GROUP_LABEL) == group]
        holders = {codec.key_of(lease).name: _holder(lease) for lease in leases}
        return holders[shards.first(holders, root(key))] if holders else ""

    return owner


def processes_survive(history: History) -> Iterator[str]:
    """No process ends by itself, whatever the cluster answers."""
    for entry in reversed(history.entries):
        if isinstance(entry, Note) and entry.text.startswith("ends by itself"):
            yield f"{entry.actor} {entry.text}"


def _is_conditional(write: Write) -> bool:
    """Whether the write was sure to meet the version it was decided on."""
    before = codec.metadata(write.before).resource_version
    return bool(write.request.condition) and write.request.condition == before


def _unseen(history: History, write: Write) -> Iterator[Write]:
    """What others wrote to the object and the writer had not seen."""
    for other in reversed(history.writes):
        if other.version <= write.request.seen:
            return
        same = other.resource == write.resource and other.key == write.key
        if same and other is not write and other.actor not in (write.actor, HOME) and other.before is not None:
            yield other


def _created(history: History, write: Write) -> Write | None:
    """The write that made the object."""
    for other in reversed(history.writes):
        if other.resource == write.resource and other.key == write.key and other.before is None:
            return other
    return None


def _touch(obj: Unstructured) -> Any:
    return _value(obj, ("metadata", "annotations", TOUCHED))


def _former(history: History, write: Write) -> Write | None:
    """The write to the same object before; those of the neighbour, who touches everything, aside."""
    for other in reversed(history.writes):
        same = other.resource == write.resource and other.key == write.key
        if same and other is not write and other.actor != NEIGHBOUR:
            return other
    return None


def _holder(lease: Unstructured) -> str:
    return str((lease.get("spec") or {}).get("holderIdentity") or "")


def _value(obj: Any, path: tuple[str, ...]) -> Any:
    for step in path:
        obj = obj.get(step) if isinstance(obj, dict) else None
    return obj


def _state(obj: Unstructured) -> Any:
    """What is worth telling of an object: all but who it is."""
    return {name: part for name, part in obj.items() if name not in ("apiVersion", "kind", "metadata")}
