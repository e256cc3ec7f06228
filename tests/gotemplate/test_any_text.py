"""No text, however broken, ends in anything but a template error."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from landform.gotemplate import SPRIG, YAML, Template, TemplateError, from_json

_SIGNS = [
    "{{",
    "}}",
    "{{-",
    "-}}",
    "{{/*",
    "*/}}",
    ".",
    "$",
    "$x",
    ".a",
    ".a.b",
    "|",
    "(",
    ")",
    ":=",
    "=",
    ",",
    "@",
    "\\",
    '"',
    "{{end}}",
    "{{else}}",
    "{{range%.l}}",
    "{{if%.a}}",
]
_WORDS = [
    "nil",
    "true",
    "if%.",
    "else%",
    "end",
    "range%.",
    "with%.",
    "define%",
    "template%",
    "block%",
    "break",
    "continue",
    "text",
    "é",
    "1",
    "-2.5",
    "1i",
    "0x1f",
]
_MORE = ['"s"', "`r`", "'c'", " ", "\n", "{{define `t`}}", "{{template `t` .}}", *sorted(SPRIG), *YAML]
_PIECES = [piece.replace("%", " ") for piece in _SIGNS + _WORDS] + _MORE
_SKIPPED = {"genPrivateKey", "bcrypt", "htpasswd", "derivePassword"}
_TEXTS = st.lists(st.sampled_from([piece for piece in _PIECES if piece not in _SKIPPED]), max_size=25).map("".join)
_DATA: dict[str, Any] = {"a": {"b": 1.5}, "l": [1, "x", None, {"k": [True]}], "s": "text", "n": 3}
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(1 << 63), (1 << 63) - 1)
    | st.floats()
    | st.text(max_size=8)
    | st.binary(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
_CALLS = st.sampled_from(sorted({*SPRIG, *YAML, "index", "len", "printf", "eq", "lt", "html", "js"} - _SKIPPED))


def _complaint(text: str, data: Any) -> str:
    """Why the template cannot be rendered; empty when it can."""
    try:
        Template(text, functions={**SPRIG, **YAML}).render(data)
    except TemplateError as error:
        return error.reason
    return ""


def _render(text: str, data: Any) -> None:
    """Renders, and sees to it that what fails was foreseen: no Python error stands behind the complaint."""
    assert not re.search(r"error calling \w+: [A-Z]\w+Error: ", _complaint(text, data))


@settings(max_examples=300, deadline=None)
@given(_TEXTS | st.text(max_size=60).map(lambda inner: "{{" + inner + "}}"))
def test_any_text_renders_or_fails_as_a_template(text: str) -> None:
    _render(text, _DATA)


@settings(max_examples=400, deadline=None)
@given(_CALLS, st.lists(_VALUES, max_size=4))
def test_any_function_takes_any_values_or_refuses_them(name: str, values: list[Any]) -> None:
    arguments = " ".join(f"(index . {index})" for index in range(len(values)))
    _render(f"{{{{ {name} {arguments} }}}}", values)


@settings(max_examples=200, deadline=None)
@given(st.text("%+-# 0123456789.*[]vTtdbxqUceg", max_size=12), st.lists(_VALUES, max_size=3))
def test_any_format_prints_something(form: str, values: list[Any]) -> None:
    arguments = " ".join(f"(index .v {index})" for index in range(len(values)))
    _render(f"{{{{ printf .f {arguments} }}}}", {"f": form, "v": values})


@settings(max_examples=100, deadline=None)
@given(_VALUES)
def test_what_is_written_as_json_is_read_back(value: Any) -> None:
    text = Template("{{ . | mustToJson }}")
    try:
        written = text.render({"v": value})
    except TemplateError:
        return  # NaN and infinities cannot be written
    assert Template("{{ . | mustToJson }}").render(from_json(written)).count('"') == written.count('"')
