"""Where the files of programs lie."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tests.deployers.programs.folder_worlds import a_run

from landform.deployers.programs.local.places import Places

if TYPE_CHECKING:
    from pathlib import Path


def test_programs_of_another_user_can_go_to_their_folder_whatever_the_umask_is(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        folder = Places(tmp_path / "lib" / "programs").prepare(a_run(), None).folder
    finally:
        os.umask(before)
    above = [folder, *(each for each in folder.parents if tmp_path in each.parents)]
    assert [oct(each.stat().st_mode & 0o777) for each in above] == ["0o711"] * 3
