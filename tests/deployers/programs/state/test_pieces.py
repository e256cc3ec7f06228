"""Which pieces belong together, in whatever order they are found; and pieces that lie in a folder as files."""

from __future__ import annotations

import base64
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.deployers.programs.state.stores import files
from tests.deployers.programs.trees import describe, make

from landform.deployers.programs.contract.faults import Damaged
from landform.deployers.programs.states import statechunks, statefiles, statewriting
from landform.deployers.programs.states.statechunks import NUMBER, SIZE, UUID, Place, SetPlan, StateSet

if TYPE_CHECKING:
    import random
    from pathlib import Path

PLAN = SetPlan(Place("set", "item-state-set", 3, "run"), 4, "digest")


@given(st.integers(0, 5000), st.sampled_from([-1, 0, 1]))
def test_pieces_are_full_but_for_the_last(full: int, more: int) -> None:
    size = max(full * SIZE + more, 1)
    count = statechunks.count_of(size)
    assert (count - 1) * SIZE < size <= count * SIZE


@given(st.binary(max_size=100), st.integers(0, 3))
def test_a_piece_is_read_as_it_was_written(payload: bytes, number: int) -> None:
    piece = PLAN.part(number, payload)
    assert statechunks.payload_of(piece, number) == payload
    with pytest.raises(Damaged):
        statechunks.payload_of(piece, number + 1)


@pytest.mark.parametrize("first", ["", "item-state"])
def test_the_first_piece_tells_of_all_and_no_other_does(first: str) -> None:
    plan = replace(PLAN, place=replace(PLAN.place, first=first))
    pieces = [plan.part(number, b"x") for number in range(4)]
    for name, piece in zip(plan.result.names, pieces, strict=True):
        piece["metadata"]["name"] = name
    assert statechunks.set_of(pieces[0]) == plan.result
    assert plan.result.names[0] == (first or "item-state-set-0")
    with pytest.raises(Damaged, match="item-state-set-1 were changed"):
        statechunks.set_of(pieces[1])


@given(st.binary(min_size=1, max_size=100), st.data())
def test_a_piece_with_a_changed_bit_is_damaged(payload: bytes, data: st.DataObject) -> None:
    piece = PLAN.part(0, payload)
    place = data.draw(st.integers(0, len(payload) - 1))
    changed = bytearray(payload)
    changed[place] ^= 1 << data.draw(st.integers(0, 7))
    piece["data"]["config"] = base64.b64encode(changed).decode()
    with pytest.raises(Damaged, match="was changed"):
        statechunks.payload_of(piece, 0)


def _original(uuid: str, number: object, hour: int, name: str = "") -> dict[str, Any]:
    return {
        "metadata": {
            "name": name or f"{uuid}-{number}",
            "creationTimestamp": f"2026-01-01T{hour:02}:00:00Z",
            "annotations": {UUID: uuid, NUMBER: str(number)},
        }
    }


@given(st.lists(st.tuples(st.integers(1, 12), st.booleans()), max_size=5), st.randoms())
def test_sets_of_the_original_are_told_apart_in_any_order(sets: list[tuple[int, bool]], chance: random.Random) -> None:
    """Each set has so many pieces, and lacks one of them or not."""
    secrets, expected = [], []
    for hour, (count, whole) in enumerate(sets):
        id = f"set-{hour}"
        numbers = list(range(count))
        if whole:
            expected.append(StateSet(id, tuple(f"{id}-{number}" for number in numbers)))
        else:
            numbers.insert(0, count + 1)
        secrets += [_original(id, number, hour) for number in numbers]
    chance.shuffle(secrets)
    assert statechunks.originals(secrets) == expected[::-1]


def test_what_is_no_piece_or_there_twice_makes_no_set() -> None:
    foreign: dict[str, Any] = {"metadata": {"name": "foreign"}}
    odd = _original("odd", "first", 1)
    assert statechunks.originals([foreign, odd, {}]) == []
    assert statechunks.originals([_original("twice", 0, 1), _original("twice", 0, 1, "other")]) == []


def _as_files(folder: Path, packed: bytes) -> int:
    folder.mkdir()
    count = statechunks.count_of(len(packed))
    for number in range(count):
        (folder / statefiles.file_name(number)).write_bytes(packed[number * SIZE : (number + 1) * SIZE])
    return count


def test_a_state_in_files_is_restored_and_checked(tmp_path: Path) -> None:
    tree = files(noise=os.urandom(1_100_000), text=b"x")
    with statewriting.scratch(tmp_path) as file:
        packed = statewriting.pack(make(tmp_path / "state", tree), file)
        content = b"".join(map(packed.piece, range(packed.count)))
    count = _as_files(tmp_path / "pieces", content)
    assert count == packed.count == 3
    statefiles.restore(tmp_path / "pieces", make(tmp_path / "one", {}), count=count, digest=packed.digest)
    assert describe(tmp_path / "one") == tree
    with pytest.raises(Damaged, match="not the one that was saved"):
        statefiles.restore(tmp_path / "pieces", make(tmp_path / "two", {}), count=count, digest="other")
    (tmp_path / "pieces" / "000001").unlink()
    with pytest.raises(Damaged, match="piece 000001 of the state is missing"):
        statefiles.restore(tmp_path / "pieces", make(tmp_path / "three", {}), count=count)


def test_no_pieces_are_no_state(tmp_path: Path) -> None:
    statefiles.restore(tmp_path / "missing", make(tmp_path / "state", {}), count=0)
    assert describe(tmp_path / "state") == {}
