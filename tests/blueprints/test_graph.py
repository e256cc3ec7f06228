"""The data-flow graph: who waits for whom, and what makes it impossible."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landform.api.installations import (
    DataExport,
    DataImport,
    InstallationExports,
    InstallationImports,
    TargetExport,
    TargetImport,
)
from landform.api.references import LocalSecretReference
from landform.blueprints import graph
from landform.blueprints.errors import GraphError
from landform.blueprints.graph import Flow


def data(name: str, imports: str = "", exports: str = "") -> Flow:
    return Flow(name, imports_data=frozenset(imports.split()), exports_data=frozenset(exports.split()))


def takes_from(one: Flow, other: Flow) -> bool:
    """Whether it imports something that the other exports."""
    return bool(one.imports_data & other.exports_data or one.imports_targets & other.exports_targets)


def test_every_way_to_import_counts_towards_siblings() -> None:
    imports = InstallationImports(
        data=(
            DataImport(name="a", data_ref="url"),
            DataImport(name="b", secret_ref=LocalSecretReference(name="secret")),
        ),
        targets=(
            TargetImport(name="c", target="one"),
            TargetImport(name="d", targets=("two", "three")),
            TargetImport(name="e", target_map={"x": "four"}),
            TargetImport(name="f", target_list_ref="list"),
            TargetImport(name="g", target_map_ref="map"),
            TargetImport(name="h", target="map[x]"),
            TargetImport(name="i", targets=()),
        ),
    )
    exports = InstallationExports(
        data=(DataExport(name="o", data_ref="out"),), targets=(TargetExport(name="p", target="made"),)
    )
    assert graph.flow("me", imports, exports) == Flow(
        "me",
        frozenset({"url"}),
        frozenset({"one", "two", "three", "four"}),
        frozenset({"out"}),
        frozenset({"made"}),
    )


def test_data_and_targets_of_one_name_are_different_things() -> None:
    graph.check([Flow("a", imports_data=frozenset({"x"}), exports_targets=frozenset({"x"}))])


def test_templates_that_export_the_same_name_are_refused() -> None:
    with pytest.raises(GraphError, match="the data 'x' is exported more than once, by a and b"):
        graph.check([data("a", exports="x"), data("b", exports="x")])


def test_a_circle_is_named() -> None:
    with pytest.raises(GraphError) as refused:
        graph.check([data("a", "y", "x"), data("b", "x", "y"), data("c", "x")])
    assert "a -{depends_on}-> b -{depends_on}-> a" in str(refused.value)


def test_importing_an_own_export_is_a_circle() -> None:
    with pytest.raises(GraphError, match=r"a -\{depends_on\}-> a$"):
        graph.check([data("a", "x", "x")])


def test_a_chain_of_many_is_no_circle() -> None:
    graph.check([data(f"i{number}", f"x{number}", f"x{number + 1}") for number in range(5000)])


REFS = st.frozensets(st.sampled_from("pqrst"), max_size=2)
FLOWS = st.lists(
    st.builds(Flow, st.sampled_from("abcdef"), REFS, REFS, REFS, REFS), max_size=6, unique_by=lambda each: each.name
)


def reaches(start: str, goal: str, edges: dict[str, list[str]]) -> bool:
    seen: set[str] = set()
    waiting = list(edges[start])
    while waiting:
        name = waiting.pop()
        if name == goal:
            return True
        if name not in seen:
            seen.add(name)
            waiting.extend(edges[name])
    return False


@given(FLOWS)
def test_a_circle_is_found_if_and_only_if_there_is_one(flows: list[Flow]) -> None:
    edges = {me.name: [other.name for other in flows if takes_from(me, other)] for me in flows}
    circle = graph.cycle(flows)
    assert bool(circle) == any(reaches(name, name, edges) for name in edges)
    for one, other in zip(circle, [*circle[1:], *circle[:1]], strict=True):
        assert other in edges[one]


@given(FLOWS)
def test_what_passes_the_check_can_be_put_in_an_order(flows: list[Flow]) -> None:
    try:
        graph.check(flows)
    except GraphError:
        return
    done: set[str] = set()
    while len(done) < len(flows):
        left = [me for me in flows if me.name not in done]
        ready = {me.name for me in left if not any(takes_from(me, other) for other in left)}
        assert ready
        done |= ready
