"""The page about kinds says what the structs say."""

from __future__ import annotations

from pathlib import Path

import yaml

from landform.api import reference
from landform.api.catalog import KINDS
from landform.api.examples import EXAMPLES
from landform.api.validation import validate

PAGE = Path(__file__).parents[2] / "docs" / "kinds.md"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference.page(), (
        "run `python -m landform.api.reference > docs/kinds.md`"
    )


def test_each_kind_has_a_valid_example() -> None:
    assert set(EXAMPLES) == {info.kind for info in KINDS}
    for kind, text in EXAMPLES.items():
        example = yaml.safe_load(text)
        assert example["kind"] == kind
        assert validate(example) == []
