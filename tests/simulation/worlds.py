"""Small worlds for tests of the simulator itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.cluster.resources import CONFIG_MAPS
from landform.testing import simulation
from landform.testing.simulation.scenarios import Scenario, nothing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.cluster.interface import Cluster
    from landform.cluster.resources import Unstructured
    from landform.testing.simulation.faults import Kind
    from landform.testing.simulation.processes import Program
    from landform.testing.simulation.runs import Result

NAMESPACE = "default"


async def create(cluster: Cluster, name: str, **data: str) -> Unstructured:
    """A new ConfigMap."""
    return await cluster.create(CONFIG_MAPS, {"metadata": {"name": name}, "data": data}, namespace=NAMESPACE)


async def patch(cluster: Cluster, name: str, **data: str) -> Unstructured:
    """A ConfigMap with other data."""
    return await cluster.patch(CONFIG_MAPS, name, {"data": data}, namespace=NAMESPACE)


def run(program: Program, script: Mapping[str, Kind] | None = None, *, seed: int = 1, **options: Any) -> Result:
    """Run a single process, without faults or with exactly these."""
    options = {"workload": nothing, "storm_seconds": 20.0, "quiet_seconds": 20.0, **options}
    scenario = Scenario(name="test", processes={"a": program}, **options)
    return simulation.run(scenario, seed, script=script or {})


def data(result: Result, name: str) -> dict[str, str] | None:
    """What a ConfigMap held at the end; None if it was not there."""
    for obj in result.history.objects(CONFIG_MAPS, NAMESPACE):
        if obj["metadata"]["name"] == name:
            return dict(obj.get("data") or {})
    return None


def notes(result: Result) -> list[str]:
    """What became of the process."""
    return [
        str(entry) for entry in result.history.entries if getattr(entry, "actor", "") == "a" and hasattr(entry, "text")
    ]
