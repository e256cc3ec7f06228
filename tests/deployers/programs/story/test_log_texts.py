"""As much of an output as is kept."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from landform.deployers.programs.runs import logtexts
from landform.deployers.programs.runs.logtexts import LogText

PIECES = st.lists(st.binary(max_size=40) | st.sampled_from([b"line\n", b"\n", b"x" * 30]), max_size=30)


@given(PIECES, st.integers(1, 60))
def test_what_is_kept_is_the_end_of_it_and_not_too_long(pieces: list[bytes], limit: int) -> None:
    text, whole = LogText(limit), b"".join(pieces)
    for piece in pieces:
        text.add(piece)
    assert len(text.content) <= limit
    assert text.content == whole[text.dropped :]


@given(PIECES, st.integers(1, 60), st.data())
def test_whoever_looks_now_and_then_sees_all_that_is_kept_once(
    pieces: list[bytes], limit: int, data: st.DataObject
) -> None:
    text, seen, whole = LogText(limit), 0, b""
    for piece in pieces:
        text.add(piece)
        whole += piece
        if data.draw(st.booleans()):
            shown = logtexts.unseen(text.content, text.dropped, seen)
            assert shown == whole[max(seen, text.dropped) :]
            seen = text.dropped + len(text.content)


def test_a_long_output_begins_with_a_whole_line() -> None:
    text = LogText(20)
    for number in range(10):
        text.add(b"line %d\n" % number)
    assert text.content == b"line 8\nline 9\n"
    assert text.dropped == 56


def test_one_long_line_does_not_cost_all_that_came_before_it() -> None:
    text = LogText(20_000)
    for _ in range(3):
        text.add(b"x" * 15_000 + b"\n")
    text.add(b"end\n")
    assert len(text.content) == 20_000
    assert text.content.endswith(b"x\nend\n")


def test_an_output_whose_beginning_is_gone_goes_on_where_it_was_left() -> None:
    text, again = LogText(), LogText()
    whole = b"".join(b"line %d\n" % number for number in range(1000))
    text.add(whole[:5000])
    again.add(whole[3000:])
    text.go_on(again)
    assert text.content == whole
    text.go_on(LogText())
    assert text.content == whole


def test_a_tail_is_plain_text() -> None:
    text = LogText()
    text.add(b"\x1b[1;31mred\x1b[0m\n50%\r100%\n\x1b]0;title\x07\ta\x00\x08b\x9b\n")
    assert text.tail() == "red\n50%\n100%\n\tab\ufffd"


def test_the_tail_is_bounded_by_lines_and_bytes() -> None:
    text = LogText()
    for number in range(100):
        text.add(b"line %d\n" % number)
    assert text.tail(lines=2) == "line 98\nline 99"
    assert text.tail(lines=100, size=10) == "...98\nline 99"


def test_a_tail_need_not_be_text() -> None:
    text = LogText()
    text.add(b"\xff\xfe \xc3")
    assert text.tail() == "�� �"
