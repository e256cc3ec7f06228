"""Errors name the place, the expression and the reason of every node without a value."""

from __future__ import annotations

import pytest

from landform.spiff import Overspent, SpiffError, evaluate


def error_of(template: str, stubs: tuple[str, ...] = ()) -> str:
    """The message for a template that cannot be evaluated."""
    with pytest.raises(SpiffError) as caught:
        evaluate(template, stubs=stubs)
    return str(caught.value)


def test_all_nodes_are_reported_at_once() -> None:
    message = error_of("a: (( nope ))\nb:\n  c: (( 1 / 0 ))\nl: [(( join() ))]\n")
    assert message.splitlines() == [
        "unresolved nodes:",
        "\t(( nope ))\tin template\ta\t()\t*'nope' not found",
        "\t(( 1 / 0 ))\tin template\tb.c\t()\t*division by zero",
        "\t(( join() ))\tin template\tl.[0]\t()",
    ]


def test_a_circle_is_told_from_an_error() -> None:
    assert error_of("a: (( b ))\nb: (( a ))\n").count("@") == 2


def test_a_node_that_waits_for_a_failed_one_comes_last() -> None:
    lines = error_of("a: (( b ))\nb: (( nope ))\n").splitlines()
    assert lines[1].startswith("\t(( nope ))")
    assert lines[2].endswith("-'b' unresolved") or lines[2].endswith("@'b' unresolved")


def test_an_error_in_a_stub_names_the_stub() -> None:
    assert "in stub2\ta" in error_of("a: 1\n", ("b: 1\n", "a: (( nope ))\n"))


def test_a_text_that_is_no_expression_says_where_reading_ended() -> None:
    assert error_of("a: (( 1 + ))\n").endswith("*parse error near symbol 5 - symbol 6: ' '")


def test_a_lambda_that_fails_shows_its_arguments() -> None:
    message = error_of("f: (( |x|->x + nope ))\na: (( .f(5) ))\n")
    assert "evaluation of lambda expression failed: lambda|x|->x + nope: {x: 5}" in message
    assert message.endswith("... 'nope' not found")


def test_a_lambda_may_be_the_argument_of_one_that_fails() -> None:
    message = error_of("f: (( |g|->g(1) + nope ))\na: (( .f(|x|->x) ))\n")
    assert "evaluation of lambda expression failed" in message


def test_endless_recursion_names_the_node_and_the_expression() -> None:
    with pytest.raises(Overspent, match=r"template: a: \(\( \.f\(1\) \)\): lambda calls and templates are nested more"):
        evaluate("f: (( |x|->_(x + 1) ))\na: (( .f(1) ))\n")


@pytest.mark.parametrize("index", [-4, -100, 3, 100])
def test_an_index_outside_of_a_list_is_not_found(index: int) -> None:
    assert f"'l.[{index}]' not found" in error_of(f"l: [1, 2, 3]\na: (( l[{index}] ))\n")


def test_an_index_into_an_empty_list_is_not_found() -> None:
    assert "'l.[-1]' not found" in error_of("l: []\na: (( l[-1] ))\n")


def test_a_number_beyond_64_bits_is_an_error_of_the_expression() -> None:
    assert "the number does not fit into 64 bits" in error_of("a: (( 9223372036854775808 ))\n")


def test_a_broken_document_says_where() -> None:
    assert error_of("a: [1\n") == (
        "yaml: [while parsing a flow sequence] did not find expected ',' or ']' at line 2, column 1"
    )
