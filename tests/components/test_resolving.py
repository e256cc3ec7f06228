"""Resolution: where component versions are looked for, what they lead to, and what takes their place."""

from __future__ import annotations

import asyncio
import copy
import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.components.static_registry import GOLDEN, StaticRegistry
from tests.components.test_descriptors import minimal
from tests.components.test_registries import SECRET, tokens

from landform.components import ocmconfigs, versions
from landform.components.errors import AccessDenied, ComponentError, DescriptorError, NotFound, Unavailable
from landform.components.limits import Limits
from landform.components.overwrites import ComponentReference, Overwrite, Pattern
from landform.components.resolving import ComponentContext, RepositoryContextMissing

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from landform.components.ocmconfigs import OcmConfig
    from landform.components.resolving import Resolver

    Resolvers = Callable[..., AbstractAsyncContextManager[Resolver]]

TEAM = {"type": "OCIRegistry", "baseUrl": "http://127.0.0.1:15000", "subPath": "team/a"}
ROOT = ComponentReference("example.com/golden/root", "1.0.0")
CLOSURE = {"root:1.0.0", "mid-left:1.0.0", "mid-right:1.0.0", "leaf-a:1.0.0", "leaf-a:1.1.0", "leaf-b:v2.0.0"}


def _config(name: str | None) -> OcmConfig:
    return ocmconfigs.parse((GOLDEN / "config" / name).read_text()) if name else ocmconfigs.EMPTY


def _names(version: versions.ComponentVersion) -> set[str]:
    return {":".join(versions.key(each)).removeprefix("example.com/golden/") for each in version.closure}


def _resolver_cases() -> list[dict[str, Any]]:
    return list(json.loads((GOLDEN / "config/resolver-cases.json").read_bytes()))


async def test_lookups_end_where_they_did_in_the_original(resolver: Resolvers) -> None:
    async with StaticRegistry().load("plain").serve() as registry, resolver(registry.url) as it:
        for case in _resolver_cases():
            await _look_up(it, case)


async def _look_up(it: Resolver, case: dict[str, Any]) -> None:
    reference = ComponentReference(case["component"], case["version"], case["repositoryContext"])
    if "error" in case:
        with pytest.raises(ComponentError) as caught:
            await it.resolve(reference, ComponentContext(ocm_config=_config(case["config"])))
        assert isinstance(caught.value, NotFound) == (f'{reference}" not found' in case["error"]), case
        assert isinstance(caught.value, RepositoryContextMissing) == case["error"].startswith("no repository"), case
        return
    version = await it.resolve(reference, ComponentContext(ocm_config=_config(case["config"])))
    if "origin" in case:
        labels = {label["name"]: label["value"] for label in version.descriptor["component"]["labels"]}
        assert labels["origin"] == case["origin"], case


def _closure_cases() -> list[dict[str, Any]]:
    return list(json.loads((GOLDEN / "config/resolver-closures.json").read_bytes()))


@pytest.mark.parametrize("case", _closure_cases(), ids=lambda case: str(case["config"]))
async def test_what_is_referred_to_may_be_in_another_repository(case: dict[str, Any], resolver: Resolvers) -> None:
    *_, repository, component = case["args"]
    context = ComponentContext({"type": "CommonTransportFormat", "filePath": repository}, _config(case["config"]))
    reference = ComponentReference(*component.rsplit(":", 1))
    async with resolver() as it:
        if "<unknown component version>" in case["stdout"]:
            with pytest.raises(NotFound, match=r"example\.com/golden/only-c"):
                await it.resolve(reference, context)
        else:
            assert _names(await it.resolve(reference, context)) == {"top:1.0.0", "only-c:1.0.0"}


async def test_an_unreachable_registry_is_no_missing_component(resolver: Resolvers) -> None:
    context = ComponentContext({"type": "OCIRegistry", "baseUrl": "http://127.0.0.1:1"})
    async with resolver() as it:
        with pytest.raises(Unavailable, match=r"127\.0\.0\.1:1"):
            await it.resolve(ROOT, context)


@pytest.mark.parametrize("repository", [TEAM, {"type": "CommonTransportFormat", "filePath": "ctf.tgz"}])
async def test_the_closure_has_every_component_version_once(repository: dict[str, Any], resolver: Resolvers) -> None:
    async with (
        StaticRegistry().load("plain").serve() as registry,
        resolver(registry.url, root=GOLDEN / "storage") as it,
    ):
        version = await it.resolve(ROOT, ComponentContext(repository))
    assert _names(version) == CLOSURE
    assert len(version.closure) == len(CLOSURE)
    assert version.closure[0] is version.descriptor
    assert _names(version.at(("left",))) == {"mid-left:1.0.0", "leaf-a:1.0.0", "leaf-b:v2.0.0"}


async def test_a_dangling_reference_names_the_way_to_it(resolver: Resolvers) -> None:
    reference = ComponentReference("example.com/golden/broken-ref", "1.0.0")
    async with resolver(root=GOLDEN / "storage") as it:
        with pytest.raises(NotFound, match=r"component name example\.com/golden/absent and version 9\.9\.9"):
            await it.resolve(reference, ComponentContext({"type": "CommonTransportFormat", "filePath": "ctf"}))


async def test_overwrites_reach_references_too(resolver: Resolvers) -> None:
    leaf = Pattern("example.com/golden/leaf-a", "1.0.0")
    overwrite = Overwrite(leaf, Pattern(version="1.1.0-alpha.1"))
    context = ComponentContext({"type": "CommonTransportFormat", "filePath": "ctf"}, overwrites=(overwrite,))
    async with resolver(root=GOLDEN / "storage") as it:
        version = await it.resolve(ROOT, context)
        assert _names(version) == (CLOSURE - {"leaf-a:1.0.0"}) | {"leaf-a:1.1.0-alpha.1"}
        assert version.member("example.com/golden/leaf-a", "1.0.0")["component"]["version"] == "1.1.0-alpha.1"
        assert it.effective(ROOT, context) == (
            ComponentReference(ROOT.name, ROOT.version, context.repository_context),
            False,
        )


async def test_a_job_asks_once_and_forgets_when_it_ends(resolver: Resolvers) -> None:
    context = ComponentContext(TEAM)
    path = "/v2/team/a/component-descriptors/example.com/golden/root/manifests/1.0.0"
    async with StaticRegistry().load("plain").serve() as registry, resolver(registry.url) as it:
        first, second = await asyncio.gather(it.resolve(ROOT, context, "job"), it.resolve(ROOT, context, "job"))
        assert first is second
        assert registry.asked[path] == 1
        it.forget("job")
        assert await it.resolve(ROOT, context, "job") is not first
        assert registry.asked[path] == 2


async def test_another_job_asks_for_tags_and_for_nothing_else(resolver: Resolvers) -> None:
    async with StaticRegistry().load("plain").serve() as registry, resolver(registry.url) as it:
        first = await it.resolve(ROOT, ComponentContext(TEAM), "one")
        registry.asked.clear()
        assert await it.resolve(ROOT, ComponentContext(TEAM), "two") == first
        assert len(registry.asked) == len(CLOSURE)
        assert all("/manifests/" in path for path in registry.asked)


async def test_another_job_notices_a_tag_that_moved(resolver: Resolvers) -> None:
    registry = StaticRegistry().load("plain")
    leaf = ComponentReference("example.com/golden/leaf-a", "1.0.0")
    async with registry.serve(), resolver(registry.url) as it:
        before = await it.resolve(leaf, ComponentContext(TEAM), "one")
        tags = registry.tags["team/a/component-descriptors/example.com/golden/leaf-a"]
        tags["1.0.0"] = tags["1.1.0"]
        assert await it.resolve(leaf, ComponentContext(TEAM), "one") is before
        assert (await it.resolve(leaf, ComponentContext(TEAM), "two")).version == "1.1.0"


async def test_a_failure_is_not_kept_for_the_job(resolver: Resolvers) -> None:
    registry = StaticRegistry()
    async with registry.serve(), resolver(registry.url) as it:
        with pytest.raises(NotFound):
            await it.resolve(ROOT, ComponentContext(TEAM), "job")
        registry.load("plain")
        assert _names(await it.resolve(ROOT, ComponentContext(TEAM), "job")) == CLOSURE


async def test_a_hundred_installations_fetch_each_blob_once(resolver: Resolvers) -> None:
    async with StaticRegistry().load("plain").serve() as registry, resolver(registry.url) as it:

        async def install(number: int) -> None:
            version = await it.resolve(ROOT, ComponentContext(TEAM), f"job-{number}")
            assert "blueprint.yaml" in await it.blueprint(version.at(("left", "leaf")), "blueprint")

        await asyncio.gather(*(install(number) for number in range(100)))
        blobs = {path: count for path, count in registry.asked.items() if "/blobs/" in path}
        assert blobs
        assert set(blobs.values()) == {1}


def _inline(*references: dict[str, Any]) -> dict[str, Any]:
    descriptor = minimal()
    descriptor["component"]["componentReferences"] = list(references)
    descriptor["component"]["repositoryContexts"] = [TEAM]
    return descriptor


async def test_an_inline_descriptor_is_completed_from_its_repository(resolver: Resolvers) -> None:
    leaf = {"name": "leaf", "componentName": "example.com/golden/leaf-a", "version": "1.0.0"}
    async with StaticRegistry().load("plain").serve() as registry, resolver(registry.url) as it:
        version = await it.resolve_inline(_inline(leaf), ComponentContext())
        assert [versions.key(each)[0] for each in version.closure] == ["example.com/shop", "example.com/golden/leaf-a"]
        resources = version.at(("leaf",)).descriptor["component"]["resources"]
        blob = await it.resource_content(version.at(("leaf",)), resources[0])
        assert blob.size > 0


async def test_component_versions_in_a_circle_are_refused(resolver: Resolvers) -> None:
    def descriptor(name: str, target: str) -> dict[str, Any]:
        document = copy.deepcopy(minimal())
        document["component"]["name"] = f"example.com/{name}"
        document["component"]["componentReferences"] = [
            {"name": "next", "componentName": f"example.com/{target}", "version": "1.0.0"}
        ]
        return document

    files = {
        f"{name}.json": json.dumps(descriptor(name, target)) for name, target in (("a", "b"), ("b", "c"), ("c", "a"))
    }
    context = ComponentContext({"type": "inline", "fileSystem": files})
    async with resolver(root=None) as it:
        with pytest.raises(
            DescriptorError, match=r"in a circle: example\.com/a:1\.0\.0 -> .* -> example\.com/a:1\.0\.0"
        ):
            await it.resolve(ComponentReference("example.com/a", "1.0.0"), context)


async def test_too_many_references_are_refused(resolver: Resolvers) -> None:
    async with resolver(root=GOLDEN / "storage", limits=Limits(references=3)) as it:
        with pytest.raises(ComponentError, match="more than the 3 component versions"):
            await it.resolve(ROOT, ComponentContext({"type": "CommonTransportFormat", "filePath": "ctf"}))


async def test_versions_are_listed_without_tags_that_are_none(resolver: Resolvers) -> None:
    async with (
        StaticRegistry().load("plain").serve() as registry,
        resolver(registry.url, root=GOLDEN / "storage") as it,
    ):
        for repository in (TEAM, {"type": "CommonTransportFormat", "filePath": "ctf"}):
            context = ComponentContext(repository)
            found = await it.versions("example.com/golden/leaf-a", context)
            assert sorted(found) == ["1.0.0", "1.1.0", "1.1.0-alpha.1"]
            assert await it.versions("example.com/golden/charts", context) == ["1.1.0+build.7"]
            assert await it.versions("example.com/golden/absent", context) == []


async def test_a_token_outlives_a_job_but_not_its_credentials(resolver: Resolvers) -> None:
    issued: list[str] = []
    registry = StaticRegistry(before=tokens(issued)).load("plain")
    reference = ComponentReference("example.com/golden/leaf-a", "1.0.0")
    config = ocmconfigs.with_docker(ocmconfigs.EMPTY, [("a secret", _docker("user", SECRET))])
    async with registry.serve(), resolver() as it:
        spec = {"type": "OCIRegistry", "baseUrl": registry.url, "subPath": "team/a"}
        for job in ("one", "two"):
            await it.resolve(reference, ComponentContext(spec, config), job)
        assert len(issued) == 1
        with pytest.raises(AccessDenied):
            await it.resolve(reference, ComponentContext(spec), "three")


def _docker(username: str, password: str) -> str:
    return json.dumps({"auths": {"127.0.0.1": {"username": username, "password": password}}})
