"""Component versions read from every recorded storage, compared with what the original read."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from typing import TYPE_CHECKING, Any

import pytest
from tests.components.static_registry import GOLDEN, StaticRegistry, expected

from landform.components import accesses, contents, descriptors, selection
from landform.components.errors import Ambiguous, ComponentError

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from landform.components.opening import Opener
    from landform.components.repositories import Repository, Stored

STORAGES = sorted(
    path.stem
    for path in (GOLDEN / "expected").glob("*.json")
    if path.stem not in ("index", "queries", "normalisation", "oci-tls")
)


@pytest.mark.parametrize("storage", STORAGES)
async def test_a_recorded_storage_reads_as_recorded(
    storage: str, opener: Callable[..., AbstractAsyncContextManager[Opener]]
) -> None:
    recorded = expected(storage)
    async with StaticRegistry().load("plain").serve() as registry, opener(registry.url) as opened:
        repository = await opened.repository(recorded["repository"])
        for case in recorded["cases"]:
            await compare(opened, repository, case)


async def compare(opened: Opener, repository: Repository, case: dict[str, Any]) -> None:
    """Read a recorded component version with all its content, and see what was recorded."""
    name, version = case["component"], case["version"]
    if "exit" in case and "libraryReads" not in case:
        with pytest.raises(ComponentError):
            await repository.component(name, version)
        return
    stored = await repository.component(name, version)
    views = case.get("libraryReads") or case
    assert stored.descriptor == views["v2"]
    assert descriptors.to_v3(stored.descriptor) == views["v3"]
    assert case.get("storedSchema") in (None, stored.schema)
    resources = stored.descriptor["component"]["resources"]
    assert case.get("resources", resources) == resources
    for name, index in case.get("indexFoundByNameOnly", {}).items():
        _compare_lookup(stored, name, index)
    identities = selection.identities(resources)
    for content in case.get("content", ()):
        assert identities[content["index"]] == content["identity"]
        await _compare_content(opened, repository, stored, content)


def _compare_lookup(stored: Stored, name: str, index: int | None) -> None:
    """By name alone the same resource is found. One with an extra identity is found too, if the name is unique."""
    resources = stored.descriptor["component"]["resources"]
    if index is not None:
        assert selection.resource_named(stored.descriptor, name) == resources[index]
    elif [resource["name"] for resource in resources].count(name) == 1:
        assert selection.resource_named(stored.descriptor, name)["name"] == name
    else:
        with pytest.raises(Ambiguous):
            selection.resource_named(stored.descriptor, name)


async def _compare_content(opened: Opener, repository: Repository, stored: Stored, recorded: dict[str, Any]) -> None:
    resource = stored.descriptor["component"]["resources"][recorded["index"]]
    limits = opened.limits
    if "error" in recorded:
        with pytest.raises(ComponentError):
            await accesses.follow(opened, repository, stored, resource["access"], limits.content)
        return
    found = await accesses.follow(opened, repository, stored, resource["access"], limits.content)
    blob = await accesses.content(found, limits)
    content = await blob.read(limits.content)
    if "sha256" in recorded:
        assert (hashlib.sha256(content).hexdigest(), len(content)) == (recorded["sha256"], recorded["size"])
    else:
        assert _described(content) == recorded["artifactSet"]
    assert recorded.get("mimeType", blob.media_type) == blob.media_type
    if "blueprint" in recorded:
        await _compare_blueprint(opened, found, recorded["blueprint"])
    if "jsonschema" in recorded:
        text = await contents.jsonschema(found, limits, resource["name"])
        assert hashlib.sha256(text).hexdigest() == recorded["jsonschema"]["sha256"]


async def _compare_blueprint(opened: Opener, found: Any, recorded: dict[str, Any]) -> None:
    if not recorded["accepted"]:
        with pytest.raises(ComponentError):
            await contents.blueprint(found, opened.limits, "the blueprint")
        return
    files = await contents.blueprint(found, opened.limits, "the blueprint")
    assert {f"/{path}": hashlib.sha256(content).hexdigest() for path, content in files.items()} == recorded["files"]


def _described(content: bytes) -> dict[str, Any]:
    """An artifact set as the recording describes it."""
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:gz") as archive:
        names = sorted(member.name for member in archive.getmembers() if member.isfile())
        descriptor = next(name for name in ("index.json", "artifact-descriptor.json") if name in names)
        file = archive.extractfile(descriptor)
        assert file is not None
        return {"descriptorFile": descriptor, "files": names, "descriptor": json.load(file)}
