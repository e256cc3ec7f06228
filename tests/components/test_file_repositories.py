"""Repositories in files: component archives, `local` and `inline` ones, and what they must not reach."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.components.static_registry import GOLDEN
from tests.components.test_descriptors import minimal

from landform.components import archives, artifacts, contents, digests
from landform.components.artifactrepositories import ArtifactRepository
from landform.components.artifacts import Artifact, Manifest
from landform.components.blobs import Blob
from landform.components.errors import (
    ComponentError,
    ConfigurationError,
    Corrupt,
    NotFound,
    RepositoryError,
    Unsupported,
)
from landform.components.folders import DiskFolder
from landform.components.limits import DEFAULT
from landform.components.overwrites import ComponentReference
from landform.components.repositories import Stored
from landform.components.resolving import ComponentContext
from landform.components.transportarchives import TransportArchive

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from landform.components.resolving import Resolver

    Resolvers = Callable[..., AbstractAsyncContextManager[Resolver]]

SHOP = ComponentReference("example.com/shop", "1.0.0")


def _descriptor(access: dict[str, Any]) -> str:
    document = minimal()
    document["component"]["componentReferences"] = []
    document["component"]["repositoryContexts"] = []
    document["component"]["resources"][0]["access"] = access
    return json.dumps(document)


def _blob(name: str, media_type: str = "application/x-tar") -> dict[str, Any]:
    return {"type": "localFilesystemBlob", "fileName": name, "mediaType": media_type}


async def test_a_local_repository_packs_folders(resolver: Resolvers, tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    (repository / "blobs/blueprint/docs").mkdir(parents=True)
    (repository / "README").write_text("not a descriptor: [")
    (repository / "shop.yaml").write_text(_descriptor(_blob("blueprint")))
    (repository / "blobs/blueprint/blueprint.yaml").write_text("imports: []")
    (repository / "blobs/blueprint/docs/a.txt").write_text("hello")
    async with resolver(root=tmp_path) as it:
        version = await it.resolve(SHOP, ComponentContext({"type": "local", "filePath": "/repository"}))
        files = await it.blueprint(version, "blueprint")
        assert files == {"blueprint.yaml": b"imports: []", "docs/a.txt": b"hello"}
        with pytest.raises(NotFound, match=r"not readable are.*README"):
            await it.resolve(
                ComponentReference("example.com/other", "1.0.0"),
                ComponentContext({"type": "local/v1", "filePath": "repository"}),
            )


@pytest.mark.parametrize(
    "blobs",
    [
        {"fileSystem": {"blobs": {"bp": {"blueprint.yaml": "imports: []"}}}},
        {"blobFs": {"bp": {"$type": "directory", "value": {"blueprint.yaml": "imports: []"}}}},
        {"blobFs": {"x": {"bp": {"blueprint.yaml": {"$type": "file", "value": "imports: []"}}}}, "blobDirPath": "/x"},
    ],
    ids=["beside the descriptors", "on their own", "in a folder"],
)
async def test_an_inline_repository_has_its_files_in_itself(blobs: dict[str, Any], resolver: Resolvers) -> None:
    files = {"shop.yaml": _descriptor(_blob("bp")), **blobs.pop("fileSystem", {})}
    async with resolver(root=None) as it:
        version = await it.resolve(SHOP, ComponentContext({"type": "inline", "fileSystem": files, **blobs}))
        assert await it.blueprint(version, "blueprint") == {"blueprint.yaml": b"imports: []"}


async def test_inline_files_may_be_binary(resolver: Resolvers) -> None:
    packed = base64.b64encode(archives.pack({"blueprint.yaml": b"\xff"})).decode()
    framed = f"---Start Binary---\n{packed}\n---End Binary---\n"
    spec = {"type": "inline", "fileSystem": {"a": _descriptor(_blob("bp"))}, "blobFs": {"bp": framed}}
    async with resolver(root=None) as it:
        version = await it.resolve(SHOP, ComponentContext(spec))
        assert await it.blueprint(version, "blueprint") == {"blueprint.yaml": b"\xff"}


@pytest.mark.parametrize("name", ["../../../secret", "/../../secret", "../secret", "link"])
async def test_nothing_outside_of_the_root_can_be_reached(name: str, resolver: Resolvers, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    root = tmp_path / "root"
    (root / "blobs").mkdir(parents=True)
    (root / "blobs/link").symlink_to(tmp_path / "secret")
    (root / "secret").write_text("not among the blobs")
    (root / "shop.yaml").write_text(_descriptor(_blob(name)))
    async with resolver(root=root) as it:
        version = await it.resolve(SHOP, ComponentContext({"type": "local"}))
        with pytest.raises(ComponentError):
            await it.resource_content(version, version.descriptor["component"]["resources"][0])


async def test_a_repository_in_files_needs_a_root(resolver: Resolvers) -> None:
    async with resolver(root=None) as it:
        for kind in ("local", "CommonTransportFormat", "ComponentArchive"):
            with pytest.raises(ConfigurationError, match="--component-root"):
                await it.resolve(SHOP, ComponentContext({"type": kind, "filePath": "x"}))


async def test_what_is_no_repository_is_told(resolver: Resolvers, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "text").write_text("text")
    async with resolver(root=tmp_path) as it:
        for kind in ("CommonTransportFormat", "ComponentArchive"):
            for path in ("empty", "text", "absent"):
                with pytest.raises(RepositoryError):
                    await it.resolve(SHOP, ComponentContext({"type": kind, "filePath": path}))
        with pytest.raises(Unsupported, match="unknownRepo"):
            await it.resolve(SHOP, ComponentContext({"type": "unknownRepo"}))


async def test_a_component_archive_holds_one_component_version(resolver: Resolvers) -> None:
    async with resolver(root=GOLDEN / "storage") as it:
        context = ComponentContext({"type": "ComponentArchive", "filePath": "archive"})
        assert await it.versions("example.com/golden/archived", context) == ["1.0.0"]
        with pytest.raises(NotFound, match="not found in ComponentArchive"):
            await it.resolve(SHOP, context)


async def test_a_blob_that_is_not_what_its_name_says_is_refused(resolver: Resolvers, tmp_path: Path) -> None:
    name = "sha256." + "0" * 64
    (tmp_path / "blobs").mkdir()
    (tmp_path / "blobs" / name).write_text("other")
    (tmp_path / "component-descriptor.yaml").write_text(
        _descriptor({"type": "localBlob", "localReference": name, "mediaType": "application/x-tar"})
    )
    async with resolver(root=tmp_path) as it:
        version = await it.resolve(SHOP, ComponentContext({"type": "ComponentArchive", "filePath": "/"}))
        with pytest.raises(Corrupt, match="is damaged"):
            await it.blueprint(version, "blueprint")


async def test_content_must_have_the_digest_of_its_resource(resolver: Resolvers, tmp_path: Path) -> None:
    document = json.loads(_descriptor(_blob("bp")))
    document["component"]["resources"][0]["digest"] = {
        "hashAlgorithm": "SHA-256",
        "normalisationAlgorithm": "genericBlobDigest/v1",
        "value": "0" * 64,
    }
    files = {"a.json": json.dumps(document), "blobs": {"bp": {"blueprint.yaml": "x"}}}
    async with resolver(root=None) as it:
        version = await it.resolve(SHOP, ComponentContext({"type": "inline", "fileSystem": files}))
        with pytest.raises(Corrupt, match="not what its component version says"):
            await it.blueprint(version, "blueprint")


async def test_a_resource_that_is_no_blueprint_is_refused(resolver: Resolvers) -> None:
    files = {"a.json": _descriptor(_blob("bp")).replace('"type": "blueprint"', '"type": "helm"')}
    async with resolver(root=None) as it:
        version = await it.resolve(SHOP, ComponentContext({"type": "inline", "fileSystem": files}))
        with pytest.raises(Unsupported, match='no handler found for resource type "helm"'):
            await it.blueprint(version, "blueprint")


async def test_of_two_entries_with_one_tag_in_a_transport_archive_the_later_counts(
    tmp_path: Path,
) -> None:
    (tmp_path / "blobs").mkdir()
    entries = []
    for content in (b'{"number":1}', b'{"number":2}'):
        (tmp_path / "blobs" / digests.file_name(digests.of(content))).write_bytes(content)
        entries.append({"repository": "a/b", "tag": "1.0.0", "digest": digests.of(content)})
    (tmp_path / "artifact-index.json").write_text(json.dumps({"schemaVersion": 1, "artifacts": entries}))
    archive = TransportArchive(DiskFolder(tmp_path), "it", DEFAULT)
    assert (await archive.manifest("a/b", "1.0.0")).document == {"number": 2}
    assert await archive.tags("a/b") == ["1.0.0"]


async def test_neither_spaces_between_the_pieces_of_a_blob_nor_the_case_of_attributes_matter(tmp_path: Path) -> None:
    (tmp_path / "blobs").mkdir()
    for content in (b"one", b"two"):
        (tmp_path / "blobs" / digests.file_name(digests.of(content))).write_bytes(content)
    archive = TransportArchive(DiskFolder(tmp_path), "it", DEFAULT)
    artifact = Artifact(archive, "a/b", Manifest(b"{}", "", digests.of(b"{}")))
    access = {"type": "localBlob", "localreference": f"{digests.of(b'one')}, {digests.of(b'two')}", "mediatype": "x"}
    found = await ArtifactRepository(archive, archive).local_content(Stored({}, "v2", artifact), access, 100)
    assert isinstance(found, Blob)
    assert (await found.read(100), found.media_type) == (b"onetwo", "x")


@pytest.mark.parametrize("kind", ["image.manifest", "image.index"])
async def test_one_artifact_is_a_blueprint_but_an_index_of_several_is_not(kind: str) -> None:
    packed = archives.pack({"blueprint.yaml": b"imports: []"})
    layer = {"mediaType": "application/vnd.gardener.landscaper.blueprint.v1+tar", "digest": digests.of(packed)}
    manifest = json.dumps({"schemaVersion": 2, "config": {}, "layers": [layer]}).encode()
    index = json.dumps({"schemaVersion": 2, "manifests": [{"digest": digests.of(manifest)}]}).encode()
    main = manifest if kind == "image.manifest" else index
    files = {f"blobs/{digests.file_name(digests.of(each))}": each for each in (packed, manifest, index)}
    files["index.json"] = json.dumps({"manifests": [{"digest": digests.of(main)}]}).encode()
    whole = Blob(archives.pack(files), f"application/vnd.oci.{kind}.v1+tar")
    if kind == "image.manifest":
        assert await contents.blueprint(whole, DEFAULT, "it") == {"blueprint.yaml": b"imports: []"}
    else:
        with pytest.raises(Unsupported, match=r"image\.index"):
            await contents.blueprint(whole, DEFAULT, "it")
        artifact = artifacts.unpack(await whole.read(100_000), DEFAULT, "it")
        with pytest.raises(Unsupported, match=r"image\.index"):
            await contents.blueprint(artifact, DEFAULT, "it")
