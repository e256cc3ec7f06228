"""Logs that are put together from streams that overlap."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from landform.deployers.programs.pods.output import Lines


@given(
    gaps=st.lists(st.tuples(st.integers(0, 3), st.binary(max_size=5)), max_size=20),
    cuts=st.lists(st.integers(0, 400), max_size=4),
    chunk=st.integers(1, 50),
)
def test_streams_that_were_cut_anywhere_give_the_whole_log_once(
    gaps: list[tuple[int, bytes]], cuts: list[int], chunk: int
) -> None:
    moment, log = 0, []
    for gap, text in gaps:
        moment += gap * 400_000_000  # several lines in one second, and several at the same moment
        log.append((moment, text.replace(b"\n", b"?")))
    lines, received = Lines(), b""
    for cut in [*cuts, None]:
        lines.resume()
        stream = b"".join(_line(*line) for line in log if _seconds(line[0]) >= _from(lines.since))[:cut]
        for start in range(0, len(stream), chunk):
            received += lines.feed(stream[start : start + chunk])
    assert received == b"".join(text + b"\n" for _, text in log)


def test_a_last_line_without_an_end_is_given_out_in_the_end() -> None:
    lines = Lines()
    assert lines.feed(b"2030-01-01T00:00:00.1Z one\n2030-01-01T00:00:00.2Z two") == b"one\n"
    assert lines.finish() == b"two"
    assert lines.finish() == b""


def test_words_of_the_kubelet_are_not_those_of_the_program() -> None:
    lines = Lines()
    words = b"unable to retrieve container logs for containerd://46581effd22d3"
    assert lines.feed(b"2030-01-01T00:00:00.1Z one\n" + words) == b"one\n"
    assert lines.finish() == b""


def _line(moment: int, text: bytes) -> bytes:
    seconds, fraction = divmod(moment, 1_000_000_000)
    stamp = f"2030-01-01T00:00:{seconds:02}.{fraction:09}".rstrip("0").rstrip(".")
    return f"{stamp}Z ".encode() + text + b"\n"


def _seconds(moment: int) -> int:
    return moment // 1_000_000_000


def _from(since: str) -> int:
    return int(since[17:19]) if since else 0
