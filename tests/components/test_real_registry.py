"""A real registry (Debian's package docker-registry) on this machine: plain, and behind TLS with a password.

`make test-cluster` runs these, and fetches what is missing.
"""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest
from tests.cluster.controlplane.fixtures import MARKS, wanted
from tests.components import registry_binary
from tests.components.landscapes.component_worlds import GREETED, by_name, failure, world
from tests.components.static_registry import StaticRegistry, expected
from tests.components.test_registry_tls import make_certificate

from landform.components import challenges, ocmconfigs, versions
from landform.components.credentials import Credentials
from landform.components.errors import AccessDenied
from landform.components.overwrites import ComponentReference
from landform.components.resolving import ComponentContext
from landform.kit import bcrypt, yamls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from landform.components.resolving import Resolver

    Resolvers = Callable[..., AbstractAsyncContextManager[Resolver]]

pytestmark = [
    *MARKS,
    pytest.mark.skipif(not wanted(), reason="needs docker-registry: LANDFORM_CLUSTER_TESTS=1"),
]

ROOT = ComponentReference("example.com/golden/root", "1.0.0")
PREFIX = "team/a/component-descriptors/"


@contextmanager
def _registry(folder: Path, *, secured: bool, port: int = 0) -> Iterator[str]:
    """A running registry, by default on a free port; the URL where it listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = port or free.getsockname()[1]
    http: dict[str, Any] = {"addr": f"127.0.0.1:{port}", "secret": "of a test"}
    config: dict[str, Any] = {
        "version": "0.1",
        "log": {"level": "error", "accesslog": {"disabled": True}},
        "storage": {"filesystem": {"rootdirectory": str(folder / "registry")}},
        "http": http,
    }
    if secured:
        http["tls"] = {"certificate": str(folder / "server.pem"), "key": str(folder / "server.pem")}
        config["auth"] = {"htpasswd": {"realm": "test", "path": str(folder / "htpasswd")}}
        (folder / "htpasswd").write_text(f"user:{bcrypt.hashed(b'password', b'0123456789abcdef', 4)}\n")
    (folder / "config.yml").write_text(yamls.dump(config))
    binary = registry_binary.find()
    if binary is None:
        pytest.skip("docker-registry is not on this machine and cannot be fetched")
    process = subprocess.Popen(
        [str(binary), "serve", str(folder / "config.yml")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield f"{'https' if secured else 'http'}://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)


async def _push(url: str, ca: ssl.SSLContext | None) -> None:
    """Store the recorded component versions, once the registry answers."""
    content = StaticRegistry().load("plain")
    headers = {"Authorization": challenges.basic(Credentials("user", "password"))} if ca else {}
    connector = aiohttp.TCPConnector(ssl=ca if ca else True)
    async with aiohttp.ClientSession(headers=headers, connector=connector) as session:
        await _answering(session, f"{url}/v2/")
        for repository in content.tags:
            if not repository.startswith(PREFIX):
                continue
            manifests = content.manifests[repository]
            for digest in _blobs(content, repository):
                async with session.post(f"{url}/v2/{repository}/blobs/uploads/") as started:
                    place = started.headers["Location"]
                target = f"{place}{'&' if '?' in place else '?'}digest={digest}"
                async with session.put(target, data=content.blobs[digest]) as stored:
                    assert stored.status == 201
            for tag, digest in content.tags[repository].items():
                kind = {"Content-Type": manifests[digest]}
                target = f"{url}/v2/{repository}/manifests/{tag}"
                async with session.put(target, data=content.blobs[digest], headers=kind) as stored:
                    assert stored.status == 201, await stored.text()


def _blobs(content: StaticRegistry, repository: str) -> set[str]:
    found = set()
    for digest in content.manifests[repository]:
        manifest = yamls.load(content.blobs[digest].decode())
        found |= {entry["digest"] for entry in (manifest["config"], *manifest["layers"])}
    return found


async def _answering(session: aiohttp.ClientSession, url: str) -> None:
    for _ in range(200):
        try:
            async with session.get(url) as response:
                if response.status == 200:
                    return
        except aiohttp.ClientConnectionError:
            pass
        await asyncio.sleep(0.05)
    raise AssertionError("the registry does not answer")


async def _compare(it: Resolver, context: ComponentContext) -> None:
    """Everything that is recorded of these component versions, except what lies in other repositories."""
    for case in expected("oci-team-a")["cases"]:
        if case["component"].endswith("broken-ref"):
            continue
        version = await it.resolve(ComponentReference(case["component"], case["version"]), context)
        assert version.descriptor == case["v2"]
        for content in case["content"]:
            resource = version.descriptor["component"]["resources"][content["index"]]
            if "sha256" in content:
                assert await (await it.resource_content(version, resource)).hash("sha256") == content["sha256"]


async def test_a_plain_registry_is_read_as_recorded(tmp_path: Path, resolver: Resolvers) -> None:
    with _registry(tmp_path, secured=False) as url:
        await _push(url, None)
        async with resolver() as it:
            context = ComponentContext({"type": "OCIRegistry", "baseUrl": url, "subPath": "team/a"})
            await _compare(it, context)
            assert len((await it.resolve(ROOT, context)).closure) == 6
            assert sorted(await it.versions("example.com/golden/leaf-a", context)) == [
                "1.0.0",
                "1.1.0",
                "1.1.0-alpha.1",
            ]


async def test_a_registry_behind_tls_wants_a_password(tmp_path: Path, resolver: Resolvers) -> None:
    _, authority = make_certificate(tmp_path)
    with _registry(tmp_path, secured=True) as url:
        await _push(url, ssl.create_default_context(cadata=authority))
        context = {"type": "OCIRegistry", "baseUrl": f"{url}/team/a"}
        async with resolver(ca_file=tmp_path / "ca.pem") as it:
            await _compare(it, ComponentContext(context, _password("password")))
            version = await it.resolve(ROOT, ComponentContext(context, _password("password")))
            assert versions.key(version.descriptor) == (ROOT.name, ROOT.version)
            for config in (_password("wrong"), ocmconfigs.EMPTY):
                with pytest.raises(AccessDenied, match=r"127\.0\.0\.1"):
                    await it.resolve(ROOT, ComponentContext(context, config))


async def test_installations_use_a_registry_behind_tls_that_comes_and_goes(tmp_path: Path) -> None:
    """Password and certificate authority are in the OCM configuration of the Context."""
    _, authority = make_certificate(tmp_path)
    spec = {
        "componentDescriptor": by_name("example.com/golden/single"),
        "blueprint": {"ref": {"resourceName": "blueprint"}},
        **GREETED,
    }
    async with world(tmp_path / "world") as it:
        with _registry(tmp_path, secured=True) as url:
            port = int(url.rpartition(":")[2])
            await _push(url, ssl.create_default_context(cadata=authority))
            await it.greeting()
            for name in ("password", "wrong"):
                await it.config_map(name, __ocmconfig=json.dumps(_trusting(name, authority)))
            where = {"type": "OCIRegistry", "baseUrl": url, "subPath": "team/a"}
            await it.context(repositoryContext=where, ocmConfig={"name": "wrong"})
            why = failure(await it.run("wrong", **spec))
            assert f"127.0.0.1:{port}/{PREFIX}example.com/golden/single: response status code 401" in why
            await it.context(ocmConfig={"name": "password"})
            assert (await it.run("first", **spec)).status.phase == "Succeeded"
        await it.create("second", **spec)
        await it.create("third", **spec)
        said = await it.waiting("second")
        assert f"127.0.0.1:{port}/{PREFIX}example.com/golden/single is not reachable" in said.message
        for name in ("first", "third"):
            await it.deleted(name)
        with _registry(tmp_path, secured=True, port=port):
            assert (await it.ended("second")).status.phase == "Succeeded"


def _trusting(password: str, authority: str) -> dict[str, Any]:
    properties = {"username": "user", "password": password, "certificateAuthority": authority}
    consumer = {
        "identity": {"type": "OCIRegistry", "hostname": "127.0.0.1"},
        "credentials": [{"type": "Credentials", "properties": properties}],
    }
    return {"type": "credentials.config.ocm.software", "consumers": [consumer]}


def _password(password: str) -> ocmconfigs.OcmConfig:
    document = {"auths": {"127.0.0.1": {"username": "user", "password": password}}}
    return ocmconfigs.with_docker(ocmconfigs.EMPTY, [("a pull secret", json.dumps(document))])
