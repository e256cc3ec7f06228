"""Paths and data that were made to hurt end in an answer or an error, soon."""

from __future__ import annotations

from typing import Any

import pytest

from landform.kit import jsonpath
from landform.kit.jsonpath import InvalidPath, Mismatch, TooMuchWork

pytestmark = pytest.mark.timeout(20)

LONG = 10_000_000


def nested(depth: int, *, lists: bool) -> Any:
    value: Any = {"a": 1}
    for _ in range(depth):
        value = [value] if lists else {"a": value}
    return value


@pytest.mark.parametrize(
    "path",
    ["x" * LONG, "{." + "x" * LONG + "}", '{"' + "\\n" * LONG + '"}', "{" + "9" * LONG + "}", "{[" + "," * LONG + "]}"],
    ids=["text", "field", "quoted", "number", "union"],
)
def test_a_path_of_megabytes_is_refused(path: str) -> None:
    with pytest.raises(InvalidPath, match="more than 200000"):
        jsonpath.compile(path)


@pytest.mark.parametrize("path", ["{.a}" * 40_000, "{" + ".a" * 90_000 + "}", "{[" + "," * 90_000 + "]}"])
def test_a_path_of_very_many_steps_is_refused(path: str) -> None:
    with pytest.raises(InvalidPath, match="more than 20000 steps"):
        jsonpath.compile(path)


@pytest.mark.parametrize("opening", ["{", "{[", "{[?(", '{"', "{.a[?(@.b", "{[?('"])
def test_openings_without_end_are_an_error(opening: str) -> None:
    with pytest.raises(InvalidPath):
        jsonpath.compile(opening * (190_000 // len(opening)))


def test_filters_cannot_be_nested_without_end() -> None:
    with pytest.raises(InvalidPath):
        jsonpath.compile("{" + "[?(" * 30_000 + "@" + ")]" * 30_000 + "}")


def test_what_looks_like_a_number_is_refused_soon() -> None:
    with pytest.raises(InvalidPath):
        jsonpath.compile("{" + "9" * 150_000 + "..}")


def test_a_long_escaped_name_is_read() -> None:
    assert jsonpath.compile("{." + "\\." * 90_000 + "}").find({"." * 90_000: 1}) == [[1]]


@pytest.mark.parametrize("path", ["{range @}" * 60, "{range @[*]}" * 40, "{" + "..[*]" * 30 + "}"])
def test_a_path_that_grows_exponentially_is_stopped(path: str) -> None:
    data: Any = [[1, 2], [3, 4]]
    for _ in range(40):
        data = [data, data]
    with pytest.raises(TooMuchWork, match="more than 500000 values"):
        jsonpath.compile(path).find(data)


def test_very_many_nested_ranges_are_stopped() -> None:
    with pytest.raises(TooMuchWork):
        jsonpath.compile("{range @}" * 5_000 + "{end}" * 5_000).find({})


@pytest.mark.parametrize("lists", [True, False], ids=["lists", "maps"])
def test_deeply_nested_data_is_searched_and_printed(lists: bool) -> None:
    data = nested(50_000, lists=lists)
    assert jsonpath.compile("{..a}").find(data)[0][-1] == 1
    assert len(jsonpath.compile("{@}").render(data)) > 100_000


def test_deeply_nested_data_may_appear_in_an_error() -> None:
    with pytest.raises(Mismatch, match=r"map\[a:map\[a:.* is not array or slice and cannot be filtered"):
        jsonpath.compile("{[?(@.a)]}").find(nested(50_000, lists=False))


def test_printing_every_level_of_deep_data_is_stopped() -> None:
    with pytest.raises(TooMuchWork):
        jsonpath.compile("{..}").render(nested(50_000, lists=True))


@pytest.mark.parametrize("path", ["{@}", "{..}"])
def test_data_that_holds_itself_is_not_followed_for_ever(path: str) -> None:
    data: list[Any] = []
    data.append(data)
    with pytest.raises(TooMuchWork):
        jsonpath.compile(path).render(data)


def test_the_bytes_of_a_huge_text_are_not_taken_apart() -> None:
    with pytest.raises(TooMuchWork):
        jsonpath.compile("{.*.*}").find({"a": "x" * LONG})


def test_a_filter_cannot_hide_that_there_was_too_much_work() -> None:
    data: list[Any] = []
    data.append(data)
    with pytest.raises(TooMuchWork):
        jsonpath.compile("{[?(@..x)]}").find(data)


def test_an_absurd_step_takes_the_first_element() -> None:
    assert jsonpath.compile("{[::9223372036854775807]}").find([1, 2]) == [[1]]


@pytest.mark.parametrize("index", ["9223372036854775807", "-9223372036854775808"])
def test_an_absurd_index_is_out_of_bounds(index: str) -> None:
    with pytest.raises(Mismatch, match="array index out of bounds"):
        jsonpath.compile(f"{{[{index}]}}").find([1, 2])
