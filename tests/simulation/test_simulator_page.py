"""The page about the simulator: its scenario runs as told, and its tables name what there is."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from tests.docs import pages

from landform.cluster.resources import CONFIG_MAPS
from landform.testing import simulation
from landform.testing.simulation import invariants
from landform.testing.simulation.faults import Kind

if TYPE_CHECKING:
    from pathlib import Path

PAGE = "docs/simulator.md"
TIMES = re.compile(r"[\d,]+ virtual seconds in [\d.]+ s")


def test_the_scenario_runs_and_the_command_prints_what_the_page_says(tmp_path: Path) -> None:
    scenario, console, *_ = pages.blocks(PAGE)
    (tmp_path / "greetings.py").write_text(scenario.text)
    typed, *printed = console.text.splitlines()
    words = typed.removeprefix("$ python ").split()
    done = subprocess.run(
        [sys.executable, "-W", "error", *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert TIMES.sub("", done.stdout).splitlines() == [TIMES.sub("", line) for line in printed]


def test_the_invariant_on_the_page_finds_writes_for_nothing() -> None:
    scenario, _, invariant, *_ = pages.blocks(PAGE)
    names: dict[str, Any] = {}
    exec(scenario.text + invariant.text, names)
    greetings = names["GREETINGS"]
    result = simulation.run(greetings, 3)
    assert any(write.is_of(CONFIG_MAPS) and write.actor == "greeter" for write in result.history.writes)
    assert not list(names["nobody_is_greeted_twice"](result.history))


@pytest.mark.parametrize("kind", Kind)
def test_the_page_names_every_kind_of_fault(kind: Kind) -> None:
    assert f"`{kind}`" in pages.read(PAGE)


def test_the_page_names_every_invariant() -> None:
    text = pages.read(PAGE)
    made = [name for name, value in vars(invariants).items() if getattr(value, "__module__", "") == invariants.__name__]
    public = [name for name in made if not name.startswith("_")]
    assert len(public) > 8
    for name in public:
        assert f"`{name}" in text
