"""The pages that people read, taken apart."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    str(page.relative_to(ROOT))
    for folder in (".", "docs", "docs/deployers", "docs/languages", "examples")
    for page in ROOT.glob(f"{folder}/*.md")
)

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """One fenced block of a page."""

    language: str
    text: str


def read(page: str) -> str:
    """The text of a page."""
    return (ROOT / page).read_text("utf-8")


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page, in order."""
    return [Block(*found) for found in _FENCE.findall(read(page))]


def prose(page: str) -> str:
    """A page without its fenced blocks."""
    return _FENCE.sub("", read(page))


def commands(page: str) -> list[str]:
    """The lines that a page tells its readers to type, without comments."""
    lines = [line for block in blocks(page) if block.language == "sh" for line in block.text.splitlines()]
    return [typed for line in lines if (typed := line.partition("#")[0].strip())]
