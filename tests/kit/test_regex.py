"""Go's regular expressions."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from landform.kit.regex.automata import Automaton
from landform.kit.regex.errors import RegexError
from landform.kit.regex.expressions import compile_expression
from landform.kit.regex.syntax import parse


@settings(max_examples=150, deadline=None)
@given(st.text("ab.*+?()[]^$|{}012,\\dwb-", max_size=12), st.text("ab01 \n", max_size=12))
def test_both_engines_find_the_same(pattern: str, text: str) -> None:
    try:
        expression = compile_expression(pattern)
    except RegexError:
        return
    assert expression.search(text, groups=True) == Automaton(parse(pattern)).search(text, 0)


@settings(max_examples=150, deadline=None)
@given(st.text("ab.*+?|()[]^$-", max_size=8), st.text("abc\n", max_size=8))
def test_patterns_match_as_pythons_do_where_both_read_them(pattern: str, text: str) -> None:
    try:
        ours, theirs = compile_expression(pattern), re.compile(pattern)
    except (RegexError, re.error, FutureWarning):  # the last is about sets in sets, which Python may read one day
        return
    if "$" in pattern or ("?" in pattern and "*" in pattern):
        return  # `$` also fits before a last line end there, and `*?` on empty matches differs
    found, expected = ours.search(text), theirs.search(text)
    assert (found and tuple(found[:2])) == (expected and expected.span())  # groups may be told unasked


def test_a_search_pays_for_its_steps_and_stops_when_it_cannot() -> None:
    class Broke(Exception):
        pass

    def spend(steps: int) -> None:
        raise Broke

    with pytest.raises(Broke):
        compile_expression("(a*)*(b|ab)*c").search("ab" * 500, spend=spend)


def test_a_wrong_pattern_is_told_in_gos_words() -> None:
    with pytest.raises(RegexError, match=r"error parsing regexp: missing closing \): `\(a`"):
        compile_expression("(a")


GO = shutil.which("go")


@pytest.mark.skipif(GO is None, reason="go is not on the PATH; the committed tables are used as they are")
@pytest.mark.timeout(300)
def test_the_tables_of_characters_are_those_of_go() -> None:
    run = subprocess.run(
        [GO or "go", "run", "tools/unicode/main.go"], capture_output=True, text=True, check=False, timeout=250
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout == Path("src/landform/kit/regex/unicodetables.py").read_text()


@pytest.mark.parametrize(
    ("pattern", "text", "span"),
    [
        (r"\p{Greek}+", "xαω", (1, 3)),
        (r"\p{Arabic}", "1\u0661", (1, 2)),
        (r"\p{L}+", "1é漢2", (1, 3)),
        (r"(?i)\p{Greek}", "µ", (0, 1)),
        (r"(?i)k", "\u212a", (0, 1)),
        (r"(?i)ß", "ẞ", (0, 1)),
    ],
)
def test_characters_have_scripts_categories_and_cases(pattern: str, text: str, span: tuple[int, int]) -> None:
    found = compile_expression(pattern).search(text)
    assert found is not None
    assert tuple(found[:2]) == span
