"""Descriptors that were read before: bounded, and those go first that nobody asked for."""

from __future__ import annotations

from landform.components.memories import Memory, Remembered


def _read(size: int) -> Remembered:
    return Remembered({}, "v2", size)


def test_what_was_not_asked_for_longest_makes_room() -> None:
    memory = Memory(limit=30)
    for name in "abc":
        memory.put(name, _read(10))
    assert memory.get("a") is not None
    memory.put("d", _read(10))
    assert [name for name in "abcd" if memory.get(name)] == ["a", "c", "d"]


def test_what_is_put_twice_counts_once() -> None:
    memory = Memory(limit=20)
    for _ in range(5):
        memory.put("a", _read(10))
    memory.put("b", _read(10))
    assert [name for name in "ab" if memory.get(name)] == ["a", "b"]


def test_something_larger_than_everything_is_not_kept() -> None:
    memory = Memory(limit=20)
    memory.put("a", _read(21))
    assert memory.get("a") is None
