"""Texts that are nested too deep are refused; the C library under PyYAML would end the process."""

from __future__ import annotations

import pytest
import yaml

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


@pytest.mark.parametrize(
    "text",
    [
        "a0: &a0 {x: 1}\n" + "".join(f"a{n + 1}: &a{n + 1}\n  <<: [*a{n}, *a{n}]\n" for n in range(60)),
        "a: &a {x: 1}\nb: {" + "<<: *a, " * 50_000 + "}",
        "a: &a {" + ", ".join(f"k{n}: 1" for n in range(5_000)) + "}\nb:\n" + "- {<<: *a}\n" * 5_000,
    ],
    ids=["each twice", "many into one", "one into many"],
)
@pytest.mark.timeout(20)
def test_maps_are_not_merged_without_end(text: str) -> None:
    with pytest.raises(yaml.YAMLError, match="merged into"):
        yamls.load(text)


def test_maps_may_be_merged() -> None:
    assert yamls.load("a: &a {p: 1, q: 2}\nb: {<<: [*a, {q: 3, r: 4}], p: 5}")["b"] == {"p": 5, "q": 2, "r": 4}
