"""The examples of manifests run to their end, with everything that one process of Landform has."""

from __future__ import annotations

import asyncio
import base64
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

from tests.deployers.manifest import realplaces
from tests.examples.landscapes import Landscape

from landform.api.phases import Phase
from landform.cluster import kubeconfig
from landform.cluster.errors import NotFound
from landform.cluster.http import HttpCluster
from landform.cluster.interface import WriteOptions
from landform.cluster.resources import CONFIG_MAPS, CUSTOM_RESOURCE_DEFINITIONS, NAMESPACES, SECRETS, untyped
from landform.engine.deployers import chosen
from landform.engine.engine import Engine
from landform.testing import homes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

KUSTOMIZATIONS = untyped("kustomize.toolkit.fluxcd.io/v1", "Kustomization", "kustomizations")
SYSTEM = "flux-system"


@asynccontextmanager
async def landscape(*secrets: str) -> AsyncIterator[tuple[Landscape, list[HttpCluster]]]:
    """A home with an engine, and for each Secret a cluster that it leads to."""
    async with AsyncExitStack() as stack:
        home = await stack.enter_async_context(homes.in_process())
        clients = []
        for name in secrets:
            text = await stack.enter_async_context(realplaces.embedded_target())
            data = {"kubeconfig": base64.b64encode(text.encode()).decode()}
            await home.create(SECRETS, {"metadata": {"name": name}, "data": data}, namespace="default")
            clients.append(await stack.enter_async_context(HttpCluster(kubeconfig.parse(text))))
        await stack.enter_async_context(Engine(home, deployers=chosen("manifest")).running())
        yield Landscape(home), clients


async def test_hello_is_deployed_and_exported() -> None:
    async with landscape("cluster-access") as (hello, (target,)):
        await hello.apply("manifest-hello")
        assert (await hello.installation("manifest-hello")).status.phase == Phase.SUCCEEDED
        assert await hello.exported("manifest-greeting") == "Hello from a manifest"
        assert (await target.get(CONFIG_MAPS, "greeting", namespace="hello"))["data"]["text"]


async def test_flux_works_on_a_second_cluster_while_a_job_runs() -> None:
    async with landscape("flux-access", "workload-access") as (flux, (first, second)):
        await first.create(CUSTOM_RESOURCE_DEFINITIONS, _definition())
        await first.create(NAMESPACES, {"metadata": {"name": SYSTEM}})
        await second.create(NAMESPACES, {"metadata": {"name": "podinfo"}})
        playing = asyncio.create_task(_play_flux(first, second))
        await flux.apply("manifest-flux")
        await playing
        assert (await flux.installation("manifest-flux")).status.phase == Phase.SUCCEEDED
        assert await flux.exported("podinfo-address") == "podinfo.example.com"
        assert (await first.get(KUSTOMIZATIONS, "podinfo", namespace=SYSTEM))["spec"]["suspend"] is True


async def test_late_data_is_published_and_only_its_user_works_again() -> None:
    async with landscape("cluster-access") as (late, (target,)):
        await target.create(NAMESPACES, {"metadata": {"name": "late"}})
        body = {"metadata": {"name": "certificate"}, "data": {"fingerprint": "aa:bb"}}
        await target.create(CONFIG_MAPS, body, namespace="late")
        await late.apply("manifest-late-data")
        assert await late.exported("served-fingerprint") == "aa:bb"
        begun = {item.metadata.name: item.status.transition_times for item in await late.items()}
        await target.patch(CONFIG_MAPS, "certificate", {"data": {"fingerprint": "cc:dd"}}, namespace="late")
        value = ""
        async with asyncio.timeout(50):
            while value != "cc:dd":
                await asyncio.sleep(0.1)
                value = await late.exported("served-fingerprint")
        await late.settled()
        worked = [item for item in await late.items() if item.status.transition_times != begun[item.metadata.name]]
        assert ["-server-" in (item.metadata.name or "") for item in worked] == [True]


async def _play_flux(first: HttpCluster, second: HttpCluster) -> None:
    """Deploy to the second cluster, and say so."""
    obj: dict[str, Any] = {}
    while not obj:
        try:
            obj = await first.get(KUSTOMIZATIONS, "podinfo", namespace=SYSTEM)
        except NotFound:
            await asyncio.sleep(0.02)
    result = {"metadata": {"name": "podinfo"}, "data": {"address": "podinfo.example.com"}}
    await second.create(CONFIG_MAPS, result, namespace="podinfo")
    handled = obj["metadata"]["annotations"]["reconcile.fluxcd.io/requestedAt"]
    status = {"conditions": [{"type": "Ready", "status": "True"}], "lastHandledReconcileAt": handled}
    options = WriteOptions(subresource="status")
    await first.patch(KUSTOMIZATIONS, "podinfo", {"status": status}, namespace=SYSTEM, options=options)


def _definition() -> dict[str, Any]:
    open_schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    schema = {"type": "object", "properties": {"spec": open_schema, "status": open_schema}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"kind": "Kustomization", "plural": "kustomizations", "singular": "kustomization"}
    return {
        "metadata": {"name": "kustomizations.kustomize.toolkit.fluxcd.io"},
        "spec": {
            "group": "kustomize.toolkit.fluxcd.io",
            "names": {**names, "listKind": "KustomizationList"},
            "scope": "Namespaced",
            "versions": [{**version, "subresources": {"status": {}}}],
        },
    }
