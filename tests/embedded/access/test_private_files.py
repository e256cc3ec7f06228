"""Files that only their owner may read, written whole or not at all."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from landform.embedded.access.private_files import UnusableFile, read_or_create, write_private

if TYPE_CHECKING:
    from pathlib import Path

AS_ROOT = os.geteuid() == 0

KILLED_AT = """
import os, signal, sys
from pathlib import Path
from landform.embedded.access import private_files

def die(*_args, **_kwargs):
    os.kill(os.getpid(), signal.SIGKILL)

setattr(os, sys.argv[2], die)
private_files.write_private(Path(sys.argv[1]), "new")
"""


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_written_file_holds_the_text_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "folder" / "secret"
    write_private(path, "täxt")
    assert path.read_text("utf-8") == "täxt"
    assert mode(path) == 0o600
    assert mode(path.parent) == 0o700


def test_writing_again_replaces_text_and_mode_and_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text("old")
    path.chmod(0o644)
    write_private(path, "new")
    assert (path.read_text(), mode(path), list(tmp_path.iterdir())) == ("new", 0o600, [path])


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_process_killed_while_writing_leaves_the_old_text(tmp_path: Path, step: str) -> None:
    path = tmp_path / "secret"
    write_private(path, "old")
    killed = subprocess.run([sys.executable, "-c", KILLED_AT, str(path), step], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert path.read_text() == "old"


def test_a_failed_write_says_which_file_and_why_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UnusableFile, match=r"cannot write .*/secret: No space left on device; check "):
        write_private(tmp_path / "secret", "text")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_file_is_made_once(tmp_path: Path) -> None:
    path = tmp_path / "made"
    assert read_or_create(path, lambda: "first") == "first"
    assert read_or_create(path, lambda: "second") == "first"


def test_a_file_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    path = tmp_path / "copied"
    path.write_text("text")
    path.chmod(0o644)
    assert read_or_create(path, lambda: "") == "text"
    assert mode(path) == 0o600


def test_a_folder_in_place_of_the_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    with pytest.raises(UnusableFile, match=r"cannot read .*/secret: Is a directory"):
        read_or_create(tmp_path / "secret", lambda: "")


def test_a_file_that_is_no_text_is_named_and_not_quoted(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_bytes(b"hidden\xff")
    with pytest.raises(UnusableFile, match=r"/secret is not a text file; restore it from a backup") as fault:
        read_or_create(path, lambda: "")
    assert "hidden" not in str(fault.value)
    assert fault.value.__cause__ is None


@pytest.mark.skipif(AS_ROOT, reason="root may write everywhere")
def test_a_folder_that_is_read_only_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(UnusableFile, match="Permission denied"):
        write_private(tmp_path / "secret", "text")
