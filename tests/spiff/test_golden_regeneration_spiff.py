"""The golden file of spiff is what the original writes today. Needs Go; users of Landform do not."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest
from tests.spiff.goldens import GOLDEN

GO = shutil.which("go")


@pytest.mark.skipif(GO is None, reason="go is not on the PATH; the committed golden file is used as it is")
@pytest.mark.timeout(300)
def test_the_original_still_writes_the_golden_file() -> None:
    run = subprocess.run([GO or "go", "run", "."], cwd=GOLDEN, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == json.loads((GOLDEN / "expected.json").read_text("utf-8"))
