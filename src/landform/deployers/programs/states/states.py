"""The state of an item's program: the content of a folder, kept from one run to the next in Secrets."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from landform.cluster.errors import AlreadyExists, NotFound
from landform.cluster.interface import ListOptions
from landform.cluster.resources import PROGRAM_STATE, SECRETS
from landform.deployers.programs.contract import labels
from landform.deployers.programs.contract.faults import Damaged, ProgramDataError
from landform.deployers.programs.files import archives, gzips
from landform.deployers.programs.states import statechunks, statewriting
from landform.deployers.programs.states.slots import Slots
from landform.deployers.programs.states.statechunks import FIRST, PART, SET, SLOT, Place, SetPlan
from landform.deployers.programs.states.statewriting import scratch
from landform.deployers.programs.tasks import abreast, threads

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path
    from typing import BinaryIO

    from landform.cluster.interface import Cluster
    from landform.cluster.resources import Unstructured
    from landform.deployers.programs.contract.contract import Owner
    from landform.deployers.programs.contract.identities import ItemId
    from landform.deployers.programs.states.statechunks import StateSet

_AT_ONCE: Final = 4


class StateStore:
    """Where the state of one item is kept.

    Invariants, whatever crashes at whatever point:
    - there is always one current state (or none): the one before a save, or the one after it;
    - a state is removed only when a newer one is whole.

    One at a time may save. Two items of the same name in turn do not see each other's state; the state that the
    original Landscaper kept is found by name, because it says no more.

    Where nobody else writes states (`by_name`), the first piece of all states of an item has one name, under which the
    newer takes the place of the older. So a state is found without a search, whose cost would grow with whatever else
    is in the namespace. What was kept before this was so is searched for, and so is what the original kept.
    """

    def __init__(
        self,
        cluster: Cluster,
        namespace: str,
        item: ItemId,
        *,
        identity: str = "",
        owner: Mapping[str, Any] | None = None,
        temporary: Path | None = None,
        by_name: bool = False,
    ) -> None:
        self._cluster = cluster
        self._namespace = namespace
        self._item = item
        self._identity = identity
        self._owner = owner
        """An ownerReference, if the item is in the same namespace."""

        self._temporary = temporary
        """A folder with room for packed states; the system's own if none is given."""

        self._head = labels.object_name(item, "state") if by_name else ""
        """The Secret with the first piece, if it has a name of its own."""

    @property
    def _ours(self) -> dict[str, str]:
        return {labels.ITEM_TOKEN: self._item.token, labels.TYPE: statechunks.TYPE}

    @property
    def _originals(self) -> str:
        return labels.selector(labels.names(self._item) | {labels.TYPE: statechunks.TYPE}, f"!{SET}")

    async def current(self) -> StateSet | None:
        """The state that the next run begins with, None if there is none; Damaged if that cannot be told."""
        return (await self._look()).current

    async def restore(self, folder: Path, *, owner: Owner | None = None, adopts: bool = False) -> StateSet | None:
        """Fill an empty folder with the state; None if there is none.

        `adopts`: the last run was the original's, so what it kept counts.
        """
        found = (await self._look(adopts=adopts)).current
        if found is not None:
            with scratch(self._temporary) as file:
                await self.fetch(found, file)
                await threads.finish(self.unpack, file, found, folder, owner=owner)
        return found

    def unpack(self, file: BinaryIO, found: StateSet, folder: Path, *, owner: Owner | None = None) -> None:
        """Fill an empty folder with a state that was fetched. Blocks."""
        try:
            digest = archives.unpack(file, folder, owner=owner).digest
        except ProgramDataError as error:
            raise self._damage(str(error)) from error
        if found.digest not in ("", digest):
            raise self._damage("it is not what was saved")

    async def save(self, folder: Path, run: str) -> StateSet | None:
        """Keep what is in a folder as the state after a run; the current state then, None if there is none.

        Nothing is written if nothing has changed. A save that was cut short can be repeated.
        """
        before = await self._look()
        known = before.current
        if known is None and await threads.finish(statewriting.is_nothing, folder):
            return None  # most programs have no state, and should not pay for it
        with scratch(self._temporary) as file:
            packed = await threads.finish(statewriting.pack, folder, file)
            if packed.is_same_as(known.digest if known else None):
                await self._clear_leftovers(before, run)
                return known
            id = hashlib.sha256(f"{run}/{packed.fingerprint}".encode()).hexdigest()[:16]
            plan = SetPlan(self._place(id, run, known, self._head), packed.count, packed.digest)

            async def put(number: int, payload: bytes) -> None:
                part = await asyncio.to_thread(plan.part, number, payload)
                await (self._create if number else self._put)(plan.place.name(number), part)

            await statewriting.write(packed, put)
        await self._clear(before, plan.result)
        return plan.result

    async def settle(self) -> StateSet | None:
        """Remove all but the current state: older ones, what a save that was cut short left, empty slots."""
        found = await self._look()
        await self._clear(found, found.current)
        await self._delete_all(labels.selector(self._ours, f"{PART}={SLOT}"))
        return found.current

    async def remove(self) -> None:
        """Remove the state, whole or not, and everything that was prepared for it.

        The first pieces go first: without them the rest is no state, and so none that is damaged.
        """
        firsts = await self._list(labels.selector(self._ours, f"{PART}={FIRST}"))
        await self._delete(map(statechunks.name_of, firsts))
        await self._delete_all(labels.selector(self._ours))
        await self._delete_all(self._originals)

    async def prepare(self, run: str, count: int) -> Slots:
        """Have so many Secrets ready for the state after a run, to be filled by someone who may make none.

        Those that are there already stay as they are.
        """
        known = await self.current()
        slots = Slots(self._place(run, run, known), count, known.digest if known else None)
        slot = {"metadata": {"labels": {SET: slots.place.id, PART: SLOT}}}
        await abreast.each(lambda name: self._create(name, slot), slots.names, most=_AT_ONCE)
        return slots

    def _place(self, id: str, run: str, known: StateSet | None, first: str = "") -> Place:
        prefix = labels.object_name(self._item, "state", id)
        return Place(id, prefix, known.order + 1 if known else 1, run, first)

    async def _look(self, *, adopts: bool = False) -> _Found:
        if self._head and not adopts:
            with contextlib.suppress(NotFound):
                first = await self._cluster.get(SECRETS, self._head, namespace=self._namespace)
                current = self._set_of(first)
                return _Found(current, {self._head: current}, False)
        return await self._search(adopts=adopts)

    async def _search(self, *, adopts: bool) -> _Found:
        firsts = await self._list(labels.selector(self._ours, f"{PART}={FIRST}"))
        originals = await self._list(self._originals)
        sets = {statechunks.name_of(first): self._set_of(first) for first in firsts}
        newest = max(firsts, key=lambda first: sets[statechunks.name_of(first)].order, default=None)
        current = None if newest is None else sets[statechunks.name_of(newest)]
        # Whoever goes back to the original for a while goes on from what it kept last.
        since = "" if newest is None else statechunks.created(newest)
        if any(adopts or statechunks.created(each) > since for each in originals):
            current = await threads.finish(_readable, originals) or current
            if current is None:
                raise self._damage("pieces that the original Landscaper kept are missing")
        return _Found(current, sets, bool(originals))

    def _set_of(self, first: Unstructured) -> StateSet:
        try:
            return statechunks.set_of(first)
        except Damaged as error:
            raise self._damage(str(error)) from error

    async def fetch(self, found: StateSet, file: BinaryIO) -> None:
        """Write a packed state into an empty file, and go back to its beginning."""
        for start in range(0, len(found.names), _AT_ONCE):
            numbers = range(start, min(start + _AT_ONCE, len(found.names)))
            pieces = await abreast.each(lambda number: self._piece(found, number), numbers, most=_AT_ONCE)
            await asyncio.to_thread(file.writelines, pieces)
        file.seek(0)

    async def _piece(self, found: StateSet, number: int) -> bytes:
        name = found.names[number]
        try:
            secret = await self._cluster.get(SECRETS, name, namespace=self._namespace)
            return await asyncio.to_thread(statechunks.payload_of, secret, number)
        except NotFound as error:
            raise self._damage(f"secret {self._namespace}/{name} is missing") from error
        except Damaged as error:
            raise self._damage(str(error)) from error

    def _damage(self, why: str) -> Damaged:
        return Damaged(
            f"the state of deploy item {self._item} cannot be restored: {why}; bring back its secrets with the label"
            f" {labels.TYPE}={statechunks.TYPE} in namespace {self._namespace}, or remove them to begin without state"
        )

    async def _clear_leftovers(self, found: _Found, run: str) -> None:
        """Do what a save that wrote its last piece and then crashed did not come to."""
        current = found.current
        if len(found.sets) > 1 or (found.sets and found.has_originals):
            await self._clear(found, current)
        elif self._head and current is not None and current.run == run:
            await self._clear_pieces(current.id)
            await self._clear(await self._search(adopts=False), current)

    async def _clear(self, found: _Found, keep: StateSet | None) -> None:
        """Remove all sets but the newest, the first piece of each at the end: as long as it is there they are seen."""
        id, names = (keep.id, keep.names) if keep is not None else ("", ())
        if not self._head or any(len(each.names) > 1 for each in (keep, *found.sets.values()) if each is not None):
            await self._clear_pieces(id)
        if found.has_originals and keep is not None and not keep.is_of_original:
            await self._delete_all(self._originals)
        await self._delete(name for name in found.sets if name not in names)

    async def _clear_pieces(self, id: str) -> None:
        """Remove the further pieces of all sets but one."""
        await self._delete_all(labels.selector(self._ours, f"{SET}!={id}", f"{PART}!={FIRST}"))

    async def _put(self, name: str, part: Mapping[str, Any]) -> None:
        """Have a Secret that is the first piece of a set, in place of the one of an older set if both have one name."""
        if name == self._head:
            with contextlib.suppress(NotFound):
                await self._cluster.patch(SECRETS, name, part, namespace=self._namespace)
                return
        await self._create(name, part)

    async def _create(self, name: str, part: Mapping[str, Any]) -> None:
        """Create a Secret; one that is there already under the name has the same content."""
        said = part["metadata"]
        metadata: dict[str, Any] = {
            "name": name,
            "namespace": self._namespace,
            "labels": labels.labels_of(self._item, identity=self._identity, type=statechunks.TYPE) | said["labels"],
            "annotations": labels.annotations_of(self._item) | said.get("annotations", {}),
        }
        if self._owner is not None:
            metadata["ownerReferences"] = [dict(self._owner)]
        secret = {
            "apiVersion": SECRETS.api_version,
            "kind": SECRETS.kind,
            "metadata": metadata,
            "type": PROGRAM_STATE,
            "data": part.get("data", {}),
        }
        with contextlib.suppress(AlreadyExists):
            await self._cluster.create(SECRETS, secret, namespace=self._namespace)

    async def _list(self, selector: str) -> Sequence[Unstructured]:
        options = ListOptions(label_selector=selector)
        return (await self._cluster.list(SECRETS, namespace=self._namespace, options=options)).items

    async def _delete(self, names: Iterable[str]) -> None:
        for name in names:
            with contextlib.suppress(NotFound):
                await self._cluster.delete(SECRETS, name, namespace=self._namespace)

    async def _delete_all(self, selector: str) -> None:
        selection = ListOptions(label_selector=selector)
        await self._cluster.delete_collection(SECRETS, namespace=self._namespace, selection=selection)


@dataclass(frozen=True)
class _Found:
    """What is kept of an item."""

    current: StateSet | None
    sets: Mapping[str, StateSet]
    """All sets of ours that are whole, by the Secret of their first piece."""

    has_originals: bool
    """Whether the original left anything."""


def _readable(secrets: Sequence[Unstructured]) -> StateSet | None:
    """The newest set of the original that can be read to its end: it does not say when its last piece is missing."""
    by_name = {statechunks.name_of(secret): secret for secret in secrets}
    for found in statechunks.originals(secrets):
        stream = gzips.Decompressor(_Joined(by_name[name] for name in found.names))
        try:
            while stream.some(1 << 20):
                pass
        except Damaged:
            continue
        return found
    return None


class _Joined:
    """The content of pieces, one after another, as one stream."""

    def __init__(self, secrets: Iterable[Unstructured]) -> None:
        self._left = enumerate(secrets)

    def read(self, _size: int, /) -> bytes:
        """The next piece as a whole: none is large."""
        number, secret = next(self._left, (0, None))
        return b"" if secret is None else statechunks.payload_of(secret, number)
