"""Every case that the original has answered gives the same answer here, but for its listed defects."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.spiff import goldens

PUBLISHED = goldens.published()
CASES = goldens.read("cases.json")
EXPECTED = goldens.read("expected.json")
DEVIATIONS = goldens.read("deviations.json")
EXPRESSIONS = [
    (text, EXPECTED["expressions"][group][index])
    for group, texts in CASES["expressions"].items()
    for index, text in enumerate(texts)
]


def name(case: dict[str, Any]) -> str:
    """The name that a published case is listed under."""
    return f"{case['area']}/{case['name']}"


@pytest.mark.parametrize("case", PUBLISHED, ids=name)
def test_a_published_case_gives_what_the_original_gave(case: dict[str, Any]) -> None:
    found = goldens.run(case)
    wanted = DEVIATIONS.get(name(case)) or goldens.expected(case)
    # all numbers from outside are floats to the original; here those that are whole are whole numbers
    assert goldens.alike(found, wanted, kinds="values" not in case), found


def test_all_published_cases_are_there() -> None:
    assert len(PUBLISHED) == 787
    assert set(DEVIATIONS) <= set(map(name, PUBLISHED))


@pytest.mark.parametrize("case", [case for case in PUBLISHED if name(case) in DEVIATIONS], ids=name)
def test_only_defects_of_the_original_are_answered_differently(case: dict[str, Any]) -> None:
    assert not goldens.alike(DEVIATIONS[name(case)], goldens.expected(case))
    assert "quirk" in case or name(case) == "strings/format-non-string-format"


@pytest.mark.parametrize(("text", "wanted"), EXPRESSIONS, ids=[text for text, _ in EXPRESSIONS])
def test_an_expression_gives_what_the_original_gives(text: str, wanted: dict[str, Any]) -> None:
    template = json.dumps({**CASES["context"], "result": f"(( {text} ))"})
    found = goldens.run({"template": template})
    if "result" in found:
        found = {"result": found["result"]["result"]} if "result" in found["result"] else {"absent": True}
    assert goldens.alike(found, wanted), found


@pytest.mark.parametrize(
    ("case", "wanted"),
    list(zip(CASES["documents"], EXPECTED["documents"], strict=True)),
    ids=[case["name"] for case in CASES["documents"]],
)
def test_a_document_gives_what_the_original_gives(case: dict[str, Any], wanted: dict[str, Any]) -> None:
    found = goldens.run(case)
    assert goldens.alike(found, wanted), found
