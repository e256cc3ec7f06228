"""The golden files of the kit are what real Go writes today. Needs Go; users of Landform do not."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parents[1] / "golden"
GO = shutil.which("go")


@pytest.mark.skipif(GO is None, reason="go is not on the PATH; the committed golden files are used as they are")
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", ["durations", "cron", "jsonpath"])
def test_real_go_still_writes_the_golden_file(name: str) -> None:
    folder = GOLDEN / name
    run = subprocess.run([GO or "go", "run", "."], cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == json.loads((folder / "expected.json").read_text("utf-8"))
