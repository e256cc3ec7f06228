"""Accesses that lead out of the component's repository: artifacts, single blobs, chart repositories."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest
from aiohttp import web
from tests.components.static_registry import StaticRegistry
from tests.components.test_registries import CONTENT, DIGEST

from landform.components import accesses, digests, references
from landform.components.blobs import Blob
from landform.components.credentials import Consumer, Credentials, Identity
from landform.components.errors import (
    AccessDenied,
    ComponentError,
    Corrupt,
    DescriptorError,
    InvalidReference,
    NotFound,
    Unsupported,
)
from landform.components.references import ArtifactReference, Authority
from landform.components.repositories import Stored

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from landform.components.opening import Opener

    Openers = Callable[..., AbstractAsyncContextManager[Opener]]

CHART = b"a chart"


async def _follow(opened: Opener, access: dict[str, Any]) -> bytes:
    repository = await opened.repository({"type": "inline", "fileSystem": {}})
    found = await accesses.follow(opened, repository, Stored({}, "v2"), access, 1000)
    assert isinstance(found, Blob)
    return await found.read(1000)


async def test_a_single_blob_of_another_repository_is_fetched(opener: Openers) -> None:
    server = StaticRegistry(tags={"a/b": {}}, manifests={"a/b": {}}, blobs={DIGEST: CONTENT})
    async with server.serve(), opener() as opened:
        access = {"type": "ociBlob", "ref": f"{server.url}/a/b", "digest": DIGEST, "size": len(CONTENT)}
        assert await _follow(opened, access) == CONTENT
        with pytest.raises(Corrupt, match="its access says 5"):
            await _follow(opened, {**access, "size": 5})
        with pytest.raises(DescriptorError, match="'digest'"):
            await _follow(opened, {"type": "ociBlob", "ref": "x/y"})


def _charts(digest: str, url: str = "echo-1.0.0.tgz") -> Callable[[web.Request], Any]:
    async def handle(request: web.Request) -> web.StreamResponse:
        if request.path == "/charts/index.yaml":
            entries = {
                "echo": [{"version": "0.9.0", "urls": ["x"]}, {"version": "1.0.0", "urls": [url], "digest": digest}]
            }
            return web.json_response({"apiVersion": "v1", "entries": entries})
        if request.path == "/charts/echo-1.0.0.tgz":
            return web.Response(body=CHART)
        return web.Response(status=404)

    return handle


async def test_a_chart_comes_from_its_repository(opener: Openers) -> None:
    consumers = (Consumer(Identity("HelmChartRepository", "127.0.0.1"), Credentials("user", "pw")),)
    async with (
        StaticRegistry(before=_charts(hashlib.sha256(CHART).hexdigest())).serve() as server,
        opener(consumers=consumers) as opened,
    ):
        access = {"type": "helm", "helmRepository": f"{server.url}/charts", "helmChart": "echo:1.0.0"}
        assert await _follow(opened, access) == CHART
        assert all(headers["Authorization"].startswith("Basic ") for headers in server.headers)
        with pytest.raises(NotFound, match=r'chart "echo:2\.0\.0" not found'):
            await _follow(opened, {**access, "helmChart": "echo", "version": "2.0.0"})


async def test_credentials_of_a_chart_repository_go_to_no_other_host(opener: Openers) -> None:
    consumers = (Consumer(Identity("HelmChartRepository", "127.0.0.1"), Credentials("user", "pw")),)
    async with StaticRegistry(before=_charts("")).serve() as other:
        elsewhere = other.url.replace("127.0.0.1", "localhost") + "/charts/echo-1.0.0.tgz"
        async with (
            StaticRegistry(before=_charts("", elsewhere)).serve() as server,
            opener(consumers=consumers) as opened,
        ):
            access = {"type": "helm", "helmRepository": f"{server.url}/charts", "helmChart": "echo:1.0.0"}
            assert await _follow(opened, access) == CHART
        assert [headers.get("Authorization") for headers in other.headers] == [None]


async def test_a_chart_must_have_its_digest(opener: Openers) -> None:
    async with StaticRegistry(before=_charts("0" * 64)).serve() as server, opener() as opened:
        with pytest.raises(Corrupt, match="does not match its digest"):
            await _follow(opened, {"type": "helm", "helmRepository": f"{server.url}/charts", "helmChart": "echo:1.0.0"})


async def test_a_chart_repository_may_refuse(opener: Openers) -> None:
    async def handle(_: web.Request) -> web.StreamResponse:
        return web.Response(status=401)

    async with StaticRegistry(before=handle).serve() as server, opener() as opened:
        with pytest.raises(AccessDenied):
            await _follow(opened, {"type": "helm", "helmRepository": server.url, "helmChart": "echo:1.0.0"})
        with pytest.raises(DescriptorError, match="neither https, http nor oci"):
            await _follow(opened, {"type": "helm", "helmRepository": "file:///etc", "helmChart": "echo:1.0.0"})


@pytest.mark.parametrize("kind", ["s3", "wget", "npm", "gitHub", "localBlob/v2", "", "none"])
async def test_an_access_that_is_not_supported_is_named(kind: str, opener: Openers) -> None:
    async with opener() as opened:
        with pytest.raises(Unsupported, match=kind or '""'):
            await _follow(opened, {"type": kind})


async def test_a_manifest_that_lies_about_sizes_is_refused(opener: Openers) -> None:
    manifest = json.dumps({"schemaVersion": 2, "config": {}, "layers": [{"digest": DIGEST, "size": 3}]}).encode()
    digest = digests.of(manifest)
    server = StaticRegistry(
        tags={"a/b": {"1": digest}},
        manifests={"a/b": {digest: "application/vnd.oci.image.manifest.v1+json"}},
        blobs={digest: manifest, DIGEST: CONTENT},
    )
    async with server.serve(), opener() as opened:
        repository = await opened.repository({"type": "inline", "fileSystem": {}})
        access = {"type": "ociArtifact", "imageReference": f"{server.url}/a/b:1"}
        found = await accesses.follow(opened, repository, Stored({}, "v2"), access, 1000)
        assert not isinstance(found, Blob)
        with pytest.raises(Corrupt, match="12 bytes, but its manifest says 3"):
            await found.layer(0, 1000)
        with pytest.raises(ComponentError):
            await accesses.content(found, opened.limits)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("registry.example.com:5000/a/b:1.0", ("registry.example.com:5000", "https", "a/b", "1.0", "")),
        ("http://localhost:5000/a:1.0", ("localhost:5000", "http", "a", "1.0", "")),
        (f"localhost/a:1@{DIGEST}", ("localhost", "https", "a", "1", DIGEST)),
        ("nginx:1.25", ("docker.io", "https", "library/nginx", "1.25", "")),
        ("grafana/grafana", ("docker.io", "https", "grafana/grafana", "", "")),
        ("oci://registry.example.com/a:1", ("registry.example.com", "https", "a", "1", "")),
    ],
)
def test_references_are_taken_apart(text: str, parts: tuple[str, str, str, str, str]) -> None:
    host, scheme, repository, tag, digest = parts
    assert references.parse(text) == ArtifactReference(Authority(host, scheme), repository, tag, digest)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "file:///etc/passwd",
        "registry.example.com/a:",
        "registry.example.com/A:1",
        "h/../x:1",
        "a@sha256:1",
        "h:x/a",
    ],
)
def test_broken_references_are_refused(text: str) -> None:
    with pytest.raises(InvalidReference):
        references.parse(text)


def test_an_authority_knows_its_port() -> None:
    assert (Authority("[::1]:5000").hostname, Authority("[::1]:5000").port) == ("[::1]", "5000")
    assert (Authority("[::1]").hostname, Authority("[::1]").port) == ("[::1]", None)
    assert (Authority("h:1").hostname, Authority("h:1").port) == ("h", "1")


async def test_a_local_blob_that_is_missing_may_be_elsewhere(opener: Openers) -> None:
    server = StaticRegistry(tags={"a/b": {}}, manifests={"a/b": {}}, blobs={DIGEST: CONTENT})
    async with server.serve(), opener() as opened:
        elsewhere = {"type": "ociBlob", "ref": f"{server.url}/a/b", "digest": DIGEST}
        access = {"type": "localBlob", "localReference": "gone", "mediaType": "text/plain", "globalAccess": elsewhere}
        assert await _follow(opened, access) == CONTENT


@pytest.mark.parametrize(
    ("elsewhere", "error", "words"),
    [
        pytest.param(None, NotFound, "gone", id="none"),
        pytest.param({"type": "localBlob", "localReference": "other"}, NotFound, "gone", id="local again"),
        pytest.param(
            {"type": "s3"}, Unsupported, '(?s)gone.*globalAccess: access method "s3" is unknown', id="unknown"
        ),
        pytest.param("text", NotFound, "gone", id="no access"),
    ],
)
async def test_a_global_access_that_leads_nowhere_hides_nothing(
    elsewhere: Any, error: type[ComponentError], words: str, opener: Openers
) -> None:
    access = {"type": "localBlob", "localReference": "gone", "mediaType": "x", "globalAccess": elsewhere}
    async with opener() as opened:
        with pytest.raises(error, match=words):
            await _follow(opened, access)
