"""Registries that are down, slow or refuse: the Installation says which, where and why, and never hangs."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from typing import TYPE_CHECKING

from aiohttp import web
from tests.components.landscapes.component_worlds import GREETED, World, by_name, failure, world
from tests.components.static_registry import StaticRegistry

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
        assert "503" in said.message
        assert registry.url.removeprefix("http://") in said.message
        assert "team/a/component-descriptors/example.com/golden/single" in said.message
        is_down = False
        assert (await it.ended("a")).status.phase == "Succeeded"


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
        assert host in why
        await it.context(registryPullSecrets=[{"name": "wrong"}])
        why = failure(await it.run("wrong", **SPEC))
        assert host in why
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
