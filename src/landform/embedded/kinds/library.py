"""The definitions of Kubernetes' own kinds, kept as JSON text and decoded one at a time.

Decoded as a whole they would cost several times their size in memory, and most of them are never asked for.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any

import msgspec

FILE = "builtin-schemas.json.gz"

META = "io.k8s.apimachinery.pkg.apis.meta.v1."
"""Where the definitions common to all kinds live: ObjectMeta, ListMeta, Status, DeleteOptions, Patch, WatchEvent."""

_REFERENCE = re.compile(rb'"#/components/schemas/([^"]+)"')

_ANYTHING_GOES = frozenset(
    {
        META + "FieldsV1",
        "io.k8s.apimachinery.pkg.runtime.RawExtension",
        "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON",
        "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray",
        "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool",
        "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray",
    }
)
"""Definitions whose text says nothing of the inside because Go reads it by hand: nothing in them is unknown."""


class SubresourceFacts(msgspec.Struct, frozen=True):
    """What Kubernetes' discovery says of a subresource."""

    name: str
    group: str
    version: str
    kind: str
    verbs: tuple[str, ...]
    definition: str


class ResourceFacts(msgspec.Struct, frozen=True, rename="camel"):
    """What Kubernetes' discovery says of a resource, and where its schema is."""

    group_version: str
    plural: str
    singular: str
    kind: str
    namespaced: bool
    short_names: tuple[str, ...]
    categories: tuple[str, ...]
    verbs: tuple[str, ...]
    definition: str
    subresources: tuple[SubresourceFacts, ...]


class _Content(msgspec.Struct):
    """The file; see ``tools/extract_schemas.py``."""

    kubernetes: str
    resources: tuple[ResourceFacts, ...]
    definitions: dict[str, msgspec.Raw]


class Library(Mapping[str, Any]):
    """The definitions by name, decoded at each access; `raw` gives the text that documents are made of."""

    def __init__(self, text: bytes) -> None:
        content = msgspec.json.decode(text, type=_Content)
        self.kubernetes = content.kubernetes
        self.resources = content.resources
        self._definitions = content.definitions

    def __getitem__(self, name: str) -> dict[str, Any]:
        schema: dict[str, Any] = msgspec.json.decode(self._definitions[name])
        if name in _ANYTHING_GOES:
            schema["x-kubernetes-preserve-unknown-fields"] = True
        return schema

    def __iter__(self) -> Iterator[str]:
        return iter(self._definitions)

    def __len__(self) -> int:
        return len(self._definitions)

    def raw(self, name: str) -> msgspec.Raw:
        """A definition as JSON text, exactly as Kubernetes publishes it."""
        return self._definitions[name]

    def closure(self, names: Iterable[str]) -> list[str]:
        """These definitions and all that they refer to, sorted."""
        found: set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += (match.decode() for match in _REFERENCE.findall(bytes(self._definitions[name])))
        return sorted(found)


@cache
def library() -> Library:
    """The library of this package, read once."""
    packed = resources.files(__package__).joinpath(FILE).read_bytes()
    return Library(gzip.decompress(packed))


@cache
def describe(definition: str, field: str) -> str:
    """What Kubernetes says of a field of one of its definitions."""
    description: str = library()[definition]["properties"][field].get("description", "")
    return description
