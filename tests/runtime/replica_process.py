"""A replica of the sample controller as a process: ``python -m tests.runtime.replica_process KUBECONFIG HOLDER``."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

from tests.runtime.samples import Copier, keys_of

from landform.cluster import kubeconfig
from landform.cluster.http import HttpCluster
from landform.cluster.informers import Caches
from landform.cluster.resources import CONFIG_MAPS
from landform.runtime import logs
from landform.runtime.controllers import Controller
from landform.runtime.intents import Hands, Intent, Patch
from landform.runtime.manager import Entered, Manager, stopped_by_signals
from landform.runtime.metrics import MeteredCluster, Metrics
from landform.runtime.recorders import Recorder
from landform.runtime.shards import Shards

if TYPE_CHECKING:
    from landform.cluster.informers import Informer
    from landform.cluster.resources import Unstructured


class Signing(Copier):
    """Signs what it writes."""

    def __init__(self, informer: Informer[Unstructured], holder: str) -> None:
        super().__init__(informer)
        self._holder = holder

    def decide(self, snapshot: Unstructured) -> list[Intent]:
        if not super().decide(snapshot):
            return []
        change = {"data": {"have": snapshot["data"]["wanted"], "by": self._holder}}
        return [Patch(CONFIG_MAPS, snapshot, change)]


async def main(path: str, holder: str) -> None:
    """Run until a signal comes."""
    logs.configure(sys.stderr)
    metrics = Metrics()
    async with HttpCluster(kubeconfig.load(path)) as client:
        cluster = MeteredCluster(client, metrics)
        caches, recorder = Caches(cluster), Recorder(cluster, "copier")
        informer = caches.informer(CONFIG_MAPS, namespace="default")
        shards = Shards(cluster, "copier", namespace="default", holder=holder)
        hands = Hands(cluster, recorder, (informer,), shards)
        controller = Controller("copier", Signing(informer, holder), hands, metrics=metrics)
        controller.follow(informer, keys_of)
        shards.join(controller)
        manager = Manager(
            [{"caches": Entered(caches), "recorder": recorder}, {"shards": shards}, {"controller": controller}]
        )
        with stopped_by_signals(manager):
            await manager.run()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
