"""What the pages tell their readers to type works, in the order in which they are told."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.docs import pages
from tests.embedded.clients.homes import COMMAND_SECONDS, STOP_SECONDS, running

from landform.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WITH_COMMANDS = [page for page in pages.PAGES if pages.commands(page)]
VERB = re.compile(r"^([a-z-]+):", re.MULTILINE)


class Terminal:
    """A shell in a folder that looks like a clone of the project, with a home that runs on ./home."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        (folder / "home").symlink_to("data")
        (folder / "examples").symlink_to(pages.ROOT / "examples")
        for name in ("tls.crt", "tls.key"):
            (folder / name).touch()
        command = folder / "bin" / "landform"
        command.parent.mkdir()
        command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m landform.cli.main "$@"\n')
        command.chmod(0o755)
        # Nothing of the user's own settings: their clusters are not for tests.
        self._environment = {
            **{name: value for name, value in os.environ.items() if name == "PYTHONPATH"},
            "PATH": f"{command.parent}:{os.environ['PATH']}",
            "HOME": str(folder),
            "KUBECONFIG": str(folder / "home" / "kubeconfig"),
        }

    def type(self, line: str) -> None:
        """Run a line to its end; it must work."""
        done = subprocess.run(
            ["sh", "-c", line],
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
            check=False,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"

    def start_home(self, line: str) -> None:
        """Run a ``landform up`` until it is up, then stop it."""
        command = ["sh", "-c", f"exec {line}"]
        process = subprocess.Popen(command, cwd=self._folder, env=self._environment, stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            assert "is up" in process.stdout.readline()
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=STOP_SECONDS)
        finally:
            process.kill()
            process.communicate()


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    monkeypatch.chdir(tmp_path)
    with running(tmp_path):
        yield Terminal(tmp_path)


@pytest.mark.timeout(180)  # each command is a process of its own, and a page may have twenty
@pytest.mark.parametrize("page", WITH_COMMANDS)
def test_the_commands_of_a_page_work(page: str, terminal: Terminal) -> None:
    for line in pages.commands(page):
        words = shlex.split(line.rstrip(" &"))
        if words[0] == "make":
            assert words[1] in VERB.findall((pages.ROOT / "Makefile").read_text())
        elif line == "source .venv/bin/activate":
            continue  # the terminal has the command already
        elif words[:2] == ["landform", "webhook"] or words == ["landform", "up", "--data", "./home"]:
            parse(words[1:])  # it would run for ever; the home on ./home runs already
        elif words[:2] == ["landform", "up"]:
            terminal.start_home(line)
        elif "kubectl" in words and shutil.which("kubectl") is None:
            continue
        else:
            assert words[0] in ("landform", "kubectl", "mkdir", "cp"), f"nobody checks {line}"
            terminal.type(line)


def parse(words: list[str]) -> None:
    """Read a command line without doing what it says; click says what is wrong with it."""
    with main.make_context("landform", words[:1], resilient_parsing=True) as context:
        command = main.get_command(context, words[0])
        assert command is not None
        command.make_context(words[0], words[1:], parent=context).close()


def test_the_readme_shows_the_two_verbs_and_every_command() -> None:
    assert {"make demo", "make test"} <= set(pages.commands("README.md"))
    with main.make_context("landform", [], resilient_parsing=True) as context:
        for name in main.list_commands(context):
            assert f"`landform {name}`" in pages.prose("README.md")
