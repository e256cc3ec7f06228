"""Late data: values change on a cluster while jobs run or not, and whatever goes wrong, the newest arrives, unmixed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tests.deployers.manifest import latescapes
from tests.deployers.manifest.latescapes import SHOP, VALUES
from tests.simulation.scenarios.core import truths
from tests.simulation.scenarios.core.people import People

from landform.api.names import Annotation, Operation
from landform.cluster.kinds import DATA_OBJECTS, DEPLOY_ITEMS, EXECUTIONS, INSTALLATIONS
from landform.cluster.resources import CONFIG_MAPS
from landform.deployers.manifest import ManifestDeployer
from landform.engine.engine import Replicas, Settings
from landform.runtime.manager import Life
from landform.testing.simulation import invariants
from landform.testing.simulation.scenarios import Scenario

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from landform.cluster.resources import Unstructured
    from landform.testing.simulation.history import History
    from landform.testing.simulation.processes import Process, Program
    from landform.testing.simulation.scenarios import World

CHANGES = 6


async def engine(process: Process) -> None:
    """Everything in one process; its Targets lead to the home itself."""
    await latescapes.engine(process.cluster, process.surroundings, ManifestDeployer()).run(Life())


async def replica(process: Process) -> None:
    """The same, sharing the work with others."""
    settings = Settings(replicas=Replicas(namespace="kube-system", holder=process.name))
    made = latescapes.engine(process.cluster, process.surroundings, ManifestDeployer(), settings=settings)
    await made.run(Life())


TOGETHER: Mapping[str, Program] = {"engine": engine}
REPLICAS: Mapping[str, Program] = {"replica-a": replica, "replica-b": replica}


async def setup(world: World) -> None:
    await People(world).settle_in()
    await latescapes.prepare(world.cluster)
    await world.cluster.create(INSTALLATIONS, latescapes.installation(), namespace=latescapes.NAMESPACE)


async def change(world: World) -> None:
    """The values change at any moment, both at once; people reconcile now and then."""
    for number in range(1, CHANGES + 1):
        await asyncio.sleep(world.chance.uniform(0.0, 20.0))
        values = dict.fromkeys(VALUES, f"v{number}")
        await world.cluster.patch(CONFIG_MAPS, "result", {"data": values}, namespace=SHOP)
        if world.chance.random() < 0.3:
            annotations = {str(Annotation.OPERATION): str(Operation.RECONCILE)}
            body = {"metadata": {"annotations": annotations}}
            await world.cluster.patch(INSTALLATIONS, "root", body, namespace=latescapes.NAMESPACE)


# What must be true.


def nobody_sees_a_mix(history: History) -> Iterator[str]:
    """What is made of two values that change together is made of both old ones or of both new ones."""
    write = history.writes[-1]
    if write.is_of(CONFIG_MAPS) and write.key.name == "used" and write.after:
        first, second = (write.after["data"][each] for each in VALUES)
        if first != second:
            yield f"{write.key} was made of {first} and {second}"


def the_newest_has_arrived(history: History) -> Iterator[str]:
    """What the last part exports is made of the newest values."""
    wanted = f"v{CHANGES}+v{CHANGES}"
    found = [obj["data"] for obj in history.objects(DATA_OBJECTS) if obj["metadata"]["name"] == "root-out"]
    if found != [wanted]:
        yield f"root exports {found}, not {wanted}"


def nobody_speaks_of_late_data(history: History) -> Iterator[str]:
    """When all is published nobody says that something is not."""
    for resource in (INSTALLATIONS, EXECUTIONS, DEPLOY_ITEMS):
        for obj in history.objects(resource):
            if any(each["type"] == "LateData" for each in _conditions(obj)):
                yield f"{resource.kind} {obj['metadata']['name']} speaks of late data"


def _conditions(obj: Unstructured) -> list[Unstructured]:
    return (obj.get("status") or {}).get("conditions") or []


_OF_THE_CORE = [each for each in truths.ALWAYS if each is not truths.deployers_leave_finished_items_alone]


def scenario(name: str, processes: Mapping[str, Program]) -> Scenario:
    return Scenario(
        name=name,
        processes=processes,
        setup=setup,
        workload=change,
        always=[*_OF_THE_CORE, truths.only_these_fail(frozenset({"CheckImportsHash"})), nobody_sees_a_mix],
        eventually=[
            *truths.EVENTUALLY,
            the_newest_has_arrived,
            nobody_speaks_of_late_data,
            invariants.no_writes_after_convergence(),
        ],
        storm_seconds=80.0,
        converge_seconds=900.0,
        quiet_seconds=60.0,
        most_writes=3000,
    )


SCENARIOS = [scenario("late data", TOGETHER), scenario("late data: two replicas", REPLICAS)]
