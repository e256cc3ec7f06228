"""What people get wrong: the sample system with one mistake each, which the simulator must find."""

from __future__ import annotations

import asyncio
import contextlib
import copy
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from tests.simulation import sample
from tests.simulation.sample import FLEETS, Admiral, Snapshot, Yard, admiralty, is_launched, yard
from tests.simulation.scenarios.fleets import REPLICATED, fleets_with

from landform.cluster.codec import key_of, metadata
from landform.cluster.errors import ClusterError, Conflict, NotFound
from landform.cluster.informers import Caches
from landform.cluster.interface import ListOptions, WriteOptions
from landform.cluster.resources import CONFIG_MAPS, LEASES, ObjectKey
from landform.kit.clocks import parse_rfc3339, rfc3339_micro
from landform.runtime.intents import Create, Delete, Hands, Intent, Patch
from landform.testing.simulation import invariants

if TYPE_CHECKING:
    from landform.cluster.resources import Unstructured
    from landform.testing.simulation.processes import Process, Program
    from landform.testing.simulation.scenarios import Scenario

STATUS = WriteOptions(subresource="status")


@dataclass(frozen=True)
class BlindPatch(Patch[Any]):
    """A patch of whatever is there."""

    async def perform(self, hands: Hands, root: ObjectKey) -> None:
        key, options = key_of(self.obj), WriteOptions(subresource=self.subresource)
        await hands.cluster.patch(self.resource, key.name, self.change, namespace=key.namespace, options=options)


@dataclass(frozen=True)
class Untold(Create[Any]):
    """Stores a new object, of which the caches hear by their watches only."""

    async def perform(self, hands: Hands, root: ObjectKey) -> None:
        await hands.cluster.create(self.resource, self.obj)


class ActsOnAStaleCache(Admiral):
    """Orders what it does not see in its cache; that the order may just not be there yet, it does not think of."""

    def orders(self, snapshot: Snapshot) -> list[Intent]:
        return [self._by_chance(intent) for intent in super().orders(snapshot)]

    def _by_chance(self, intent: Intent) -> Intent:
        if not isinstance(intent, Create):
            return intent
        ship = copy.deepcopy(intent.obj)
        ship["metadata"]["generateName"] = ship["metadata"].pop("name") + "-"
        return Untold(intent.resource, ship)


class WritesTheStatusInTwoSteps(Admiral):
    """Writes first that it has seen to the generation, and then what came of it."""

    def report(self, snapshot: Snapshot) -> list[Intent]:
        [patch] = super().report(snapshot)
        assert isinstance(patch, Patch)
        status = dict(patch.change["status"])
        phase = {"phase": status.pop("phase")}
        if phase["phase"] != "Ready":
            return [replace(patch, change={"status": phase})]
        known = snapshot.fleet.get("status") or {}
        if known.get("observedGeneration") == status["observedGeneration"]:
            return []
        return [replace(patch, change={"status": status}), BlindPatch(FLEETS, patch.obj, {"status": phase}, "status")]


class ForgetsToComeBack(Yard):
    """Waits for the works to be done, but nobody wakes it."""

    def wait(self, seconds: float) -> list[Intent]:
        return []


@dataclass(frozen=True)
class Swallowing:
    """Hides what went wrong, so that it is not done again."""

    intent: Intent

    async def perform(self, hands: Hands, root: ObjectKey) -> None:
        with contextlib.suppress(ClusterError):
            await self.intent.perform(hands, root)


class SwallowsErrors(Admiral):
    """Takes what failed for done."""

    def decide(self, snapshot: Snapshot) -> list[Intent]:
        return [Swallowing(intent) for intent in super().decide(snapshot)]


class NamesShipsByChance(Admiral):
    """Finds out whether a ship is there by its cache alone."""

    def ship(self, fleet: Unstructured, number: int) -> Unstructured:
        ship = super().ship(fleet, number)
        ship["metadata"]["name"] += f"-{self.process.surroundings.ids.suffix()}"
        return ship


class ClaimsTooEarly(Admiral):
    """Calls a Fleet ready when all its ships are ordered."""

    def report(self, snapshot: Snapshot) -> list[Intent]:
        launched = [{**ship, "data": {"revision": "", "launched": ""}} for ship in snapshot.ships]
        return super().report(Snapshot(snapshot.fleet, launched))


class LeavesShipsBehind(Admiral):
    """Neither holds a Fleet until its ships are gone, nor says that they belong to it."""

    def decide(self, snapshot: Snapshot) -> list[Intent]:
        if "deletionTimestamp" in snapshot.fleet["metadata"]:
            return []
        return self.orders(snapshot) or self.report(snapshot)

    def ship(self, fleet: Unstructured, number: int) -> Unstructured:
        ship = super().ship(fleet, number)
        del ship["metadata"]["ownerReferences"]
        return ship


@dataclass(frozen=True)
class BlindReplace(Patch[Any]):
    """The whole object as it was known, with a change, in place of whatever is there."""

    async def perform(self, hands: Hands, root: ObjectKey) -> None:
        obj = copy.deepcopy(self.obj)
        del obj["metadata"]["resourceVersion"]
        obj["data"].update(self.change["data"])
        hands.show(self.resource, await hands.cluster.replace(self.resource, obj))


class LosesUpdates(Yard):
    """Writes ships as it remembers them."""

    def decide(self, snapshot: Unstructured) -> list[Intent]:
        return [
            BlindReplace(intent.resource, intent.obj, intent.change) if isinstance(intent, Patch) else intent
            for intent in super().decide(snapshot)
        ]


@dataclass(frozen=True)
class ForcedReplace(Patch[Any]):
    """When somebody else was faster, the same again under the version that is there now."""

    async def perform(self, hands: Hands, root: ObjectKey) -> None:
        obj = copy.deepcopy(self.obj)
        obj["data"].update(self.change["data"])
        try:
            await hands.cluster.replace(self.resource, obj)
        except Conflict:
            key = key_of(obj)
            current = await hands.cluster.get(self.resource, key.name, namespace=key.namespace)  # type: ignore[attr-defined]
            obj["metadata"]["resourceVersion"] = metadata(current).resource_version
            await hands.cluster.replace(self.resource, obj)


class ForcesConflicts(Yard):
    """Takes a conflict for an obstacle."""

    def decide(self, snapshot: Unstructured) -> list[Intent]:
        return [
            ForcedReplace(intent.resource, intent.obj, intent.change) if isinstance(intent, Patch) else intent
            for intent in super().decide(snapshot)
        ]


class RemembersOnlyInMemory(Admiral):
    """Says that ships are ordered, and then orders them by heart."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.pending: dict[ObjectKey, list[Intent]] = {}

    def orders(self, snapshot: Snapshot) -> list[Intent]:
        key, generation = key_of(snapshot.fleet), snapshot.fleet["metadata"]["generation"]
        orders = super().orders(snapshot)
        status = snapshot.fleet.get("status") or {}
        if orders and status.get("ordered") != generation:
            self.pending[key] = orders
            return [Patch(FLEETS, snapshot.fleet, {"status": {"ordered": generation}}, "status")]
        return self.pending.pop(key, [])

    def report(self, snapshot: Snapshot) -> list[Intent]:
        return [] if super().orders(snapshot) else super().report(snapshot)


class TrustsTheClock(Yard):
    """Compares its own clock with what another machine wrote."""

    def decide(self, snapshot: Unstructured) -> list[Intent]:
        if is_launched(snapshot):
            return []
        age = self.clock.now() - parse_rfc3339(snapshot["metadata"]["creationTimestamp"])
        left = timedelta(seconds=sample.BUILD_SECONDS) - age
        if left > timedelta():
            return self.wait(left.total_seconds())
        return [Patch(CONFIG_MAPS, snapshot, {"data": {"launched": snapshot["data"]["revision"]}})]


class NeverRests(Admiral):
    """Writes down each look at a Fleet, which is a change, which is a reason to look."""

    def report(self, snapshot: Snapshot) -> list[Intent]:
        [patch] = super().report(snapshot)
        assert isinstance(patch, Patch)
        looks = (snapshot.fleet.get("status") or {}).get("looks", 0) + 1
        return [replace(patch, change={"status": {**patch.change["status"], "looks": looks}})]


class ReleasesTooEarly(Admiral):
    """Lets the Fleet go and deletes its ships after that, for which there may be no time."""

    def scrap(self, snapshot: Snapshot, finalizers: list[str]) -> list[Intent]:
        return [*super().scrap(replace(snapshot, ships=()), finalizers), *super().scrap(snapshot, finalizers)]

    def ship(self, fleet: Unstructured, number: int) -> Unstructured:
        ship = super().ship(fleet, number)
        del ship["metadata"]["ownerReferences"]
        return ship


async def follows_events_only(process: Process) -> None:
    """A yard that launches what it hears of, and never looks at what it did not hear of."""
    while True:
        try:
            version = (await process.cluster.list(CONFIG_MAPS, namespace=sample.NAMESPACE)).resource_version
            from_now_on = ListOptions(resource_version=version)
            watch = process.cluster.watch(CONFIG_MAPS, namespace=sample.NAMESPACE, options=from_now_on)
            async with watch as events:
                async for event in events:
                    if event.object is not None and sample.fleet_of(event.object) and not is_launched(event.object):
                        await process.surroundings.clock.sleep(sample.BUILD_SECONDS)
                        launch = {"data": {"launched": event.object["data"]["revision"]}}
                        name = key_of(event.object).name
                        await process.cluster.patch(CONFIG_MAPS, name, launch, namespace=sample.NAMESPACE)
        except ClusterError:
            await process.surroundings.clock.sleep(1.0)


async def dies_of_errors(process: Process) -> None:
    """A yard that takes the cluster for infallible."""
    while True:
        await process.surroundings.clock.sleep(sample.BUILD_SECONDS)
        found = await process.cluster.list(CONFIG_MAPS, namespace=sample.NAMESPACE)
        await process.surroundings.clock.sleep(sample.BUILD_SECONDS)
        for ship in found.items:
            if sample.fleet_of(ship) and not is_launched(ship):
                version, revision = metadata(ship).resource_version, ship["data"]["revision"]
                launch = {"metadata": {"resourceVersion": version}, "data": {"launched": revision}}
                with contextlib.suppress(Conflict, NotFound):
                    await process.cluster.patch(CONFIG_MAPS, key_of(ship).name, launch, namespace=sample.NAMESPACE)


async def spins(process: Process) -> None:
    """A yard that waits busily."""
    while True:  # noqa: ASYNC110 # that is the mistake
        await asyncio.sleep(0)


LEASE = ObjectKey("kube-system", "admiral")


def stays_leader_for_ever(make: type[Admiral] = Admiral) -> Program:
    """An admiralty that takes a lease, and then never asks again whether it still has it."""

    async def main(process: Process) -> None:
        while not await _takes_lease(process):
            await process.surroundings.clock.sleep(1.0)
        renewing = asyncio.create_task(_renew(process))
        try:
            await _rule(process, make)
        finally:
            renewing.cancel()

    return main


async def _rule(process: Process, make: type[Admiral]) -> None:
    """Look at all Fleets now and then, and write what is decided, whatever has happened meanwhile."""
    async with Caches(process.cluster, surroundings=process.surroundings) as caches:
        fleets, ships = caches.informer(FLEETS), caches.informer(CONFIG_MAPS, namespace=sample.NAMESPACE)
        admiral = make(fleets, ships, process)
        await caches.synced()
        while True:
            await process.surroundings.clock.sleep(0.5)
            for fleet in fleets.list():
                with contextlib.suppress(ClusterError):
                    await _perform(process, admiral, key_of(fleet))


async def _perform(process: Process, admiral: Admiral, key: ObjectKey) -> None:
    snapshot = admiral.observe(key)
    for intent in admiral.decide(snapshot) if snapshot is not None else ():
        if isinstance(intent, Create):
            await process.cluster.create(intent.resource, intent.obj)
        elif isinstance(intent, Patch) and intent.changes_anything():
            options = WriteOptions(subresource=intent.subresource)
            written = key_of(intent.obj)
            await process.cluster.patch(
                intent.resource, written.name, intent.change, namespace=written.namespace, options=options
            )
        elif isinstance(intent, Delete):
            await process.cluster.delete(intent.resource, key_of(intent.obj).name, namespace=key.namespace)


async def _takes_lease(process: Process) -> bool:
    now = process.surroundings.clock.now()
    spec = {"holderIdentity": process.name, "renewTime": rfc3339_micro(now), "leaseDurationSeconds": 5}
    try:
        lease = await process.cluster.get(LEASES, LEASE.name, namespace=LEASE.namespace)
        age = now - parse_rfc3339(lease["spec"]["renewTime"])
        if lease["spec"]["holderIdentity"] != process.name and age < timedelta(seconds=5):
            return False
        change = {"metadata": {"resourceVersion": metadata(lease).resource_version}, "spec": spec}
        await process.cluster.patch(LEASES, LEASE.name, change, namespace=LEASE.namespace)
    except NotFound:
        with contextlib.suppress(ClusterError):
            await process.cluster.create(LEASES, {"metadata": {"name": LEASE.name}, "spec": spec}, namespace=LEASE[0])
        return False
    except ClusterError:
        return False
    return True


async def _renew(process: Process) -> None:
    while True:
        await process.surroundings.clock.sleep(1.0)
        await _takes_lease(process)


def _admiral(name: str, make: type[Admiral], **options: Any) -> Scenario:
    return fleets_with(name, {"admiralty": admiralty(make, **options), "yard": yard()})


def _yard(name: str, make: type[Yard]) -> Scenario:
    return fleets_with(name, {"admiralty": admiralty(), "yard": yard(make)})


def _unfenced() -> Scenario:
    one_owner = invariants.one_owner_per_key(FLEETS, invariants.lease_holder(*LEASE))
    program = stays_leader_for_ever()
    scenario = fleets_with("leader for ever", {"admiralty-a": program, "admiralty-b": program, "yard": yard()})
    return replace(scenario, always=(one_owner,), without=REPLICATED.without)


MISTAKES = [
    _admiral("stale cache", ActsOnAStaleCache),
    _admiral("two-step status", WritesTheStatusInTwoSteps),
    _yard("forgotten requeue", ForgetsToComeBack),
    _admiral("swallowed errors", SwallowsErrors),
    _admiral("names by chance", NamesShipsByChance),
    _admiral("claim before work", ClaimsTooEarly),
    _admiral("nothing holds ships", LeavesShipsBehind),
    _admiral("ships not watched", Admiral, watching_ships=False),
    _yard("lost updates", LosesUpdates),
    _yard("forced conflicts", ForcesConflicts),
    _admiral("state in memory", RemembersOnlyInMemory),
    _yard("trusted clock", TrustsTheClock),
    _admiral("hot loop", NeverRests),
    _admiral("released too early", ReleasesTooEarly),
    fleets_with("events only", {"admiralty": admiralty(), "yard": follows_events_only}),
    fleets_with("dies of errors", {"admiralty": admiralty(), "yard": dies_of_errors}),
    fleets_with("busy waiting", {"admiralty": admiralty(), "yard": spins}),
    _unfenced(),
]
