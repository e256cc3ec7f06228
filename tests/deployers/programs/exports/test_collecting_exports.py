"""The exports of a program are one plain file, whatever it leaves in the place."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from landform.deployers.programs.contract.faults import Refused, TooLarge
from landform.deployers.programs.files import collecting

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / "exports").mkdir()
    return tmp_path


def test_what_the_program_wrote_is_collected_as_it_is(run: Path) -> None:
    (run / "exports" / "values").write_bytes(b"a: \xff\0")
    assert collecting.read_exports(run) == b"a: \xff\0"


def test_no_file_and_an_empty_one_are_no_exports(run: Path) -> None:
    assert collecting.read_exports(run) is None
    (run / "exports" / "values").touch()
    assert collecting.read_exports(run) is None
    (run / "exports" / "values").unlink()
    (run / "exports").rmdir()
    assert collecting.read_exports(run) is None


def test_exports_up_to_the_limit_are_collected_and_larger_ones_refused_with_size_and_limit(run: Path) -> None:
    (run / "exports" / "values").write_bytes(bytes(1048576))
    assert collecting.read_exports(run) == bytes(1048576)
    (run / "exports" / "values").write_bytes(bytes(1048577))
    with pytest.raises(TooLarge, match="the exports have 1048577 bytes, but at most 1048576 can be kept"):
        collecting.read_exports(run)


def test_a_file_with_holes_does_not_fill_the_memory(run: Path) -> None:
    with (run / "exports" / "values").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(TooLarge, match="1099511627776 bytes"):
        collecting.read_exports(run)


def test_anything_else_in_place_of_the_file_is_refused(run: Path) -> None:
    place = run / "exports" / "values"
    place.mkdir()
    with pytest.raises(Refused, match="are no file; write them as a plain file to the path in EXPORTS_PATH"):
        collecting.read_exports(run)
    place.rmdir()
    os.mkfifo(place)
    with pytest.raises(Refused, match="the exports are no file"):
        collecting.read_exports(run)
    place.unlink()
    place.symlink_to("/etc/passwd")
    with pytest.raises(Refused, match="the exports are no file"):
        collecting.read_exports(run)


def test_anything_else_in_place_of_the_folder_is_refused(run: Path) -> None:
    (run / "exports").rmdir()
    (run / "exports").symlink_to("/etc")
    with pytest.raises(Refused, match="the folder of the exports is no folder any more"):
        collecting.read_exports(run)
    (run / "exports").unlink()
    (run / "exports").write_text("a: 1")
    with pytest.raises(Refused, match="the folder of the exports is no folder any more"):
        collecting.read_exports(run)
