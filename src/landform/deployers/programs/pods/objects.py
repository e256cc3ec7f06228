"""The objects of runs on the host: made so that doing it again changes nothing, and removed by what they belong to."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from landform.cluster.errors import AlreadyExists, Conflict, NotFound
from landform.cluster.interface import DeleteOptions, ListOptions, Propagation
from landform.cluster.resources import SECRETS, SERVICE_ACCOUNTS
from landform.deployers.programs.contract import labels
from landform.deployers.programs.pods import names
from landform.deployers.programs.pods.permissions import ROLE_BINDINGS, ROLES
from landform.deployers.programs.pods.podspecs import PODS
from landform.deployers.programs.tasks import abreast

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from landform.cluster.interface import Cluster
    from landform.cluster.resources import Resource, Unstructured
    from landform.deployers.programs.contract.identities import ItemId, RunId

_AT_ONCE = 8


class HostObjects:
    """Makes, finds and removes objects in the namespace of the host that is the deployer's own."""

    def __init__(self, host: Cluster, namespace: str) -> None:
        self._host = host
        self._namespace = namespace

    async def ensure(self, resource: Resource[Unstructured], obj: Unstructured) -> Unstructured:
        """The object as it is if there is one of its name, else this one."""
        try:
            return await self._host.create(resource, obj, namespace=self._namespace)
        except AlreadyExists:
            return await self._host.get(resource, obj["metadata"]["name"], namespace=self._namespace)

    async def put(self, resource: Resource[Unstructured], obj: Unstructured) -> None:
        """Make the object, instead of any that a run that was cut short has left."""
        try:
            await self._host.create(resource, obj, namespace=self._namespace)
        except AlreadyExists:
            await self._host.replace(resource, obj, namespace=self._namespace)

    async def find(self, resource: Resource[Unstructured], name: str) -> Unstructured | None:
        """The object, if there is one now."""
        try:
            return await self._host.get(resource, name, namespace=self._namespace)
        except NotFound:
            return None

    async def patch(self, resource: Resource[Unstructured], name: str, change: dict[str, Any]) -> Unstructured:
        """Change an object."""
        return await self._host.patch(resource, name, change, namespace=self._namespace)

    async def delete_pod(self, name: str, grace_seconds: int | None = None) -> None:
        """Begin to end a pod; its finalizer keeps it until it is let go."""
        options = DeleteOptions(grace_period_seconds=grace_seconds)
        try:
            await self._host.delete(PODS, name, namespace=self._namespace, options=options)
        except NotFound:
            return

    async def let_go(self, name: str, *, keep: bool = False) -> None:
        """Take our finalizer from a pod; `keep` says that it stays for people to look at."""
        while (pod := await self.find(PODS, name)) is not None:
            metadata = pod["metadata"]
            left = [each for each in metadata.get("finalizers") or () if each != names.FINALIZER]
            change = {
                "resourceVersion": metadata["resourceVersion"],
                "finalizers": left or None,
                **({"labels": {names.KEPT: "true"}} if keep else {}),
            }
            try:
                await self.patch(PODS, name, {"metadata": change})
                return
            except Conflict:
                continue
            except NotFound:
                return

    async def delete_of_run(self, run: RunId) -> None:
        """Remove all that was made for a run but its pod."""
        await self._delete(f"{names.RUN}={run.token}")

    async def delete_of_item(self, item: ItemId) -> None:
        """Remove all that was made for an item but its pods; its account last, for that is what it is found by."""
        await self._delete(f"{labels.ITEM_TOKEN}={item.token}")
        try:
            await self._host.delete(SERVICE_ACCOUNTS, names.account_name(item), namespace=self._namespace)
        except NotFound:
            return

    async def listed(self, resource: Resource[Unstructured], selector: str) -> list[Unstructured]:
        """All objects that are selected, as they are now."""
        options = ListOptions(label_selector=selector)
        return [*(await self._host.list(resource, namespace=self._namespace, options=options)).items]

    async def _delete(self, selector: str) -> None:
        selection, how = ListOptions(label_selector=selector), DeleteOptions(propagation=Propagation.BACKGROUND)
        await together(
            *(
                partial(
                    self._host.delete_collection, resource, namespace=self._namespace, selection=selection, options=how
                )
                for resource in (ROLE_BINDINGS, ROLES, SECRETS)
            )
        )


async def together(*requests: Callable[[], Awaitable[Any]]) -> list[Any]:
    """The answers to requests that need not wait for each other, some at a time; the first failure is raised."""
    return await abreast.each(lambda request: request(), requests, most=_AT_ONCE)
