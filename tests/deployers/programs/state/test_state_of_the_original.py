"""State that the original Landscaper kept is readable, with its padding and without any sign that it is whole."""

from __future__ import annotations

import base64
import gzip
import io
import os
import tarfile
from typing import TYPE_CHECKING, Any

import pytest
from tests.deployers.programs.state.stores import NAMESPACE, World, files, item, world
from tests.deployers.programs.trees import describe

from landform.cluster.resources import SECRETS
from landform.deployers.programs.contract import labels
from landform.deployers.programs.contract.faults import Damaged

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CHUNK = 1024 * 1024
GROUP = "container.deployer.landscaper.gardener.cloud"


def archive(contents: Mapping[str, bytes]) -> bytes:
    """As the original packs: folders included, the top one not."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, content in contents.items():
            info = tarfile.TarInfo(name)
            if name.endswith("/"):
                info.type, info.mode = tarfile.DIRTYPE, 0o755
                tar.addfile(info)
            else:
                info.size, info.mode = len(content), 0o644
                tar.addfile(info, io.BytesIO(content))
    return gzip.compress(out.getvalue())


def chunks(packed: bytes) -> list[bytes]:
    """As the original cuts: one buffer of 1 MiB for all, and how much was read into it is not looked at."""
    buffer = bytearray(CHUNK)
    found = []
    for start in range(0, len(packed), CHUNK):
        piece = packed[start : start + CHUNK]
        buffer[: len(piece)] = piece
        found.append(bytes(buffer))
    return found


async def keep(place: World, uuid: str, pieces: Sequence[bytes], numbers: Sequence[int] | None = None) -> None:
    """As the original keeps: created, never updated, under generated names."""
    for number in numbers if numbers is not None else range(len(pieces)):
        metadata: dict[str, Any] = {
            "generateName": "state-team-item-",
            "labels": {
                f"deployitem.{GROUP}/name": "item",
                f"deployitem.{GROUP}/namespace": "team",
                f"{GROUP}/type": "state",
            },
            "annotations": {f"{GROUP}/uuid": uuid, f"{GROUP}/num": str(number)},
        }
        data = {"config": base64.b64encode(pieces[number]).decode()}
        secret = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": "Opaque", "data": data}
        await place.cluster.create(SECRETS, secret, namespace=NAMESPACE)


async def contents(place: World) -> dict[str, bytes | None]:
    found = await place.restored(place.store())
    return {os.fsdecode(path): node.content for path, node in found.items()}


async def test_a_lone_piece_is_filled_up_with_zeros() -> None:
    async with world() as place:
        pieces = chunks(archive({"sub/": b"", "sub/terraform.tfstate": b"{}"}))
        assert len(pieces[0]) == CHUNK
        await keep(place, "one", pieces)
        assert await contents(place) == {"sub": None, "sub/terraform.tfstate": b"{}"}


async def test_the_last_of_several_pieces_ends_in_bytes_of_the_one_before() -> None:
    noise = os.urandom(2_500_000)
    async with world() as place:
        pieces = chunks(archive({"noise": noise}))
        assert pieces[2][-1000:] == pieces[1][-1000:]
        await keep(place, "one", pieces, [2, 0, 1])
        assert await contents(place) == {"noise": noise}


async def test_more_than_ten_pieces_are_put_together_by_number() -> None:
    noise = os.urandom(11 * CHUNK)
    async with world() as place:
        await keep(place, "one", chunks(archive({"noise": noise})))
        assert await contents(place) == {"noise": noise}


async def test_the_newest_set_counts_and_a_partial_one_does_not() -> None:
    noise = os.urandom(1_500_000)
    async with world() as place:
        await keep(place, "old", chunks(archive({"a": b"old"})))
        place.clock.hours += 1
        await keep(place, "new", chunks(archive({"a": b"new"})))
        assert await contents(place) == {"a": b"new"}
        place.clock.hours += 1
        await keep(place, "without an end", chunks(archive({"noise": noise})), [0])
        await keep(place, "without a beginning", chunks(archive({"noise": noise})), [1])
        assert await contents(place) == {"a": b"new"}


async def test_nothing_but_a_partial_set_is_said_and_not_taken_for_an_empty_state() -> None:
    async with world() as place:
        await keep(place, "partial", chunks(archive({"noise": os.urandom(1_500_000)})), [0])
        with pytest.raises(Damaged, match="pieces that the original Landscaper kept are missing"):
            await place.store().current()
        await place.store().remove()
        assert await place.store().current() is None


async def test_what_we_save_takes_the_place_of_what_the_original_kept() -> None:
    async with world() as place:
        await keep(place, "old", chunks(archive({"a": b"old"})))
        await place.store().settle()
        assert await contents(place) == {"a": b"old"}
        folder = place.made({})
        await place.store().restore(folder)
        await place.store().save(folder, "run")
        assert await contents(place) == {"a": b"old"}
        [secret] = await place.secrets()
        assert labels.item_of(secret) == item()


async def test_what_the_original_keeps_after_us_counts() -> None:
    async with world() as place:
        await place.store().save(place.made(files(a=b"ours")), "run")
        place.clock.hours += 1
        await keep(place, "theirs", chunks(archive({"a": b"theirs"})))
        assert await contents(place) == {"a": b"theirs"}
        await place.store().save(place.made(files(a=b"ours again")), "run-2")
        assert await contents(place) == {"a": b"ours again"}
        assert len(await place.secrets()) == 1


async def test_where_state_is_found_by_name_the_original_counts_if_the_last_run_was_its_own() -> None:
    async with world(by_name=True) as place:
        await keep(place, "older", chunks(archive({"a": b"theirs"})))
        assert await contents(place) == {"a": b"theirs"}
        await place.store().save(place.made(files(a=b"ours")), "run")
        assert await contents(place) == {"a": b"ours"}
        await keep(place, "newer", chunks(archive({"a": b"theirs again"})))
        assert await contents(place) == {"a": b"ours"}
        folder = place.made({})
        await place.store().restore(folder, adopts=True)
        assert describe(folder)[b"a"].content == b"theirs again"
        await place.store().save(folder, "run-2")
        assert await contents(place) == {"a": b"theirs again"}


async def test_state_of_the_original_goes_with_its_item() -> None:
    async with world() as place:
        await keep(place, "old", chunks(archive({"a": b"old"})))
        await place.store().remove()
        assert await place.secrets() == []
