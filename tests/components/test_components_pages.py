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
from landform.installations.answers import PATIENCE
from landform.installations.fetching.components import MOST_CONTENT

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
    rows = re.findall(r"^\| (.+) \| (\d+)(?: MiB| s)? \| (?:`(\w+)`)? ?\|$", OPERATORS, re.MULTILINE)
    sizes = {name: int(value) for _, value, name in rows if name}
    for field in fields(Limits):
        assert getattr(Limits(), field.name) in (sizes[field.name], sizes[field.name] * 1024 * 1024), field.name
    settings, fixed = HttpSettings(), {what: int(value) for what, value, name in rows if not name}
    assert fixed["Connecting"] == settings.connect_seconds
    assert fixed["Silence on a connection"] == settings.silence_seconds
    assert fixed["One piece of content, all tries together"] == settings.total_seconds
    assert fixed["Tries"] == settings.tries
    assert fixed["Content that a template asks for"] * 1024 * 1024 == MOST_CONTENT
    assert f"{PATIENCE.total_seconds() / 60:g} minutes" in OPERATORS.replace("two", "2")


def test_the_errors_are_those_of_the_code() -> None:
    for name in re.findall(r"^\| `(\w+)` \|", OPERATORS, re.MULTILINE):
        assert issubclass(getattr(errors, name), errors.ComponentError)
    assert all(policy.value in OPERATORS for policy in Policy)
