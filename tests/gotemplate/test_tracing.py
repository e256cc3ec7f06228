"""A trace says where in a template each part of its output comes from."""

from __future__ import annotations

import pytest

from landform.gotemplate import Template

TEXT = """a: 1
{{- /* nothing */ -}}
{{ define "inner" }}inner: {{ .x }}{{ end }}
{{ range $i, $e := .list -}}
- name: {{ $e }}
{{ end }}
{{- if .list }}{{ else }}nothing{{ end }}
{{ template "inner" . }}
last: {{ $v := .x }}{{ $v | upper }}
"""
DATA = {"list": ["one", "two"], "x": "y"}


def line_of(word: str, occurrence: int = 1) -> int:
    trace = Template(TEXT).trace(DATA)
    offset = -1
    for _ in range(occurrence):
        offset = trace.output.index(word, offset + 1)
    position = trace.position(offset)
    assert position is not None
    return TEXT[:position].count("\n") + 1


def test_a_trace_renders_the_same() -> None:
    template = Template(TEXT)
    assert template.trace(DATA).output == template.render(DATA)


@pytest.mark.parametrize(
    ("word", "line"), [("a: 1", 1), ("name: one", 5), ("one", 5), ("two", 5), ("inner", 3), ("last", 9), ("Y", 9)]
)
def test_a_part_of_the_output_is_found_in_the_template(word: str, line: int) -> None:
    assert line_of(word) == line


def test_text_is_found_to_the_letter() -> None:
    trace = Template("abc\ndef {{ 1 }} ghi").trace()
    assert trace.position(trace.output.index("f")) == 6
    assert trace.position(trace.output.index("i")) == 18


def test_what_an_action_printed_names_the_action() -> None:
    trace = Template("a: {{ .x | quote }}").trace({"x": "y"})
    piece = trace.piece(4)
    assert piece is not None
    assert piece.action == "{{.x | quote}}"


def test_an_empty_output_comes_from_nowhere() -> None:
    assert Template("").trace().position(0) is None
