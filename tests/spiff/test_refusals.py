"""Nothing that a document says leaves the process."""

from __future__ import annotations

import os

import pytest

from landform.spiff import SpiffError, evaluate


@pytest.mark.parametrize(
    "call",
    [
        'exec("ls")',
        'exec_uncached("ls")',
        'pipe("a", "cat")',
        'pipe_uncached("a", "cat")',
        'env("HOME")',
        'write("a.txt", "x")',
        'mkdir("a")',
        'tempfile("x")',
        "archive({})",
        'read("http://example.org/x")',
        'read("https://example.org/x")',
    ],
)
def test_what_touches_the_system_is_refused(call: str) -> None:
    with pytest.raises(SpiffError, match="supported in this execution environment"):
        evaluate(f"a: |-\n  (( {call} ))\n")


@pytest.mark.parametrize("path", ["/etc/hostname", "../../../etc/hostname", "~/x", "d/../../etc/hostname"])
def test_no_file_but_the_given_ones_is_read(path: str) -> None:
    with pytest.raises(SpiffError, match="file does not exist"):
        evaluate(f'a: (( read("{path}") ))\n', files={"d/note.txt": b"x"})


def test_dots_lead_at_most_to_the_root_of_the_given_files() -> None:
    assert evaluate('a: (( read("../../d/note.txt") ))\n', files={"d/note.txt": b"x"}).result == {"a": "x"}


def test_a_folder_is_no_file() -> None:
    with pytest.raises(SpiffError, match="is a directory"):
        evaluate('a: (( read("d") ))\n', files={"d/note.txt": b"x"})


def test_the_environment_has_no_influence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "SPIFF_FEATURES", "control,interpolation")
    monkeypatch.setitem(os.environ, "SPIFF_ENCRYPTION_KEY", "key")
    assert evaluate("a: x (( 1 ))\nb: (( features() ))\n").result == {"a": "x (( 1 ))", "b": []}
    with pytest.raises(SpiffError, match="invalid empty encyption key"):
        evaluate('a: (( encrypt("x") ))\n')


def test_a_bound_text_is_never_evaluated() -> None:
    with pytest.raises(SpiffError, match="unresolved"):
        evaluate("a: (( secret ))\n", values={"secret": "(( other ))", "other": "leaked"})
