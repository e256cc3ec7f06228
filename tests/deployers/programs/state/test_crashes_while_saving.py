"""A crash at any write leaves the state before the save or the one after it, and the next save tidies up."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tests.deployers.programs.state.stores import Crash, Crashing, World, files, item, world

if TYPE_CHECKING:
    from pathlib import Path

    from tests.deployers.programs.trees import Tree

    from landform.deployers.programs.identities import ItemId

OLD = files(noise=os.urandom(1_200_000), old=b"1")
NEW = files(noise=os.urandom(700_000), new=b"2")
"""Of two pieces."""


async def _crashes(place: World, of: ItemId, folder: Path, last: int, takes_effect: bool) -> bool:
    crashing = Crashing(place.cluster, last, takes_effect)
    try:
        await place.store(of, crashing).save(folder, "run-2")
    except Crash:
        return True
    return False


async def test_a_crash_at_any_write_leaves_the_old_state_or_the_new_one() -> None:
    seen: list[Tree] = []
    async with world() as place:
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
    assert len(seen) == 2 * 4 + 1  # two pieces, the old pieces and the first of them: before and after each; and none
    assert seen[0] == OLD
    assert seen[-1] == NEW
    assert seen == sorted(seen, key=lambda found: found == NEW), "once it is new it does not become old again"


def _is_of(secret: dict[str, object], of: ItemId) -> bool:
    return of.token in str(secret["metadata"])


async def test_a_crash_of_the_first_save_leaves_no_state() -> None:
    async with world() as place:
        new = place.made(NEW)
        for number in range(3):
            assert await _crashes(place, item(number), new, number // 2, bool(number % 2))
            assert await place.restored(place.store(item(number))) == {}
            await place.store(item(number)).save(new, "run-1")
            assert await place.restored(place.store(item(number))) == NEW


async def test_a_crash_while_the_state_is_removed_leaves_it_whole_or_gone() -> None:
    async with world() as place:
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
