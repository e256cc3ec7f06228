"""Hostile templates end in an error, soon and without much memory."""

from __future__ import annotations

import time
import tracemalloc

import pytest

from landform.gotemplate import SPRIG, YAML, BudgetError, Budgets, Template, TemplateError

_FUNCTIONS = {**SPRIG, **YAML}
_DOUBLING = "{{$x := %s}}{{range until 60}}{{$x = %s}}{{end}}{{%s}}"
_HOSTILE = {
    "deep parentheses": "{{" + "(" * 100_000 + "1" + ")" * 100_000 + "}}",
    "deep blocks": "{{if true}}" * 50_000 + "{{end}}" * 50_000,
    "a long chain of else if": "{{if false}}" + "{{else if false}}" * 5_000 + "{{end}}",
    "a huge repeat": '{{repeat 1000000000 "x"}}',
    "a repeat of a repeat": '{{repeat 1000000 (repeat 1000000 "x")}}',
    "a huge list": "{{until 1000000000}}",
    "a huge sequence": "{{seq 0 1 1000000000}}",
    "a huge loop": "{{range 1000000000}}x{{end}}",
    "nested loops": "{{range until 1000}}{{range until 1000}}{{range until 1000}}x{{end}}{{end}}{{end}}",
    "a template that calls itself": "{{template `page` .}}",
    "a template that calls itself twice": "{{define `r`}}x{{template `r`}}{{template `r`}}{{end}}{{template `r`}}",
    "a text that doubles": _DOUBLING % ('"aaaaaaaaaa"', "print $x $x", "$x"),
    "a list that doubles": _DOUBLING % ("list 1", "concat $x $x", "len $x"),
    "a list of itself twice, printed": _DOUBLING % ("list 1", "list $x $x", "$x"),
    "a list of itself twice, as JSON": _DOUBLING % ("list 1", "list $x $x", "toJson $x"),
    "a list of itself twice, as YAML": _DOUBLING % ("list 1", "list $x $x", "toYaml $x"),
    "a list of itself twice, copied": _DOUBLING % ("list 1", "list $x $x", "deepCopy $x"),
    "a map inside itself": '{{$d := dict}}{{$_ := set $d "x" $d}}{{$d}}',
    "a map inside itself, as JSON": '{{$d := dict}}{{$_ := set $d "x" $d}}{{toJson $d}}',
    "a map inside itself, merged": '{{$d := dict}}{{$_ := set $d "x" $d}}{{$e := dict "x" $d}}{{merge $d $e | toYaml}}',
    "a literal of 10 MB": '{{"' + "x" * 10_000_000 + '"}}',
    "a text of 10 MB": "x" * 10_000_000,
    "a million actions": "{{.}}" * 800_000,
    "a million arguments": "{{list " + "1 " * 1_000_000 + "}}",
    "a huge indentation": '{{indent 100000000 "a"}}',
    "a wide format": '{{printf (repeat 100 "%999999[1]d") 1}}',
    "a large output": '{{range until 100000}}{{repeat 1000 "x"}}{{end}}',
    "deep JSON": '{{mustFromJson (print (repeat 100000 "[") (repeat 100000 "]"))}}',
    "deep YAML": '{{fromYaml (print (repeat 10000 "[") (repeat 10000 "]"))}}',
    "very deep YAML": '{{fromYaml (repeat 200000 "[")}}',
    "very deep YAML in blocks": '{{fromYaml (print "#\r" (repeat 100000 "- "))}}',
    "much random text": "{{randAlphaNum 100000000}}",
    "a constraint on versions with many blanks": '{{semverCompare (print "1" (repeat 100 "   1") "?") "1.0.0"}}',
    "a regular expression with many choices": '{{regexMatch (repeat 2000 "(a|b)*") (repeat 1000 "ab")}}',
}


@pytest.mark.parametrize("text", _HOSTILE.values(), ids=_HOSTILE.keys())
def test_a_hostile_template_ends_in_an_error_soon(text: str) -> None:
    began = time.thread_time()
    with pytest.raises(TemplateError):
        Template(text, functions=_FUNCTIONS).render({})
    assert time.thread_time() - began < 2


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(a+)+$", '(print (repeat 30 "a") "b")'),
        ("(a|aa)+$", '(print (repeat 300 "a") "b")'),
        ("(x+x+)+y", '(repeat 300 "x")'),
        ("(a?){30}a{31}", '(repeat 30 "a")'),
        ("^(([a-z])+.)+[A-Z]([a-z])+$", '(repeat 300 "a")'),
    ],
)
def test_a_pattern_made_to_backtrack_does_not(pattern: str, text: str) -> None:
    began = time.thread_time()
    assert Template(f"{{{{regexMatch `{pattern}` {text}}}}}").render() == "false"
    assert time.thread_time() - began < 2


def test_a_long_row_of_blanks_is_written_as_yaml_soon() -> None:
    began = time.thread_time()
    assert len(Template('{{toYaml (print (repeat 300000 " ") "x")}}', functions=_FUNCTIONS).render()) > 300_000
    assert time.thread_time() - began < 2


@pytest.mark.parametrize(
    "name", ["a literal of 10 MB", "a huge repeat", "a huge list", "a large output", "a huge loop"]
)
def test_a_hostile_template_takes_little_memory(name: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(TemplateError):
            Template(_HOSTILE[name], functions=_FUNCTIONS).render({})
        assert tracemalloc.get_traced_memory()[1] < 100 << 20
    finally:
        tracemalloc.stop()


def test_each_budget_says_what_it_is() -> None:
    cases = [
        (Budgets(output=10), "{{ range until 5 }}hello{{ end }}", "an output of more than 10 characters"),
        (Budgets(steps=100), "{{ range until 70 }}{{ range until 70 }}{{ end }}{{ end }}", "more than 100 steps"),
        (Budgets(seconds=-1), "{{ range until 70 }}{{ end }}", "more than -1 seconds"),
    ]
    for budgets, text, reason in cases:
        with pytest.raises(BudgetError, match=reason):
            Template(text, budgets=budgets).render()


def test_the_depth_of_templates_is_as_in_go_unless_a_budget_says_less() -> None:
    text = '{{ define "r" }}{{ if . }}{{ template "r" (rest .) }}{{ end }}.{{ end }}{{ template "r" . }}'
    assert Template(text).render([0] * 2000) == "." * 2001
    with pytest.raises(TemplateError, match=r"exceeded maximum template depth \(50\)"):
        Template(text, budgets=Budgets(depth=50)).render([0] * 100)


def test_blocks_may_nest_as_deep_as_people_nest_them() -> None:
    depth = 100
    text = "{{ range . }}" * depth + "{{ if . }}x{{ end }}" + "{{ end }}" * depth
    nested: list[object] = [1]
    for _ in range(depth - 1):
        nested = [nested]
    assert Template(text).render(nested) == "x"
