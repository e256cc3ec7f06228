"""The pages about components say what is true: their program runs, their tables name what exists."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

from landform.components import errors
from landform.components.httpclients import HttpSettings
from landform.components.limits import Limits
from landform.components.verification import Policy

AUTHORS = Path("docs/components-authors.md").read_text("utf-8")
OPERATORS = Path("docs/components-operators.md").read_text("utf-8")
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_program_prints_what_the_page_says() -> None:
    blocks = _FENCE.findall(AUTHORS)
    programs = [(first[1], second[1]) for first, second in itertools.pairwise(blocks) if first[0] == "python"]
    assert programs
    for program, output in programs:
        command = [sys.executable, "-W", "error", "-c", program]
        done = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False)
        assert (done.returncode, done.stderr, done.stdout) == (0, "", output)


def test_the_limits_are_those_of_the_code() -> None:
    settings, limits = HttpSettings(), Limits()
    for value, holder, name in re.findall(r"\| ([\d]+)(?: MiB| s)? \| `(Limits|HttpSettings)\.(\w+)`", OPERATORS):
        actual = getattr(limits if holder == "Limits" else settings, name)
        assert actual in (int(value), int(value) * 1024 * 1024), name
    assert {field.name for field in fields(Limits)} <= set(re.findall(r"`Limits\.(\w+)`", OPERATORS))


def test_the_errors_are_those_of_the_code() -> None:
    for name in re.findall(r"^\| `(\w+)` \|", OPERATORS, re.MULTILINE):
        assert issubclass(getattr(errors, name), errors.ComponentError)
    assert all(policy.value in OPERATORS for policy in Policy)
