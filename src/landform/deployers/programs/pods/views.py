"""What a deployer sees of its runs on the host: one watch on pods and one on results, however many runs there are."""

from __future__ import annotations

import asyncio
import contextvars
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from landform.cluster.informers import Informer
from landform.cluster.interface import ListOptions
from landform.cluster.resources import SECRETS, ObjectKey
from landform.deployers.programs.contract import labels
from landform.deployers.programs.pods import names
from landform.deployers.programs.pods.podspecs import PODS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from landform.cluster.interface import Reader
    from landform.cluster.resources import Unstructured
    from landform.deployers.programs.contract.identities import RunId
    from landform.kit.surroundings import Surroundings


class HostView:
    """The pods and result Secrets of one deployer in one namespace; it watches from its first use until `close`."""

    def __init__(self, reader: Reader, namespace: str, identity: str, surroundings: Surroundings) -> None:
        self._namespace = namespace
        mine = names.mine(identity)
        results = f"{mine},{labels.TYPE}={names.RESULT}"
        self.pods: Informer[Unstructured] = Informer(
            reader,
            PODS,
            namespace=namespace,
            selection=ListOptions(label_selector=mine),
            transform=_outline,
            surroundings=surroundings,
        )
        self.results: Informer[Unstructured] = Informer(
            reader,
            SECRETS,
            namespace=namespace,
            selection=ListOptions(label_selector=results),
            transform=_without_data,
            surroundings=surroundings,
        )
        self._bells: dict[str, set[asyncio.Event]] = {}
        self._tasks: list[asyncio.Task[None]] = []

    async def ready(self) -> None:
        """Begin to watch, and return when everything that existed is seen."""
        if not self._tasks:
            for informer in (self.pods, self.results):
                informer.subscribe(self._changed)
                self._start(informer)
        for informer in (self.pods, self.results):
            await self._or_failed(informer.synced)

    def pod(self, run: RunId) -> Unstructured | None:
        """The pod of a run, without most of its specification."""
        return self.pods.get(ObjectKey(self._namespace, names.pod_name(run)))

    def result(self, run: RunId) -> Unstructured | None:
        """The result Secret of a run, without its data."""
        return self.results.get(ObjectKey(self._namespace, names.result_name(run)))

    @contextmanager
    def bell(self, run: RunId) -> Iterator[asyncio.Event]:
        """An event that is set by each change of the run's objects; whoever waits clears it before looking."""
        bell, bells = asyncio.Event(), self._bells.setdefault(run.token, set())
        bells.add(bell)
        try:
            yield bell
        finally:
            bells.discard(bell)
            if not bells:
                self._bells.pop(run.token, None)

    async def rung(self, bell: asyncio.Event, seconds: float | None = None) -> None:
        """Return when the bell rings, or when the time is over."""
        try:
            async with asyncio.timeout(seconds):
                await self._or_failed(bell)
        except TimeoutError:
            return

    async def close(self) -> None:
        """Watch no longer."""
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _start(self, informer: Informer[Any]) -> None:
        # In a context of its own, because it outlives the item that needs it first.
        loop, name = asyncio.get_running_loop(), f"host's {informer.resource}"
        self._tasks.append(loop.create_task(informer.run(), name=name, context=contextvars.Context()))

    async def _or_failed(self, event: asyncio.Event) -> None:
        """Wait for the event; a watch that has failed, which is a bug, is told to whoever waits."""
        waiting = asyncio.ensure_future(event.wait())
        try:
            await asyncio.wait([waiting, *self._tasks], return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
        for task in self._tasks:
            if task.done():
                task.result()

    def _changed(self, old: Unstructured | None, new: Unstructured | None) -> None:
        obj = new or old or {}
        token = obj["metadata"]["labels"].get(names.RUN, "")
        for bell in self._bells.get(token, ()):
            bell.set()


def _outline(pod: Unstructured) -> Unstructured:
    """What is judged of a pod; the rest would be kept in memory for nothing."""
    metadata = {name: value for name, value in pod["metadata"].items() if name != "managedFields"}
    node = pod.get("spec", {}).get("nodeName", "")
    return {"metadata": metadata, "spec": {"nodeName": node} if node else {}, "status": pod.get("status") or {}}


def _without_data(secret: Unstructured) -> Unstructured:
    return {"metadata": {name: value for name, value in secret["metadata"].items() if name != "managedFields"}}
