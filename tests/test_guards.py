"""The guards around every test do catch what they are there for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

LEAKS = {
    "a task": (
        "import asyncio\n\nasync def test() -> None:\n"
        "    test.kept = asyncio.create_task(asyncio.sleep(60), name='left')\n",
        "the test left tasks running: ['left']",
    ),
    "a descriptor": (
        "import os\n\ndef test() -> None:\n    os.open(__file__, os.O_RDONLY)\n",
        "the test left descriptors open: ['",
    ),
    "a socket in a cycle that is never broken": (
        "import socket\n\ndef test() -> None:\n    test.kept = socket.socket()\n",
        "the test left descriptors open: ['socket:",
    ),
    "a journal": (
        "import pathlib\nfrom landform.embedded.journal import SqliteJournal\n\n"
        "def test(tmp_path: pathlib.Path) -> None:\n"
        "    test.kept = SqliteJournal(tmp_path / 'db')\n    test.kept.start(lambda count, error: None)\n",
        "the test left a journal open",
    ),
    "time": (
        "import time\nimport pytest\n\n@pytest.mark.timeout(0.2)\ndef test() -> None:\n    time.sleep(30)\n",
        "Timeout (>0.2s) from pytest-timeout",
    ),
    "a warning": (
        "import warnings\n\ndef test() -> None:\n    warnings.warn('careful')\n",
        "UserWarning: careful",
    ),
}


@pytest.mark.parametrize(("test", "verdict"), LEAKS.values(), ids=LEAKS)
def test_a_test_that_leaves_something_behind_fails(tmp_path: Path, test: str, verdict: str) -> None:
    code, output = run(tmp_path, test)
    assert code == 1
    assert verdict in output


def test_a_tidy_test_passes(tmp_path: Path) -> None:
    code, output = run(tmp_path, "async def test() -> None:\n    with open(__file__) as file:\n        file.read()\n")
    assert (code, "1 passed" in output) == (0, True)


def test_every_test_has_a_time_limit(pytestconfig: pytest.Config) -> None:
    assert 0 < float(pytestconfig.getini("timeout")) <= 60


def run(folder: Path, test: str) -> tuple[int, str]:
    """A test run of its own, under the guards of this project."""
    file = folder / "test_leaving.py"
    file.write_text(test)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-c", ROOT / "pyproject.toml", "-p", "tests.conftest", file],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    return done.returncode, done.stdout + done.stderr
