"""Go's regular expressions mean here what they mean in Go."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landform.embedded.schemas.patterns import compile_pattern
from landform.kit.regex.errors import RegexError
from landform.kit.regex.expressions import compile_expression


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("b", "abc", True),
        ("^x$", "x\n", False),
        (r"^x\z", "x", True),
        (r"^\d$", "٣", False),
        (r"^\w$", "é", False),
        (r"^\s$", "\u00a0", False),
        (r"^[\w.-]+$", "a.b-c", True),
        ("^[[:alpha:]]+$", "abc", True),
        (r"^\pL+$", "éa", True),
        (r"^\p{Greek}$", "α", True),
        (r"^\PL$", "1", True),
        ("^(?i)ABC$", "abc", True),
        ("a(?i)b|c", "C", True),
        ("^(?i:a)b$", "AB", False),
        ("(?m)^b$", "a\nb\nc", True),
        ("(?s)^a.b$", "a\nb", True),
        ("^a.b$", "a\nb", False),
        (r"^\Qa.*\E$", "a.*", True),
        (r"^\x{e9}\x41$", "éA", True),
        (r"\bfoo\b", "a foo b", True),
        (r"\bfoo", "éfoo", True),
        ("(?i)^[k-s]$", "\u212a", True),
        (r"^[^\x{d7ff}]$", "\ud7ff", False),
        ("^(?P<name>a)(?<other>b)$", "ab", True),
        ("^a{,2}$", "a{,2}", True),
        ("^[a&&b]$", "&", True),
        ("^[]a]$", "]", True),
        (r"^[\]\[]$", "[", True),
        ("^.$", "😀", True),
        (r"^/api\/v1$", "/api/v1", True),
    ],
)
def test_a_pattern_matches_as_in_go(pattern: str, text: str, matches: bool) -> None:
    assert compile_pattern(pattern)(text) is matches


@pytest.mark.parametrize(
    "pattern",
    ["[a", "(a", "a)", "a**", "*a", "a{2}{3}", "a{1001}", "a{2,1}", "(?=a)", "(?!a)", "(?<=a)b", r"(a)\1", r"\Z", r"\y",
     "(?P=a)", "[b-a]", "a\\", "[[:nope:]]", "(?>a)", "a*+"],
)  # fmt: skip
def test_what_go_refuses_is_refused(pattern: str) -> None:
    with pytest.raises(RegexError, match="error parsing regexp"):
        compile_pattern(pattern)


@pytest.mark.parametrize(
    "pattern", ["^([a-z0-9]+-?)+$", "^(a|a)*b$", "(x+x+)+y", "(?i)^(a+)+$", r"(a|aa)+\bc", r"(?:(?:a?){500}){2}\bc"]
)
@pytest.mark.timeout(10)
def test_no_value_makes_a_pattern_hang(pattern: str) -> None:
    assert compile_pattern(pattern)("a" * 5000 + "x" * 5000 + "!") is False


@given(st.text(alphabet=r"ab[](){}|*+?^$.\-:pLdwsbQE,1x", max_size=8), st.text(alphabet="ab1-\n", max_size=4))
def test_any_pattern_is_compiled_or_refused(pattern: str, text: str) -> None:
    try:
        matches = compile_pattern(pattern)
    except RegexError:
        return
    assert matches(text) is (compile_expression(pattern).search(text) is not None)
