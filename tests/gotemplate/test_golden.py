"""Every template renders, or fails, byte for byte as in real Go."""

from __future__ import annotations

import re

import pytest
from tests.gotemplate.goldens import FAMILIES, Case, cases

from landform.gotemplate import SPRIG, YAML, Budgets, Template, TemplateError

_FUNCTIONS = {**SPRIG, **YAML}
_PATIENT = Budgets(seconds=50)
"""What Go answers does not depend on how busy this machine is."""


def _result(case: Case) -> tuple[str | None, str | None]:
    try:
        template = Template(
            case.text,
            name=case.name,
            functions={} if case.bare else _FUNCTIONS,
            missing_key=case.missing_key,
            budgets=_PATIENT,
        )
        return _as_json_shows(template.render(case.data)), None
    except TemplateError as error:
        return None, _as_json_shows(str(error))


def _as_json_shows(text: str) -> str:
    """The text with bytes that are not UTF-8 replaced, as Go's JSON encoder does."""
    whole = text.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
    return re.sub("[\udc80-\udcff]", "\ufffd", whole)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_of_templates_does_what_it_does_in_go(family: str) -> None:
    """One test for a whole family; a failure lists the first templates that differ."""
    different = []
    for case in cases(family):
        got = _result(case)
        if got != (case.output, case.error):
            different.append(f"{case.text!r}\n  Go:   {(case.output, case.error)}\n  ours: {got}")
    assert not different, f"{len(different)} differ:\n" + "\n".join(different[:10])


def test_the_golden_cases_are_many() -> None:
    """The promise is at least 1,200 cases."""
    assert sum(len(cases(family)) for family in FAMILIES) >= 1200
