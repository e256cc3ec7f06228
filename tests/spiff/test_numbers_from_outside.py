"""Numbers from outside are floats to the original; here those that are whole work as whole numbers."""

from __future__ import annotations

from typing import Any

import pytest

from landform.spiff import SpiffError, evaluate


def value_of(expression: str, number: float) -> Any:
    """What an expression gives with a number from outside under the name `n`."""
    return evaluate(f"l: [a, b, c, d]\nresult: (( {expression} ))\n", values={"n": number}).result["result"]


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ('"port-" n', "port-3"),
        ("n > 1", True),
        ("n == 3", True),
        ('n == "3"', True),
        ("[1..n]", [1, 2, 3]),
        ("l[n]", "d"),
        ("n % 2", 1),
        ("n + 1", 4),
        ('"x" (n * 2)', "x6"),
        ('substr("hello", n)', "lo"),
        ("element(l, n)", "d"),
        ('join(",", n, [n])', "3,3"),
        ("sort([n, 1])", [1, 3]),
        ('format("%d %v %.1f", n, n, n)', "3 3 3.0"),
        ("length(uniq([n, n, 3]))", 1),
        ("contains([1, 3], n)", True),
        ("string(n)", "3"),
        ("10.0.0.1 + n", "10.0.0.4"),
        ("n -and 1", 1),
        ('check(n, ["valueset", [3]])', True),
        ('check(n, ["gt", 2])', True),
        ("asjson([n])", "[3]"),
    ],
)
def test_a_whole_number_from_outside_works_everywhere(expression: str, result: Any) -> None:
    assert value_of(expression, 3.0) == result


@pytest.mark.parametrize(("expression", "result"), [("n / 2", 1.5), ("n / 2 * 2", 3), ('format("%.2f", n)', "3.00")])
def test_what_documents_did_with_floats_still_works(expression: str, result: Any) -> None:
    assert value_of(expression, 3.0) == result


def test_large_numbers_keep_their_digits() -> None:
    assert value_of("string(n)", 10737418240.0) == "10737418240"
    assert value_of('"" n', 1e6) == "1000000"


@pytest.mark.parametrize("number", [1.5, 1e300])
def test_other_floats_stay_floats(number: float) -> None:
    assert value_of("n", number) == number
    with pytest.raises(SpiffError, match="cannot be concatenated"):
        value_of('"x" n', number)


def test_the_result_holds_plain_numbers() -> None:
    found = value_of("n", 3.0)
    assert found == 3
    assert type(found) is int
