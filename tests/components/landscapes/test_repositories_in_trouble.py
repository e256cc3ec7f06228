"""Registries that are down, slow or refuse: the Installation says which, where and why, and never hangs."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from aiohttp import web
from tests.components.landscapes.component_worlds import GREETED, World, by_name, failure, world
from tests.components.static_registry import StaticRegistry
from tests.components.test_registries import SECRET, tokens

from landform.cluster.kinds import INSTALLATIONS
from landform.installations import answers

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

SPEC = {
    "componentDescriptor": by_name("example.com/golden/single"),
    "blueprint": {"ref": {"resourceName": "blueprint"}},
    **GREETED,
}


REPOSITORY = "team/a/component-descriptors/example.com/golden/single"
"""Where the component version is in the registry."""


def _host(registry: StaticRegistry) -> str:
    return registry.url.removeprefix("http://")


async def _use(it: World, url: str) -> None:
    await it.context(repositoryContext={"type": "OCIRegistry", "baseUrl": url, "subPath": "team/a"})
    await it.greeting()


async def test_a_registry_that_is_down_is_tried_again_and_said_meanwhile(tmp_path: Path) -> None:
    registry = StaticRegistry().load("plain")
    is_down = True

    async def before(request: web.Request) -> web.Response | None:
        return web.Response(status=503) if is_down else None

    registry.before = before
    async with registry.serve(), world(tmp_path) as it:
        await _use(it, registry.url)
        await it.create("a", **SPEC)
        said = await it.waiting("a")
        assert said.reason == "Retry"
        assert f"{_host(registry)}/{REPOSITORY}: response status code 503" in said.message
        is_down = False
        assert (await it.ended("a")).status.phase == "Succeeded"


async def test_a_registry_that_does_not_listen_is_found_when_it_does(tmp_path: Path) -> None:
    registry = StaticRegistry().load("plain")
    async with registry.serve():
        port = int(registry.url.rpartition(":")[2])
    async with world(tmp_path) as it:
        await _use(it, registry.url)
        await it.create("a", **SPEC)
        await it.create("gone", **SPEC)
        said = await it.waiting("a")
        assert said.reason == "Retry"
        assert f"{_host(registry)}/{REPOSITORY} is not reachable" in said.message
        await it.deleted("gone")
        async with registry.serve(port=port):
            assert (await it.ended("a")).status.phase == "Succeeded"


async def test_a_registry_that_asks_for_a_moment_gets_it(tmp_path: Path) -> None:
    registry = StaticRegistry().load("plain")
    refused: list[float] = []
    answered: list[float] = []

    async def before(request: web.Request) -> web.Response | None:
        now = asyncio.get_running_loop().time()
        if refused:
            answered.append(now)
            return None
        refused.append(now)
        return web.Response(status=429, headers={"Retry-After": "1"})

    registry.before = before
    async with registry.serve(), world(tmp_path) as it:
        await _use(it, registry.url)
        assert (await it.run("a", **SPEC)).status.phase == "Succeeded"
    assert answered[0] - refused[0] >= 1.0


async def test_a_registry_that_asks_for_an_hour_is_said_to_and_tried_again(tmp_path: Path) -> None:
    registry = StaticRegistry().load("plain")
    is_busy = True

    async def before(request: web.Request) -> web.Response | None:
        return web.Response(status=429, headers={"Retry-After": "3600"}) if is_busy else None

    registry.before = before
    async with registry.serve(), world(tmp_path) as it:
        await _use(it, registry.url)
        await it.create("a", **SPEC)
        said = await it.waiting("a")
        assert f"{_host(registry)}/{REPOSITORY}: response status code 429" in said.message
        is_busy = False
        assert (await it.ended("a")).status.phase == "Succeeded"


async def test_a_token_that_expires_on_the_way_is_renewed(tmp_path: Path) -> None:
    """The registry forgets the token between the manifest and the blobs."""
    issued: list[str] = []
    check = tokens(issued)
    registry = StaticRegistry().load("plain")

    async def before(request: web.Request) -> web.StreamResponse | None:
        if "/blobs/" in request.path and len(issued) == 1:
            issued.append("another one, which nobody has")
        return await check(request)

    registry.before = before
    async with registry.serve(), world(tmp_path) as it:
        await _use(it, registry.url)
        document = {"auths": {_host(registry): {"username": "user", "password": SECRET}}}
        await it.secret("pull", __dockerconfigjson=json.dumps(document))
        await it.context(registryPullSecrets=[{"name": "pull"}])
        assert (await it.run("a", **SPEC)).status.phase == "Succeeded"
    assert len(issued) > 2


async def test_a_connection_that_is_cut_in_a_blob_is_no_failure(tmp_path: Path) -> None:
    cut: set[str] = set()
    registry = StaticRegistry().load("plain")

    async def before(request: web.Request) -> web.StreamResponse | None:
        if "/blobs/" not in request.path or request.path in cut:
            return None
        cut.add(request.path)
        return await _half(registry, request)

    registry.before = before
    async with registry.serve(), world(tmp_path) as it:
        await _use(it, registry.url)
        assert (await it.run("a", **SPEC)).status.phase == "Succeeded"
    assert len(cut) >= 3  # configuration, descriptor, blueprint
    assert not list((tmp_path / "cache" / "incoming").iterdir())


async def test_a_blob_that_never_comes_whole_is_told_with_its_place(tmp_path: Path) -> None:
    registry = StaticRegistry().load("plain")

    async def before(request: web.Request) -> web.StreamResponse | None:
        return await _half(registry, request) if "/blobs/" in request.path else None

    registry.before = before
    async with registry.serve(), world(tmp_path) as it:
        await _use(it, registry.url)
        await it.create("a", **SPEC)
        said = await it.waiting("a")
        assert said.reason == "Retry"
        assert f"{_host(registry)}/{REPOSITORY} is not reachable" in said.message
        await it.deleted("a")


async def _half(registry: StaticRegistry, request: web.Request) -> web.StreamResponse:
    """The first half of a blob, and then the end of the connection."""
    content = registry.blobs[request.path.rpartition("/")[2]]
    response = web.StreamResponse(headers={"Content-Length": str(len(content))})
    await response.prepare(request)
    await response.write(content[: len(content) // 2])
    assert request.transport is not None
    request.transport.close()
    return response


async def test_a_configuration_of_the_context_says_where_and_with_which_password(tmp_path: Path) -> None:
    """Neither the Installation nor the Context names a repository: the ConfigMap has resolvers and credentials."""
    registry = StaticRegistry(password="user:right").load("plain")
    async with registry.serve(), world(tmp_path) as it:
        await it.greeting()
        for name, password in (("wrong", "wr0ng"), ("right", "right")):
            await it.config_map(name, __ocmconfig=json.dumps(_configuration(registry, password)))
        await it.config_map("empty", other="")
        await it.config_map("strange", __ocmconfig="type: nobody.knows")
        await it.config_map("broken", __ocmconfig="{")
        for name, words in (
            ("missing", "SetupRegistries: the Context default names the ConfigMap missing, which does not exist"),
            ("empty", "SetupRegistries: the ConfigMap empty that the Context default names has no key .ocmconfig"),
            ("strange", 'SetupRegistries: config type "nobody.knows" is unknown'),
            ("broken", "SetupRegistries: the OCM configuration is not readable"),
            ("wrong", f"{_host(registry)}/{REPOSITORY}: response status code 401"),
        ):
            await it.context(ocmConfig={"name": name})
            why = failure(await it.run(name, **SPEC))
            assert words in why
            assert "wr0ng" not in why
            await it.deleted(name)
        await it.context(ocmConfig={"name": "right"})
        assert (await it.run("right", **SPEC)).status.phase == "Succeeded"


def _configuration(registry: StaticRegistry, password: str) -> dict[str, Any]:
    rule = {"repository": {"type": "OCIRegistry", "baseUrl": registry.url, "subPath": "team/a"}}
    consumer = {
        "identity": {"type": "OCIRegistry", "hostname": "127.0.0.1"},
        "credentials": [{"type": "Credentials", "properties": {"username": "user", "password": password}}],
    }
    return {
        "type": "generic.config.ocm.software/v1",
        "configurations": [
            {"type": "ocm.config.ocm.software", "resolvers": [rule]},
            {"type": "credentials.config.ocm.software", "consumers": [consumer]},
        ],
    }


async def test_a_registry_that_stays_down_fails_the_job_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "PATIENCE", timedelta(seconds=0.5))
    async with world(tmp_path) as it:
        await _use(it, "http://127.0.0.1:1")
        why = failure(await it.run("a", **SPEC))
        assert "127.0.0.1:1" in why
        assert "tried" in why


async def test_wrong_credentials_fail_the_job_at_once_and_are_not_shown(tmp_path: Path) -> None:
    registry = StaticRegistry(password="user:right").load("plain")
    async with registry.serve(), world(tmp_path) as it:
        await _use(it, registry.url)
        host = registry.url.removeprefix("http://")
        for name, password in (("wrong", "wr0ng"), ("right", "right")):
            document = {"auths": {host: {"username": "user", "password": password}}}
            await it.secret(name, __dockerconfigjson=json.dumps(document))
        why = failure(await it.run("nobody", **SPEC))
        assert f"{host}/{REPOSITORY}: basic credential not found" in why
        await it.context(registryPullSecrets=[{"name": "wrong"}])
        why = failure(await it.run("wrong", **SPEC))
        assert f"{host}/{REPOSITORY}: response status code 401: Unauthorized" in why
        assert "wr0ng" not in why
        await it.context(registryPullSecrets=[{"name": "missing"}])
        assert "names the Secret missing, which does not exist" in failure(await it.run("missing", **SPEC))
        await it.context(registryPullSecrets=[{"name": "right"}])
        assert (await it.run("right", **SPEC)).status.phase == "Succeeded"


async def test_a_component_that_is_not_there_is_named_with_its_place(tmp_path: Path) -> None:
    async with StaticRegistry().load("plain").serve() as registry, world(tmp_path) as it:
        await _use(it, registry.url)
        why = failure(await it.run("a", **{**SPEC, "componentDescriptor": by_name("example.com/golden/none")}))
        assert "example.com/golden/none:1.0.0" in why
        assert registry.url.removeprefix("http://") in why
        why = failure(await it.run("b", **{**SPEC, "blueprint": {"ref": {"resourceName": "none"}}}))
        assert "ResolveBlueprint" in why
        assert 'resource "none" not found' in why


async def test_a_silent_registry_holds_up_neither_others_nor_a_deletion(tmp_path: Path) -> None:
    registry = StaticRegistry().load("plain")

    async def before(request: web.Request) -> web.Response | None:
        await asyncio.sleep(30)
        return None

    registry.before = before
    files = {"blueprint.yaml": "imports: []"}
    async with registry.serve(), world(tmp_path) as it:
        await _use(it, registry.url)
        for number in range(150):  # more than a controller has places
            await it.create(f"slow-{number}", **SPEC)
        other = await it.run("other", blueprint={"inline": {"filesystem": files}})
        assert other.status.phase == "Succeeded"
        await it.deleted("slow-0")


async def test_a_deletion_needs_no_registry(tmp_path: Path) -> None:
    async with world(tmp_path) as it:
        async with StaticRegistry().load("plain").serve() as registry:
            await _use(it, registry.url)
            assert (await it.run("a", **SPEC)).status.phase == "Succeeded"
        await it.deleted("a")
        assert not (await it.cluster.list(INSTALLATIONS)).items


async def test_a_bug_does_not_leave_the_installation_waiting_forever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "PATIENCE", timedelta(seconds=0.5))
    monkeypatch.setattr("landform.components.resolving.Resolver.blueprint", None)
    async with StaticRegistry().load("plain").serve() as registry, world(tmp_path) as it:
        await _use(it, registry.url)
        assert "NoneType" in failure(await it.run("a", **SPEC))
