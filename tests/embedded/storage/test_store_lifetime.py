"""The store at its end, and the data folder it lives in."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest
from tests.embedded.storage.journals import LedJournal

from landform.cluster.errors import Storage
from landform.embedded.catalog import GroupResource
from landform.embedded.folder import DataFolder, FolderError
from landform.embedded.journal import Journal, MemoryJournal, SqliteJournal
from landform.embedded.objects import Stored, StoreKey
from landform.embedded.store import Store

if TYPE_CHECKING:
    from pathlib import Path

KEY = StoreKey(GroupResource("test", "things"), "ns", "x")


def next_version(store: Store) -> Stored:
    return store.new_version({"metadata": {"name": "x", "uid": "1"}}, KEY)


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
async def test_what_is_on_its_way_when_the_store_is_closed_is_finished(tmp_path: Path, kind: str) -> None:
    journal: Journal = MemoryJournal() if kind == "memory" else SqliteJournal(tmp_path / "db")
    store = Store(journal)
    writes = [store.write(next_version(store)) for _ in range(10)]
    store.close()
    store.close()
    for write in writes:
        await write
    found = store.get(KEY)
    assert found is not None
    assert (found.version, store.version) == (10, 10)


async def test_a_closed_store_refuses_writes_instead_of_losing_them() -> None:
    store = Store(MemoryJournal())
    store.close()
    with pytest.raises(Storage, match="the home is closed; nothing of this request was kept"):
        store.write(next_version(store))
    assert store.head(KEY) is None


async def test_a_writer_that_left_does_not_disturb_the_others() -> None:
    journal = LedJournal()
    store = Store(journal)
    left, stayed = store.write(next_version(store)), store.write(next_version(store))
    left.cancel()
    journal.settle(2)
    await stayed
    assert store.version == 2
    left, stayed = store.write(next_version(store)), store.write(next_version(store))
    left.cancel()
    journal.settle(2, OSError("no space left"))
    with pytest.raises(Storage, match="the data could not be written to disk: no space left"):
        await stayed
    store.close()


async def test_settled_waits_for_all_that_is_decided() -> None:
    journal = LedJournal()
    store = Store(journal)
    await store.settled()
    store.write(next_version(store))
    journal.settle(1)
    await store.settled()
    assert store.version == 1
    store.close()


def test_only_one_has_the_folder_until_it_is_closed(tmp_path: Path) -> None:
    first = DataFolder(tmp_path / "new" / "data")
    assert stat.S_IMODE(first.path.stat().st_mode) == 0o700
    with pytest.raises(FolderError, match=f"is in use by another landform process .pid {os.getpid()}."):
        DataFolder(first.path)
    first.close()
    first.close()
    second = DataFolder(first.path)
    second.close()
