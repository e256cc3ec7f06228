"""Durable creates and patches per second, 3 KB objects: embedded over HTTPS and in process, against kube-apiserver.

The real control plane runs with etcd's disk sync on. All three are measured in turns, so that a busy machine slows
each of them alike; the load generator is a small Go program.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvloop
from tests.cluster.controlplane.plane import ControlPlane

from benchmarks import homes, items, load
from benchmarks.figures import Report
from landform.api.crds import crds
from landform.cluster.interface import WriteOptions
from landform.cluster.kinds import DEPLOY_ITEMS
from landform.kit import yamls

if TYPE_CHECKING:
    from landform.cluster import Cluster

CONNECTIONS = 50
WRITES = 2_000
ROUNDS = 3
SIZE = 3_000
PATCH = {"metadata": {"annotations": {"example.com/number": "NUMBER"}}}

Measure = Callable[[str, str], float]
"""Writes per second of a verb, with names that begin with a prefix."""


def main() -> None:
    report = Report()
    rates: dict[tuple[str, str], list[float]] = {}
    with ExitStack() as stack:
        program = stack.enter_context(load.generator(SIZE))
        kube = stack.enter_context(_kubernetes())
        embedded = stack.enter_context(homes.landform_up(stack.enter_context(homes.folder())))
        measures: dict[str, Measure] = {
            "kube-apiserver": lambda verb, prefix: _over_https(program, kube, verb, prefix),
            "embedded over HTTPS": lambda verb, prefix: _over_https(program, embedded, verb, prefix),
        }
        for number in range(ROUNDS):
            for verb in ("create", "patch"):
                for home, measure in measures.items():
                    rates.setdefault((home, verb), []).append(measure(verb, f"round-{number}"))
            for verb, rate in uvloop.run(_in_process()).items():
                rates.setdefault(("embedded in process", verb), []).append(rate)
    for verb in ("create", "patch"):
        base = statistics.median(rates["kube-apiserver", verb])
        report.figure(f"kube-apiserver with etcd, {verb}", base, "/s")
        for home, target in (("embedded over HTTPS", 1.0), ("embedded in process", 3.0)):
            rate = statistics.median(rates[home, verb])
            report.figure(f"{home}, {verb}", rate, "/s")
            report.at_least(f"{home} to kube-apiserver, {verb}", rate / base, target)
    report.finish()


@contextmanager
def _kubernetes() -> Iterator[homes.Endpoint]:
    with ControlPlane(durable=True) as plane:
        plane.kubectl("apply", "--server-side", "-f", "-", input="---\n".join(map(yamls.dump, crds())))
        plane.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=60s")
        ca = plane.folder / "ca-for-load.crt"
        ca.write_text(_text(plane.ca))
        yield homes.Endpoint(plane.url, plane.token, ca, plane.kubeconfig)


def _text(ca: Any) -> str:
    return ca.read_text() if isinstance(ca, Path) else ca.decode() if isinstance(ca, bytes) else str(ca)


def _over_https(program: load.Load, endpoint: homes.Endpoint, verb: str, prefix: str) -> float:
    options = ("-verb", verb, "-patch", json.dumps(PATCH), "-prefix", prefix)
    return program.run(endpoint, *options, "-count", str(WRITES), "-connections", str(CONNECTIONS))["rate"]


async def _in_process() -> dict[str, float]:
    with homes.folder() as data:
        async with homes.in_process(data) as home:
            return {verb: await _rate(home.cluster, verb) for verb in ("create", "patch")}


async def _rate(cluster: Cluster, verb: str) -> float:
    numbers = iter(range(WRITES))

    async def work() -> None:
        for number in numbers:
            name = f"item-{number}"
            if verb == "create":
                await cluster.create(DEPLOY_ITEMS, items.deploy_item(name, SIZE), namespace=items.NAMESPACE)
            else:
                patch = {"metadata": {"annotations": {"example.com/number": str(number)}}}
                await cluster.patch(DEPLOY_ITEMS, name, patch, namespace=items.NAMESPACE, options=WriteOptions())

    started = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(CONNECTIONS)))
    return WRITES / (time.perf_counter() - started)


if __name__ == "__main__":
    main()
