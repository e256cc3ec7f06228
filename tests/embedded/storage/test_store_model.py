"""The store against a model: whatever is written, removed and lost, readers and writers see what they should."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import Any, NamedTuple

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from tests.embedded.storage.journals import LedJournal

from landform.cluster.errors import Storage
from landform.cluster.interface import EventType
from landform.embedded.catalog import GroupResource
from landform.embedded.history import Event, History
from landform.embedded.journal import Row
from landform.embedded.objects import Stored, StoreKey
from landform.embedded.store import Store

THINGS = GroupResource("test", "things")
PARTS = GroupResource("", "parts")
KEYS = [
    StoreKey(resource, namespace, name)
    for resource in (THINGS, PARTS)
    for namespace in ("a", "b")
    for name in ("x", "y", "z")
]
UIDS = [f"owner-{number}" for number in range(3)]

keys = st.sampled_from(KEYS)
owner_lists = st.lists(st.sampled_from(UIDS), max_size=3)

State = dict[StoreKey, bytes]


class Written(NamedTuple):
    """One change that the model knows of."""

    stored: Stored
    removed: bool
    future: asyncio.Future[None]


class StoreMachine(RuleBasedStateMachine):
    """Writes, removals, commits and failed commits in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.journal = LedJournal()
        self.told: list[Event] = []
        self.committed: State = {}
        self.pending: list[Written] = []
        self.past: dict[int, State] = {0: {}}
        self.events: list[tuple[EventType, StoreKey, int]] = []
        self.highest = 0
        self.uids = 0
        self.store = self.run(self._open())

    async def _open(self) -> Store:
        store = Store(self.journal, history=History(0, most_events=12))
        store.history.listen(self.told.append)
        return store

    def run(self, coroutine: Any) -> Any:
        return self.loop.run_until_complete(coroutine)

    def teardown(self) -> None:
        self.journal.settle(self.journal.waiting)
        self.turn()
        self.store.close()
        self.loop.close()

    def turn(self) -> None:
        """Let the event loop hear the journal's news."""
        self.run(asyncio.sleep(0))
        self.run(asyncio.sleep(0))

    def head(self) -> State:
        """What the next write finds."""
        state = dict(self.committed)
        for written in self.pending:
            _apply(state, written)
        return state

    @rule(key=keys, owners=owner_lists, size=st.integers(0, 50))
    def write(self, key: StoreKey, owners: list[str], size: int) -> None:
        before = self.store.head(key)
        self.uids += 1
        metadata: dict[str, Any] = {"name": key.name, "uid": before.uid if before is not None else f"uid-{self.uids}"}
        if owners:
            metadata["ownerReferences"] = [{"uid": owner} for owner in owners]
        self._put({"metadata": metadata, "text": "t" * size}, key, removed=False)

    @rule(key=keys)
    def remove(self, key: StoreKey) -> None:
        before = self.store.head(key)
        if before is not None:
            self._put(before.decode(), key, removed=True)

    def _put(self, obj: dict[str, Any], key: StoreKey, *, removed: bool) -> None:
        stored = self.store.new_version(obj, key)
        written = Written(stored, removed, self.store.write(stored, removed=removed))
        assert written.stored.version > self.highest, "versions only grow"
        assert written.stored.decode()["metadata"]["resourceVersion"] == str(written.stored.version)
        self.highest = written.stored.version
        self.pending.append(written)

    @precondition(lambda self: self.pending)
    @rule(data=st.data())
    def commit(self, data: st.DataObject) -> None:
        count = data.draw(st.integers(1, len(self.pending)))
        self.journal.settle(count)
        self.turn()
        group, self.pending = self.pending[:count], self.pending[count:]
        for written in group:
            assert written.future.result() is None, "the writer is answered"
            known = written.stored.key in self.committed
            type = EventType.DELETED if written.removed else EventType.MODIFIED if known else EventType.ADDED
            _apply(self.committed, written)
            self.events.append((type, written.stored.key, written.stored.version))
            self.past[written.stored.version] = dict(self.committed)

    @precondition(lambda self: self.pending)
    @rule(data=st.data(), late=st.integers(0, 2))
    def fail(self, data: st.DataObject, late: int) -> None:
        count = data.draw(st.integers(1, len(self.pending)))
        self.journal.settle(count, OSError("no space left"))
        # Writes that are decided before the store hears of the failure are lost with it.
        for number in range(late):
            self._put({"metadata": {"uid": f"late-{self.highest}-{number}"}}, KEYS[number], removed=False)
        self.turn()
        for written in self.pending:
            assert isinstance(written.future.exception(), Storage), "all that was pending fails"
        self.pending = []
        assert self.journal.waiting == 0

    @rule()
    def restart(self) -> None:
        """Close, and open anew from what is on disk."""
        self.journal.settle(self.journal.waiting)
        self.turn()
        for written in self.pending:
            written.future.result()
            _apply(self.committed, written)
        self.pending = []
        version = self.store.version
        if self.journal.disk:
            version = self.journal.disk[-1].version
        self.store.close()
        disk, self.journal = self.journal.disk, LedJournal()
        self.journal.disk = disk
        self.told, self.events, self.past = [], [], {version: dict(self.committed)}
        self.highest = version

        async def reopen() -> Store:
            rows = [Row(str(k.resource), k.namespace, k.name, _version(raw), raw) for k, raw in self.committed.items()]
            store = Store(self.journal, rows, version, History(version, most_events=12))
            store.history.listen(self.told.append)
            return store

        self.store = self.run(reopen())

    @invariant()
    def readers_see_only_what_is_on_disk(self) -> None:
        assert {key: stored.raw for key in KEYS if (stored := self.store.get(key))} == self.committed
        assert {stored.key: stored.raw for stored in self.store.everything()} == self.committed
        for resource in (THINGS, PARTS):
            for namespace in ("", "a", "b"):
                expected = sorted(
                    key for key in self.committed if key.resource == resource and namespace in ("", key.namespace)
                )
                assert [stored.key for stored in self.store.objects(resource, namespace)] == expected
                assert self.store.count(resource, namespace) == len(expected)

    @invariant()
    def writers_see_what_is_on_its_way(self) -> None:
        assert {key: stored.raw for key in KEYS if (stored := self.store.head(key))} == self.head()

    @invariant()
    def events_come_once_and_in_order(self) -> None:
        assert [(event.type, event.current.key, event.version) for event in self.told] == self.events

    @invariant()
    def indexes_are_what_a_recount_gives(self) -> None:
        dependents: dict[str, set[StoreKey]] = defaultdict(set)
        for stored in self.store.everything():
            assert self.store.key_of(stored.uid) == stored.key
            for owner in stored.owners:
                dependents[owner].add(stored.key)
        for uid in UIDS:
            assert self.store.dependents(uid) == sorted(dependents[uid])
        for event in self.told:
            if event.type is EventType.DELETED and self.store.get(event.current.key) is None:
                assert self.store.key_of(event.current.uid) is None

    @invariant()
    def the_past_is_as_it_was(self) -> None:
        for resource in (THINGS, PARTS):
            floor = self.store.history.floor(resource)
            for version, state in self.past.items():
                if version >= floor:
                    shown = self.store.objects_at(version, resource)
                    expected = {key: raw for key, raw in state.items() if key.resource == resource}
                    assert [stored.key for stored in shown] == sorted(expected)
                    assert {stored.key: stored.raw for stored in shown} == expected
                    in_a = [stored.key for stored in self.store.objects_at(version, resource, "a")]
                    assert in_a == [key for key in sorted(expected) if key.namespace == "a"]


def _apply(state: State, written: Written) -> None:
    if written.removed:
        del state[written.stored.key]
    else:
        state[written.stored.key] = written.stored.raw


def _version(raw: bytes) -> int:
    return int(Stored(KEYS[0], 0, raw, {}).decode()["metadata"]["resourceVersion"])


TestStore = StoreMachine.TestCase
TestStore.settings = settings(max_examples=60, stateful_step_count=40)
