"""Fleets and their yard: with one admiralty, and with two that divide the Fleets."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from tests.simulation.sample import (
    BUILD_SECONDS,
    FLEET_LABEL,
    FLEETS,
    NAMESPACE,
    admiralty,
    define,
    fleet,
    fleet_of,
    is_launched,
    is_ready,
    purpose_of,
    yard,
)

from landform.cluster.codec import key_of
from landform.cluster.errors import AlreadyExists, NotFound
from landform.cluster.resources import CONFIG_MAPS, ObjectKey
from landform.testing.simulation import invariants
from landform.testing.simulation.scenarios import Scenario

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from landform.cluster.resources import Unstructured
    from landform.testing.simulation.history import History
    from landform.testing.simulation.processes import Program
    from landform.testing.simulation.scenarios import World

NAMES = ("north", "south", "east")
MOST_WRITES = 1500


async def setup(world: World) -> None:
    await define(world.cluster)
    for name in NAMES:
        await world.cluster.create(FLEETS, fleet(name, 2, "a"), namespace=NAMESPACE)


async def workload(world: World) -> None:
    """People who cannot make up their minds."""
    for revision in "bcdef":
        await asyncio.sleep(world.chance.uniform(0.0, 6.0))
        spec = {"size": world.chance.randint(1, 3), "revision": revision}
        name = world.chance.choice(NAMES)
        with contextlib.suppress(NotFound):
            await world.cluster.patch(FLEETS, name, {"spec": spec}, namespace=NAMESPACE)
    await asyncio.sleep(world.chance.uniform(0.0, 6.0))
    await world.cluster.delete(FLEETS, "east", namespace=NAMESPACE)
    if world.chance.random() < 0.3:
        await asyncio.sleep(world.chance.uniform(0.0, 4.0))
        with contextlib.suppress(AlreadyExists):
            await world.cluster.create(FLEETS, fleet("east", 1, "g"), namespace=NAMESPACE)


def ships_are_all_at_sea(history: History, fleet: Unstructured) -> bool:
    """What a Fleet that is ready claims."""
    ships = [ship for ship in history.objects(CONFIG_MAPS, NAMESPACE) if key_of(fleet) in fleet_of(ship)]
    right = [ship for ship in ships if ship["data"]["revision"] == fleet["spec"]["revision"] and is_launched(ship)]
    return [len(ships), len(right)] == [fleet["spec"]["size"]] * 2


def has_a_fleet(history: History, ship: Unstructured) -> bool:
    return any(history.get(FLEETS, key) is not None for key in fleet_of(ship))


def no_ship_is_launched_early(history: History) -> Iterator[str]:
    """A launch comes not before the works are done, since the ship was ordered as it is."""
    write = history.writes[-1]
    launched = write.is_of(CONFIG_MAPS) and write.after and fleet_of(write.after) and is_launched(write.after)
    if not launched or (write.before is not None and is_launched(write.before)):
        return
    ordered = ordered_at(history, write.key, write.after or {})
    if write.at - ordered < BUILD_SECONDS - 0.01:
        yield f"ship {write.key} was launched {write.at - ordered:.1f} s after it was ordered"


def ordered_at(history: History, key: ObjectKey, ship: Unstructured) -> float:
    """When the ship was last ordered as it is."""
    moment = 0.0
    for write in reversed(history.writes):
        if write.is_of(CONFIG_MAPS) and write.key == key:
            if write.after is None or write.after["data"]["revision"] != ship["data"]["revision"]:
                break
            moment = write.at
    return moment


ALWAYS = (
    invariants.claims_are_true(FLEETS, is_ready, ships_are_all_at_sea),
    invariants.never_goes_back(FLEETS, "status", "observedGeneration"),
    invariants.no_lost_updates(FLEETS, CONFIG_MAPS),
    invariants.no_unseen_deletions(FLEETS, CONFIG_MAPS),
    invariants.no_duplicate_children(CONFIG_MAPS, purpose_of, FLEET_LABEL),
    no_ship_is_launched_early,
)
EVENTUALLY = (
    invariants.everything_converges(FLEETS, is_ready, at_least=2),
    invariants.everything_converges(CONFIG_MAPS, lambda ship: not fleet_of(ship) or is_launched(ship)),
    invariants.nothing_left_behind(CONFIG_MAPS, FLEET_LABEL, unless=has_a_fleet),
    invariants.no_writes_after_convergence(),
    invariants.processes_survive,
)


def fleets_with(name: str, processes: Mapping[str, Program], *, exhaustive: bool = False) -> Scenario:
    """The scenario with other programs."""
    return Scenario(
        name=name,
        processes=processes,
        setup=setup,
        workload=workload,
        always=ALWAYS,
        eventually=EVENTUALLY,
        exhaustive=exhaustive,
        most_writes=MOST_WRITES,
    )


FLEET = fleets_with("fleets", {"admiralty": admiralty(), "yard": yard()}, exhaustive=True)

_REPLICAS = {"admiralty-a": admiralty(sharded=True), "admiralty-b": admiralty(sharded=True), "yard": yard()}
REPLICATED = Scenario(
    name="fleets of two admiralties",
    processes=_REPLICAS,
    setup=setup,
    workload=workload,
    always=(*ALWAYS, invariants.one_owner_per_key(FLEETS, invariants.shard_owner("admiralty"))),
    eventually=EVENTUALLY,
    most_writes=MOST_WRITES,
)
