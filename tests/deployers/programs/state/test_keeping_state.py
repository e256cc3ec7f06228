"""What a run leaves in its state folder is there before the next run."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from tests.deployers.programs.state.stores import NAMESPACE, Crashing, files, item, world
from tests.deployers.programs.trees import Node, Tree, describe, trees

from landform.cluster.resources import CONFIG_MAPS, SECRETS
from landform.deployers.programs.contract import labels
from landform.deployers.programs.contract.faults import Damaged, ProgramDataError, Refused, TooLarge
from landform.deployers.programs.contract.identities import ItemId
from landform.deployers.programs.files import archives
from landform.deployers.programs.states import statechunks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


async def test_there_is_no_state_before_the_first_run() -> None:
    async with world(by_name=True) as place:
        assert await place.store().current() is None
        assert await place.restored(place.store()) == {}


async def test_any_state_comes_back_as_it_was() -> None:
    tree = {
        b"empty": Node(None, 0o750),
        b"nothing": Node(b"", 0o600),
        "ä漢".encode(): Node(b"\0\0name\0", 0o755),
        b"\xff": Node(os.urandom(1_500_000), 0o444),
    }
    async with world(by_name=True) as place:
        saved = await place.store().save(place.made(tree), "run")
        assert saved is not None
        assert len(saved.names) == 3
        assert await place.store().current() == saved
        assert await place.restored(place.store()) == tree


@given(trees, trees)
@settings(max_examples=4)
async def test_each_save_replaces_the_one_before(one: Tree, other: Tree) -> None:
    async with world(by_name=True) as place:
        for run, tree in enumerate((one, other, one)):
            await place.store().save(place.made(tree), f"run-{run}")
            assert await place.restored(place.store()) == tree
            assert len(await place.secrets()) <= 1


async def test_pieces_have_exact_lengths() -> None:
    async with world(by_name=True) as place:
        await place.store().save(place.made(files(noise=os.urandom(1_100_000))), "run")
        lengths = sorted(len(statechunks.payload_of(each, _number(each))) for each in await place.secrets())
        assert lengths[1:] == [statechunks.SIZE, statechunks.SIZE]
        assert 0 < lengths[0] < statechunks.SIZE


def _number(secret: Any) -> int:
    return int(secret["metadata"]["annotations"][statechunks.NUMBER])


@pytest.mark.parametrize("by_name", [True, False])
async def test_nothing_is_written_when_nothing_has_changed(by_name: bool) -> None:
    async with world(by_name=by_name) as place:
        first = await place.store().save(place.made(files(a=b"1")), "run-1")
        watching = Crashing(place.cluster, last=0, takes_effect=False)
        assert await place.store(cluster=watching).save(place.made(files(a=b"1")), "run-2") == first
        assert watching.writes == []


async def test_a_state_is_found_and_replaced_by_its_name_and_nothing_is_searched() -> None:
    async with world(by_name=True) as place:
        await place.store().save(place.made(files(a=b"1")), "run-1")
        [first] = await place.secrets()
        assert first["metadata"]["name"] == labels.object_name(item(), "state")
        watching = Crashing(place.cluster, last=100, takes_effect=True)
        store = place.store(cluster=watching)
        assert await place.restored(store) == files(a=b"1")
        await store.save(place.made(files(a=b"2")), "run-2")
        assert watching.writes == ["patch"]
        assert set(watching.reads) == {"get"}
        [second] = await place.secrets()
        assert second["metadata"]["uid"] == first["metadata"]["uid"]
        assert await place.restored(place.store()) == files(a=b"2")


@pytest.mark.parametrize("size", [1, 1_200_000], ids=["one piece", "three pieces"])
async def test_what_was_kept_under_names_of_its_own_is_found_and_replaced(size: int) -> None:
    old, new = files(noise=os.urandom(size)), files(a=b"2")
    async with world(by_name=True) as place:
        await place.store(by_name=False).save(place.made(old), "run-1")
        assert await place.restored(place.store()) == old
        await place.store().save(place.made(new), "run-2")
        assert await place.restored(place.store()) == new
        assert [statechunks.name_of(secret) for secret in await place.secrets()] == [
            labels.object_name(item(), "state")
        ]


async def test_a_run_that_leaves_nothing_where_nothing_was_writes_nothing() -> None:
    async with world(by_name=True) as place:
        assert await place.store().save(place.made({}), "run") is None
        assert await place.store().save(place.folder / "missing", "run") is None
        assert await place.secrets() == []


async def test_a_folder_that_may_not_be_looked_into_is_not_taken_for_an_empty_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with world(by_name=True) as place:
        folder = place.made(files(a=b"1"))
        monkeypatch.setattr(type(folder), "iterdir", _refuse)
        await place.store().save(folder, "run")
        monkeypatch.undo()
        assert await place.restored(place.store()) == files(a=b"1")


def _refuse(folder: Path) -> Iterator[Path]:
    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))


async def test_an_emptied_folder_is_a_state_too_and_so_is_a_removed_one() -> None:
    async with world(by_name=True) as place:
        for number, gone in enumerate((place.made({}), place.folder / "missing")):
            store = place.store(item(number))
            await store.save(place.made(files(a=b"1")), "run-1")
            await store.save(gone, "run-2")
            assert await store.current() is not None
            assert await place.restored(store) == {}


async def test_what_cannot_be_kept_leaves_the_state_before() -> None:
    async with world(by_name=True) as place:
        await place.store().save(place.made(files(a=b"1")), "run-1")
        folder = place.made(files(a=b"2"))
        (folder / "link").symlink_to("a")
        with pytest.raises(Refused, match="the state cannot be kept: link is a symbolic link"):
            await place.store().save(folder, "run-2")
        assert await place.restored(place.store()) == files(a=b"1")


async def test_a_full_disk_is_said_and_leaves_the_state_before(monkeypatch: pytest.MonkeyPatch) -> None:
    async with world(by_name=True) as place:
        await place.store().save(place.made(files(a=b"1")), "run-1")

        def full(*_: object) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(archives, "pack", full)
        with pytest.raises(ProgramDataError, match=r"cannot be kept: .*No space left on device; see to the disk"):
            await place.store().save(place.made(files(a=b"2")), "run-2")
        assert await place.restored(place.store()) == files(a=b"1")


async def test_more_than_can_be_kept_is_refused_with_size_and_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statechunks, "MOST", 2)
    async with world(by_name=True) as place:
        with pytest.raises(TooLarge, match=r"it has 12\d{5} bytes once it is packed, and at most 1048576 are allowed"):
            await place.store().save(place.made(files(noise=os.urandom(1_200_000))), "run")
        assert await place.secrets() == []


async def test_items_do_not_see_the_state_of_others() -> None:
    others = [
        ItemId("team", "item-2", "uid-2"),
        ItemId("other", "item", "uid-3"),
        ItemId("team", "item", "uid of the one that was made again"),
        ItemId("team-item", "", "uid-4"),
    ]
    async with world(by_name=True) as place:
        await place.store(item()).save(place.made(files(a=b"1")), "run")
        for other in others:
            assert await place.store(other).current() is None
            await place.store(other).remove()
        assert await place.restored(place.store(item())) == files(a=b"1")


async def test_removed_state_leaves_nothing() -> None:
    async with world(by_name=True) as place:
        await place.store().prepare("run-0", 2)
        await place.store().save(place.made(files(noise=os.urandom(1_100_000))), "run-1")
        await place.store().remove()
        assert await place.secrets() == []
        await place.store().remove()


async def test_secrets_say_whose_they_are_however_long_the_names() -> None:
    long = ItemId("n" * 63, "x" * 60 + "." + "y" * 150, "uid")
    async with world(by_name=True) as place:
        await place.store(long, identity="deployer").save(place.made(files(a=b"1")), "run")
        [secret] = await place.secrets()
        assert labels.item_of(secret) == long
        assert secret["metadata"]["labels"][labels.DEPLOYER_ID] == "deployer"
        assert secret["metadata"]["labels"][labels.ITEM_NAMESPACE] == "n" * 63
        assert secret["metadata"]["labels"][labels.TYPE] == "state"
        assert await place.restored(place.store(long)) == files(a=b"1")


async def test_state_belongs_to_its_owner_if_one_is_named() -> None:
    async with world(by_name=True) as place:
        owner = await place.cluster.create(
            CONFIG_MAPS, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "owner"}}, namespace=NAMESPACE
        )
        reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"]}
        await place.store(owner=reference).save(place.made(files(a=b"1")), "run")
        [secret] = await place.secrets()
        assert secret["metadata"]["ownerReferences"] == [reference]


async def test_a_lost_piece_is_said_and_not_taken_for_an_empty_state() -> None:
    async with world(by_name=True) as place:
        saved = await place.store().save(place.made(files(noise=os.urandom(1_100_000))), "run")
        assert saved is not None
        await place.cluster.delete(SECRETS, saved.names[1], namespace=NAMESPACE)
        with pytest.raises(Damaged, match=f"{saved.names[1]} is missing; bring back its secrets .* or remove them"):
            await place.restored(place.store())


@pytest.mark.parametrize(
    "patch",
    [
        {"data": {"config": "AAAA"}},
        {"data": {"config": None}},
        {"metadata": {"annotations": {statechunks.NUMBER: "7"}}},
        {"metadata": {"annotations": {statechunks.STATE_DIGEST: "0" * 64}}},
        {"metadata": {"annotations": {statechunks.COUNT: "many"}}},
        {"metadata": {"annotations": {statechunks.COUNT: "0"}}},
        {"metadata": {"annotations": {statechunks.PREFIX: None}}},
        {"metadata": {"labels": {statechunks.PART: None}}},
    ],
    ids=str,
)
async def test_a_changed_piece_is_said(patch: dict[str, Any]) -> None:
    async with world(by_name=True) as place:
        saved = await place.store().save(place.made(files(a=b"1")), "run")
        assert saved is not None
        await place.cluster.patch(SECRETS, saved.names[0], patch, namespace=NAMESPACE)
        with pytest.raises(Damaged, match="the state of deploy item team/item cannot be restored"):
            await place.restored(place.store())
        await place.store().remove()
        assert await place.store().current() is None


async def test_a_state_can_be_fetched_first_and_unpacked_later() -> None:
    async with world(by_name=True) as place:
        await place.store().save(place.made(files(a=b"1")), "run")
        with (place.folder / "packed").open("w+b") as file:
            found = await place.store().current()
            assert found is not None
            await place.store().fetch(found, file)
            folder = place.made({})
            place.store().unpack(file, found, folder)
            assert describe(folder) == files(a=b"1")
            file.seek(0)
            with pytest.raises(Damaged, match="it is not what was saved"):
                place.store().unpack(file, replace(found, digest="0" * 64), place.made({}))
