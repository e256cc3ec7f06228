"""The errors in the table of the embedded home's page are those that the commands show.

Those about a full disk and a folder without permissions are not made here: the first needs a disk of its own, the
second a user who is not root.
"""

from __future__ import annotations

import re
import socket
import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.docs import pages
from tests.embedded.clients.homes import running

if TYPE_CHECKING:
    from pathlib import Path


def documented(words: str) -> re.Pattern[str]:
    """The row of the table that has these words, as a pattern."""
    [row] = [row for row in re.findall(r"^\| (.+?) \|", pages.read("docs/embedded.md"), re.MULTILINE) if words in row]
    return re.compile("Error: .*" + re.escape(row).replace(r"\.\.\.", ".+"))


def said(*arguments: str) -> str:
    """The one sentence that a command fails with."""
    command = [sys.executable, "-m", "landform.cli.main", *arguments]
    done = subprocess.run(command, cwd=pages.ROOT, capture_output=True, text=True, timeout=50, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_a_second_process_is_refused(tmp_path: Path) -> None:
    with running(tmp_path):
        assert documented("in use by another").match(said("up", "--data", str(tmp_path / "data")))


def test_a_damaged_file_is_refused_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "landform.db"
    file.write_bytes(b"this is no database at all" * 100)
    before = file.read_bytes()
    assert documented("is damaged").match(said("up", "--data", str(tmp_path)))
    assert file.read_bytes() == before


def test_a_file_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "landform.db")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    assert documented("newer Landform").match(said("up", "--data", str(tmp_path)))


def test_a_port_in_use_is_refused(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert documented("port ...").match(said("up", "--data", str(tmp_path), "--port", port))


@pytest.mark.parametrize("command", [("get", "installations"), ("apply", "-f", "examples/first-steps")])
def test_a_home_that_was_never_started_is_named(command: tuple[str, ...], tmp_path: Path) -> None:
    assert documented("no Landform home").match(said(*command, "--data", str(tmp_path / "nowhere")))
