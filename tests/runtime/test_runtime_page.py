"""The page about the runtime: its program runs, and its tables name what there is."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.docs import pages

from landform.runtime.metrics import Metrics
from landform.runtime.outcomes import Result

PAGE = "docs/runtime.md"


def test_the_program_prints_what_the_page_says() -> None:
    program, output = pages.blocks(PAGE)
    command = [sys.executable, "-W", "error", "-c", program.text]
    done = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", output.text)


def test_the_page_names_every_figure() -> None:
    text = pages.read(PAGE)
    counters = ("landform_reconciles", "landform_api_requests")
    for family in Metrics().registry.collect():
        name = f"{family.name}_total" if family.name in counters else family.name
        assert f"`{name}`" in text


@pytest.mark.parametrize("result", Result)
def test_the_page_names_every_result(result: Result) -> None:
    [row] = [line for line in pages.read(PAGE).splitlines() if line.startswith("| `landform_reconciles_total`")]
    assert str(result) in row
