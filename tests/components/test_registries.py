"""Registries that want to know who asks, are slow, lie, or fail."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import TYPE_CHECKING, Any

import pytest
from aiohttp import web
from tests.components.static_registry import StaticRegistry

from landform.cluster.retries import Backoff
from landform.components import challenges, digests
from landform.components.caches import BlobCache
from landform.components.challenges import Challenge
from landform.components.credentials import Consumer, Credentials, Identity
from landform.components.errors import AccessDenied, Corrupt, NotFound, RepositoryError, TooLarge, Unavailable
from landform.components.httpclients import HttpClient, HttpSettings
from landform.components.limits import Limits
from landform.components.references import parse_url
from landform.components.registries import Registry

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

CONTENT = b"some content"
DIGEST = digests.of(CONTENT)
MANIFEST = json.dumps({"schemaVersion": 2, "layers": [{"digest": DIGEST, "size": len(CONTENT)}]}).encode()
SECRET = "s3cret-password"


def _server(**options: Any) -> StaticRegistry:
    digest = digests.of(MANIFEST)
    return StaticRegistry(
        tags={"team/app": {"1.0": digest}},
        manifests={"team/app": {digest: "application/vnd.oci.image.manifest.v1+json"}},
        blobs={digest: MANIFEST, DIGEST: CONTENT},
        **options,
    )


class _Client:
    """A registry client for one server of a test."""

    def __init__(self, tmp_path: Path, *, silence: float = 5.0, total: float = 30.0) -> None:
        settings = HttpSettings(tries=3, backoff=Backoff(0.001, 0.002), silence_seconds=silence, total_seconds=total)
        self.http = HttpClient(settings)
        self.cache = BlobCache(tmp_path / "cache")

    def registry(self, url: str, password: str = "", identity_token: str = "") -> Registry:
        authority, _ = parse_url(url)
        credentials = Credentials("user", password, identity_token)
        consumers = (Consumer(Identity(hostname="127.0.0.1"), credentials),) if password or identity_token else ()
        return Registry(authority, self.http, self.cache, Limits(manifest=10_000), consumers)


@pytest.fixture
async def client(tmp_path: Path) -> Any:
    made = _Client(tmp_path)
    async with made.http:
        yield made


async def test_basic_authentication_is_used_when_asked_for(client: _Client) -> None:
    async with _server(password=f"user:{SECRET}").serve() as server:
        registry = client.registry(server.url, SECRET)
        assert (await registry.manifest("team/app", "1.0")).content == MANIFEST
        assert (await (await registry.blob("team/app", DIGEST, 100)).read(100)) == CONTENT
        assert [bool(headers.get("Authorization")) for headers in server.headers] == [False, True, True]


@pytest.mark.parametrize("password", ["", "wrong-password"])
async def test_missing_or_wrong_credentials_are_told_and_not_tried_again(client: _Client, password: str) -> None:
    async with _server(password=f"user:{SECRET}").serve() as server:
        with pytest.raises(AccessDenied, match=r"127\.0\.0\.1:[0-9]+/team/app") as caught:
            await client.registry(server.url, password).manifest("team/app", "1.0")
        assert len(server.headers) <= 2
        assert "wrong-password" not in str(caught.value)


def tokens(issued: list[str], *, lifetime: int = 300) -> Callable[[web.Request], Awaitable[web.StreamResponse | None]]:
    """A registry that takes the last token that its service gave out."""

    async def handle(request: web.Request) -> web.StreamResponse | None:
        if request.path == "/token":
            expected = f"Basic {base64.b64encode(f'user:{SECRET}'.encode()).decode()}"
            form = {key: str(value) for key, value in (await request.post()).items()}
            if request.headers.get("Authorization") != expected and form.get("refresh_token") != SECRET:
                return web.Response(status=401)
            scope = form.get("scope") or request.query["scope"]
            issued.append(f"token-{len(issued)}-{scope}")
            return web.json_response({"token": issued[-1], "expires_in": lifetime})
        if issued and request.headers.get("Authorization") == f"Bearer {issued[-1]}":
            return None
        realm = f'Bearer realm="http://{request.host}/token",service="golden",scope="repository:team/app:pull"'
        return web.Response(status=401, headers={"WWW-Authenticate": realm})

    return handle


async def test_a_token_is_fetched_once_and_used_again(client: _Client) -> None:
    issued: list[str] = []
    async with _server(before=tokens(issued)).serve() as server:
        registry = client.registry(server.url, SECRET)
        await registry.manifest("team/app", "1.0")
        await registry.blob("team/app", DIGEST, 100)
    assert issued == ["token-0-repository:team/app:pull"]


async def test_a_token_that_is_refused_is_fetched_anew(client: _Client) -> None:
    issued: list[str] = []
    async with _server(before=tokens(issued)).serve() as server:
        registry = client.registry(server.url, SECRET)
        await registry.manifest("team/app", "1.0")
        issued.append("the registry forgot the first one")
        await registry.blob("team/app", DIGEST, 100)
    assert len(issued) == 3


async def test_an_identity_token_is_exchanged(client: _Client) -> None:
    issued: list[str] = []
    async with _server(before=tokens(issued)).serve() as server:
        await client.registry(server.url, identity_token=SECRET).manifest("team/app", "1.0")
    assert len(issued) == 1


async def test_a_token_service_that_refuses_is_named(client: _Client) -> None:
    async with _server(before=tokens([])).serve() as server:
        with pytest.raises(AccessDenied, match="token service") as caught:
            await client.registry(server.url, "nope").manifest("team/app", "1.0")
        assert "nope" not in str(caught.value)


def _failing(times: int, status: int, **headers: str) -> Callable[[web.Request], Awaitable[web.StreamResponse | None]]:
    left = [times]

    async def handle(_: web.Request) -> web.StreamResponse | None:
        left[0] -= 1
        return web.Response(status=status, headers=headers) if left[0] >= 0 else None

    return handle


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
async def test_what_may_pass_is_tried_again(client: _Client, status: int) -> None:
    async with _server(before=_failing(2, status, **{"Retry-After": "0"})).serve() as server:
        assert (await client.registry(server.url).manifest("team/app", "1.0")).content == MANIFEST


async def test_what_does_not_pass_is_unavailable_with_its_reason(client: _Client) -> None:
    async with _server(before=_failing(99, 503)).serve() as server:
        with pytest.raises(Unavailable, match=r"127\.0\.0\.1:[0-9]+/team/app: response status code 503"):
            await client.registry(server.url).manifest("team/app", "1.0")
        assert len(server.headers) == 3


async def test_a_registry_that_wants_us_to_wait_for_long_is_unavailable(client: _Client) -> None:
    async with _server(before=_failing(1, 429, **{"Retry-After": "3600"})).serve() as server:
        with pytest.raises(Unavailable, match="429"):
            await client.registry(server.url).manifest("team/app", "1.0")


async def test_other_refusals_are_told_at_once(client: _Client) -> None:
    for status, error in ((403, AccessDenied), (400, RepositoryError), (404, NotFound)):
        async with _server(before=_failing(99, status)).serve() as server:
            with pytest.raises(error):
                await client.registry(server.url).manifest("team/app", "1.0")
            assert len(server.headers) == 1


async def test_half_a_blob_is_fetched_again(client: _Client) -> None:
    broken: list[str] = []

    async def handle(request: web.Request) -> web.StreamResponse | None:
        if "/blobs/" not in request.path or broken:
            return None
        broken.append(request.path)
        response = web.StreamResponse(headers={"Content-Length": str(len(CONTENT))})
        await response.prepare(request)
        await response.write(CONTENT[:4])
        assert request.transport is not None
        request.transport.close()
        return response

    async with _server(before=handle).serve() as server:
        blob = await client.registry(server.url).blob("team/app", DIGEST, 100)
        assert await blob.read(100) == CONTENT
    assert broken
    assert list((client.cache.folder / "incoming").iterdir()) == []


async def test_a_silent_registry_is_unavailable(tmp_path: Path) -> None:
    never = asyncio.Event()

    async def handle(_: web.Request) -> web.StreamResponse | None:
        await never.wait()
        return None

    client = _Client(tmp_path, silence=0.05)
    async with client.http, _server(before=handle).serve() as server:
        with pytest.raises(Unavailable, match="not reachable"):
            await client.registry(server.url).manifest("team/app", "1.0")
        never.set()


async def test_a_registry_that_only_drips_is_unavailable_in_the_end(tmp_path: Path) -> None:
    async def handle(request: web.Request) -> web.StreamResponse | None:
        response = web.StreamResponse()
        await response.prepare(request)
        for _ in range(1000):
            await response.write(b"x")
            await asyncio.sleep(0.01)
        return response

    client = _Client(tmp_path, total=0.2)
    async with client.http, _server(before=handle).serve() as server:
        with pytest.raises(Unavailable, match=r"took more than 0\.2 s"):
            await client.registry(server.url).blob("team/app", DIGEST, 10_000)


async def test_an_endless_body_ends_at_the_limit(client: _Client) -> None:
    async def handle(request: web.Request) -> web.StreamResponse | None:
        response = web.StreamResponse(headers={"Content-Type": "application/vnd.oci.image.manifest.v1+json"})
        await response.prepare(request)
        while True:
            await response.write(b"x" * 65536)

    async with _server(before=handle).serve() as server:
        registry = client.registry(server.url)
        with pytest.raises(TooLarge):
            await registry.manifest("team/app", "1.0")
        with pytest.raises(TooLarge):
            await registry.blob("team/app", DIGEST, 1_000_000)


async def test_content_that_does_not_match_its_digest_is_refused(client: _Client) -> None:
    server = _server()
    server.blobs[DIGEST] = b"something else"
    async with server.serve():
        with pytest.raises(Corrupt, match=DIGEST):
            await client.registry(server.url).blob("team/app", DIGEST, 100)
    assert client.cache.get(DIGEST) is None


async def test_a_manifest_that_does_not_match_its_digest_is_refused(client: _Client) -> None:
    server = _server()
    digest = server.tags["team/app"]["1.0"]
    server.blobs[digest] = b'{"schemaVersion": 2}'
    async with server.serve():
        for reference in ("1.0", digest):
            with pytest.raises(Corrupt):
                await client.registry(server.url).manifest("team/app", reference)


async def test_a_blob_over_the_limit_is_refused_also_from_the_cache(client: _Client) -> None:
    async with _server().serve() as server:
        registry = client.registry(server.url)
        with pytest.raises(TooLarge, match="3 are allowed"):
            await registry.blob("team/app", DIGEST, 3)
        await registry.blob("team/app", DIGEST, 100)
        with pytest.raises(TooLarge, match="3 are allowed"):
            await registry.blob("team/app", DIGEST, 3)


async def test_a_redirect_to_another_host_does_not_get_the_credentials(client: _Client) -> None:
    async with _server().serve() as elsewhere:

        async def handle(request: web.Request) -> web.StreamResponse | None:
            if "/blobs/" in request.path and request.headers.get("Authorization"):
                raise web.HTTPTemporaryRedirect(elsewhere.url.replace("127.0.0.1", "localhost") + request.path)
            return None

        async with _server(before=handle, password=f"user:{SECRET}").serve() as server:
            blob = await client.registry(server.url, SECRET).blob("team/app", DIGEST, 100)
            assert await blob.read(100) == CONTENT
        assert [headers.get("Authorization") for headers in elsewhere.headers] == [None]


async def test_redirects_in_a_circle_end(client: _Client) -> None:
    async def handle(request: web.Request) -> web.StreamResponse | None:
        raise web.HTTPFound(request.path)

    async with _server(before=handle).serve() as server:
        with pytest.raises(RepositoryError, match="redirects more than"):
            await client.registry(server.url).manifest("team/app", "1.0")


async def test_a_redirect_to_a_file_is_refused(client: _Client) -> None:
    async def handle(_: web.Request) -> web.StreamResponse | None:
        return web.Response(status=302, headers={"Location": "file:///etc/passwd"})

    async with _server(before=handle).serve() as server:
        with pytest.raises(RepositoryError, match="not allowed"):
            await client.registry(server.url).manifest("team/app", "1.0")


@pytest.mark.parametrize("name", ["../../etc", "team/../app", "Team/App", "team//app", ""])
async def test_names_that_no_repository_has_never_reach_the_registry(client: _Client, name: str) -> None:
    async with _server().serve() as server:
        with pytest.raises(Exception, match="cannot be the name of a repository"):
            await client.registry(server.url).manifest(name, "1.0")
        assert server.headers == []


def test_challenges_are_taken_apart() -> None:
    header = 'Bearer realm="https://auth.example.com/token", service=registry, scope="a \\"b\\",c"'
    assert challenges.parse([header, 'Basic realm="x"', "", "Negotiate"]) == [
        Challenge("bearer", "https://auth.example.com/token", "registry", 'a "b",c'),
        Challenge("basic", "x"),
        Challenge("negotiate"),
    ]
