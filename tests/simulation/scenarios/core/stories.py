"""Scenarios for the whole engine: what people do to a landscape, and the landscape that must be there in the end."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeAlias

from tests.simulation.scenarios.core import landscapes, objects, truths
from tests.simulation.scenarios.core.people import People

from landform.api.phases import Phase
from landform.cluster.codec import key_of
from landform.cluster.kinds import INSTALLATIONS
from landform.deployers.library import serving
from landform.deployers.mock import MockDeployer
from landform.engine.engine import Engine, Replicas, Settings
from landform.runtime.manager import Life
from landform.testing.simulation import invariants
from landform.testing.simulation.scenarios import Scenario

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence

    from tests.simulation.scenarios.core.landscapes import Part

    from landform.cluster.resources import Unstructured
    from landform.testing.simulation.history import History
    from landform.testing.simulation.processes import Process, Program
    from landform.testing.simulation.scenarios import Invariant, World

NAMESPACE = "default"
GROUP = "landform"
Act: TypeAlias = "Callable[[People], Awaitable[None]]"


# The processes.


async def engine(process: Process) -> None:
    """Controllers and deployer in one process, as `landform up` runs them."""
    await Engine(process.cluster, process.surroundings, deployers=[MockDeployer()]).run(Life())


async def replica(process: Process) -> None:
    """The same, sharing the work with others."""
    settings = Settings(replicas=Replicas(namespace="kube-system", holder=process.name))
    await Engine(process.cluster, process.surroundings, deployers=[MockDeployer()], settings=settings).run(Life())


async def controllers(process: Process) -> None:
    """Controllers without a deployer."""
    await Engine(process.cluster, process.surroundings).run(Life())


async def deployer(process: Process) -> None:
    """The mock deployer as a process of its own."""
    settings = serving.Settings(identity=process.name, lease_namespace="kube-system")
    await serving.manager(MockDeployer(), process.cluster, settings, surroundings=process.surroundings).run()


TOGETHER: Mapping[str, Program] = {"engine": engine}
APART: Mapping[str, Program] = {"controllers": controllers, "deployer": deployer}
REPLICAS: Mapping[str, Program] = {"replica-a": replica, "replica-b": replica}
TWO_DEPLOYERS: Mapping[str, Program] = {"controllers": controllers, "deployer-a": deployer, "deployer-b": deployer}


# The scenario.


def story(
    name: str,
    act: Act,
    ending: list[Part] | Mapping[str, list[Part]],
    *,
    given: Mapping[str, str] | None = None,
    past: Mapping[str, str] | None = None,
    begin: Act | None = None,
    processes: Mapping[str, Program] = TOGETHER,
    fails: Sequence[str] = (),
    always: Sequence[Invariant] = (),
    eventually: Sequence[Invariant] = (),
    never_rests: bool = False,
    prepared: bool = True,
    exhaustive: bool = False,
    seconds: float = 20.0,
) -> Scenario:
    """A scenario: people `begin`, `act` in each namespace of the `ending` at once, and in the end all is like that.

    `given` are data that people gave before, `past` the values of data that came, and perhaps went, later. `fails` are
    the reasons for which jobs may fail. A landscape that `never_rests` has schedules, and goes on writing. Unless
    `prepared`, people make the namespaces themselves.
    """
    endings = {NAMESPACE: ending} if isinstance(ending, list) else ending

    async def setup(world: World) -> None:
        for namespace in endings if prepared else ():
            people = People(world, namespace)
            await people.settle_in()
            await people.give(**(given or {}))
            if begin is not None:
                await begin(people)

    async def workload(world: World) -> None:
        await together(*(act(People(world, namespace)) for namespace in endings))

    shared = [truths.nobody_writes_what_another_replica_owns(GROUP)] if processes is REPLICAS else []
    rests = [] if never_rests else [invariants.no_writes_after_convergence()]
    return Scenario(
        name=name,
        processes=processes,
        setup=setup,
        workload=workload,
        always=(*truths.ALWAYS, truths.only_these_fail(frozenset(fails)), *shared, *always),
        eventually=(
            *truths.EVENTUALLY,
            all_is_as_wanted(endings, {**(given or {}), **(past or {})}),
            *rests,
            *eventually,
        ),
        exhaustive=exhaustive,
        storm_seconds=seconds,
        converge_seconds=900.0,
        quiet_seconds=30.0,
        most_writes=3000,
    )


async def together(*deeds: Awaitable[None]) -> None:
    """Do several things at once."""
    async with asyncio.TaskGroup() as group:
        for deed in deeds:
            group.create_task(_done(deed))


async def _done(deed: Awaitable[None]) -> None:
    await deed


# How it must end.


def all_is_as_wanted(endings: Mapping[str, list[Part]], given: Mapping[str, str]) -> Invariant:
    """There are exactly these Installations, with exactly these below them, and they export what they should."""

    def all_is_as_wanted(history: History) -> Iterator[str]:
        for namespace, parts in endings.items():
            known = dict(given)
            for part in parts:
                if part.gives and not part.remembers and part.ends == Phase.SUCCEEDED:
                    known[part.name] = landscapes.value_of(part, known)
            roots = {
                key_of(each).name: each
                for each in history.objects(INSTALLATIONS, namespace)
                if not objects.owner_of(each)
            }
            if sorted(roots) != sorted(part.name for part in parts):
                yield f"there are {sorted(roots)} in {namespace}, not {sorted(part.name for part in parts)}"
                continue
            for part in parts:
                yield from _differs(history, part, roots[part.name], known)

    return all_is_as_wanted


def _differs(history: History, part: Part, found: Unstructured, known: Mapping[str, str]) -> Iterator[str]:
    key, phase = key_of(found), objects.phase_of(found)
    if phase != part.ends:
        error = objects.status_of(found).get("lastError") or {}
        yield f"{key} ({part.name}) is in phase {phase or 'none'}, not {part.ends}: {error.get('message')}"
    if part.ends != Phase.SUCCEEDED:
        return
    if part.gives and not part.remembers and objects.exported(history, found, part.name) != known[part.name]:
        yield f"{key} exports {objects.exported(history, found, part.name)}, not {known[part.name]}"
    items = sorted(objects.template_of(item) for item in objects.items(history, objects.execution(history, found)))
    if items != part.item_names:
        yield f"{key} has the items {items}, not {part.item_names}"
    children = {objects.template_of(child): child for child in objects.children(history, found)}
    if sorted(children) != sorted(child.name for child in part.children):
        yield f"{key} has {sorted(children)} below it, not {sorted(child.name for child in part.children)}"
        return
    inside = landscapes.below(part, known)
    for child in part.children:
        yield from _differs(history, child, children[child.name], inside)
