"""A sample system: Fleets want ships, which are ConfigMaps; a yard launches each some seconds after it was ordered.

It has what controllers usually have: children with names that follow from their purpose, a finalizer, a status that
claims something, work that takes time, and one controller that waits for another.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from landform.cluster.codec import key_of, metadata
from landform.cluster.informers import Caches
from landform.cluster.resources import CONFIG_MAPS, CUSTOM_RESOURCE_DEFINITIONS, ObjectKey, untyped
from landform.runtime.controllers import Controller
from landform.runtime.intents import Create, Delete, Hands, Intent, NoFence, Patch, WakeAt
from landform.runtime.manager import Entered, Manager
from landform.runtime.metrics import Metrics
from landform.runtime.recorders import Recorder
from landform.runtime.shards import Shards

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from landform.cluster.informers import Informer
    from landform.cluster.interface import Cluster
    from landform.cluster.resources import Unstructured
    from landform.kit.clocks import Clock
    from landform.runtime.errors import Terminal
    from landform.runtime.manager import Part
    from landform.testing.simulation.processes import Process, Program

FLEETS = untyped("sample.example/v1", "Fleet", "fleets")
NAMESPACE = "default"
FINALIZER = "sample.example/ships"
FLEET_LABEL = "sample.example/fleet"
NUMBER_LABEL = "sample.example/number"
BUILD_SECONDS = 3.0

_OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "fleets.sample.example"},
    "spec": {
        "group": "sample.example",
        "names": {"kind": "Fleet", "plural": "fleets"},
        "scope": "Namespaced",
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": _OPEN, "status": _OPEN}}},
            }
        ],
    },
}


async def define(cluster: Cluster) -> None:
    """Have the cluster serve Fleets."""
    await cluster.create(CUSTOM_RESOURCE_DEFINITIONS, DEFINITION)


def fleet(name: str, size: int, revision: str) -> Unstructured:
    """A new Fleet."""
    return {"metadata": {"name": name}, "spec": {"size": size, "revision": revision}}


def is_ready(fleet: Unstructured) -> bool:
    """Whether the Fleet says that all its ships are at sea."""
    status = fleet.get("status") or {}
    return status.get("phase") == "Ready" and status.get("observedGeneration") == fleet["metadata"]["generation"]


def is_launched(ship: Unstructured) -> bool:
    """Whether the ship is at sea, as it was last ordered."""
    return bool(ship["data"].get("launched") == ship["data"]["revision"])


def fleet_of(ship: Unstructured) -> list[ObjectKey]:
    """The Fleet that a ship belongs to, if it is a ship."""
    said = metadata(ship)
    return [ObjectKey(said.namespace, said.labels[FLEET_LABEL])] if FLEET_LABEL in said.labels else []


def purpose_of(ship: Unstructured) -> tuple[str, str] | None:
    """Which ship of which Fleet it is."""
    labels = metadata(ship).labels
    return (labels[FLEET_LABEL], labels[NUMBER_LABEL]) if FLEET_LABEL in labels else None


@dataclass(frozen=True)
class Snapshot:
    """What matters to a Fleet."""

    fleet: Unstructured
    ships: Sequence[Unstructured]


class Admiral:
    """Orders ships for Fleets, and says when all are at sea."""

    def __init__(self, fleets: Informer[Unstructured], ships: Informer[Unstructured], process: Process) -> None:
        self.fleets = fleets
        self.ships = ships
        self.process = process
        ships.add_index("fleet", _fleet_names)

    def observe(self, key: ObjectKey) -> Snapshot | None:
        fleet = self.fleets.get(key)
        return Snapshot(fleet, self.ships.by_index("fleet", str(key))) if fleet is not None else None

    def decide(self, snapshot: Snapshot) -> list[Intent]:
        fleet = snapshot.fleet
        finalizers = fleet["metadata"].get("finalizers") or []
        if "deletionTimestamp" in fleet["metadata"]:
            return self.scrap(snapshot, finalizers)
        if FINALIZER not in finalizers:
            return [Patch(FLEETS, fleet, {"metadata": {"finalizers": [*finalizers, FINALIZER]}})]
        return self.orders(snapshot) or self.report(snapshot)

    def scrap(self, snapshot: Snapshot, finalizers: list[str]) -> list[Intent]:
        """The Fleet goes, after all its ships."""
        if snapshot.ships:
            return [Delete(CONFIG_MAPS, ship) for ship in snapshot.ships]
        if FINALIZER not in finalizers:
            return []
        kept = [finalizer for finalizer in finalizers if finalizer != FINALIZER]
        return [Patch(FLEETS, snapshot.fleet, {"metadata": {"finalizers": kept or None}})]

    def orders(self, snapshot: Snapshot) -> list[Intent]:
        """What is missing, outdated or too much."""
        size, revision = snapshot.fleet["spec"]["size"], snapshot.fleet["spec"]["revision"]
        ships = {int(metadata(ship).labels[NUMBER_LABEL]): ship for ship in snapshot.ships}
        missing: list[Intent] = [
            Create(CONFIG_MAPS, self.ship(snapshot.fleet, number)) for number in range(size) if number not in ships
        ]
        outdated: list[Intent] = [
            Patch(CONFIG_MAPS, ship, {"data": {"revision": revision}})
            for number, ship in sorted(ships.items())
            if number < size and ship["data"]["revision"] != revision
        ]
        surplus: list[Intent] = [Delete(CONFIG_MAPS, ship) for number, ship in sorted(ships.items()) if number >= size]
        return missing + outdated + surplus

    def ship(self, fleet: Unstructured, number: int) -> Unstructured:
        """The order for a ship."""
        key, uid = key_of(fleet), metadata(fleet).uid
        owner = {"apiVersion": FLEETS.api_version, "kind": FLEETS.kind, "name": key.name, "uid": uid}
        return {
            "metadata": {
                "name": f"{key.name}-{number}",
                "namespace": key.namespace,
                "labels": {FLEET_LABEL: key.name, NUMBER_LABEL: str(number)},
                "ownerReferences": [owner],
            },
            "data": {"revision": fleet["spec"]["revision"]},
        }

    def report(self, snapshot: Snapshot) -> list[Intent]:
        """The status, all of it at once."""
        status = {
            "phase": "Ready" if all(map(is_launched, snapshot.ships)) else "Building",
            "ships": len(snapshot.ships),
            "observedGeneration": snapshot.fleet["metadata"]["generation"],
        }
        return [Patch(FLEETS, snapshot.fleet, {"status": status}, subresource="status")]

    def mark(self, snapshot: Snapshot, error: Terminal) -> list[Intent]:
        raise error


@dataclass
class Yard:
    """Launches each ship when it has been in the works for as long as that takes.

    How long it has been is measured by this process itself: what it does not remember it begins again.
    """

    ships: Informer[Unstructured]
    clock: Clock
    begun: dict[tuple[str, str], float] = field(default_factory=dict)

    def observe(self, key: ObjectKey) -> Unstructured | None:
        ship = self.ships.get(key)
        return ship if ship is not None and fleet_of(ship) else None

    def decide(self, snapshot: Unstructured) -> list[Intent]:
        if is_launched(snapshot):
            return []
        order = (metadata(snapshot).uid, snapshot["data"]["revision"])
        begun = self.begun.setdefault(order, self.clock.monotonic())
        left = begun + BUILD_SECONDS - self.clock.monotonic()
        if left > 0:
            return self.wait(left)
        return [Patch(CONFIG_MAPS, snapshot, {"data": {"launched": snapshot["data"]["revision"]}})]

    def wait(self, seconds: float) -> list[Intent]:
        """Come back."""
        return [WakeAt(self.clock.now() + timedelta(seconds=seconds))]

    def mark(self, snapshot: Unstructured, error: Terminal) -> list[Intent]:
        raise error


def admiralty(make: Callable[..., Admiral] = Admiral, *, watching_ships: bool = True, sharded: bool = False) -> Program:
    """The program of a process that cares for Fleets."""

    async def main(process: Process) -> None:
        cluster, surroundings = process.cluster, process.surroundings
        caches = Caches(cluster, surroundings=surroundings)
        fleets, ships = caches.informer(FLEETS), caches.informer(CONFIG_MAPS, namespace=NAMESPACE)
        recorder = Recorder(cluster, "admiralty", surroundings=surroundings)
        shards = Shards(cluster, "admiralty", namespace="kube-system", holder=process.name, surroundings=surroundings)
        fence = shards if sharded else NoFence()
        hands = Hands(cluster, recorder, (fleets, ships), fence, surroundings)
        controller = Controller("fleets", make(fleets, ships, process), hands, metrics=Metrics())
        controller.follow(fleets, lambda fleet: [key_of(fleet)])
        if watching_ships:
            controller.follow(ships, fleet_of)
        first: dict[str, Part] = {"caches": Entered(caches), "recorder": recorder}
        if sharded:
            shards.join(controller)
            first["shards"] = shards
        await Manager([first, {"fleets": controller}]).run()

    return main


def yard(make: Callable[..., Any] = Yard) -> Program:
    """The program of a process that cares for ships."""

    async def main(process: Process) -> None:
        cluster, surroundings = process.cluster, process.surroundings
        caches = Caches(cluster, surroundings=surroundings)
        ships = caches.informer(CONFIG_MAPS, namespace=NAMESPACE)
        recorder = Recorder(cluster, "yard", surroundings=surroundings)
        hands = Hands(cluster, recorder, (ships,), surroundings=surroundings)
        controller = Controller("ships", make(ships, surroundings.clock), hands, metrics=Metrics())
        controller.follow(ships, lambda ship: [key_of(ship)])
        await Manager([{"caches": Entered(caches), "recorder": recorder}, {"ships": controller}]).run()

    return main


def _fleet_names(ship: Unstructured) -> list[str]:
    return list(map(str, fleet_of(ship)))
