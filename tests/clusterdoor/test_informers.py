"""Informers: everything at hand, shared, indexed, told, and never behind one's own writes."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.clusterdoor.clocks import FakeClock
from tests.clusterdoor.models import ModelReader, ModelServer, thing

from landform.cluster.codec import key_of, metadata
from landform.cluster.errors import Gone, ServerError, Unreachable
from landform.cluster.informers import Caches, Informer
from landform.cluster.interface import ListOptions
from landform.cluster.resources import CONFIG_MAPS, SECRETS, ObjectKey
from landform.cluster.stores import number
from landform.kit.surroundings import Surroundings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from landform.cluster.resources import Unstructured


@pytest.fixture
def model() -> ModelServer:
    return ModelServer()


@pytest.fixture
def reader(model: ModelServer) -> ModelReader:
    return ModelReader(model)


def names(objects: Iterable[Unstructured]) -> list[str]:
    return [key_of(obj).name for obj in objects]


def by_label(obj: Unstructured) -> Iterable[str]:
    return metadata(obj).labels.values()


async def test_a_cache_holds_what_exists_and_follows_it(model: ModelServer, reader: ModelReader) -> None:
    model.put("a", x="1")
    async with Caches(reader) as caches:
        informer = caches.informer(CONFIG_MAPS)
        informer.add_index("label", by_label)
        assert not informer.synced.is_set()
        await caches.synced()
        assert names(informer.list()) == ["a"]
        model.put("b", x="1")
        model.delete("a")
        await reader.notify()
        assert names(informer.by_index("label", "1")) == names(informer.list("n")) == ["b"]
        assert informer.get(ObjectKey("n", "a")) is None
        assert len(informer) == 1


async def test_informers_are_shared(reader: ModelReader) -> None:
    async with Caches(reader) as caches:
        one = caches.informer(CONFIG_MAPS)
        assert caches.informer(CONFIG_MAPS) is one
        others = [
            caches.informer(SECRETS),
            caches.informer(CONFIG_MAPS, namespace="n"),
            caches.informer(CONFIG_MAPS, selection=ListOptions("a=b")),
        ]
        assert one not in others
        await caches.synced()
        assert len(reader.lists) == 4


async def test_informers_may_be_asked_for_before_they_run(model: ModelServer, reader: ModelReader) -> None:
    model.put("a")
    caches = Caches(reader)
    informer = caches.informer(CONFIG_MAPS)
    assert reader.lists == []
    async with caches:
        await caches.synced()
    assert names(informer.list()) == ["a"]


async def test_subscribers_are_told_of_what_is_and_of_what_changes(model: ModelServer, reader: ModelReader) -> None:
    model.put("a")
    told: list[tuple[int, int]] = []

    def tell(old: Unstructured | None, new: Unstructured | None) -> None:
        told.append((number(old) if old else 0, number(new) if new else 0))

    async with Caches(reader) as caches:
        informer = caches.informer(CONFIG_MAPS)
        await caches.synced()
        unsubscribe = informer.subscribe(tell)
        model.put("a")
        model.delete("a")
        await reader.notify()
        assert told == [(0, 2), (2, 3), (3, 0)]
        unsubscribe()
        model.put("b")
        await reader.notify()
        assert len(told) == 3


async def test_a_subscriber_sees_the_cache_as_it_is_after_the_change(model: ModelServer, reader: ModelReader) -> None:
    async with Caches(reader) as caches:
        informer = caches.informer(CONFIG_MAPS)
        informer.add_index("label", by_label)
        seen: list[Any] = []
        informer.subscribe(lambda old, new: seen.append((informer.get(ObjectKey("n", "a")), by_one(informer))))
        await caches.synced()
        obj = model.put("a", x="1")
        await reader.notify()
        assert seen == [(obj, [obj])]


def by_one(informer: Informer[Unstructured]) -> list[Unstructured]:
    return [*informer.by_index("label", "1")]


async def test_a_writer_sees_its_own_write_at_once(model: ModelServer, reader: ModelReader) -> None:
    async with Caches(reader) as caches:
        informer = caches.informer(CONFIG_MAPS)
        await caches.synced()
        obj = model.put("a")
        informer.observe_write(obj)
        assert informer.get(ObjectKey("n", "a")) is obj
        await reader.notify()
        assert informer.get(ObjectKey("n", "a")) is obj


async def test_writes_that_are_not_selected_are_left_to_the_watch(reader: ModelReader) -> None:
    selected = Informer(reader, CONFIG_MAPS, namespace="n", selection=ListOptions("x=1"))
    selected.observe_write(thing("a", 5, x="2"))
    selected.observe_write(thing("b", 5, namespace="m", x="1"))
    selected.observe_write(thing("c", 5, x="1"))
    assert names(selected.list()) == ["c"]
    by_field = Informer(reader, CONFIG_MAPS, selection=ListOptions(field_selector="metadata.name=c"))
    by_field.observe_write(thing("c", 5))
    assert names(by_field.list()) == []


async def test_big_fields_can_be_dropped(model: ModelServer, reader: ModelReader) -> None:
    def drop_labels(obj: Unstructured) -> Unstructured:
        return {**obj, "metadata": {**obj["metadata"], "labels": {}}}

    model.put("a", x="big")
    async with Caches(reader) as caches:
        informer = caches.informer(CONFIG_MAPS, transform=drop_labels)
        await caches.synced()
        model.put("b", x="big")
        await reader.notify()
        informer.observe_write(model.put("c", x="big"))
        assert [metadata(obj).labels for obj in informer.list()] == [{}, {}, {}]


async def test_trouble_is_told_while_it_lasts(
    model: ModelServer, reader: ModelReader, caplog: pytest.LogCaptureFixture
) -> None:
    reader.faults.append(ServerError("etcd is away"))
    gate = asyncio.Event()

    class Waiting(FakeClock):
        async def sleep(self, seconds: float) -> None:
            await gate.wait()

    async with Caches(reader, surroundings=Surroundings(clock=Waiting())) as caches:
        informer = caches.informer(CONFIG_MAPS)
        for _ in range(5):
            await asyncio.sleep(0)
        assert str(informer.trouble) == "etcd is away"
        assert "cannot follow configmaps" in caplog.text
        gate.set()
        await caches.synced()
        assert informer.trouble is None


def divide_by_zero(old: Unstructured | None, new: Unstructured | None) -> None:
    raise ZeroDivisionError


async def follow_badly(reader: ModelReader) -> None:
    async with Caches(reader) as caches:
        caches.informer(CONFIG_MAPS).subscribe(divide_by_zero)
        await asyncio.Event().wait()


async def test_a_fault_in_a_subscriber_is_loud(model: ModelServer, reader: ModelReader) -> None:
    model.put("a")
    with pytest.raises(ExceptionGroup) as caught:
        await follow_badly(reader)
    assert caught.group_contains(ZeroDivisionError)


async def test_a_fault_of_the_body_comes_out_as_it_is(reader: ModelReader) -> None:
    with pytest.raises(ZeroDivisionError):
        async with Caches(reader):
            divide_by_zero(None, None)


class Chaos:
    """Random writes and random faults; in the end, cache and cluster must agree."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.model = ModelServer()
        self.reader = ModelReader(self.model)
        self.newest: dict[ObjectKey, int] = {}

    async def run(self) -> None:
        surroundings = Surroundings(clock=FakeClock(), random=random.Random(self.chance.random()))
        for index in range(self.chance.randrange(5)):
            self.model.put(f"old-{index}")
        async with Caches(self.reader, surroundings=surroundings) as caches:
            informer = caches.informer(CONFIG_MAPS)
            informer.add_index("label", by_label)
            informer.subscribe(self.changed)
            for _ in range(40):
                await self.act(informer)
            self.reader.faults.clear()
            self.reader.ending = False
            for _ in range(4):
                await self.reader.notify()
            assert {key_of(obj): obj for obj in informer.list()} == self.model.objects
            for value in "12":
                found = sorted(names(informer.by_index("label", value)))
                assert found == sorted(names(obj for obj in informer.list() if value in by_label(obj)))

    async def act(self, informer: Informer[Unstructured]) -> None:
        match self.chance.randrange(8):
            case 0 | 1:
                self.model.put(self.chance.choice("abc"), x=self.chance.choice("12"))
            case 2:
                informer.observe_write(self.model.put(self.chance.choice("abc"), x=self.chance.choice("12")))
            case 3 if self.model.objects:
                self.model.delete(self.chance.choice(sorted(self.model.objects)).name)
            case 4:
                self.reader.faults.append(self.chance.choice([Unreachable("x"), Gone("x"), ServerError("x")]))
            case 5:
                self.reader.oldest = self.chance.randint(self.reader.oldest, self.model.version)
            case 6:
                self.reader.broken.set()
            case _:
                self.reader.ending = self.chance.random() < 0.3
        if self.chance.random() < 0.7:
            await self.reader.notify()

    def changed(self, old: Unstructured | None, new: Unstructured | None) -> None:
        if new is not None:
            assert number(new) > self.newest.get(key_of(new), 0), "went back in time"
            self.newest[key_of(new)] = number(new)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32))
def test_after_any_trouble_cache_and_cluster_agree(seed: int) -> None:
    asyncio.run(Chaos(seed).run())
