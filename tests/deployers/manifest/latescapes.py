"""Landscapes for late data: one part exports what it finds on a cluster, another uses it, a third has nothing to do."""

from __future__ import annotations

import asyncio
import json
import random
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.deployers.library.worlds import Counting
from tests.deployers.manifest.places import kubeconfig

from landform.api import anyjson, jobs
from landform.api.conditions import ConditionType, find
from landform.api.names import KUBERNETES_CLUSTER, Annotation, ItemType, Operation
from landform.cluster.kinds import CONTEXTS, DATA_OBJECTS, DEPLOY_ITEMS, EXECUTIONS, INSTALLATIONS, TARGETS
from landform.cluster.resources import CONFIG_MAPS, EVENTS, NAMESPACES
from landform.deployers.manifest import ManifestDeployer
from landform.deployers.manifest.configuration import V1ALPHA2
from landform.engine.engine import Engine
from landform.kit.ids import RandomIds
from landform.kit.surroundings import Surroundings
from landform.testing import homes, time

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from landform.api.deployitems import DeployItem
    from landform.api.installations import Installation
    from landform.cluster.interface import Cluster
    from landform.cluster.resources import Resource, Unstructured
    from landform.deployers.library import Item

API = "landscaper.gardener.cloud/v1alpha1"
NAMESPACE = "default"
SHOP = "shop"
VALUES = ("first", "second")
"""What is exported; both are always changed together."""


def installation(name: str = "root", *, late: bool | None = True, follow: bool = True) -> Unstructured:
    """A root with a source, its user, and another part."""
    children = [_source(follow=follow), _user(), _other()]
    blueprint = {
        "apiVersion": API,
        "kind": "Blueprint",
        "imports": [{"name": "cluster", "type": "target", "targetType": KUBERNETES_CLUSTER}],
        "exports": [{"name": "out", "type": "data", "schema": {"type": "string"}}],
        "subinstallations": children,
        "exportExecutions": [_template("exports:\n  out: {{ .dataobjects.used }}\n")],
    }
    spec: dict[str, Any] = {
        "imports": {"targets": [{"name": "cluster", "target": "cluster"}]},
        "exports": {"data": [{"name": "out", "dataRef": f"{name}-out"}]},
        "blueprint": {"inline": {"filesystem": {"blueprint.yaml": json.dumps(blueprint)}}},
    }
    if late is not None:
        spec["automaticReconcile"] = {"lateData": late}
    annotations = {str(Annotation.OPERATION): str(Operation.RECONCILE)}
    return {"metadata": {"name": name, "annotations": annotations}, "spec": spec}


def importer(name: str = "importer") -> Unstructured:
    """Another root that uses what the first exports, and has an item beside that."""
    using = _item("using", manifests=[_config_map(name, value="{{ .imports.out }}")])
    beside = _item("beside", manifests=[_config_map(f"{name}-beside")])
    blueprint = {
        "apiVersion": API,
        "kind": "Blueprint",
        "imports": [
            {"name": "cluster", "type": "target", "targetType": KUBERNETES_CLUSTER},
            {"name": "out", "type": "data", "schema": {"type": "string"}},
        ],
        "deployExecutions": [_template(json.dumps({"deployItems": [using, beside]}))],
    }
    spec = {
        "imports": {
            "targets": [{"name": "cluster", "target": "cluster"}],
            "data": [{"name": "out", "dataRef": "root-out"}],
        },
        "blueprint": {"inline": {"filesystem": {"blueprint.yaml": json.dumps(blueprint)}}},
    }
    annotations = {str(Annotation.OPERATION): str(Operation.RECONCILE)}
    return {"metadata": {"name": name, "annotations": annotations}, "spec": spec}


def _template(text: str) -> Unstructured:
    return {"name": "default", "type": "GoTemplate", "template": text}


def _child(name: str, item: Unstructured, imports: tuple[str, ...] = (), exports: dict[str, str] | None = None) -> Any:
    string = {"type": "string"}
    blueprint: dict[str, Any] = {
        "apiVersion": API,
        "kind": "Blueprint",
        "imports": [
            {"name": "cluster", "type": "target", "targetType": KUBERNETES_CLUSTER},
            *({"name": each, "type": "data", "schema": string} for each in imports),
        ],
        "deployExecutions": [_template(json.dumps({"deployItems": [item]}))],
    }
    made: dict[str, Any] = {
        "apiVersion": API,
        "kind": "InstallationTemplate",
        "name": name,
        "imports": {
            "targets": [{"name": "cluster", "target": "cluster"}],
            "data": [{"name": each, "dataRef": each} for each in imports],
        },
    }
    if exports:
        lines = "".join(f"  {key}: {{{{ {value} }}}}\n" for key, value in exports.items())
        blueprint["exports"] = [{"name": key, "type": "data", "schema": string} for key in exports]
        blueprint["exportExecutions"] = [_template(f"exports:\n{lines}")]
        made["exports"] = {"data": [{"name": key, "dataRef": key} for key in exports]}
    return {**made, "blueprint": {"filesystem": {"blueprint.yaml": json.dumps(blueprint)}}}


def _item(name: str, **config: Any) -> Unstructured:
    content = {"apiVersion": V1ALPHA2, "kind": "ProviderConfiguration", **config}
    return {"name": name, "type": str(ItemType.MANIFEST), "target": {"import": "cluster"}, "config": content}


def _config_map(name: str, **data: str) -> Unstructured:
    metadata = {"name": name, "namespace": SHOP}
    return {"manifest": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}}


def _export(key: str, name: str, path: str, **more: Any) -> Unstructured:
    resource = {"apiVersion": "v1", "kind": "ConfigMap", "name": name, "namespace": SHOP}
    return {"key": key, "jsonPath": path, "fromResource": resource, **more}


def _source(*, follow: bool) -> Any:
    exports = [_export(each, "result", f".data.{each}", follow=follow) for each in VALUES]
    item = _item("source", manifests=[_config_map("order")], exports={"exports": exports})
    return _child("source", item, exports={each: f".deployitems.source.{each}" for each in VALUES})


def _user() -> Any:
    given = {each: f"{{{{ .imports.{each} }}}}" for each in VALUES}
    exports = [_export("used", "used", ".data.both")]
    both = "{{ .imports.first }}+{{ .imports.second }}"
    item = _item("user", manifests=[_config_map("used", **given, both=both)], exports={"exports": exports})
    return _child("user", item, VALUES, {"used": ".deployitems.user.used"})


def _other() -> Any:
    return _child("other", _item("other", manifests=[_config_map("other", a="b")]))


class Noting(ManifestDeployer):
    """Notes which items it works on."""

    def __init__(self) -> None:
        super().__init__()
        self.worked: list[str] = []

    async def reconcile(self, item: Item) -> None:
        self.worked.append(item.object.metadata.labels["execution.landscaper.gardener.cloud/name"])  # type: ignore[index]
        await super().reconcile(item)


async def prepare(cluster: Cluster) -> None:
    """What must be there before: a namespace, a Target that leads to the home itself, and what the source finds."""
    await cluster.create(NAMESPACES, {"metadata": {"name": SHOP}})
    spec = {"type": KUBERNETES_CLUSTER, "config": {"kubeconfig": kubeconfig("https://home")}}
    await cluster.create(TARGETS, {"metadata": {"name": "cluster"}, "spec": spec}, namespace=NAMESPACE)
    body = {"metadata": {"name": "result"}, "data": dict.fromkeys(VALUES, "v0")}
    await cluster.create(CONFIG_MAPS, body, namespace=SHOP)


def engine(cluster: Cluster, surroundings: Surroundings, deployer: ManifestDeployer, **settings: Any) -> Engine:
    """An engine whose Targets all lead to the home itself."""
    made = Engine(cluster, surroundings, deployers=[deployer], **settings)
    made._clusters._connect = lambda connection: _Unclosed(cluster)
    return made


class _Unclosed:
    """A cluster that others still need when it is closed."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cluster, name)

    async def close(self) -> None:
        return None


@dataclass
class Landscape:
    """A home with an engine."""

    cluster: Cluster
    surroundings: Surroundings
    deployer: Noting = field(default_factory=Noting)
    writes: list[str] = field(default_factory=list)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """An engine runs."""
        counting = Counting(self.cluster)
        counting.writes = self.writes
        async with engine(counting, self.surroundings, self.deployer).running():
            yield

    async def apply(self, obj: Unstructured) -> Installation:
        await self.cluster.create(INSTALLATIONS, obj, namespace=NAMESPACE)
        return await self.settled(obj["metadata"]["name"])

    async def change(self, value: str) -> None:
        """Both values change, in one write."""
        await self.cluster.patch(CONFIG_MAPS, "result", {"data": dict.fromkeys(VALUES, value)}, namespace=SHOP)

    async def settled(self, name: str = "root") -> Installation:
        """The Installation once nothing has a job."""
        while True:
            found = await self.root(name)
            if found.status.phase and not jobs.is_busy(found.status):
                return found
            await asyncio.sleep(0.05)

    async def root(self, name: str = "root") -> Installation:
        return await self.cluster.get(INSTALLATIONS, name, namespace=NAMESPACE)

    async def reconcile(self, name: str = "root", operation: str = Operation.RECONCILE) -> None:
        change = {"metadata": {"annotations": {str(Annotation.OPERATION): str(operation)}}}
        await self.cluster.patch(INSTALLATIONS, name, change, namespace=NAMESPACE)

    async def item(self, name: str) -> DeployItem:
        found = await self.cluster.list(DEPLOY_ITEMS, namespace=NAMESPACE)
        return next(each for each in found.items if f"-{name}-" in (each.metadata.name or ""))

    async def out(self, name: str = "root-out") -> Any:
        found = await self.cluster.get(DATA_OBJECTS, name, namespace=NAMESPACE)
        return anyjson.value(found.data)

    async def used(self) -> Any:
        return (await self.cluster.get(CONFIG_MAPS, "used", namespace=SHOP))["data"]

    async def late(self) -> dict[str, str]:
        """Who says that there is late data: kind and name, with the message."""
        said = {}
        kinds: list[Resource[Any]] = [INSTALLATIONS, EXECUTIONS, DEPLOY_ITEMS]
        for resource in kinds:
            for obj in (await self.cluster.list(resource, namespace=NAMESPACE)).items:
                found = find(obj.status.conditions, ConditionType.LATE_DATA)
                if found is not None:
                    said[f"{resource.kind} {obj.metadata.name}"] = found.message
        return said

    async def events(self) -> list[str]:
        return [event["reason"] for event in (await self.cluster.list(EVENTS, namespace=NAMESPACE)).items]


def in_a_landscape(scenario: Callable[[Landscape], Awaitable[None]]) -> None:
    """Run a scenario in virtual time."""

    async def main() -> None:
        chance = random.Random(0)
        surroundings = Surroundings(clock=time.VirtualClock(), ids=RandomIds(chance), random=chance)
        async with homes.in_process(surroundings) as cluster:
            await prepare(cluster)
            await cluster.create(CONTEXTS, {"metadata": {"name": "default"}}, namespace=NAMESPACE)
            await scenario(Landscape(cluster, surroundings))

    time.run(main())
