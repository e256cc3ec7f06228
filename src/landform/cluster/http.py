"""A cluster behind HTTP: any kube-apiserver, or the embedded home of another process."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from landform.cluster import codec, discovery, requests
from landform.cluster.errors import Gone, Unreachable, Unreadable
from landform.cluster.interface import (
    LIST_ALL,
    PLAIN_DELETE,
    PLAIN_WRITE,
    DeleteOptions,
    ListOptions,
    ObjectList,
    PatchType,
    WatchEvent,
    WriteOptions,
)
from landform.cluster.lines import LineBuffer
from landform.cluster.transport import Limits, Transport
from landform.kit.surroundings import Surroundings

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Sequence
    from types import TracebackType

    import aiohttp

    from landform.cluster.connections import Connection
    from landform.cluster.resources import Resource, Unstructured

__all__ = ["HttpCluster", "Limits"]

T = TypeVar("T")


class HttpCluster:
    """Implements `landform.cluster.Cluster` over HTTP. Used within one event loop; close it in the end."""

    def __init__(
        self, connection: Connection, *, surroundings: Surroundings | None = None, limits: Limits | None = None
    ) -> None:
        self.connection = connection
        self._limits = limits or Limits()
        self._transport = Transport(connection, surroundings or Surroundings(), self._limits)

    async def get(self, resource: Resource[T], name: str, *, namespace: str = "", subresource: str = "") -> T:
        request = requests.get(resource, name, namespace, subresource)
        return codec.decode(resource, await self._transport.send(request))

    async def list(
        self, resource: Resource[T], *, namespace: str = "", options: ListOptions = LIST_ALL
    ) -> ObjectList[T]:
        """The objects; without a limit they are fetched page by page, all of the same version.

        If reading the pages takes so long that their version is forgotten, everything is read again at once.
        """
        if options.limit:
            return await self._page(resource, namespace, options)
        try:
            return await self._pages(resource, namespace, options)
        except Gone:
            if options.continue_token:
                raise
            return await self._page(resource, namespace, options)

    async def _pages(self, resource: Resource[T], namespace: str, options: ListOptions) -> ObjectList[T]:
        options = replace(options, limit=self._limits.page)
        page = await self._page(resource, namespace, options)
        items = [*page.items]
        while page.continue_token:
            options = replace(options, continue_token=page.continue_token)
            page = await self._page(resource, namespace, options)
            items += page.items
        return ObjectList(items, page.resource_version)

    async def _page(self, resource: Resource[T], namespace: str, options: ListOptions) -> ObjectList[T]:
        request = requests.list_page(resource, namespace, options)
        return codec.decode_list(resource, await self._transport.send(request))

    @contextlib.asynccontextmanager
    async def watch(
        self, resource: Resource[T], *, namespace: str = "", options: ListOptions = LIST_ALL
    ) -> AsyncIterator[AsyncIterator[WatchEvent[T]]]:
        response = await self._transport.stream(requests.watch(resource, namespace, options))
        try:
            async with contextlib.aclosing(self._events(resource, response)) as events:
                yield events
        finally:
            response.close()

    async def _events(self, resource: Resource[T], response: aiohttp.ClientResponse) -> AsyncGenerator[WatchEvent[T]]:
        lines = LineBuffer()
        while chunk := await self._transport.chunk(response):
            for line in lines.feed(chunk):
                yield codec.decode_event(resource, line)
        if not lines.is_empty:
            raise Unreachable(f"the watch on {self.connection.server} ended in the middle of an event")

    async def create(
        self,
        resource: Resource[T],
        obj: T | Unstructured,
        *,
        namespace: str = "",
        name: str = "",
        options: WriteOptions = PLAIN_WRITE,
    ) -> T:
        request = requests.create(resource, obj, namespace, name, options)
        return codec.decode(resource, await self._transport.send(request))

    async def replace(
        self, resource: Resource[T], obj: Unstructured, *, namespace: str = "", options: WriteOptions = PLAIN_WRITE
    ) -> T:
        request = requests.replacement(resource, obj, namespace, options)
        return codec.decode(resource, await self._transport.send(request))

    async def patch(
        self,
        resource: Resource[T],
        name: str,
        patch: Any,
        *,
        namespace: str = "",
        type: PatchType = PatchType.MERGE,
        options: WriteOptions = PLAIN_WRITE,
    ) -> T:
        request = requests.patch(resource, name, patch, namespace, type, options)
        return codec.decode(resource, await self._transport.send(request))

    async def delete(
        self, resource: Resource[T], name: str, *, namespace: str = "", options: DeleteOptions = PLAIN_DELETE
    ) -> T | None:
        request = requests.delete(resource, name, namespace, options)
        return codec.decode_deleted(resource, await self._transport.send(request))

    async def delete_collection(
        self,
        resource: Resource[T],
        *,
        namespace: str = "",
        selection: ListOptions = LIST_ALL,
        options: DeleteOptions = PLAIN_DELETE,
    ) -> None:
        await self._transport.send(requests.delete_collection(resource, namespace, selection, options))

    @contextlib.asynccontextmanager
    async def pod_log(
        self, name: str, *, namespace: str, container: str, since: str = "", follow: bool = False
    ) -> AsyncIterator[AsyncIterator[bytes]]:
        """What a container prints, each line with its moment and a space before it; `follow`: until it ends.

        `since` is a moment as the lines have it, but only its whole seconds count. Raises Unreachable when the
        connection breaks, and when nothing is printed for so long that it might have.
        """
        response = await self._transport.stream(requests.pod_log(name, namespace, container, since, follow))
        try:
            async with contextlib.aclosing(self._chunks(response)) as chunks:
                yield chunks
        finally:
            response.close()

    async def _chunks(self, response: aiohttp.ClientResponse) -> AsyncGenerator[bytes]:
        while chunk := await self._transport.chunk(response):
            yield chunk

    async def discover(self) -> Sequence[Resource[Unstructured]]:
        return await discovery.discover(self._read)

    async def version(self) -> dict[str, str]:
        try:
            return msgspec.json.decode(await self._read("/version", requests.JSON), type=dict[str, str])
        except msgspec.DecodeError as fault:
            raise Unreadable(f"{self.connection.server} does not tell its version: {fault}") from fault

    async def _read(self, path: str, accept: str) -> bytes:
        return await self._transport.send(requests.read(path, accept=accept))

    async def close(self) -> None:
        """Give back connections. Idempotent."""
        await self._transport.close()

    async def __aenter__(self) -> HttpCluster:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
