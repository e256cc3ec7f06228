"""Large states, and states at a home that is reached through HTTPS."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tests.deployers.programs.state.stores import NAMESPACE, files, item, world
from tests.deployers.programs.trees import Node, describe, make

from landform.deployers.programs.states.states import StateStore
from landform.testing import homes

if TYPE_CHECKING:
    from pathlib import Path


async def test_a_hundred_megabytes_come_back() -> None:
    noise = os.urandom(10_000_000)
    tree = {b"%d" % number: Node(noise[number:] + noise[:number], 0o600) for number in range(10)}
    async with world() as place:
        saved = await place.store().save(place.made(tree), "run")
        assert saved is not None
        assert len(saved.names) > 190
        assert await place.restored(place.store()) == tree


async def test_thousands_of_files_come_back() -> None:
    tree = {b"d%d" % folder: Node(None, 0o755) for folder in range(50)}
    tree |= {b"d%d/f%d" % (number % 50, number): Node(b"%d" % number, 0o644) for number in range(5_000)}
    async with world() as place:
        await place.store().save(place.made(tree), "run")
        assert await place.restored(place.store()) == tree


async def test_a_state_is_kept_at_a_home_behind_https(tmp_path: Path) -> None:
    tree = files(noise=os.urandom(2_000_000))
    async with homes.over_https() as cluster:
        store = StateStore(cluster, NAMESPACE, item(), temporary=tmp_path)
        saved = await store.save(make(tmp_path / "one", tree), "run-1")
        assert await store.current() == saved
        await store.save(make(tmp_path / "two", files(a=b"1")), "run-2")
        await store.restore(make(tmp_path / "copy", {}))
        assert describe(tmp_path / "copy") == files(a=b"1")
