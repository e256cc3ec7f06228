"""Any graph of items, any order in which deployers finish: every job ends, and nothing runs before its time."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.executions.objects import Simulated, execution
from tests.executions.worlds import name_of, template

Graph = dict[str, list[str]]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Items by name, each with some of those before it as dependencies."""
    names = [f"i{number}" for number in range(draw(st.integers(1, 7)))]
    return {
        name: draw(st.lists(st.sampled_from(names[:place]), unique=True)) if place else []
        for place, name in enumerate(names)
    }


def templates(graph: Graph) -> list[dict[str, Any]]:
    return [template(name, *dependencies) for name, dependencies in graph.items()]


def work(world: Simulated, choices: st.DataObject, fails: frozenset[str] = frozenset()) -> list[str]:
    """Let deployers finish in some order until nobody has anything to do; the order in which items were done."""
    done: list[str] = []
    world.settle()
    while world.running():
        chosen = choices.draw(st.sampled_from(world.running()))
        done.append(name_of(chosen))
        world.finish(chosen, fails=done[-1] in fails)
        world.settle()
    return done


def ended(world: Simulated, job: str) -> str:
    assert world.execution is not None
    assert world.execution.status.job_id_finished == job
    return world.execution.status.phase or ""


@settings(max_examples=60)
@given(graphs(), st.data())
def test_items_run_after_all_that_they_depend_on(graph: Graph, choices: st.DataObject) -> None:
    world = Simulated(execution(*templates(graph)))
    done = work(world, choices)
    assert sorted(done) == sorted(graph)
    for name, dependencies in graph.items():
        assert all(done.index(dependency) < done.index(name) for dependency in dependencies)
    assert ended(world, "J") == "Succeeded"


@settings(max_examples=60)
@given(graphs(), st.data())
def test_whatever_fails_the_job_ends_and_nothing_runs_that_depends_on_it(graph: Graph, choices: st.DataObject) -> None:
    fails = frozenset(choices.draw(st.lists(st.sampled_from(sorted(graph)), min_size=1)))
    world = Simulated(execution(*templates(graph)))
    done = work(world, choices, fails)
    assert ended(world, "J") == "Failed"
    for name in done:
        assert not fails.intersection(graph[name])
    world.trigger("K")
    work(world, choices)
    assert ended(world, "K") == "Succeeded"


@settings(max_examples=60)
@given(graphs(), st.data())
def test_items_are_removed_before_all_that_they_depend_on(graph: Graph, choices: st.DataObject) -> None:
    world = Simulated(execution(*templates(graph)))
    work(world, choices)
    world.trigger("D", delete=True)
    gone = work(world, choices)
    assert sorted(gone) == sorted(graph)
    for name, dependencies in graph.items():
        assert all(gone.index(dependency) > gone.index(name) for dependency in dependencies)
    assert world.execution is None
    assert world.found == {}


@settings(max_examples=60)
@given(graphs(), graphs(), st.data())
def test_from_any_items_to_any_others_and_then_away(before: Graph, after: Graph, choices: st.DataObject) -> None:
    world = Simulated(execution(*templates(before)))
    work(world, choices, frozenset(choices.draw(st.lists(st.sampled_from(sorted(before)), max_size=2))))
    world.wants(templates(after))
    world.trigger("K")
    done = work(world, choices)
    orphans = sorted(set(before) - set(after))
    assert sorted(done[: len(orphans)]) == orphans
    assert ended(world, "K") == "Succeeded"
    assert sorted(map(name_of, world.found.values())) == sorted(after)
    world.trigger("D", delete=True)
    work(world, choices)
    assert (world.execution, world.found) == (None, {})
