"""Who may only fill in Secrets that were made for him keeps a state just as well."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from tests.deployers.programs.state.stores import NAMESPACE, Crash, World, files, world

from landform.cluster.resources import SECRETS
from landform.deployers.programs.states import slots, statechunks
from landform.deployers.programs.states.slots import Slots

if TYPE_CHECKING:
    from pathlib import Path

OLD = files(old=os.urandom(600_000))
NEW = files(new=os.urandom(1_100_000))
"""Of three pieces."""


class Filler:
    """Fills slots as a sidecar does: it may patch Secrets by name, and ask for more of them."""

    def __init__(self, place: World, *, dies_after: int = 1000) -> None:
        self._place = place
        self._left = dies_after
        self.asked: list[int] = []

    async def patch(self, name: str, patch: dict[str, Any]) -> None:
        if self._left == 0:
            raise Crash
        self._left -= 1
        await self._place.cluster.patch(SECRETS, name, patch, namespace=NAMESPACE)

    async def more(self, count: int) -> None:
        self.asked.append(count)
        await self._place.store().prepare("run-2", count)

    async def save(self, folder: Path, prepared: Slots) -> bool:
        handed_over = Slots.from_json(json.loads(json.dumps(prepared.to_json())))
        return await slots.save(folder, handed_over, patch=self.patch, more=self.more)


async def test_filled_slots_are_the_new_state() -> None:
    async with world() as place:
        store = place.store()
        await store.save(place.made(OLD), "run-1")
        prepared = await store.prepare("run-2", 5)
        assert await place.restored(store) == OLD
        filler = Filler(place)
        assert await filler.save(place.made(NEW), prepared)
        assert filler.asked == []
        assert await place.restored(store) == NEW
        settled = await store.settle()
        assert settled is not None
        assert settled.names == prepared.names[:3]
        assert sorted(map(statechunks.name_of, await place.secrets())) == sorted(settled.names)
        assert await place.restored(store) == NEW


async def test_more_slots_are_asked_for_when_too_few_are_there() -> None:
    async with world() as place:
        filler = Filler(place)
        assert await filler.save(place.made(NEW), await place.store().prepare("run-2", 1))
        assert filler.asked == [3]
        assert await place.restored(place.store()) == NEW


@pytest.mark.parametrize("before", [OLD, {}])
async def test_slots_stay_empty_when_nothing_has_changed(before: dict[bytes, Any]) -> None:
    async with world() as place:
        store = place.store()
        await store.save(place.made(before), "run-1")
        prepared = await store.prepare("run-2", 2)
        assert not await Filler(place, dies_after=0).save(place.made(before), prepared)
        await store.settle()
        assert len(await place.secrets()) == (2 if before else 0)
        assert await place.restored(store) == before


@pytest.mark.parametrize("written", [0, 1, 2, 3])
async def test_a_crash_while_slots_are_filled_leaves_the_state_before(written: int) -> None:
    async with world() as place:
        store = place.store()
        await store.save(place.made(OLD), "run-1")
        prepared = await store.prepare("run-2", 3)
        if written < 3:
            with pytest.raises(Crash):
                await Filler(place, dies_after=written).save(place.made(NEW), prepared)
        else:
            await Filler(place).save(place.made(NEW), prepared)
        expected = NEW if written == 3 else OLD
        assert await place.restored(store) == expected
        await store.settle()
        assert await place.restored(store) == expected
        assert len(await place.secrets()) == (3 if written == 3 else 2)


async def test_slots_of_a_later_run_come_after_those_of_an_earlier_one() -> None:
    async with world() as place:
        store = place.store()
        for run, tree in enumerate((OLD, NEW, OLD)):
            assert await Filler(place).save(place.made(tree), await store.prepare(f"run-{run}", 3))
            assert await place.restored(store) == tree
        await store.settle()
        assert len(await place.secrets()) == 2
