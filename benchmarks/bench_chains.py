"""The core: chains per second against the raw limit of the home, latency, deletion, growth, memory, restart.

A chain is an Installation from its creation to Succeeded, with an Execution, one mock item and one export. The limit
is what the home writes durably per second, measured in the same run, divided by 12 writes.
``LANDFORM_BENCH_INSTALLATIONS`` says how many finished Installations the measurements of growth, memory and restart
begin with (20,000).
"""

from __future__ import annotations

import asyncio
import os
import statistics
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

import uvloop
from tests.cluster.controlplane.plane import ControlPlane

from benchmarks import chains, homes
from benchmarks.chains import NAMESPACE
from benchmarks.figures import Report
from landform.api.crds import crds
from landform.cluster import kubeconfig
from landform.cluster.http import HttpCluster
from landform.cluster.interface import WriteOptions
from landform.cluster.kinds import INSTALLATIONS
from landform.engine.deployers import chosen
from landform.engine.engine import Engine
from landform.kit import yamls

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from benchmarks.chains import Audience
    from landform.cluster.interface import Cluster

WRITES_PER_CHAIN: Final = 12
MANY: Final = int(os.environ.get("LANDFORM_BENCH_INSTALLATIONS", "20000"))
SOME: Final = 1_000
ON_KUBERNETES: Final = 300
TRIES: Final = 20


def main() -> None:
    report = Report()
    with homes.folder() as data:
        uvloop.run(_embedded(report, data))
        uvloop.run(_restarted(report, data))
    uvloop.run(_kubernetes(report))
    report.finish()


@asynccontextmanager
async def _engine(cluster: Cluster) -> AsyncIterator[Audience]:
    async with Engine(cluster, deployers=chosen("mock")).running(), chains.audience(cluster) as seen:
        yield seen


async def _embedded(report: Report, data: Path) -> None:
    async with homes.in_process(data) as home:
        cluster = home.cluster
        limit = await _raw_limit(cluster, 3_000) / WRITES_PER_CHAIN
        report.figure("embedded: limit, durable writes / 12", limit, "/s")
        async with _engine(cluster) as seen:
            await _latencies(report, cluster, seen)
            first = await chains.run(cluster, seen, [chains.chain(f"first-{n}") for n in range(SOME)])
            report.at_least("embedded: chains", SOME / first, 100, "/s")
            report.figure("embedded: chains to the limit", SOME / first / limit, "x")
            await _grow(cluster, seen)
            more = await chains.run(cluster, seen, [chains.chain(f"more-{n}") for n in range(SOME)])
            report.at_most(f"embedded: {SOME} more after {MANY} to the first {SOME}", more / first, 1.15, "x")
            report.at_most(f"embedded: resident memory with {MANY} Installations", homes.resident_mib(), 1024, "MiB")
            gone = await chains.delete(cluster, seen, [f"more-{n}" for n in range(SOME)])
            report.at_most(f"embedded: deleting {SOME} to creating them", gone / more, 1.0, "x")


async def _raw_limit(cluster: Cluster, writes: int) -> float:
    """Durable writes per second of objects and of their status, in equal parts, 50 at a time."""
    status = WriteOptions(subresource="status")

    async def one(worker: int) -> None:
        for number in range(worker, writes // 2, 50):
            obj = chains.chain(f"raw-{number}")
            obj["metadata"].pop("annotations")
            await cluster.create(INSTALLATIONS, obj, namespace=NAMESPACE)
            change = {"status": {"phase": "Init", "jobID": str(number), "observedGeneration": 1}}
            await cluster.patch(INSTALLATIONS, f"raw-{number}", change, namespace=NAMESPACE, options=status)

    began = time.perf_counter()
    await asyncio.gather(*map(one, range(50)))
    rate = writes / (time.perf_counter() - began)
    await cluster.delete_collection(INSTALLATIONS, namespace=NAMESPACE)
    return rate


async def _latencies(report: Report, cluster: Cluster, seen: Audience) -> None:
    single = [await chains.run(cluster, seen, [chains.chain(f"one-{n}")]) for n in range(TRIES)]
    report.at_most("embedded: one chain on an idle home", statistics.median(single) * 1e3, 100, "ms")
    rows = [await chains.run(cluster, seen, [chains.three_in_a_row(f"row-{n}")]) for n in range(TRIES)]
    report.at_most("embedded: three sub-installations in a row", statistics.median(rows) * 1e3, 300, "ms")
    gaps = []
    for before, after in (("first", "second"), ("second", "third")):
        ended = sorted(moment for name, moment in seen.ended.items() if name.startswith(f"{before}-"))[-TRIES:]
        begun = sorted(moment for name, moment in seen.began.items() if name.startswith(f"{after}-"))[-TRIES:]
        gaps += [begin - end for end, begin in zip(ended, begun, strict=True)]
    report.at_most("embedded: a successor starts after its predecessor", statistics.median(gaps) * 1e3, 20, "ms")


async def _grow(cluster: Cluster, seen: Audience) -> None:
    """Until there are MANY."""
    for batch in range(SOME, MANY, SOME):
        await chains.run(cluster, seen, [chains.chain(f"grown-{batch + n}") for n in range(SOME)])


async def _restarted(report: Report, data: Path) -> None:
    began = time.perf_counter()
    async with homes.in_process(data) as home, _engine(home.cluster) as seen:
        await chains.run(home.cluster, seen, [chains.chain("after-restart")])
        waited = seen.began["after-restart"] - began
        report.at_most(f"embedded: restart with {MANY} until a new job has begun", waited, 5, "s")


async def _kubernetes(report: Report) -> None:
    with ControlPlane(durable=True) as plane:
        plane.kubectl("apply", "--server-side", "-f", "-", input="---\n".join(map(yamls.dump, crds())))
        plane.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=60s")
        async with HttpCluster(kubeconfig.load(plane.kubeconfig)) as cluster:
            limit = await _raw_limit(cluster, 1_000) / WRITES_PER_CHAIN
            report.figure("kube-apiserver: limit, durable writes / 12", limit, "/s")
            async with _engine(cluster) as seen:
                took = await chains.run(cluster, seen, [chains.chain(f"kube-{n}") for n in range(ON_KUBERNETES)])
                report.at_least("kube-apiserver: chains to the limit", ON_KUBERNETES / took / limit, 0.5)
                report.figure("kube-apiserver: chains", ON_KUBERNETES / took, "/s")


if __name__ == "__main__":
    main()
