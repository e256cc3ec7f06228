"""Identifiers."""

from __future__ import annotations

import os
import random
import uuid

from landform.kit.ids import SUFFIX_ALPHABET, RandomIds


def test_uids_are_uuids_and_never_the_same() -> None:
    ids = RandomIds()
    made = {ids.uid() for _ in range(5000)}
    assert len(made) == 5000
    assert all(uuid.UUID(uid).version == 4 for uid in made)


def test_suffixes_use_the_whole_alphabet_of_kubernetes() -> None:
    ids = RandomIds()
    assert set("".join(ids.suffix() for _ in range(2000))) == set(SUFFIX_ALPHABET)


def test_the_same_seed_gives_the_same_ids() -> None:
    first, second = RandomIds(random.Random(7)), RandomIds(random.Random(7))
    assert [first.uid(), first.suffix()] == [second.uid(), second.suffix()]


def test_a_forked_process_makes_other_ids_than_its_parent() -> None:
    ids = RandomIds()
    ids.uid()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, ids.uid().encode())
        os._exit(0)
    os.waitpid(child, 0)
    theirs = os.read(reading, 100).decode()
    os.close(reading)
    os.close(writing)
    assert theirs
    assert theirs != ids.uid()
