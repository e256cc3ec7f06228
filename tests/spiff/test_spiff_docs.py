"""The page about spiff says the truth."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.spiff import goldens

from landform.spiff import Budgets
from landform.spiff.grammar.parser import MOST_CHARACTERS
from landform.spiff.grammar.rules import MOST_OPERATORS

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = (Path(__file__).parents[2] / "docs" / "languages" / "spiff.md").read_text("utf-8")
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
ANSWER = re.compile(r"(?P<code>\S.*?)  # (?P<answer>.+)")
CASE = re.compile(r"`([a-z]+/[a-z0-9-]+)`")


def answers() -> Iterator[tuple[str, Any]]:
    """What the comments in the page's examples claim, each with the value of its line."""
    for block in BLOCK.findall(PAGE):
        names: dict[str, Any] = {}
        lines = block.splitlines()
        first = next(index for index, line in enumerate(lines) if ANSWER.fullmatch(line))
        exec("\n".join(lines[:first]), names)
        for line in lines[first:]:
            if match := ANSWER.fullmatch(line):
                yield match["answer"], eval(match["code"], names)


def test_the_examples_give_what_the_page_says() -> None:
    found = list(answers())
    assert len(found) == 6
    for claimed, value in found:
        assert claimed == repr(value)


def test_the_page_lists_every_case_that_is_answered_differently() -> None:
    assert set(CASE.findall(PAGE)) == set(goldens.read("deviations.json"))


def test_the_page_names_the_budgets() -> None:
    budgets = Budgets()
    assert f"{budgets.seconds:g} seconds and {budgets.steps:,} steps" in PAGE
    assert f"nest lambda calls and templates {budgets.calls:,} deep\nand maps and lists {budgets.nesting} deep" in PAGE
    assert (budgets.produced >> 20, budgets.text >> 20, MOST_CHARACTERS >> 10, MOST_OPERATORS) == (24, 4, 256, 1000)
