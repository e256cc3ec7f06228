"""Watches over HTTP: events of any size, errors as errors, and a silent peer is noticed."""

from __future__ import annotations

import asyncio
import json
import socket
from typing import TYPE_CHECKING, Any

import pytest
from tests.clusterdoor.servers import ScriptedServer, answer, event, reset, silence, status, stream

from landform.cluster import codec, errors
from landform.cluster.connections import Connection
from landform.cluster.http import HttpCluster, Limits
from landform.cluster.interface import EventType, ListOptions
from landform.cluster.resources import CONFIG_MAPS

if TYPE_CHECKING:
    from aiohttp import web

    from landform.cluster.interface import WatchEvent
    from landform.kit.surroundings import Surroundings


async def collect(cluster: HttpCluster, options: ListOptions | None = None) -> list[WatchEvent[Any]]:
    async with cluster.watch(CONFIG_MAPS, namespace="n", options=options or ListOptions()) as events:
        return [each async for each in events]


async def test_events_come_until_the_server_ends_the_watch(server: ScriptedServer, cluster: HttpCluster) -> None:
    server.replies(stream(event("ADDED", "a", "5"), event("MODIFIED", "a", "6") + event("DELETED", "a", "7")))
    events = await collect(cluster, ListOptions(resource_version="4"))
    assert [(each.type, each.resource_version) for each in events] == [
        (EventType.ADDED, "5"),
        (EventType.MODIFIED, "6"),
        (EventType.DELETED, "7"),
    ]
    assert [codec.key_of(each.object).name for each in events] == ["a", "a", "a"]
    assert "watch=true&allowWatchBookmarks=true&resourceVersion=4" in server.seen[0].path
    assert server.seen[0].header("Accept-Encoding") == "identity"


async def test_events_may_be_cut_anywhere_and_of_any_size(server: ScriptedServer, cluster: HttpCluster) -> None:
    huge = event("ADDED", "huge", data={"k": "x" * 3_000_000})
    small = event("MODIFIED", "small")
    server.replies(stream(huge[:10], huge[10:], small[:-1], small[-1:]))
    events = await collect(cluster)
    assert [len((each.object or {}).get("data", {}).get("k", "")) for each in events] == [3_000_000, 0]


async def test_bookmarks_and_the_end_of_initial_events_are_told(server: ScriptedServer, cluster: HttpCluster) -> None:
    end = {"metadata": {"resourceVersion": "9", "annotations": {codec.INITIAL_EVENTS_END: "true"}}}
    server.replies(
        stream(event("ADDED"), json.dumps({"type": "BOOKMARK", "object": end}).encode() + b"\n"),
    )
    _, bookmark = await collect(cluster, ListOptions(send_initial_events=True))
    assert (bookmark.type, bookmark.resource_version, bookmark.object) == (EventType.BOOKMARK, "9", None)
    assert bookmark.initial_events_end
    assert "sendInitialEvents=true&resourceVersionMatch=NotOlderThan" in server.seen[0].path


@pytest.mark.parametrize(("code", "kind"), [(410, errors.Gone), (500, errors.ServerError), (403, errors.Forbidden)])
async def test_an_error_event_is_raised(
    server: ScriptedServer, cluster: HttpCluster, code: int, kind: type[Exception]
) -> None:
    error = json.dumps({"type": "ERROR", "object": {"kind": "Status", "code": code, "message": "no"}}).encode()
    server.replies(stream(event("ADDED"), error + b"\n"))
    async with cluster.watch(CONFIG_MAPS) as events:
        assert (await anext(events)).type is EventType.ADDED
        with pytest.raises(kind):
            await anext(events)


async def test_a_version_that_is_too_old_is_told_on_entry(server: ScriptedServer, cluster: HttpCluster) -> None:
    server.replies(status(410, "Expired"))
    with pytest.raises(errors.Gone):
        await collect(cluster)


async def test_a_broken_connection_is_unreachable(server: ScriptedServer, cluster: HttpCluster) -> None:
    server.replies(stream(event("ADDED"), then=reset))
    with pytest.raises(errors.Unreachable, match="broke off"):
        await collect(cluster)


async def test_an_end_in_the_middle_of_an_event_is_unreachable(server: ScriptedServer, cluster: HttpCluster) -> None:
    server.replies(stream(event("ADDED")[:-20]))
    with pytest.raises(errors.Unreachable, match="in the middle of an event"):
        await collect(cluster)


async def test_a_silent_peer_is_noticed(server: ScriptedServer, surroundings: Surroundings) -> None:
    server.replies(stream(event("ADDED"), then=silence))
    limits = Limits(silence_seconds=0.03)
    async with HttpCluster(Connection(server.url), surroundings=surroundings, limits=limits) as cluster:
        with pytest.raises(errors.Unreachable, match=r"no sign of life for 0\.03 s"):
            await collect(cluster)


async def test_a_half_open_connection_is_noticed_before_the_headers_too(surroundings: Surroundings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        limits = Limits(request_seconds=0.02, retry_seconds=0)
        async with HttpCluster(Connection(url), surroundings=surroundings, limits=limits) as cluster:
            with pytest.raises(errors.Unreachable, match="none came within"):
                await collect(cluster)


async def test_the_kernel_watches_over_the_connection(server: ScriptedServer, cluster: HttpCluster) -> None:
    server.replies(stream(event("ADDED"), then=silence))
    async with cluster.watch(CONFIG_MAPS) as events:
        await anext(events)
        session = cluster._transport._watches
        assert session is not None
        assert session.connector is not None
        [connection] = session.connector._acquired
        assert connection.transport is not None
        peer = connection.transport.get_extra_info("socket")
        assert peer.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1


async def test_leaving_the_watch_closes_its_connection(server: ScriptedServer, cluster: HttpCluster) -> None:
    left = asyncio.Event()

    async def until_left(request: web.BaseRequest) -> web.StreamResponse:
        try:
            return await silence(request)
        finally:
            left.set()

    server.replies(stream(event("ADDED"), then=until_left))
    async with cluster.watch(CONFIG_MAPS) as events:
        assert (await anext(events)).type is EventType.ADDED
    await asyncio.wait_for(left.wait(), 5)


async def test_a_cancelled_watch_closes_its_connection(server: ScriptedServer, cluster: HttpCluster) -> None:
    left = asyncio.Event()

    async def until_left(request: web.BaseRequest) -> web.StreamResponse:
        try:
            return await silence(request)
        finally:
            left.set()

    server.replies(stream(event("ADDED"), then=until_left))
    first = asyncio.Event()

    async def follow() -> None:
        async with cluster.watch(CONFIG_MAPS) as events:
            async for _ in events:
                first.set()

    following = asyncio.create_task(follow())
    await first.wait()
    following.cancel()
    with pytest.raises(asyncio.CancelledError):
        await following
    await asyncio.wait_for(left.wait(), 5)


async def test_watches_do_not_take_connections_from_requests(
    server: ScriptedServer, surroundings: Surroundings
) -> None:
    server.replies(*[stream(event("ADDED"), then=silence)] * 3, answer({}))
    limits = Limits(connections=1)
    async with (
        HttpCluster(Connection(server.url), surroundings=surroundings, limits=limits) as cluster,
        cluster.watch(CONFIG_MAPS),
        cluster.watch(CONFIG_MAPS),
        cluster.watch(CONFIG_MAPS),
    ):
        assert await cluster.version() == {}
