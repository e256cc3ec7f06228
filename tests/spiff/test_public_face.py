"""What users of the library may rely on."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import landform.spiff
from landform.spiff import Budgets, Outcome, Overspent, SpiffError, evaluate

SOURCES = sorted(Path(landform.spiff.__file__).parent.rglob("*.py"))


def test_the_face_is_small() -> None:
    assert landform.spiff.__all__ == ["Budgets", "Outcome", "Overspent", "SpiffError", "evaluate"]


def test_everything_but_the_template_may_be_left_out() -> None:
    assert evaluate("a: 1\nb: (( a + 1 ))\n") == Outcome(result={"a": 1, "b": 2}, state=None)


def test_all_parts_work_together() -> None:
    outcome = evaluate(
        'name: (( imports.name ))\nsize: (( merge ))\ntext: (( read("note.txt") ))\n'
        "count: (( &state ( stub(count) || 0 + 1 ) ))\nhello: hello (( name ))\n",
        values={"imports": {"name": "shop"}},
        stubs=["size: 1\n", "size: 2\n"],
        state="count: 4\n",
        files={"note.txt": b"note"},
        features=["interpolation"],
    )
    assert outcome.result == {"name": "shop", "size": 2, "text": "note", "count": 4, "hello": "hello shop"}
    assert outcome.state == {"count": 4}


def test_inputs_are_not_changed_and_results_are_not_shared() -> None:
    values = {"list": [3, 1, 2]}
    outcome = evaluate("a: (( sort(list) ))\nb: (( list ))\n", values=values)
    outcome.result["b"].append(4)
    assert outcome.result["a"] == [1, 2, 3]
    assert values == {"list": [3, 1, 2]}


def test_an_unknown_feature_is_refused_by_name() -> None:
    with pytest.raises(SpiffError, match="unknown feature flag 'magic'; known are control, interpolation"):
        evaluate("a: 1\n", features=["magic"])


def test_a_value_without_meaning_is_refused() -> None:
    with pytest.raises(SpiffError, match="a value of type object has no meaning"):
        evaluate("a: 1\n", values={"x": object()})


def test_budgets_can_be_chosen() -> None:
    with pytest.raises(Overspent, match="more than 10 steps"):
        evaluate("a: (( [1..1000] ))\n", budgets=Budgets(steps=10))


@pytest.mark.parametrize("source", SOURCES, ids=[source.stem for source in SOURCES])
def test_the_library_uses_nothing_of_landform_but_the_kit(source: Path) -> None:
    for node in ast.walk(ast.parse(source.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("landform"):
            assert (node.module or "").startswith(("landform.spiff", "landform.kit"))


def test_functions_can_be_brought_along() -> None:
    def tagged(image: str, *tags: int) -> dict[str, object]:
        return {"image": image, "tags": [tag + 1 for tag in tags]}

    outcome = evaluate("a: (( tagged(name, 1, 2).tags ))\n", values={"name": "x"}, functions={"tagged": tagged})
    assert outcome.result == {"a": [2, 3]}


def test_a_function_from_outside_says_why_there_is_no_value() -> None:
    def broken() -> None:
        raise SpiffError("nobody home")

    with pytest.raises(SpiffError, match="broken: nobody home"):
        evaluate("a: (( broken() ))\n", functions={"broken": broken})
    assert evaluate('a: (( broken() || "x" ))\n', functions={"broken": broken}).result == {"a": "x"}


def test_a_function_from_outside_does_not_replace_one_of_the_language() -> None:
    outcome = evaluate('a: (( length("abc") ))\n', functions={"length": lambda _: 99})
    assert outcome.result == {"a": 3}
