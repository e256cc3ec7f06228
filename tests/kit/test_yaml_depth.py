"""Texts that are nested too deep are refused; the C library under PyYAML would end the process."""

from __future__ import annotations

import pytest

from landform.kit import yamls


@pytest.mark.parametrize(
    "text",
    ["[" * 200_000, "{a: " * 200_000, "- " * 200_000, "? " * 200_000, "? - " * 100_000, "a:\n- " * 3 + "[" * 200_000],
    ids=["lists", "maps", "block lists", "keys", "keys and lists", "below others"],
)
def test_a_text_that_is_nested_too_deep_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="levels deep"):
        yamls.load(text)
    with pytest.raises(ValueError, match="levels deep"):
        list(yamls.load_all(text))


@pytest.mark.parametrize("line", ["#\r", "#\x85", "#\u2028", "#\u2029", "\ufeff"], ids=repr)
def test_no_line_break_hides_how_deep_a_text_is(line: str) -> None:
    with pytest.raises(ValueError, match="levels deep"):
        yamls.load(line + "- " * 100_000)


def test_many_brackets_side_by_side_are_fine() -> None:
    assert yamls.load("- []\n" * 2000) == [[]] * 2000


def test_deep_indentation_within_the_limit_is_fine() -> None:
    depth = 200
    value = yamls.load("".join(f"{'  ' * level}a:\n" for level in range(depth)))
    for _ in range(depth - 1):
        value = value["a"]
    assert value == {"a": None}


def test_an_alias_that_contains_itself_is_refused() -> None:
    for text in ("a: &a [*a]", "&a {b: {c: *a}}"):
        with pytest.raises(ValueError, match="contains it"):
            yamls.load(text)
        with pytest.raises(ValueError, match="contains it"):
            list(yamls.load_all(text))
