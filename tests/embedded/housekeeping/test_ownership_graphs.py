"""Garbage collection of any graph of owners ends where Kubernetes' documented rules say."""

from __future__ import annotations

import asyncio
import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.contract.objects import config_map
from tests.embedded.housekeeping.resting import ManualClock, at_rest

from landform.cluster.errors import NotFound
from landform.cluster.interface import DeleteOptions, EventType, ListOptions, Propagation
from landform.cluster.resources import CONFIG_MAPS, NAMESPACES
from landform.kit.surroundings import Surroundings
from landform.testing import homes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from landform.cluster.interface import Cluster

Graph = dict[int, dict[int, bool]]
"""For each object its owners, and whether it holds up their foreground deletion."""


class Deletion(NamedTuple):
    """One step of a history."""

    victim: int
    propagation: Propagation | None


RELATIONS = st.sampled_from([None, True, True, False, None])
"""Between two objects: none, owner and held up by what it owns, or owner only."""


@st.composite
def graphs(draw: st.DrawFn, *, circles: bool) -> Graph:
    """Up to five objects, few enough to meet in circles; without circles, owners come before what they own."""
    count = draw(st.integers(1, 5))
    possible = {number: range(count if circles else number) for number in range(count)}
    return {
        number: {owner: held for owner in owners if owner != number and (held := draw(RELATIONS)) is not None}
        for number, owners in possible.items()
    }


@st.composite
def histories(draw: st.DrawFn) -> tuple[Graph, list[Deletion]]:
    """A graph and what is deleted from it, one after the other; more often than not in the foreground."""
    graph = draw(graphs(circles=True))
    ways = st.sampled_from([*Propagation, Propagation.FOREGROUND, Propagation.FOREGROUND, None])
    return graph, draw(st.lists(st.builds(Deletion, st.sampled_from(sorted(graph)), ways), min_size=1, max_size=4))


def expected(graph: Graph, deletion: Deletion) -> Graph:
    """What is left, by the rules: who has owners stays while one of them does, and forgets those that went."""
    if deletion.victim not in graph:
        return graph
    left = {number: dict(owners) for number, owners in graph.items() if number != deletion.victim}
    if deletion.propagation is Propagation.ORPHAN:
        for owners in left.values():
            owners.pop(deletion.victim, None)
        return left
    while gone := [number for number, owners in left.items() if owners and not owners.keys() & left.keys()]:
        for number in gone:
            del left[number]
    return {number: {o: held for o, held in owners.items() if o in left} for number, owners in left.items()}


class Bench:
    """One home for all examples; each has a namespace of its own."""

    def __init__(self, runner: asyncio.Runner, cluster: Cluster) -> None:
        self.runner = runner
        self.cluster = cluster
        self.numbers = itertools.count()

    async def furnish(self, graph: Graph) -> str:
        """The graph as ConfigMaps in a fresh namespace; references follow once all have their uid."""
        namespace = f"graph-{next(self.numbers)}"
        await self.cluster.create(NAMESPACES, {"metadata": {"name": namespace}})
        uids = {}
        for number in graph:
            made = await self.cluster.create(CONFIG_MAPS, config_map(f"n{number}"), namespace=namespace)
            uids[number] = made["metadata"]["uid"]
        for number, owners in graph.items():
            references = [_reference(owner, uids[owner], held) for owner, held in owners.items()]
            if references:
                patch = {"metadata": {"ownerReferences": references}}
                await self.cluster.patch(CONFIG_MAPS, f"n{number}", patch, namespace=namespace)
        await at_rest()
        return namespace

    async def delete(self, namespace: str, deletion: Deletion) -> None:
        options = DeleteOptions(propagation=deletion.propagation)
        try:
            await self.cluster.delete(CONFIG_MAPS, f"n{deletion.victim}", namespace=namespace, options=options)
        except NotFound:
            return
        await at_rest()

    async def found(self, namespace: str) -> dict[int, set[int]]:
        """Who is left, and whose owners they name."""
        items = (await self.cluster.list(CONFIG_MAPS, namespace=namespace)).items
        left = {}
        for obj in items:
            if obj["metadata"]["name"].startswith("n"):
                assert "deletionTimestamp" not in obj["metadata"], "nothing is left half deleted"
                references = obj["metadata"].get("ownerReferences", ())
                left[int(obj["metadata"]["name"][1:])] = {int(r["name"][1:]) for r in references}
        return left


def _reference(owner: int, uid: str, held: bool) -> dict[str, Any]:
    reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": f"n{owner}", "uid": uid}
    return {**reference, "blockOwnerDeletion": True} if held else reference


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with asyncio.Runner() as runner:
        opening = homes.in_process(Surroundings(clock=ManualClock()))
        yield Bench(runner, runner.run(opening.__aenter__()))
        runner.run(opening.__aexit__(None, None, None))


@settings(max_examples=300)
@example(history=({0: {1: True}, 1: {0: True}}, [Deletion(0, Propagation.FOREGROUND)]))
@example(history=({0: {2: True}, 1: {0: True}, 2: {1: True}}, [Deletion(1, Propagation.FOREGROUND)]))
@given(history=histories())
def test_any_history_of_deletions_ends_where_the_rules_say(bench: Bench, history: tuple[Graph, list[Deletion]]) -> None:
    async def play() -> None:
        model, deletions = history
        namespace = await bench.furnish(model)
        for deletion in deletions:
            model = expected(model, deletion)
            await bench.delete(namespace, deletion)
            assert await bench.found(namespace) == {number: set(owners) for number, owners in model.items()}

    bench.runner.run(play())


@given(graph=graphs(circles=False))
def test_in_the_foreground_owners_go_after_what_holds_them_up(bench: Bench, graph: Graph) -> None:
    async def play() -> None:
        namespace = await bench.furnish(graph)
        version = (await bench.cluster.list(CONFIG_MAPS, namespace=namespace)).resource_version
        await bench.delete(namespace, Deletion(0, Propagation.FOREGROUND))
        left = await bench.found(namespace)
        order = []
        options = ListOptions(resource_version=version)
        async with bench.cluster.watch(CONFIG_MAPS, namespace=namespace, options=options) as stream:
            async for event in stream:
                if event.type is EventType.DELETED and event.object is not None:
                    order.append(int(event.object["metadata"]["name"][1:]))
                if len(order) == len(graph) - len(left):
                    break
        # Who has another owner is not waited for: it stays, or goes with that one.
        assert all(order.index(number) < order.index(0) for number in order if graph[number] == {0: True})

    bench.runner.run(play())


@given(graph=graphs(circles=True))
def test_a_deleted_namespace_takes_every_graph_with_it(bench: Bench, graph: Graph) -> None:
    async def play() -> None:
        namespace = await bench.furnish(graph)
        await bench.cluster.delete(NAMESPACES, namespace)
        await at_rest()
        with pytest.raises(NotFound):
            await bench.cluster.get(NAMESPACES, namespace)
        assert await bench.found(namespace) == {}

    bench.runner.run(play())
