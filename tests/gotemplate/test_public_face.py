"""What users of the package rely on."""

from __future__ import annotations

import threading

import pytest

from landform import gotemplate
from landform.gotemplate import (
    SPRIG,
    YAML,
    ExecError,
    GoError,
    ParseError,
    Surroundings,
    Template,
    TemplateError,
    from_json,
    function,
    sprig_functions,
)


def test_the_exported_names_are_these() -> None:
    assert sorted(gotemplate.__all__) == [
        "BudgetError",
        "Budgets",
        "ExecError",
        "Function",
        "GoError",
        "ParseError",
        "SPRIG",
        "Surroundings",
        "Template",
        "TemplateError",
        "YAML",
        "from_json",
        "function",
        "sprig_functions",
    ]


def test_sprig_is_the_default_set_of_functions() -> None:
    assert Template("{{ upper .name }}").render({"name": "ada"}) == "ADA"


@pytest.mark.parametrize("name", ["env", "expandenv", "getHostByName"])
def test_no_function_reaches_outside(name: str) -> None:
    assert name not in SPRIG
    with pytest.raises(ParseError, match=f'function "{name}" not defined'):
        Template("{{ " + name + ' "HOME" }}')


def test_yaml_functions_are_a_set_of_their_own() -> None:
    assert Template("{{ toYaml . }}", functions=YAML).render({"b": [1], "a": "x: y"}) == "a: 'x: y'\nb:\n- 1\n"


def test_a_plain_python_function_takes_any_arguments() -> None:
    template = Template('{{ shout .word "!" }}', functions={"shout": lambda *words: "".join(words).upper()})
    assert template.render({"word": "go"}) == "GO!"


def test_a_typed_function_gets_the_types_that_it_asks_for() -> None:
    template = Template("{{ twice . }}", functions={"twice": function("int64", lambda number: number * 2)})
    assert template.render(4) == "8"
    with pytest.raises(ExecError, match="wrong type for value; expected int64; got string"):
        template.render("four")


def test_the_error_of_a_function_names_the_call() -> None:
    def refuse() -> str:
        raise GoError("not today")

    with pytest.raises(ExecError) as caught:
        Template("\n  {{ refuse }}", functions={"refuse": function("", refuse)}).render()
    assert str(caught.value) == 'template: page:2:5: executing "page" at <refuse>: error calling refuse: not today'


def test_an_error_carries_its_place() -> None:
    with pytest.raises(ExecError) as caught:
        Template("é{{ .a.b }}", name="my page").render({"a": 1})
    error = caught.value
    assert (error.name, error.line, error.column, error.node) == ("my page", 1, 7, ".a.b")
    assert error.reason == "can't evaluate field b in type interface {}"


def test_a_parse_error_carries_its_line() -> None:
    with pytest.raises(ParseError) as caught:
        Template("\n\n{{ if }}{{ end }}")
    assert (caught.value.name, caught.value.line, caught.value.column) == ("page", 3, None)
    assert isinstance(caught.value, TemplateError)


def test_an_unknown_missing_key_option_is_refused() -> None:
    with pytest.raises(ValueError, match="missingkey=maybe"):
        Template("", missing_key="maybe")  # type: ignore[arg-type]


def test_json_numbers_are_floats_and_python_ints_are_not() -> None:
    kinds = Template("{{ kindOf .n }}")
    assert kinds.render(from_json('{"n": 3}')) == "float64"
    assert kinds.render({"n": 3}) == "int64"
    with pytest.raises(GoError, match="unexpected end of JSON input"):
        from_json("[1")


def test_time_and_chance_come_from_the_surroundings() -> None:
    functions = sprig_functions(Surroundings(now=lambda: 1_700_000_000_000_000_000, random=lambda count: b"\1" * count))
    template = Template('{{ now | date "2006-01-02" }} {{ uuidv4 }} {{ randNumeric 3 }}', functions=functions)
    assert template.render() == "2023-11-14 01010101-0101-4101-8101-010101010101 000"


def test_templates_reach_nothing_of_python() -> None:
    for text in ("{{ .__class__ }}", '{{ "".__class__ }}', "{{ (list).append }}", "{{ (semver `1.2.3`).__init__ }}"):
        try:
            assert Template(text).render({"x": object()}) == "<no value>"
        except TemplateError:
            continue


def test_a_value_without_a_counterpart_in_go_is_refused() -> None:
    with pytest.raises(TemplateError, match="object has no counterpart in Go"):
        Template("{{ .x }}").render({"x": object()})


def test_renders_at_the_same_time_do_not_disturb_each_other() -> None:
    template = Template("{{ $sum := 0 }}{{ range .items }}{{ $sum = add $sum . }}{{ end }}{{ $sum }}")
    results: dict[int, str] = {}

    def render(number: int) -> None:
        results[number] = template.render({"items": [number] * 300})

    threads = [threading.Thread(target=render, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {number: str(number * 300) for number in range(8)}


def test_a_render_leaves_nothing_behind_for_the_next() -> None:
    template = Template("{{ with .a }}{{ $x := . }}{{ $x }}{{ end }}")
    assert [template.render({"a": 1}), template.render({}), template.render({"a": 2})] == ["1", "", "2"]
