"""Chains for benchmarks: Installations with an Execution, one mock item and one export, and whoever waits for them."""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

from landform.api.names import Annotation, Operation
from landform.cluster.informers import Caches
from landform.cluster.kinds import INSTALLATIONS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Sequence

    from landform.api.installations import Installation
    from landform.cluster.interface import Cluster

NAMESPACE: Final = "default"
_AT_ONCE: Final = 50
"""Requests of the user at the same time."""

_ITEM = """
- name: item
  type: landscaper.gardener.cloud/mock
  config:
    apiVersion: mock.deployer.landscaper.gardener.cloud/v1alpha1
    kind: ProviderConfiguration
    export:
      value: {value}
"""

_BLUEPRINT: dict[str, Any] = {
    "apiVersion": "landscaper.gardener.cloud/v1alpha1",
    "kind": "Blueprint",
    "exports": [{"name": "value", "type": "data", "schema": {"type": "string"}}],
    "exportExecutions": [
        {"name": "default", "type": "GoTemplate", "template": "exports:\n  value: {{ .deployitems.item.value }}"}
    ],
}


def _blueprint(value: str, *imports: str) -> dict[str, Any]:
    """One item that exports a value."""
    execution = {"name": "default", "type": "GoTemplate", "template": "deployItems:" + _ITEM.format(value=value)}
    wanted = [{"name": name, "type": "data", "schema": {"type": "string"}} for name in imports]
    return {**_BLUEPRINT, "imports": wanted, "deployExecutions": [execution]}


def _installation(name: str, blueprint: dict[str, Any], **spec: Any) -> dict[str, Any]:
    filesystem = {"blueprint.yaml": {"$type": "yaml", "value": blueprint}}
    return {
        "apiVersion": "landscaper.gardener.cloud/v1alpha1",
        "kind": "Installation",
        "metadata": {
            "name": name,
            "namespace": NAMESPACE,
            "annotations": {str(Annotation.OPERATION): str(Operation.RECONCILE)},
        },
        "spec": {"blueprint": {"inline": {"filesystem": filesystem}}, **spec},
    }


def chain(name: str) -> dict[str, Any]:
    """An Installation with one item and one export."""
    return _installation(name, _blueprint("done"), exports={"data": [{"name": "value", "dataRef": name}]})


def three_in_a_row(name: str) -> dict[str, Any]:
    """An Installation with three sub-installations, each of which imports what the one before exports."""
    templates = [
        {
            "apiVersion": "landscaper.gardener.cloud/v1alpha1",
            "kind": "InstallationTemplate",
            "name": part,
            "blueprint": {"filesystem": {"blueprint.yaml": {"$type": "yaml", "value": _part(before)}}},
            "imports": {"data": [{"name": "before", "dataRef": before}] if before else []},
            "exports": {"data": [{"name": "value", "dataRef": part}]},
        }
        for before, part in (("", "first"), ("first", "second"), ("second", "third"))
    ]
    blueprint = {
        "apiVersion": "landscaper.gardener.cloud/v1alpha1",
        "kind": "Blueprint",
        "subinstallations": templates,
    }
    return _installation(name, blueprint)


def _part(before: str) -> dict[str, Any]:
    return _blueprint("{{ .imports.before }}", "before") if before else _blueprint("begun")


class Audience:
    """Sees Installations end and go. Watches by itself, so that it costs the engine what any watcher does."""

    def __init__(self, caches: Caches) -> None:
        self._awaited: set[str] = set()
        self._for_deletion = False
        self._done = asyncio.Event()
        self.ended: dict[str, float] = {}
        """When each was seen to have ended its job well."""

        self.began: dict[str, float] = {}
        """When each was first seen in a phase after Init."""

        self._failed: set[str] = set()
        caches.informer(INSTALLATIONS).subscribe(self._see)

    def expect(self, names: Iterable[str], *, gone: bool = False) -> None:
        """Look out for Installations that are to succeed, or to go."""
        self._awaited, self._for_deletion = set(names), gone
        self._done.clear()

    async def satisfied(self) -> None:
        """Wait for them."""
        await self._done.wait()
        if self._failed:
            raise RuntimeError(f"these failed: {sorted(self._failed)[:5]}")

    def _see(self, old: Installation | None, new: Installation | None) -> None:
        if new is None:
            if self._for_deletion and old is not None:
                self._awaited.discard(old.metadata.name or "")
        else:
            self._note(new.metadata.name or "", new.status.phase)
        if not self._awaited or self._failed:
            self._done.set()

    def _note(self, name: str, phase: str | None) -> None:
        now = time.perf_counter()
        if phase and phase != "Init":
            self.began.setdefault(name, now)
        if phase == "Succeeded":
            self.ended.setdefault(name, now)
            if not self._for_deletion:
                self._awaited.discard(name)
        elif phase in ("Failed", "DeleteFailed"):
            self._failed.add(name)


@asynccontextmanager
async def audience(cluster: Cluster) -> AsyncIterator[Audience]:
    """Somebody who watches."""
    async with Caches(cluster) as caches:
        seen = Audience(caches)
        await caches.synced()
        yield seen


async def create(cluster: Cluster, objects: Sequence[dict[str, Any]]) -> None:
    """Create Installations, some at a time."""
    slots = asyncio.Semaphore(_AT_ONCE)

    async def one(obj: dict[str, Any]) -> None:
        async with slots:
            await cluster.create(INSTALLATIONS, obj, namespace=NAMESPACE)

    await asyncio.gather(*map(one, objects))


async def run(cluster: Cluster, seen: Audience, objects: Sequence[dict[str, Any]]) -> float:
    """Seconds from the first request until all have succeeded."""
    seen.expect(obj["metadata"]["name"] for obj in objects)
    began = time.perf_counter()
    await create(cluster, objects)
    await seen.satisfied()
    return time.perf_counter() - began


async def delete(cluster: Cluster, seen: Audience, names: Sequence[str]) -> float:
    """Seconds from the first request until all are gone."""
    seen.expect(names, gone=True)
    slots = asyncio.Semaphore(_AT_ONCE)
    began = time.perf_counter()

    async def one(name: str) -> None:
        async with slots:
            await cluster.delete(INSTALLATIONS, name, namespace=NAMESPACE)

    await asyncio.gather(*map(one, names))
    await seen.satisfied()
    return time.perf_counter() - began
