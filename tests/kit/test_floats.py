"""Floating-point numbers read as Go writes them; each expected text is what Go printed."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landform.kit import floats


@pytest.mark.parametrize(
    ("number", "verb", "precision", "expected"),
    [
        (918449.8175, "g", 20, "918449.81750000000466"),
        (5e-324, "g", 10, "4.940656458e-324"),
        (5e-324, "b", None, "1p-1074"),
        (5e-324, "x", None, "0x1p-1074"),
        (123.0, "g", 0, "1e+02"),
        (1e6, "g", None, "1e+06"),
        (math.inf, "f", 2, "+Inf"),
    ],
)
def test_a_number_under_a_verb(number: float, verb: str, precision: int | None, expected: str) -> None:
    assert floats.format_float(number, verb, precision) == expected


@pytest.mark.parametrize(
    ("number", "verb", "precision", "expected"),
    [
        (1.0, "g", None, "1.00000"),
        (100000.0, "g", 3, "1.00e+05"),
        (1e-7, "G", None, "1.00000E-07"),
        (2.0, "e", 0, "2.e+00"),
        (1.5, "x", 3, "0x1.800p+00"),
        (1.0, "x", None, "0x1.0000p+00"),
    ],
)
def test_the_zeros_that_a_flag_keeps(number: float, verb: str, precision: int | None, expected: str) -> None:
    assert floats.with_zeros("+" + floats.format_float(number, verb, precision), verb, precision) == "+" + expected


@pytest.mark.parametrize(
    ("number", "expected"),
    [(1e-6, "0.000001"), (1e-7, "1e-7"), (1.5e-10, "1.5e-10"), (1e20, "100000000000000000000"), (1e21, "1e+21")],
)
def test_a_number_in_json_has_an_exponent_only_where_it_is_very_small_or_large(number: float, expected: str) -> None:
    assert floats.json_number(number) == expected


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_whatever_is_written_reads_back(number: float) -> None:
    assert float(floats.general(number)) == float(floats.json_number(number)) == number
