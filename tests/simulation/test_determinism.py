"""One seed is one run: in this process again, in another one, and with the faults given as a list."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.simulation.scenarios.fleets import REPLICATED

from landform.testing import simulation

ROOT = Path(__file__).parents[2]
SEEDS = (0, 3, 9)
PROGRAM = f"""
import hashlib, logging
from tests.simulation.scenarios.fleets import REPLICATED
from landform.testing import simulation
logging.disable(logging.CRITICAL)
for seed in {SEEDS}:
    text = simulation.run(REPLICATED, seed).history.text()
    print(seed, len(text), hashlib.sha256(text).hexdigest())
"""


def histories(hash_seed: str) -> str:
    """What runs leave behind, in a new interpreter."""
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", "error", "-c", PROGRAM]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=50, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_a_seed_runs_the_same_in_every_process_byte_for_byte() -> None:
    first = histories("1")
    assert len(first.splitlines()) == len(SEEDS)
    assert first == histories("4242")


@pytest.mark.parametrize("seed", SEEDS)
def test_a_seed_runs_the_same_again_and_with_its_faults_as_a_list(seed: int) -> None:
    first = simulation.run(REPLICATED, seed)
    assert bool(first.history.strikes) == (seed != 0)
    assert simulation.run(REPLICATED, seed).history.text() == first.history.text()
    assert simulation.run(REPLICATED, seed, script=first.script()).history.text() == first.history.text()


def test_different_seeds_are_different_runs() -> None:
    texts = {simulation.run(REPLICATED, seed).history.text() for seed in SEEDS}
    assert len(texts) == len(SEEDS)
