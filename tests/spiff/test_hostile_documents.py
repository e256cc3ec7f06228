"""Documents that loop, nest or grow without end are stopped."""

from __future__ import annotations

import sys
import threading

import pytest

from landform.spiff import Budgets, Overspent, SpiffError, evaluate

QUICK = Budgets(seconds=0.4)

STOPPED = {
    "deep flow lists": "a: " + "[" * 100_000,
    "deep flow maps": "{a: " * 50_000,
    "a long text": "a: " + "x" * 10_000_000,
    "a long expression": 'a: (( "' + "x" * 3_000_000 + '" ))',
    "many brackets": "a: (( " + "(" * 5_000 + "1" + ")" * 5_000 + " ))",
    "many negations": "a: (( " + "!" * 50_000 + "1 ))",
    "many operands": "a: 1\nb: (( " + " + ".join(["a"] * 20_000) + " ))",
    "a long concatenation": "a: x\nb: (( " + " ".join(["a"] * 30_000) + " ))",
    "a long chain of calls": "f: (( |x...|->_ ))\na: (( .f(1)" + "(1)" * 2_000 + " ))",
    "endless recursion": "f: (( |x|->_(x + 1) ))\na: (( .f(1) ))",
    "lambdas that call each other": "f: (( |x|->.g(x) ))\ng: (( |x|->.f(x) ))\na: (( .f(1) ))",
    "a template in itself": "t:\n  <<: (( &template ))\n  x: (( *t ))\na: (( *t ))",
    "an evaluation of itself": "e: eval(e)\na: (( eval(e) ))",
    "two calls for each": "f: (( |x|->x < 2 ? x :_(x - 1) + _(x - 2) ))\na: (( .f(40) ))",
    "a huge range": "a: (( [1..1000000000] ))",
    "maps in maps": "a: (( map[[1..3000]|x|->map[[1..3000]|y|->x * y]] ))",
    "growing text": 'a00: (( "xxxxxxxx" ))\n' + "".join(f"a{n + 1:02}: (( a{n:02} a{n:02} ))\n" for n in range(60)),
    "growing lists": "a00: (( [1] ))\n" + "".join(f"a{n + 1:02}: (( [a{n:02}, a{n:02}] ))\n" for n in range(60)),
    "aliases of aliases": "a0: &a0 [x, x]\n" + "".join(f"a{n + 1}: &a{n + 1} [*a{n}, *a{n}]\n" for n in range(60)),
    "nesting by a sum": "a: (( sum[[1..100000]|[]|s,x|->[s]] ))",
    "lists that hold themselves twice": "a: (( asjson(sum[[1..60]|[1]|s,x|->[s, s]]) ))",
    "maps that hold themselves twice": 'a: (( sum[[1..60]|{}|s,x|->makemap("a", s, "b", s)] ))',
    "nesting, written as JSON": "a: (( asjson(sum[[1..3000]|[]|s,x|->[s]]) ))",
    "a wide format": 'a: (( map[[1..100]|x|->format("%999999d", x)] ))',
    "a long replacement": f'a: (( replace("{"a" * 9_000}", "a", "{"b" * 9_000}") ))',
    "a long join": f'a: (( join("{"x" * 9_000}", [1..20000]) ))',
    "an exponential pattern": f't: {"a" * 200_000}\na: (( match("(a+)+$", t "b") ))',
    "many patterns": f'a: (( map[[1..100]|i|->match("(a*)*b", "{"a" * 9_000}")] ))',
    "a large pattern": 'a: (( match("(((a{1,100}){1,100}){1,100})", "aaa") ))',
    "many addresses": 'a: (( ipset("10.0.0.0/8", 1000000000) ))',
    "a costly password": 'a: (( bcrypt("x", 31) ))',
    "many beginnings of a key": "t: |\n" + "  -----BEGIN A-----\n" * 30_000 + "a: (( x509publickey(t) ))",
    "a huge number": "a: (( " + "9" * 100_000 + " ))",
}


@pytest.mark.parametrize("text", STOPPED.values(), ids=STOPPED)
def test_a_hostile_document_ends_in_an_error(text: str) -> None:
    with pytest.raises(SpiffError):
        evaluate(text, budgets=QUICK)


def test_patterns_are_matched_in_linear_time() -> None:
    text = "a" * 2_000
    assert evaluate(f'a: (( match("^(a|a)*$", "{text}b") ))').result == {"a": []}


@pytest.mark.timeout(10)
@pytest.mark.parametrize("text", ["0x" + "f" * 200_000, "9" * 200_000 + "x"], ids=["hexadecimal", "decimal"])
def test_what_looks_like_a_number_is_read_in_linear_time(text: str) -> None:
    assert evaluate(f"a: {text}").result == {"a": text}


def test_the_error_names_the_node_that_was_too_much() -> None:
    with pytest.raises(
        Overspent, match=r"template: b\.c: \(\( \[1\.\.1000000000\] \)\): the evaluation needs more than"
    ):
        evaluate("a: 1\nb:\n  c: (( [1..1000000000] ))\n")


def test_deep_but_honest_recursion_works() -> None:
    template = "f: (( |n|->n < 1 ? 0 :1 + _(n - 1) ))\na: (( .f(1000) ))\n"
    assert evaluate(template).result["a"] == 1000


def test_the_interpreter_is_left_as_it_was() -> None:
    limit = sys.getrecursionlimit()
    evaluate("a: 1\n")
    assert sys.getrecursionlimit() == limit


def test_evaluations_in_several_threads_do_not_disturb_each_other() -> None:
    template = "l: (( [1..50] ))\nf: (( &temporary ( |x|->x * n ) ))\na: (( map[l|x|->.f(x)] ))\nb: (( l.[*] ))\n"
    found: dict[int, list[int]] = {}

    def work(number: int) -> None:
        for _ in range(5):
            found[number] = evaluate(template, values={"n": number}).result["a"]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {number: [entry * number for entry in range(1, 51)] for number in range(4)}
