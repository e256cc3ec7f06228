"""The HTTP client holds out against what passes, and never does a write twice."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.clusterdoor.servers import Reply, ScriptedServer, answer, reset, silence, status, stream, text

from landform.cluster import errors
from landform.cluster.connections import Connection
from landform.cluster.credentials import Credential, TokenFileCredentials, bearer
from landform.cluster.http import HttpCluster, Limits
from landform.cluster.interface import DeleteOptions
from landform.cluster.resources import CONFIG_MAPS

if TYPE_CHECKING:
    from pathlib import Path

    from aiohttp import web
    from tests.clusterdoor.clocks import FakeClock

    from landform.kit.surroundings import Surroundings

OBJECT: dict[str, Any] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "resourceVersion": "1"}}


@pytest.mark.parametrize(
    "trouble",
    [
        reset,
        status(500),
        status(503),
        text("bad gateway", 502),
        status(429, Retry_After="1"),
        stream(b'{"a', then=reset),
    ],
    ids=["reset", "500", "503", "502", "429", "truncated"],
)
async def test_a_read_holds_out(server: ScriptedServer, cluster: HttpCluster, clock: FakeClock, trouble: Reply) -> None:
    server.replies(trouble, trouble, answer(OBJECT))
    assert await cluster.get(CONFIG_MAPS, "a", namespace="n") == OBJECT
    assert len(server.seen) == 3
    assert len(clock.slept) == 2


async def test_a_read_gives_up_in_the_end(server: ScriptedServer, cluster: HttpCluster, clock: FakeClock) -> None:
    server.replies(*[status(500, message="etcd is away")] * 100)
    with pytest.raises(errors.ServerError, match="etcd is away"):
        await cluster.get(CONFIG_MAPS, "a", namespace="n")
    assert clock.time <= 30
    assert 8 < len(server.seen) < 20


async def test_the_wait_that_the_cluster_asks_for_is_kept(
    server: ScriptedServer, cluster: HttpCluster, clock: FakeClock
) -> None:
    server.replies(status(429, Retry_After="7"), answer(OBJECT))
    await cluster.create(CONFIG_MAPS, OBJECT, namespace="n")
    assert clock.slept == [7.0]


async def test_a_wait_that_is_too_long_is_left_to_the_caller(
    server: ScriptedServer, cluster: HttpCluster, clock: FakeClock
) -> None:
    server.replies(status(429, Retry_After="600"))
    with pytest.raises(errors.TooManyRequests) as caught:
        await cluster.create(CONFIG_MAPS, OBJECT, namespace="n")
    assert caught.value.retry_after == 600
    assert clock.slept == []


async def test_a_write_that_was_turned_away_is_sent_again(server: ScriptedServer, cluster: HttpCluster) -> None:
    server.replies(status(429), status(503, Retry_After="1"), answer(OBJECT))
    assert await cluster.create(CONFIG_MAPS, OBJECT, namespace="n") == OBJECT


@pytest.mark.parametrize(("trouble", "kind"), [(reset, errors.Unreachable), (status(503), errors.ServerError)])
async def test_a_write_whose_fate_is_unknown_is_not_sent_again(
    server: ScriptedServer, cluster: HttpCluster, trouble: Reply, kind: type[Exception]
) -> None:
    server.replies(trouble, trouble, trouble, trouble)
    unversioned = {"metadata": {"name": "a"}}
    for write in (
        cluster.create(CONFIG_MAPS, OBJECT, namespace="n"),
        cluster.replace(CONFIG_MAPS, unversioned, namespace="n"),
        cluster.patch(CONFIG_MAPS, "a", {}, namespace="n"),
        cluster.delete(CONFIG_MAPS, "a", namespace="n"),
    ):
        with pytest.raises(kind):
            await write
    assert [seen.method for seen in server.seen] == ["POST", "PUT", "PATCH", "DELETE"]


async def test_a_write_on_a_used_connection_is_not_sent_again_either(
    server: ScriptedServer, cluster: HttpCluster
) -> None:
    server.replies(answer(OBJECT), reset, answer(OBJECT))
    await cluster.get(CONFIG_MAPS, "a", namespace="n")
    with pytest.raises(errors.Unreachable):
        await cluster.delete(CONFIG_MAPS, "a", namespace="n")
    assert [seen.method for seen in server.seen] == ["GET", "DELETE"]


async def test_a_conditional_write_is_sent_again(server: ScriptedServer, cluster: HttpCluster) -> None:
    server.replies(reset, answer(OBJECT), reset, answer(OBJECT), reset, status(404, "NotFound"))
    await cluster.replace(CONFIG_MAPS, OBJECT, namespace="n")
    await cluster.patch(CONFIG_MAPS, "a", {"metadata": {"resourceVersion": "1"}}, namespace="n")
    with pytest.raises(errors.NotFound):
        await cluster.delete(CONFIG_MAPS, "a", namespace="n", options=DeleteOptions(uid="u"))
    assert len(server.seen) == 6


async def test_a_write_waits_for_a_server_that_is_not_there_yet(surroundings: Surroundings) -> None:
    server = ScriptedServer()
    async with server:
        url = server.url
    late = ScriptedServer()
    late.replies(answer(OBJECT))
    tries = 0

    class StartingClock:
        now, monotonic = surroundings.clock.now, surroundings.clock.monotonic

        async def sleep(self, seconds: float) -> None:
            nonlocal tries
            tries += 1
            if tries == 3:
                await late.start(port=int(url.rpartition(":")[2]))
            await surroundings.clock.sleep(seconds)

    try:
        async with HttpCluster(Connection(url), surroundings=replace(surroundings, clock=StartingClock())) as cluster:
            assert await cluster.create(CONFIG_MAPS, OBJECT, namespace="n") == OBJECT
    finally:
        await late.stop()
    assert tries == 3


async def test_a_server_that_is_not_there_is_unreachable_and_named(surroundings: Surroundings) -> None:
    async with ScriptedServer() as server:
        url = server.url
    async with HttpCluster(Connection(url), surroundings=surroundings) as cluster:
        with pytest.raises(errors.Unreachable, match=f"no answer from {url} to GET /version: .*Connect call failed"):
            await cluster.version()


async def test_an_answer_that_does_not_come_is_not_awaited_for_ever(
    server: ScriptedServer, surroundings: Surroundings
) -> None:
    server.replies(*[silence] * 20)
    limits = Limits(request_seconds=0.02, retry_seconds=0.3)
    async with HttpCluster(Connection(server.url), surroundings=surroundings, limits=limits) as cluster:
        with pytest.raises(errors.Unreachable, match=r"none came within 0\.02 s"):
            await cluster.create(CONFIG_MAPS, OBJECT, namespace="n")
        with pytest.raises(errors.Unreachable):
            await cluster.get(CONFIG_MAPS, "a", namespace="n")


async def test_a_refused_token_is_read_again_once(
    server: ScriptedServer, surroundings: Surroundings, tmp_path: Path
) -> None:
    file = tmp_path / "token"
    file.write_text("old")
    credentials = TokenFileCredentials(file, clock=surroundings.clock)
    async with HttpCluster(Connection(server.url, credentials), surroundings=surroundings) as cluster:
        server.replies(answer(OBJECT), status(401), answer(OBJECT), status(401), status(401))
        await cluster.get(CONFIG_MAPS, "a", namespace="n")
        file.write_text("new")
        await cluster.create(CONFIG_MAPS, OBJECT, namespace="n")
        with pytest.raises(errors.Unauthorized):
            await cluster.get(CONFIG_MAPS, "a", namespace="n")
    shown = [seen.header("Authorization") for seen in server.seen]
    assert shown == ["Bearer old", "Bearer old", "Bearer new", "Bearer new", "Bearer new"]


async def test_credentials_that_cannot_change_are_not_tried_again(server: ScriptedServer, cluster: HttpCluster) -> None:
    server.replies(status(401, "Unauthorized"))
    with pytest.raises(errors.Unauthorized):
        await cluster.get(CONFIG_MAPS, "a", namespace="n")
    assert len(server.seen) == 1


async def test_requests_share_a_limited_number_of_connections(
    server: ScriptedServer, surroundings: Surroundings
) -> None:
    busy, most = 0, 0

    async def counted(request: web.BaseRequest) -> web.StreamResponse:
        nonlocal busy, most
        busy += 1
        most = max(most, busy)
        await asyncio.sleep(0.002)
        busy -= 1
        return await answer(OBJECT)(request)

    server.replies(*[counted] * 12)
    limits = Limits(connections=3)
    async with HttpCluster(Connection(server.url), surroundings=surroundings, limits=limits) as cluster:
        await asyncio.gather(*(cluster.get(CONFIG_MAPS, "a", namespace="n") for _ in range(12)))
    assert most == 3


async def test_a_cancelled_request_is_cancelled(server: ScriptedServer, cluster: HttpCluster) -> None:
    arrived = asyncio.Event()

    async def arrive(request: web.BaseRequest) -> web.StreamResponse:
        arrived.set()
        return await silence(request)

    server.replies(arrive)
    asking = asyncio.create_task(cluster.version())
    await arrived.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking


async def test_a_credential_that_is_renewed_in_between_is_used(server: ScriptedServer) -> None:
    class Counting:
        count = 0

        async def current(self) -> Credential:
            self.count += 1
            return bearer(str(self.count))

        def renew(self, refused: Credential) -> bool:
            return True

    server.replies(status(401), answer({}))
    async with HttpCluster(Connection(server.url, Counting())) as cluster:
        await cluster.version()
    assert [seen.header("Authorization") for seen in server.seen] == ["Bearer 1", "Bearer 2"]
