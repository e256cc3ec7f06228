"""Whatever order news arrives in, the cache never goes back in time and ends where the cluster is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.clusterdoor.models import ModelServer, thing

from landform.cluster import codec
from landform.cluster.codec import key_of
from landform.cluster.errors import Unreadable
from landform.cluster.interface import EventType
from landform.cluster.resources import ObjectKey, Unstructured
from landform.cluster.stores import Store, number

if TYPE_CHECKING:
    from collections.abc import Iterable

A = ObjectKey("n", "a")


def version_of(store: Store[Unstructured], key: ObjectKey = A) -> int | None:
    found = store.get(key)
    return number(found) if found is not None else None


def synced(*objects: Unstructured, version: int = 1) -> Store[Unstructured]:
    store = Store[Unstructured]()
    store.begin()
    store.found(objects, str(version))
    store.finish(str(version))
    return store


def test_the_answer_of_a_write_is_shown_at_once() -> None:
    store = synced()
    store.observe(thing("a", 5))
    assert version_of(store) == 5


def test_an_older_event_does_not_undo_a_newer_write() -> None:
    store = synced(thing("a", 1))
    store.observe(thing("a", 5))
    store.apply(thing("a", 4))
    assert version_of(store) == 5
    store.apply(thing("a", 6))
    assert version_of(store) == 6


def test_a_deletion_wins_over_an_older_write_that_arrives_later() -> None:
    store = synced(thing("a", 1))
    store.remove(thing("a", 6))
    store.observe(thing("a", 5))
    assert version_of(store) is None


def test_a_newer_object_of_the_same_name_survives_the_deletion_of_the_older() -> None:
    store = synced(thing("a", 1))
    store.observe(thing("a", 7))
    store.remove(thing("a", 6))
    assert version_of(store) == 7


def test_a_deletion_whose_event_carries_the_last_version_counts() -> None:
    store = synced(thing("b", 1), version=3)
    store.observe(thing("a", 5))
    store.remove(thing("a", 5))
    assert version_of(store) is None


def test_a_repeated_event_is_old_news() -> None:
    told: list[Any] = []
    store = Store[Unstructured](lambda old, new: told.append(new))
    store.apply(thing("a", 5))
    store.remove(thing("a", 6))
    store.apply(thing("a", 5))
    assert version_of(store) is None
    assert told == [thing("a", 5), None]


def test_what_a_list_does_not_hold_is_gone_unless_it_is_newer() -> None:
    store = synced(thing("a", 1), thing("b", 1))
    store.observe(thing("c", 9))
    store.begin()
    store.found([thing("b", 1)], "8")
    store.finish("8")
    assert sorted(key_of(obj).name for obj in store.list()) == ["b", "c"]


def test_a_list_that_is_begun_again_starts_anew() -> None:
    store = synced(thing("a", 1), thing("b", 1))
    store.begin()
    store.found([thing("a", 1)], "5")
    store.begin()
    store.found([thing("b", 1)], "6")
    store.finish("6")
    assert [key_of(obj).name for obj in store.list()] == ["b"]


def test_a_list_of_what_is_known_already_changes_nothing() -> None:
    told: list[Any] = []
    store = Store[Unstructured](lambda old, new: told.append(new))
    for _ in range(2):
        store.begin()
        store.found([thing("a", 1)], "5")
        store.finish("5")
    assert told == [thing("a", 1)]


def test_a_cluster_that_was_put_back_is_believed(caplog: pytest.LogCaptureFixture) -> None:
    store = synced(thing("a", 90), thing("b", 80), version=100)
    store.begin()
    store.found([thing("a", 30)], "50")
    store.finish("50")
    assert [number(obj) for obj in store.list()] == [30]
    assert "went back from version 100 to 50" in caplog.text
    store.apply(thing("a", 51))
    assert version_of(store) == 51


@pytest.mark.parametrize("version", ["", "abc", "-1", "1.5"])
def test_versions_that_are_no_numbers_cannot_be_cached(version: str) -> None:
    with pytest.raises(Unreadable, match="is not a number"):
        Store[Unstructured]().apply({"metadata": {"name": "a", "resourceVersion": version}})


def test_objects_are_found_by_namespace() -> None:
    store = synced(thing("a", 1), thing("a", 1, namespace="m"))
    assert [key_of(obj).namespace for obj in store.list("m")] == ["m"]
    assert store.list("nowhere") == []
    assert len(store) == 2


def by_label(obj: Unstructured) -> Iterable[str]:
    return codec.metadata(obj).labels.values()


def test_an_index_may_be_added_at_any_time_and_by_everyone() -> None:
    store = synced(thing("a", 1, x="1"))
    store.add_index("label", by_label)
    store.add_index("label", by_label)
    assert [key_of(obj).name for obj in store.by_index("label", "1")] == ["a"]
    with pytest.raises(ValueError, match="another index of the name 'label'"):
        store.add_index("label", lambda obj: [])


def test_an_index_keeps_the_order_of_many_keys() -> None:
    store = synced()
    store.add_index("label", by_label)
    for version in range(2, 30):
        store.apply(thing(f"a{version}", version, x="1"))
    store.remove(thing("a5", 30))
    expected = [f"a{version}" for version in range(2, 30) if version != 5]
    assert [key_of(obj).name for obj in store.by_index("label", "1")] == expected


names = st.sampled_from("abc")
labels = st.dictionaries(st.sampled_from("xy"), st.sampled_from("12"), max_size=2)


class CacheMachine(RuleBasedStateMachine):
    """Writes of ours and of others; answers late; watch events late and repeated; lists begun and broken off."""

    def __init__(self) -> None:
        super().__init__()
        self.server = ModelServer()
        self.store: Store[Unstructured] = Store(self.changed)
        self.store.add_index("label", by_label)
        self.newest: dict[ObjectKey, int] = {}
        self.answers: list[Unstructured] = []
        self.followed = 0
        self.pages: list[list[Unstructured]] | None = None
        self.listed = 0

    def changed(self, old: Unstructured | None, new: Unstructured | None) -> None:
        if new is not None:
            assert number(new) > self.newest.get(key_of(new), 0), "went back in time"
            self.newest[key_of(new)] = number(new)
        assert old is not None or new is not None

    @initialize(found=st.lists(names, unique=True))
    def exists_before(self, found: list[str]) -> None:
        for name in found:
            self.server.put(name)
        self.list_begins()
        self.list_goes_on_to_its_end()

    @rule(name=names, labels=labels, answered=st.sampled_from(["never", "now", "later"]))
    def someone_writes(self, name: str, labels: dict[str, str], answered: str) -> None:
        obj = self.server.put(name, **labels)
        if answered == "now":
            self.store.observe(obj)
            assert self.store.get(key_of(obj)) == obj
        elif answered == "later":
            self.answers.append(obj)

    @precondition(lambda self: self.server.objects)
    @rule(data=st.data())
    def someone_deletes(self, data: st.DataObject) -> None:
        self.server.delete(data.draw(st.sampled_from(sorted(self.server.objects))).name)

    @precondition(lambda self: self.answers)
    @rule(data=st.data())
    def a_late_answer_arrives(self, data: st.DataObject) -> None:
        self.store.observe(self.answers.pop(data.draw(st.integers(0, len(self.answers) - 1))))

    @precondition(lambda self: self.pages is None and self.followed < len(self.server.history))
    @rule(count=st.integers(1, 3))
    def the_watch_goes_on(self, count: int) -> None:
        for event in self.server.history[self.followed : self.followed + count]:
            self.tell(event)
        self.followed = min(self.followed + count, len(self.server.history))

    @precondition(lambda self: self.followed)
    @rule(data=st.data())
    def the_watch_repeats_itself(self, data: st.DataObject) -> None:
        self.tell(self.server.history[data.draw(st.integers(0, self.followed - 1))])

    @precondition(lambda self: self.pages is None and self.followed == len(self.server.history))
    @rule()
    def a_bookmark_arrives(self) -> None:
        self.store.progress(str(self.server.version))

    @rule()
    def list_begins(self) -> None:
        items = list(self.server.objects.values())
        self.pages = [items[start : start + 2] for start in range(0, len(items), 2)] or [[]]
        self.listed = self.server.version
        self.store.begin()

    @precondition(lambda self: self.pages)
    @rule()
    def list_goes_on(self) -> None:
        assert self.pages
        self.store.found(self.pages.pop(0), str(self.listed))
        if not self.pages:
            self.store.finish(str(self.listed))
            self.pages = None
            versions = [int(event.resource_version) for event in self.server.history]
            self.followed = sum(version <= self.listed for version in versions)

    def list_goes_on_to_its_end(self) -> None:
        while self.pages:
            self.list_goes_on()

    def tell(self, event: Any) -> None:
        if event.type is EventType.DELETED:
            self.store.remove(event.object)
        else:
            self.store.apply(event.object)

    @invariant()
    def indexes_are_what_a_scan_would_find(self) -> None:
        for value in "12":
            scanned = sorted(key_of(obj) for obj in self.store.list() if value in by_label(obj))
            assert sorted(key_of(obj) for obj in self.store.by_index("label", value)) == scanned

    def teardown(self) -> None:
        self.list_goes_on_to_its_end()
        while self.followed < len(self.server.history):
            self.the_watch_goes_on(1)
        for answer in self.answers:
            self.store.observe(answer)
        assert {key_of(obj): obj for obj in self.store.list()} == self.server.objects


TestCacheMachine = CacheMachine.TestCase
TestCacheMachine.settings = settings(deadline=None, max_examples=80, stateful_step_count=30)
