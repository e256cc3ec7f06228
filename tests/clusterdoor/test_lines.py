"""Lines come out whole, however the chunks were cut."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from landform.cluster.lines import LineBuffer


@given(st.binary(max_size=60).map(lambda data: data.replace(b"\x01", b"\n")), st.lists(st.integers(0, 60), max_size=8))
def test_lines_do_not_depend_on_how_the_chunks_are_cut(data: bytes, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    buffer, lines = LineBuffer(), list[bytes]()
    for start, end in itertools.pairwise(edges):
        lines += buffer.feed(data[start:end])
    *whole, rest = data.split(b"\n")
    assert lines == [line.strip() for line in whole if line.strip()]
    assert buffer.is_empty is (not rest.strip())
