"""Go's quoted texts and whole numbers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from landform.kit import quoting


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("plain", '"plain"'),
        ('say "hi"\\', r'"say \"hi\"\\"'),
        ("\a\b\f\n\r\t\v", r'"\a\b\f\n\r\t\v"'),
        ("\x00\x7f", r'"\x00\x7f"'),
        ("é日😀", '"é日😀"'),
        ("\u00a0\u2028\ufeff", r'"\u00a0\u2028\ufeff"'),
        ("\U000e0001", r'"\U000e0001"'),
        ("\ud800", r'"\ufffd"'),
    ],
)
def test_a_text_is_quoted_as_go_does(text: str, quoted: str) -> None:
    assert quoting.quote(text) == quoted


@settings(deadline=None)
@given(st.integers(quoting.INT64_MIN, quoting.INT64_MAX))
def test_every_number_of_64_bits_is_read(number: int) -> None:
    assert quoting.atoi(str(number)) == number


@pytest.mark.parametrize(("text", "number"), [("+5", 5), ("-0", 0), ("000", 0), ("0" * 5000 + "7", 7)])
def test_signs_and_leading_zeros_are_fine(text: str, number: int) -> None:
    assert quoting.atoi(text) == number


@pytest.mark.parametrize("text", ["", "+", "-", "1 ", "1_0", "0x1", "1.0", "١", "--1", "+-1", "1\n"])
def test_what_is_not_a_number_is_named(text: str) -> None:
    with pytest.raises(ValueError) as caught:
        quoting.atoi(text)
    assert str(caught.value) == f"strconv.Atoi: parsing {quoting.quote(text)}: invalid syntax"


@pytest.mark.parametrize("text", ["9223372036854775808", "-9223372036854775809", "9" * 5000])
def test_what_does_not_fit_is_named(text: str) -> None:
    with pytest.raises(ValueError, match="value out of range"):
        quoting.atoi(text)
