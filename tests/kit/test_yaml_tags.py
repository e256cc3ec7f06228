"""A value under an explicit tag that it does not fit is a fault with a place, and is not told itself."""

from __future__ import annotations

import pytest
import yaml

from landform.kit import yamls


@pytest.mark.parametrize("tag", ["bool", "int", "float"])
def test_a_value_that_does_not_fit_its_tag_is_a_fault_in_its_place(tag: str) -> None:
    with pytest.raises(yaml.MarkedYAMLError) as caught:
        yamls.load(f"a: 1\nb: !!{tag} hunter2")
    assert caught.value.problem_mark is not None
    assert (caught.value.problem_mark.line, caught.value.problem_mark.column) == (1, 3)
    assert "hunter2" not in (caught.value.problem or "")


def test_a_number_with_too_many_digits_is_a_fault_and_not_told() -> None:
    with pytest.raises(yaml.MarkedYAMLError, match="whole number"):
        yamls.load("a: &x 1" + "0" * 5000)


def test_a_time_stays_text_even_with_its_tag() -> None:
    assert yamls.load("a: !!timestamp 2001-12-14") == {"a": "2001-12-14"}
