"""The golden files of the templates are what real Go writes today. Needs Go; users of Landform do not."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.gotemplate.goldens import FAMILIES, FOLDER

if TYPE_CHECKING:
    from pathlib import Path

GO = shutil.which("go")


@pytest.mark.skipif(GO is None, reason="go is not on the PATH; the committed golden files are used as they are")
@pytest.mark.timeout(300)
def test_real_go_still_writes_the_golden_files(tmp_path: Path) -> None:
    folder = tmp_path / "gotemplate"
    shutil.copytree(FOLDER, folder)
    for path in (folder / "expected").iterdir():
        path.unlink()
    run = subprocess.run([GO or "go", "run", "."], cwd=folder, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    for family in FAMILIES:
        made, kept = (json.loads((place / "expected" / f"{family}.json").read_text()) for place in (folder, FOLDER))
        assert made == kept, family
