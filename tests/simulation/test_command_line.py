"""The command: runs what it is told to, prints a failure that repeats itself, and says what it does not find."""

from __future__ import annotations

import logging
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from landform.testing.simulation.__main__ import main

if TYPE_CHECKING:
    from collections.abc import Iterator

MISTAKES = "tests/simulation/mistakes.py:MISTAKES"
FLEETS = "tests/simulation/scenarios/fleets.py"


@pytest.fixture(autouse=True)
def _logs_as_before() -> Iterator[None]:
    """The command turns logging off for its own process, which is this one."""
    yield
    logging.disable(logging.NOTSET)


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, words)
    return done.exit_code, done.output


def test_a_failure_prints_commands_that_repeat_it() -> None:
    code, output = run(MISTAKES, "--scenario", "two-step status", "--from", "7", "--seeds", "1", "--jobs", "1")
    assert code == 1
    assert "FAILED: scenario 'two-step status', seed 7" in output
    exactly, whole = (
        shlex.split(line) for line in output.splitlines() if line.startswith("  python -m landform.testing.simulation ")
    )
    assert "--only" in exactly
    assert "--only" not in whole
    code, again = run(*exactly[3:])
    assert code == 1
    assert again.splitlines()[:2] == output.splitlines()[1:3]


def test_what_fails_without_any_fault_is_said_to() -> None:
    code, output = run(MISTAKES, "--scenario", "forgotten requeue", "--seed", "3")
    assert code == 1
    assert "Shortest failing run found: it fails without any fault" in output
    assert "--only nothing" in output


def test_a_seed_that_holds_shows_its_trace_when_asked() -> None:
    code, output = run(FLEETS, "--scenario", "fleets", "--seed", "3", "--trace")
    assert code == 0
    assert output.startswith("fleets: seed 3 holds")
    assert "admiralty: starts" in output


def test_many_seeds_run_in_several_processes() -> None:
    words = [f"{FLEETS}:FLEET", "--seeds", "12", "--jobs", "2", "--mode", "random"]
    command = [sys.executable, "-W", "error", "-m", "landform.testing.simulation", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False)
    assert (done.returncode, done.stderr, done.stdout[:18]) == (0, "", "fleets: 12 seeds, ")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("no/such/file.py",), "there is no file no/such/file.py"),
        (("no.such.module",), "there is no file, folder or module no.such.module"),
        (("landform.testing.time",), "landform.testing.time holds no Scenario"),
        ((FLEETS, "--scenario", "x"), "there is no scenario 'x'; there are\n  fleets\n  fleets of two admiralties"),
        ((FLEETS, "--seed", "1", "--only", "a=b"), "'b' is not a valid Kind"),
    ],
    ids=["file", "module", "empty", "scenario", "fault"],
)
def test_what_cannot_be_found_is_named(words: tuple[str, ...], text: str) -> None:
    code, output = run(*words)
    assert code != 0
    assert text in output
