"""Objects for the contract suite, and how it waits."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from landform.cluster import errors, resources
from landform.cluster.interface import EventType

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
    from contextlib import AbstractAsyncContextManager

    from landform.cluster.interface import Cluster, WatchEvent
    from landform.cluster.resources import Resource, Unstructured

GROUP = "contract.landform.test"
WIDGETS = resources.untyped(f"{GROUP}/v1", "Widget", "widgets")
PODS = resources.untyped("v1", "Pod", "pods")
SERVICES = resources.untyped("v1", "Service", "services")
DEPLOYMENTS = resources.untyped("apps/v1", "Deployment", "deployments")

_PORT = {
    "type": "object",
    "required": ["name", "port"],
    "properties": {
        "name": {"type": "string"},
        "port": {"type": "integer"},
        "protocol": {"type": "string", "default": "TCP"},
    },
}

WIDGET_SCHEMA: Unstructured = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "size": {"type": "integer", "minimum": 1, "maximum": 10, "default": 3},
                "color": {"type": "string", "enum": ["red", "green"]},
                "title": {"type": "string", "maxLength": 5, "pattern": "^[a-z]*$"},
                "ports": {
                    "type": "array",
                    "items": _PORT,
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                },
                "tags": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
                "steps": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
                "limits": {"type": "object", "additionalProperties": {"type": "integer"}},
                "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                "amount": {"x-kubernetes-int-or-string": True},
                "until": {"type": "string", "format": "date-time"},
                "note": {"type": "string", "nullable": True},
            },
        },
        "status": {
            "type": "object",
            "properties": {"phase": {"type": "string"}, "observed": {"type": "integer"}},
        },
    },
}


def definition(
    kind: str,
    *,
    group: str = GROUP,
    schema: Unstructured | None = None,
    versions: Iterable[str] = ("v1",),
    scope: str = "Namespaced",
) -> Unstructured:
    """A CustomResourceDefinition with a status subresource; the first version is the stored one."""
    singular = kind.lower()
    plural = f"{singular}s"
    open_schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": scope,
            "names": {"kind": kind, "plural": plural, "singular": singular, "listKind": f"{kind}List"},
            "versions": [
                {
                    "name": version,
                    "served": True,
                    "storage": index == 0,
                    "schema": {"openAPIV3Schema": schema or open_schema},
                    "subresources": {"status": {}},
                }
                for index, version in enumerate(versions)
            ],
        },
    }


def config_map(name: str, data: dict[str, str] | None = None, **metadata: Any) -> Unstructured:
    """A ConfigMap; further arguments are metadata."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **metadata}, "data": data or {"a": "1"}}


def widget(name: str, spec: Unstructured | None = None, **metadata: Any) -> Unstructured:
    """A Widget; further arguments are metadata."""
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "Widget",
        "metadata": {"name": name, **metadata},
        "spec": {} if spec is None else spec,
    }


def owner(obj: Unstructured, **more: Any) -> Unstructured:
    """A reference that makes `obj` an owner."""
    return {
        "apiVersion": obj["apiVersion"],
        "kind": obj["kind"],
        "name": obj["metadata"]["name"],
        "uid": obj["metadata"]["uid"],
        **more,
    }


def names(objects: Iterable[Unstructured]) -> list[str]:
    """The objects' names, in their order."""
    return [obj["metadata"]["name"] for obj in objects]


async def exists(cluster: Cluster, resource: Resource[Unstructured], name: str, namespace: str = "") -> bool:
    """Whether the object is there."""
    try:
        await cluster.get(resource, name, namespace=namespace)
    except errors.NotFound:
        return False
    return True


async def eventually(holds: Callable[[], Awaitable[bool]], what: str, deadline: float = 50) -> None:
    """Ask until the answer is yes. For what controllers do in their own time; nothing announces its end.

    The garbage collector of Kubernetes takes up to half a minute to notice a new kind.
    """
    try:
        async with asyncio.timeout(deadline):
            while not await holds():  # noqa: ASYNC110 - the condition is in a cluster, no event of ours knows it
                await asyncio.sleep(0.02)
    except TimeoutError:
        raise AssertionError(f"after {deadline} s it was still not so that {what}") from None


async def ensure_served(cluster: Cluster, crd: Unstructured) -> None:
    """Create a definition if it is not there, and wait until its objects can be listed."""
    try:
        await cluster.create(resources.CUSTOM_RESOURCE_DEFINITIONS, crd)
    except errors.AlreadyExists:
        return
    spec = crd["spec"]
    served = resources.untyped(
        f"{spec['group']}/{spec['versions'][0]['name']}",
        spec["names"]["kind"],
        spec["names"]["plural"],
        namespaced=spec["scope"] == "Namespaced",
    )

    async def is_listed() -> bool:
        try:
            await cluster.list(served)
        except (errors.NotFound, errors.TooManyRequests):  # the latter says: the storage is still being set up
            return False
        return True

    await eventually(is_listed, f"{served} can be listed")


async def next_event(stream: AsyncIterator[WatchEvent[Unstructured]]) -> WatchEvent[Unstructured]:
    """The next event that tells something; a plain bookmark may come at any time."""
    async for event in stream:
        if event.type is not EventType.BOOKMARK or event.initial_events_end:
            return event
    raise AssertionError("the watch ended early")


async def next_change(stream: AsyncIterator[WatchEvent[Unstructured]]) -> WatchEvent[Unstructured]:
    """The next event that is about an object."""
    while (event := await next_event(stream)).type is EventType.BOOKMARK:
        pass
    return event


async def take(
    watch: AbstractAsyncContextManager[AsyncIterator[WatchEvent[Unstructured]]], count: int
) -> list[WatchEvent[Unstructured]]:
    """The first events of a watch that tell something."""
    async with asyncio.timeout(30), watch as stream:
        return [await next_event(stream) for _ in range(count)]
