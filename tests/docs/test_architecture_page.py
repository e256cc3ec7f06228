"""The architecture page names what exists: every folder, no file that is not there, every import contract."""

from __future__ import annotations

import re
import tomllib

from tests.docs import pages

PAGE = "docs/architecture.md"
SOURCE = pages.ROOT / "src" / "landform"
ROW = re.compile(r"^\| `([a-z_/]+)/` \|", re.MULTILINE)
FILE = re.compile(r"`((?:[a-z_]+/)+[a-z_]+\.py)`")


def test_the_folders_are_those_of_the_source() -> None:
    found = {
        str(folder.relative_to(SOURCE))
        for folder in (*SOURCE.iterdir(), *(SOURCE / "embedded").iterdir())
        if folder.is_dir() and any(folder.glob("*.py"))
    }
    assert set(ROW.findall(pages.read(PAGE))) == found


def test_every_file_it_names_is_there() -> None:
    named = FILE.findall(pages.read(PAGE)) + FILE.findall(pages.read("CONTRIBUTING.md"))
    assert len(named) > 20
    assert [file for file in named if not any((place / file).is_file() for place in (SOURCE, pages.ROOT))] == []


def test_it_has_every_sentence_of_the_import_checker() -> None:
    contracts = tomllib.loads((pages.ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    page = " ".join(pages.read(PAGE).split())
    assert [contract["name"] for contract in contracts if contract["name"] not in page] == []
