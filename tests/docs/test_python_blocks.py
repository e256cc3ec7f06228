"""The programs in the page about the cluster interface run and print what the page says."""

from __future__ import annotations

import itertools
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.docs import pages
from tests.embedded.clients.homes import running

if TYPE_CHECKING:
    from pathlib import Path


def test_each_program_prints_what_the_page_says(tmp_path: Path) -> None:
    with running(tmp_path):
        (tmp_path / "home").symlink_to("data")
        count = 0
        for program, output in itertools.pairwise(pages.blocks("docs/cluster.md")):
            if program.language == "python":
                count += 1
                assert output.language == "text"
                assert run(program.text, tmp_path) == output.text
        assert count == 3


def run(program: str, folder: Path) -> str:
    """What a program prints; whatever it complains about is an error."""
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=50, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout
