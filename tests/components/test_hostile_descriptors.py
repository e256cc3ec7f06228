"""Descriptors from strangers: broken, vast, nested without end; each is read or refused within limits."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.components.static_registry import StaticRegistry
from tests.components.test_descriptors import minimal

from landform.components import archives, descriptors, digests, normalisation, selection, versions
from landform.components.errors import ComponentError, Corrupt, DescriptorError, TooLarge
from landform.components.overwrites import ComponentReference
from landform.components.resolving import ComponentContext

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from landform.components.resolving import Resolver

    Resolvers = Callable[..., AbstractAsyncContextManager[Resolver]]

SHOP = ComponentReference("example.com/shop", "1.0.0")
CONFIG = "application/vnd.ocm.software.component.config.v1+json"
LAYER = "application/vnd.ocm.software.component-descriptor.v2+yaml"

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
_PLACES = [
    ("meta",), ("component",), ("component", "name"), ("component", "version"), ("component", "provider"),
    ("component", "labels"), ("component", "creationTime"), ("component", "repositoryContexts"),
    ("component", "sources"), ("component", "componentReferences"), ("component", "componentReferences", 0),
    ("component", "resources"), ("component", "resources", 0), ("component", "resources", 0, "access"),
    ("component", "resources", 0, "labels"), ("component", "resources", 0, "extraIdentity"),
    ("component", "resources", 0, "digest"), ("component", "resources", 0, "srcRefs"), ("signatures",),
    ("nestedDigests",),
]  # fmt: skip


def _with(place: tuple[Any, ...], value: Any) -> dict[str, Any]:
    document = copy.deepcopy(minimal())
    inner: Any = document
    for part in place[:-1]:
        inner = inner[part]
    inner[place[-1]] = value
    return document


@given(st.sampled_from(_PLACES), _JSON)
def test_a_descriptor_with_anything_anywhere_is_usable_or_refused(place: tuple[Any, ...], value: Any) -> None:
    document = _with(place, value)
    try:
        found = descriptors.read(document)
    except DescriptorError:
        return
    assert descriptors.read(descriptors.to_v3(found)) == found or "signatures" in found
    assert len(selection.identities(found["component"]["resources"])) == len(found["component"]["resources"])
    for algorithm in ("jsonNormalisation/v1", "jsonNormalisation/v2", "jsonNormalisation/v3"):
        assert normalisation.normalise(found, "v2", algorithm)
    versions.inline(found)


@given(_JSON)
def test_a_provider_is_an_object_or_a_name(value: Any) -> None:
    text = json.dumps(value)
    found = descriptors.provider(text)
    assert isinstance(found["name"], str)


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
            f"{chr(98 + level)}: &{chr(98 + level)} [{', '.join([f'*{chr(97 + level)}'] * 9)}]\n" for level in range(9)
        ),
        "[" * 1_000_000,
        "- " * 500_000,
        '{"a":' * 500_000,
        "a: &a\n  b: *a\n",
        "a: !!python/object/apply:os.system [true]",
        "1: {2: 3}",
        "? [a]\n: b",
    ],
    ids=["aliases of aliases", "lists", "block lists", "objects", "itself", "python", "numbers as keys", "list as key"],
)  # fmt: skip
def test_hostile_yaml_is_refused(text: str) -> None:
    with pytest.raises(DescriptorError):
        descriptors.read(text)


def _registry(document: bytes, **layer: Any) -> StaticRegistry:
    """A registry with one component version, whose configuration says whatever is given."""
    described = {"mediaType": LAYER, "digest": digests.of(document), "size": len(document), **layer}
    config = json.dumps({"componentDescriptorLayer": described}).encode()
    entry = {"mediaType": CONFIG, "digest": digests.of(config), "size": len(config)}
    manifest = json.dumps({"schemaVersion": 2, "config": entry, "layers": [described]}).encode()
    repository = "component-descriptors/example.com/shop"
    return StaticRegistry(
        tags={repository: {"1.0.0": digests.of(manifest)}},
        manifests={repository: {digests.of(manifest): "application/vnd.oci.image.manifest.v1+json"}},
        blobs={digests.of(content): content for content in (document, config, manifest)},
    )


async def _resolve(resolver: Resolvers, registry: StaticRegistry) -> versions.ComponentVersion:
    async with registry.serve(), resolver() as it:
        return await it.resolve(SHOP, ComponentContext({"type": "OCIRegistry", "baseUrl": registry.url}))


def _alone() -> bytes:
    return json.dumps(_with(("component", "componentReferences"), [])).encode()


async def test_a_component_version_of_the_test_registry_is_read(resolver: Resolvers) -> None:
    assert (await _resolve(resolver, _registry(_alone()))).name == SHOP.name


async def test_a_descriptor_of_fifty_megabytes_is_refused_before_it_is_fetched(resolver: Resolvers) -> None:
    document = _alone() + b" " * 50_000_000
    registry = _registry(document)
    with pytest.raises(TooLarge, match="bytes; 16777216 are allowed"):
        await _resolve(resolver, registry)
    assert not any(digests.of(document) in path for path in registry.asked)
    with pytest.raises(TooLarge):
        await _resolve(resolver, _registry(document, size=10))


@pytest.mark.parametrize(
    "layer",
    [
        {"size": 5},
        {"digest": "sha256:" + "0" * 64},
        {"digest": "../../../etc/passwd"},
        {"digest": 7},
        {"mediaType": "application/octet-stream"},
        {"mediaType": LAYER + "+tar"},
    ],
    ids=str,
)
async def test_a_configuration_that_lies_is_refused(layer: dict[str, Any], resolver: Resolvers) -> None:
    with pytest.raises(Corrupt):
        await _resolve(resolver, _registry(_alone(), **layer))


async def test_a_vast_descriptor_in_a_small_archive_is_refused(resolver: Resolvers) -> None:
    document = archives.pack({"component-descriptor.yaml": b" " * 17_000_000})
    with pytest.raises(ComponentError):
        await _resolve(resolver, _registry(document, mediaType=LAYER + "+tar"))
