"""A crash at any write leaves the state before the save or the one after it, and the next save tidies up."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from tests.deployers.programs.state.stores import Crash, Crashing, World, files, item, world

from landform.deployers.programs.states import statechunks

if TYPE_CHECKING:
    from pathlib import Path

    from tests.deployers.programs.trees import Tree

    from landform.deployers.programs.contract.identities import ItemId

OLD = files(noise=os.urandom(9_600), old=b"1")
NEW = files(noise=os.urandom(5_600), new=b"2")
"""Of two pieces."""


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statechunks, "SIZE", 4096)


async def _crashes(place: World, of: ItemId, folder: Path, last: int, takes_effect: bool) -> bool:
    crashing = Crashing(place.cluster, last, takes_effect)
    try:
        await place.store(of, crashing).save(folder, "run-2")
    except Crash:
        return True
    return False


@pytest.mark.parametrize("by_name", [True, False])
async def test_a_crash_at_any_write_leaves_the_old_state_or_the_new_one(by_name: bool) -> None:
    seen: list[Tree] = []
    async with world(by_name=by_name) as place:
        old, new = place.made(OLD), place.made(NEW)
        for number in range(100):
            store = place.store(item(number))
            await store.save(old, "run-1")
            crashed = await _crashes(place, item(number), new, number // 2, bool(number % 2))
            found = await place.restored(store)
            assert found in (OLD, NEW)
            seen.append(found)
            await store.save(new, "run-2")
            assert await place.restored(store) == NEW
            assert len([secret for secret in await place.secrets() if _is_of(secret, item(number))]) == 2
            if not crashed:
                break
    # Before and after each of: two pieces, the old pieces, and the first of them if it was not replaced; and none.
    assert len(seen) == 2 * (3 if by_name else 4) + 1
    assert seen[0] == OLD
    assert seen[-1] == NEW
    assert seen == sorted(seen, key=lambda found: found == NEW), "once it is new it does not become old again"


def _is_of(secret: dict[str, object], of: ItemId) -> bool:
    return of.token in str(secret["metadata"])


async def test_a_crash_while_a_state_under_a_name_of_its_own_is_replaced_leaves_one_of_them() -> None:
    async with world(by_name=True) as place:
        old, new = place.made(OLD), place.made(NEW)
        for number in range(12):
            store = place.store(item(number))
            await place.store(item(number), by_name=False).save(old, "run-1")
            crashed = await _crashes(place, item(number), new, number // 2, bool(number % 2))
            assert await place.restored(store) in (OLD, NEW)
            await store.save(new, "run-2")
            assert await place.restored(store) == NEW
            assert len([secret for secret in await place.secrets() if _is_of(secret, item(number))]) == 2
            if not crashed:
                return
    raise AssertionError("it crashes for ever")


async def test_a_crash_of_the_first_save_leaves_no_state() -> None:
    async with world(by_name=True) as place:
        new = place.made(NEW)
        for number in range(3):
            assert await _crashes(place, item(number), new, number // 2, bool(number % 2))
            assert await place.restored(place.store(item(number))) == {}
            await place.store(item(number)).save(new, "run-1")
            assert await place.restored(place.store(item(number))) == NEW


async def test_a_crash_while_the_state_is_removed_leaves_it_whole_or_gone() -> None:
    async with world(by_name=True) as place:
        old = place.made(OLD)
        for number in range(6):
            store = place.store(item(number))
            await store.save(old, "run-1")
            try:
                await place.store(item(number), Crashing(place.cluster, number // 2, bool(number % 2))).remove()
            except Crash:
                assert await place.restored(store) == (OLD if number == 0 else {})
            await store.remove()
            assert await place.secrets() == []
