"""TLS: the server must prove itself, and we can show a certificate."""

from __future__ import annotations

import base64
import ssl
from typing import TYPE_CHECKING

import pytest
import yaml
from tests.clusterdoor import proxies
from tests.clusterdoor.certificates import Authority, Pair
from tests.clusterdoor.servers import Reply, ScriptedServer, answer

from landform.cluster import kubeconfig
from landform.cluster.connections import Connection
from landform.cluster.credentials import ClientCertificate, Credential, FixedCredentials
from landform.cluster.errors import ClusterError, ConfigurationError, Unreachable
from landform.cluster.http import HttpCluster

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from aiohttp import web

    from landform.kit.surroundings import Surroundings


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


def serving(pair: Pair, folder: Path, clients: Authority | None = None) -> ssl.SSLContext:
    file = folder / "server.pem"
    file.write_bytes(pair.certificate + pair.key)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(file)
    if clients is not None:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(cadata=clients.certificate.decode())
    return context


@pytest.fixture
async def secure(authority: Authority, tmp_path: Path) -> AsyncIterator[ScriptedServer]:
    tls = serving(authority.sign("server", ip="127.0.0.1", dns="inner.example"), tmp_path)
    async with ScriptedServer(tls) as running:
        running.replies(answer({}))
        yield running


async def test_a_server_of_the_named_authority_is_trusted(secure: ScriptedServer, authority: Authority) -> None:
    async with HttpCluster(Connection(secure.url, ca=authority.certificate)) as cluster:
        assert await cluster.version() == {}


async def test_a_server_of_another_authority_is_not_trusted(secure: ScriptedServer, surroundings: Surroundings) -> None:
    connection = Connection(secure.url, ca=Authority("other").certificate, source="kubeconfig X")
    async with HttpCluster(connection, surroundings=surroundings) as cluster:
        with pytest.raises(ConfigurationError, match=r"kubeconfig X: no secure connection to .*CERTIFICATE_VERIFY"):
            await cluster.version()
    assert secure.seen == []


async def test_any_server_is_trusted_when_told_so(secure: ScriptedServer) -> None:
    async with HttpCluster(Connection(secure.url, insecure=True)) as cluster:
        assert await cluster.version() == {}


@pytest.mark.parametrize(("name", "trusted"), [("inner.example", True), ("outer.example", False)])
async def test_the_server_must_carry_the_name_that_is_asked_for(
    secure: ScriptedServer, authority: Authority, name: str, trusted: bool
) -> None:
    connection = Connection(secure.url, ca=authority.certificate, tls_server_name=name)
    async with HttpCluster(connection) as cluster:
        if trusted:
            assert await cluster.version() == {}
        else:
            with pytest.raises(ConfigurationError, match="no secure connection"):
                await cluster.version()


async def test_a_self_signed_certificate_may_be_named_as_authority(tmp_path: Path) -> None:
    pair = Authority("intermediate").sign("server", ip="127.0.0.1")
    async with ScriptedServer(serving(pair, tmp_path)) as server:
        server.replies(answer({}))
        async with HttpCluster(Connection(server.url, ca=pair.certificate)) as cluster:
            assert await cluster.version() == {}


def remembering(shown: list[str]) -> Reply:
    """Answers, and remembers whose certificate was shown."""

    async def reply(request: web.BaseRequest) -> web.StreamResponse:
        assert request.transport is not None
        certificate = request.transport.get_extra_info("peercert")
        shown.append(dict(part[0] for part in certificate["subject"])["commonName"])
        return await answer({})(request)

    return reply


async def test_a_client_certificate_is_shown(authority: Authority, tmp_path: Path) -> None:
    clients = Authority("clients")
    tls = serving(authority.sign("server", ip="127.0.0.1"), tmp_path, clients)
    mine, shown = clients.sign("jane"), list[str]()
    trusting = encoded("certificate-authority", authority)

    async with ScriptedServer(tls) as server:
        server.replies(remembering(shown))
        data = {
            "current-context": "x",
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": {"server": server.url, **trusting}}],
            "users": [{"name": "u", "user": {**encoded("client-certificate", mine), **encoded("client-key", mine)}}],
        }
        async with HttpCluster(kubeconfig.parse(yaml.safe_dump(data))) as cluster:
            assert await cluster.version() == {}
    assert shown == ["jane"]


def encoded(field: str, source: Authority | Pair) -> dict[str, str]:
    content = source.key if field == "client-key" and isinstance(source, Pair) else source.certificate
    return {f"{field}-data": base64.b64encode(content).decode()}


async def test_a_server_that_wants_a_certificate_refuses_those_without(
    authority: Authority, tmp_path: Path, surroundings: Surroundings
) -> None:
    tls = serving(authority.sign("server", ip="127.0.0.1"), tmp_path, Authority("clients"))
    async with (
        ScriptedServer(tls) as server,
        HttpCluster(Connection(server.url, ca=authority.certificate), surroundings=surroundings) as cluster,
    ):
        with pytest.raises(ClusterError):
            await cluster.version()
    assert server.seen == []


async def test_a_new_certificate_is_used_at_once(authority: Authority, tmp_path: Path) -> None:
    clients = Authority("clients")
    tls = serving(authority.sign("server", ip="127.0.0.1"), tmp_path, clients)
    pairs = {name: clients.sign(name) for name in ("first", "second")}
    shown: list[str] = []

    class Rotating:
        name = "first"

        async def current(self) -> Credential:
            pair = pairs[self.name]
            return Credential(certificate=ClientCertificate(pair.certificate, pair.key))

        def renew(self, refused: Credential) -> bool:
            return False

    credentials = Rotating()
    async with ScriptedServer(tls) as server:
        server.replies(remembering(shown), remembering(shown))
        async with HttpCluster(Connection(server.url, credentials, authority.certificate)) as cluster:
            await cluster.version()
            credentials.name = "second"
            await cluster.version()
    assert shown == ["first", "second"]


async def test_plain_http_behind_an_https_url_is_told(server: ScriptedServer, surroundings: Surroundings) -> None:
    connection = Connection(server.url.replace("http:", "https:"), FixedCredentials())
    async with HttpCluster(connection, surroundings=surroundings) as cluster:
        with pytest.raises(ConfigurationError, match="no secure connection"):
            await cluster.version()


async def test_a_proxy_on_the_way_is_used(secure: ScriptedServer, authority: Authority) -> None:
    async with proxies.running() as proxy:
        connection = Connection(secure.url, ca=authority.certificate, proxy_url=proxy.url)
        async with HttpCluster(connection) as cluster:
            assert await cluster.version() == {}
    assert proxy.asked == [f"127.0.0.1:{secure.port}"]


async def test_a_proxy_that_refuses_is_told(
    secure: ScriptedServer, authority: Authority, surroundings: Surroundings
) -> None:
    async with proxies.running() as proxy:
        proxy.refuses = True
        connection = Connection(secure.url, ca=authority.certificate, proxy_url=proxy.url)
        async with HttpCluster(connection, surroundings=surroundings) as cluster:
            with pytest.raises(Unreachable, match="407"):
                await cluster.version()
    assert secure.seen == []
