"""Commands whose standard streams are not as usual: closed, full, or of another encoding."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.cli.processes import PATIENCE_SECONDS, command, environment

if TYPE_CHECKING:
    from pathlib import Path

_TEXT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {a: café}\n---\nkind: ü\n"


def shell(line: str, *arguments: str | Path, **variables: str) -> tuple[int, bytes, bytes]:
    """What a shell says that runs a command; `"$@"` is `landform` with the arguments."""
    done = subprocess.run(
        ["sh", "-c", line, "sh", *command(*arguments)],
        capture_output=True,
        timeout=PATIENCE_SECONDS,
        check=False,
        env=environment(**variables),
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("closed", [">&-", "<&- >&- 2>&-"])
def test_a_stream_that_is_closed_is_no_trouble(closed: str, tmp_path: Path) -> None:
    # An event loop runs here, which would take the free numbers for its own, and end the process when it is closed.
    code, _, errors = shell(f'"$@" {closed}', "tree", "--data", tmp_path)
    assert code == 1
    assert b"Assertion" not in errors
    assert b"Traceback" not in errors


def test_a_disk_without_room_for_the_output_is_one_sentence() -> None:
    assert shell('"$@" >/dev/full', "crds") == (1, b"", b"Error: cannot write: No space left on device\n")


def test_files_and_output_are_utf_8_in_every_locale(tmp_path: Path) -> None:
    file = tmp_path / "ü.yaml"
    file.write_text(_TEXT, encoding="utf-8")
    posix = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    told = "document 2: apiVersion is missing; every object needs apiVersion and kind"
    for name in (str(file), "-"):
        line = f'"$@" <"{file}"'
        code, _, errors = shell(line, "apply", "-f", name, "--data", tmp_path, **posix)
        assert (code, told in errors.decode()) == (1, True), errors
