"""Landscapes for the engine: Installations on the mock deployer."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from landform.api import jobs
from landform.api.names import Annotation
from landform.cluster.kinds import INSTALLATIONS
from landform.kit import yamls

if TYPE_CHECKING:
    from landform.api.installations import Installation
    from landform.cluster import Cluster, Unstructured

API = "landscaper.gardener.cloud/v1alpha1"


def blueprint(*, imports: tuple[str, ...] = (), exports: str = "", value: str = "done", delay: str = "") -> str:
    """A blueprint with one mock item that exports a value under the name of the blueprint's export."""
    config: dict[str, Any] = {
        "apiVersion": "mock.deployer.landscaper.gardener.cloud/v1alpha1",
        "kind": "ProviderConfiguration",
        "export": {"value": value},
        **({"delay": delay} if delay else {}),
    }
    items = [{"name": "item", "type": "landscaper.gardener.cloud/mock", "config": config}]
    made: dict[str, Any] = {
        "apiVersion": API,
        "kind": "Blueprint",
        "imports": [{"name": name, "type": "data", "schema": {"type": "string"}} for name in imports],
        "deployExecutions": [{"name": "default", "type": "GoTemplate", "template": yamls.dump({"deployItems": items})}],
    }
    if exports:
        template = f"exports:\n  {exports}: {{{{ .deployitems.item.value }}}}\n"
        made["exports"] = [{"name": exports, "type": "data", "schema": {"type": "string"}}]
        made["exportExecutions"] = [{"name": "default", "type": "GoTemplate", "template": template}]
    return yamls.dump(made)


def installation(
    name: str, *, imports: tuple[str, ...] = (), exports: str = "", value: str = "done", delay: str = ""
) -> Unstructured:
    """A root Installation that is asked to run."""
    text = blueprint(imports=imports, exports=exports, value=value, delay=delay)
    spec: dict[str, Any] = {"blueprint": {"inline": {"filesystem": {"blueprint.yaml": text}}}}
    if imports:
        spec["imports"] = {"data": [{"name": each, "dataRef": each} for each in imports]}
    if exports:
        spec["exports"] = {"data": [{"name": exports, "dataRef": exports}]}
    annotations = {str(Annotation.OPERATION): "reconcile"}
    return {
        "apiVersion": API,
        "kind": "Installation",
        "metadata": {"name": name, "annotations": annotations},
        "spec": spec,
    }


async def ended(cluster: Cluster, name: str, namespace: str = "default") -> Installation:
    """The Installation once its job is over."""
    while True:
        found = await cluster.get(INSTALLATIONS, name, namespace=namespace)
        if found.status.phase and not jobs.is_busy(found.status):
            return found
        await asyncio.sleep(0.02)
