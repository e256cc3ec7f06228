"""Errors lead the author to the place: file, execution, item, line and column, and the lines around."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.blueprints.templating.blueprints import deploying, execution, inputs

from landform.blueprints.templating import excerpts
from landform.blueprints.templating.errors import TemplatingError
from landform.blueprints.templating.rendering import (
    Exported,
    Inputs,
    render_deploy_items,
    render_exports,
    render_imports,
    render_subinstallations,
)

if TYPE_CHECKING:
    from collections.abc import Callable

ITEMS = """\
deployItems:
- name: first
  type: mock
  config:
    a: 1
- name: second
  type: mock
  config:
    {{ BROKEN }}
    z: 26
"""


def failure(template: str, imports: dict[str, Any] | None = None, **files: str) -> TemplatingError:
    """The error of a deploy execution whose template is a file."""
    given = inputs(
        {"deployExecutions": [{"name": "main", "type": "GoTemplate", "file": "deploy/items.yaml"}]},
        imports,
        {"deploy/items.yaml": template, **{path.replace("_", "."): text for path, text in files.items()}},
    )
    with pytest.raises(TemplatingError) as caught:
        render_deploy_items(given)
    return caught.value


def spiff_failure(template: Any, imports: dict[str, Any] | None = None) -> TemplatingError:
    with pytest.raises(TemplatingError) as caught:
        render_deploy_items(deploying(template, imports, "Spiff"))
    return caught.value


def test_a_call_that_fails_is_shown_in_the_template() -> None:
    error = failure(ITEMS.replace("{{ BROKEN }}", 'b: {{ fail "not today" }}'))
    assert (error.file, error.execution) == ("deploy/items.yaml", 'deploy execution "main"')
    assert (error.item, error.line, error.column) == ("second", 9, 11)
    assert str(error) == (
        'deploy execution "main" (deploy/items.yaml, line 9, column 11, item "second"): '
        'at <fail "not today">: error calling fail: not today\n'
        "template:\n"
        "   4 |   config:\n"
        "   5 |     a: 1\n"
        "   6 | - name: second\n"
        "   7 |   type: mock\n"
        "   8 |   config:\n"
        '>  9 |     b: {{ fail "not today" }}\n'
        "     |           ^\n"
        "  10 |     z: 26"
    )


def test_a_text_that_is_no_template_is_shown() -> None:
    error = failure(ITEMS.replace("BROKEN", "if"))
    assert (error.line, error.column, error.item) == (9, None, "second")
    assert "missing value for if" in error.problem
    assert ">  9 |     {{ if }}" in str(error)


def test_columns_count_characters() -> None:
    error = failure('deployItems:\n- name: ä\n  config: "äöü" {{ fail "x" }}\n')
    assert (error.line, error.column, error.item) == (3, 20, "ä")


def test_a_missing_value_is_named_and_shown_in_template_and_output() -> None:
    template = ITEMS.replace("{{ BROKEN }}", "{{- range .imports.list }}\n    - {{ .host }}\n    {{- end }}")
    error = failure(template, {"list": [{"host": "one.example.com"}, {"nope": 1}]})
    assert error.problem == '{{.host}} has no value, so the output contains "<no value>"'
    assert (error.line, error.column, error.item) == (10, 10, "second")
    assert "> 10 |     - {{ .host }}" in str(error)
    assert "> 10 |     - <no value>" in str(error)
    assert [title for title, _ in error.excerpts] == ["template", "output, line 10, column 7"]


def test_all_missing_values_are_named_once() -> None:
    template = "deployItems:\n- name: {{ .imports.a }}\n  type: {{ .imports.b }}\n  config: {{ .imports.a }}\n"
    assert failure(template).problem.startswith("{{.imports.a}}, {{.imports.b}} have no value")


@pytest.mark.parametrize(
    ("kind", "render"),
    [
        ("deploy", render_deploy_items),
        ("subinstallation", render_subinstallations),
        ("export", lambda given: render_exports(given, Exported())),
    ],
    ids=["deploy", "subinstallation", "export"],
)
def test_no_execution_but_imports_may_print_no_value(kind: str, render: Callable[[Inputs], Any]) -> None:
    given = inputs({f"{kind}Executions": [execution("a: {{ .imports.nope }}")]})
    with pytest.raises(TemplatingError, match=rf'{kind} execution "main".*<no value>'):
        render(given)


def test_import_executions_may_print_no_value() -> None:
    given = inputs({"importExecutions": [execution("bindings: {a: '{{ .imports.nope }}'}")]})
    assert render_imports(given)[0].bindings == {"a": "<no value>"}


def test_an_output_that_is_no_yaml_is_shown_in_template_and_output() -> None:
    error = failure(
        ITEMS.replace("{{ BROKEN }}", "{{ range .imports.list }}\n    {{ . }}: b: c\n    {{ end }}"), {"list": ["x"]}
    )
    assert "the output is not valid YAML: mapping values are not allowed" in error.problem
    assert (error.line, error.item) == (10, "second")
    assert "> 10 |     {{ . }}: b: c" in str(error)
    assert "> 10 |     x: b: c" in str(error)


def test_an_unfinished_output_is_shown_at_its_end() -> None:
    error = failure('deployItems: [{name: "abc')
    assert error.line == 1


def test_a_fault_inside_of_an_included_file_is_shown_there() -> None:
    error = failure("deployItems:\n- name: {{ include `part.yaml` . }}\n", part_yaml="a\n{{ .x.y }}\n")
    assert (error.file, error.line) == ("part.yaml", 2)
    assert "nil pointer evaluating interface {}.y" in error.problem
    assert "> 2 | {{ .x.y }}" in str(error)


def test_the_innermost_included_file_counts() -> None:
    error = failure("{{ include `a.yaml` . }}", a_yaml="{{ include `b.yaml` . }}", b_yaml="\n{{ nope }}")
    assert (error.file, error.line) == ("b.yaml", 2)


def test_lines_of_a_template_in_place_are_those_of_the_blueprint() -> None:
    given = inputs({"imports": [], "deployExecutions": [execution("a: 1\nb: {{ fail `x` }}\n")]})
    with pytest.raises(TemplatingError) as caught:
        render_deploy_items(given)
    lines = given.files.read("blueprint.yaml").decode().splitlines()
    assert caught.value.file == "blueprint.yaml"
    assert caught.value.line is not None
    assert "b: {{ fail `x` }}" in lines[caught.value.line - 1]


def test_an_expression_of_spiff_without_a_value_is_shown() -> None:
    error = spiff_failure("deployItems:\n- name: first\n- name: second\n  config: (( imports.nope ))\n")
    assert (error.line, error.item, error.file) == (8, "second", "blueprint.yaml")
    assert "'imports.nope' not found" in error.problem
    assert "config: (( imports.nope ))" in str(error)


def test_a_structure_of_spiff_is_shown_as_it_is_written() -> None:
    error = spiff_failure({"deployItems": [{"name": "it", "config": "(( imports.nope ))"}]})
    assert ">" in str(error)
    assert "config: (( imports.nope ))" in str(error)


def test_a_spiff_template_that_is_no_yaml_is_shown() -> None:
    error = spiff_failure("deployItems:\n- name: [a\n")
    assert error.line is not None
    assert "yaml" in error.problem


def test_long_lines_are_cut_around_the_place() -> None:
    error = failure(f"a: {'x' * 500} {{{{ fail `here` }}}} {'y' * 500}")
    shown = dict(error.excerpts)["template"].splitlines()
    assert all(len(line) < 200 for line in shown)
    assert "fail `here`" in shown[0]
    assert shown[0][shown[1].index("^") :].startswith("fail")


def test_a_template_that_takes_too_long_is_stopped() -> None:
    template = "{{ range until 100000 }}{{ range until 100000 }}{{ end }}{{ end }}"
    assert "budget does not allow it" in failure(template).problem


@pytest.mark.parametrize("line", ["- name: 'web'  ", '  - name : "web"', "- name: web"])
def test_the_name_of_an_item_is_found_above_a_line(line: str) -> None:
    assert excerpts.item_name(f"{line}\n  type: mock\n", 2) == "web"


@pytest.mark.timeout(10)
def test_a_line_of_blanks_is_looked_through_once() -> None:
    assert excerpts.item_name("- name: a" + " " * 200_000 + "b", 1) == "a" + " " * 200_000 + "b"
