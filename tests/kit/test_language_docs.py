"""The examples in the docs pages and docstrings of the kit's languages say the truth."""

from __future__ import annotations

import ast
import doctest
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from landform.kit import cron, durations, jsonpath

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

DOCS = Path(__file__).parents[2] / "docs" / "languages"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
ANSWER = re.compile(r"(?P<code>\S.*?)\s+# (?P<answer>.+)")


def answers(page: str) -> Iterator[tuple[str, Any]]:
    """What the comments in a page's examples claim, each with the value of the statement before it."""
    for block in BLOCK.findall((DOCS / page).read_text("utf-8")):
        names: dict[str, Any] = {}
        lines = block.splitlines()
        for statement in ast.parse(block).body:
            if match := ANSWER.fullmatch(lines[(statement.end_lineno or 0) - 1]):
                yield match["answer"], eval(match["code"], names)
            else:
                exec(ast.unparse(statement), names)


@pytest.mark.parametrize(("page", "count"), [("jsonpath.md", 3), ("schedules.md", 6)])
def test_the_examples_of_a_page_give_what_it_says(page: str, count: int) -> None:
    found = list(answers(page))
    assert len(found) == count
    for claimed, value in found:
        assert claimed in (repr(value), str(value))


@pytest.mark.parametrize("module", [cron, durations, jsonpath])
def test_the_examples_of_a_docstring_give_what_it_says(module: ModuleType) -> None:
    outcome = doctest.testmod(module)
    assert outcome.attempted > 0
    assert outcome.failed == 0
