"""Hostile components on a home: each fails its Installation with a clear error, and nothing else happens."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import tarfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from aiohttp import web
from tests.components.landscapes.component_worlds import by_name, descriptor, failure, mock_blueprint, resource, world
from tests.components.static_registry import StaticRegistry
from tests.components.test_hostile_archives import kind, tar

from landform.components.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAME = "example.com/evil"
REPOSITORY = f"component-descriptors/{NAME}"
BLUEPRINT = "application/vnd.gardener.landscaper.blueprint.v1+tar+gzip"
DESCRIPTOR = "application/vnd.ocm.software.component-descriptor.v2+json"
CONFIG = "application/vnd.ocm.software.component.config.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"
LIMITS = Limits(unpacked=1_000_000, entries=100, descriptor=100_000)
GOOD = tar(("blueprint.yaml", json.dumps(mock_blueprint()).encode()))
BOMB = gzip.compress(b"\0" * 50_000_000)


@dataclass
class Publisher:
    """Stores one component version in a registry, and lies where it is told to."""

    registry: StaticRegistry = field(default_factory=StaticRegistry)

    def blob(self, content: bytes, **lies: Any) -> dict[str, Any]:
        digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
        self.registry.blobs[digest] = content
        return {"digest": digest, "size": len(content), **lies}

    def publish(
        self,
        blueprint: bytes = GOOD,
        *,
        name: str = NAME,
        references: dict[str, str] | None = None,
        padding: int = 0,
        lies: dict[str, Any] | None = None,
        indexes: int = 0,
    ) -> StaticRegistry:
        layer = {"mediaType": BLUEPRINT, **self.blob(blueprint)}
        access = {"type": "localBlob", "mediaType": BLUEPRINT, "localReference": layer["digest"]}
        made = descriptor(
            name, [resource("blueprint", "landscaper.gardener.cloud/blueprint", access)], references=references
        )
        text = json.dumps(made).encode() + b" " * padding
        own = {"mediaType": DESCRIPTOR, **self.blob(text, **(lies or {}))}
        config = {"mediaType": CONFIG, **self.blob(json.dumps({"componentDescriptorLayer": own}).encode())}
        entry = self._manifest(name, {"schemaVersion": 2, "config": config, "layers": [own, layer]}, MANIFEST)
        for _ in range(indexes):
            entry = self._manifest(name, {"schemaVersion": 2, "mediaType": INDEX, "manifests": [entry]}, INDEX)
        self.registry.tags[f"component-descriptors/{name}"] = {"1.0.0": entry["digest"]}
        return self.registry

    def _manifest(self, name: str, document: dict[str, Any], media_type: str) -> dict[str, Any]:
        entry = self.blob(json.dumps(document).encode())
        self.registry.manifests.setdefault(f"component-descriptors/{name}", {})[entry["digest"]] = media_type
        return {**entry, "mediaType": media_type}


def _circle() -> StaticRegistry:
    publisher = Publisher()
    publisher.publish(name="example.com/other", references={"back": NAME})
    return publisher.publish(references={"next": "example.com/other"})


def _endless() -> StaticRegistry:
    registry = Publisher().publish()

    async def before(request: web.Request) -> web.StreamResponse | None:
        if "/blobs/" not in request.path:
            return None
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b"x" * 65536)

    registry.before = before
    return registry


def _redirecting() -> StaticRegistry:
    """To a file of this machine."""
    registry = Publisher().publish()

    async def before(request: web.Request) -> web.StreamResponse | None:
        return web.Response(status=307, headers={"Location": "file:///etc/passwd"})

    registry.before = before
    return registry


@pytest.mark.parametrize(
    ("publish", "words"),
    [
        pytest.param(
            lambda: Publisher().publish(tar(("/etc/x", b"x"))), "a file outside of itself: '/etc/x'", id="absolute"
        ),
        pytest.param(lambda: Publisher().publish(tar(("../x", b"x"))), "a file outside of itself: '../x'", id="parent"),
        pytest.param(
            lambda: Publisher().publish(tar(("x", kind(tarfile.SYMTYPE, "/etc")))), "a link at 'x'", id="link"
        ),
        pytest.param(lambda: Publisher().publish(tar(("x", kind(tarfile.CHRTYPE)))), "a device at 'x'", id="device"),
        pytest.param(lambda: Publisher().publish(BOMB), "more than the 1000000 bytes", id="bomb"),
        pytest.param(
            lambda: Publisher().publish(gzip.compress(BOMB)), "not a readable tar archive", id="bomb in a bomb"
        ),
        pytest.param(
            lambda: Publisher().publish(tar(*((f"f{number}", b"") for number in range(101)))), "100 files", id="entries"
        ),
        pytest.param(
            lambda: Publisher().publish(tar(("d/" * 3000 + "x", b""))), "a path of 6001 characters", id="deep folders"
        ),
        pytest.param(lambda: Publisher().publish(indexes=5), "nested too deep", id="index of indexes"),
        pytest.param(lambda: Publisher().publish(padding=50_000_000), "100000 are allowed", id="vast descriptor"),
        pytest.param(
            lambda: Publisher().publish(padding=50_000_000, lies={"size": 10}),
            "100000 are allowed",
            id="vast, and a lie",
        ),
        pytest.param(lambda: Publisher().publish(lies={"size": 10}), "but its manifest says 10", id="a lie about size"),
        pytest.param(
            lambda: Publisher().publish(lies={"digest": f"sha256:{'0' * 64}"}), "is not there", id="no such digest"
        ),
        pytest.param(_circle, "in a circle", id="circle"),
        pytest.param(_endless, "bytes that are allowed", id="endless"),
        pytest.param(_redirecting, "redirects to file://", id="redirect"),
    ],
)
async def test_an_installation_says_what_is_wrong_with_its_component(
    tmp_path: Path, publish: Callable[[], StaticRegistry], words: str
) -> None:
    registry = publish()
    async with registry.serve(), world(tmp_path, limits=LIMITS) as it:
        await it.context(repositoryContext={"type": "OCIRegistry", "baseUrl": registry.url})
        spec = {"componentDescriptor": by_name(NAME), "blueprint": {"ref": {"resourceName": "blueprint"}}}
        why = failure(await it.run("a", **spec))
        assert words in why
        assert len(why) < 2_000
        await it.deleted("a")
    assert _written(tmp_path) <= {"cache", "cache/sha256", "cache/incoming", "cache/lock"}


def _written(folder: Path) -> set[str]:
    """Everything in a folder, but for content under its digest."""
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*")}
    return {path for path in found if not re.fullmatch("cache/sha256/[0-9a-f]{64}", path)}


async def test_a_good_one_of_the_same_make_is_used(tmp_path: Path) -> None:
    """So that the others fail for what is wrong with them, and not for how they are published."""
    registry = Publisher().publish(indexes=1)
    async with registry.serve(), world(tmp_path, limits=LIMITS) as it:
        await it.context(repositoryContext={"type": "OCIRegistry", "baseUrl": registry.url})
        spec = {"componentDescriptor": by_name(NAME), "blueprint": {"ref": {"resourceName": "blueprint"}}}
        assert (await it.run("a", **spec)).status.phase == "Succeeded"


async def test_content_that_is_not_what_its_digest_says_is_not_used(tmp_path: Path) -> None:
    registry = Publisher().publish()
    [blob] = [digest for digest, content in registry.blobs.items() if content == GOOD]
    registry.blobs[blob] = tar(("blueprint.yaml", b"imports: []"))
    async with registry.serve(), world(tmp_path, limits=LIMITS) as it:
        await it.context(repositoryContext={"type": "OCIRegistry", "baseUrl": registry.url})
        spec = {"componentDescriptor": by_name(NAME), "blueprint": {"ref": {"resourceName": "blueprint"}}}
        why = failure(await it.run("a", **spec))
        assert f"{REPOSITORY} does not match its digest" in why
    assert not (tmp_path / "cache" / "sha256" / blob.removeprefix("sha256:")).exists()


async def test_a_redirect_to_another_host_gets_no_password(tmp_path: Path) -> None:
    """Registries keep their blobs elsewhere; there nobody is told who asks."""
    registry = Publisher(StaticRegistry(password="user:s3cret")).publish()
    elsewhere = StaticRegistry(tags=registry.tags, manifests=registry.manifests, blobs=registry.blobs)

    async def before(request: web.Request) -> web.StreamResponse | None:
        if "/blobs/" not in request.path or "Authorization" not in request.headers:
            return None
        return web.Response(status=307, headers={"Location": f"{elsewhere.url}{request.path}"})

    registry.before = before
    async with registry.serve(), elsewhere.serve(), world(tmp_path) as it:
        await it.context(repositoryContext={"type": "OCIRegistry", "baseUrl": registry.url})
        auths = {registry.url.removeprefix("http://"): {"username": "user", "password": "s3cret"}}
        await it.secret("pull", __dockerconfigjson=json.dumps({"auths": auths}))
        await it.context(registryPullSecrets=[{"name": "pull"}])
        spec = {"componentDescriptor": by_name(NAME), "blueprint": {"ref": {"resourceName": "blueprint"}}}
        assert (await it.run("a", **spec)).status.phase == "Succeeded"
    assert elsewhere.headers
    assert not any("Authorization" in headers for headers in elsewhere.headers)
