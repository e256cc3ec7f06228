"""References in JSON schemas: ``local://`` types, ``blueprint://`` files and ``cd://`` resources of components.

A map with such a reference is replaced by what it refers to, so that a schema is whole before it is compiled.
References of any other kind stay as they are.
"""

from __future__ import annotations

import dataclasses
import json
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from landform.blueprints.errors import SchemaError
from landform.blueprints.questions import RESOURCE_CONTENT
from landform.components import selection, uris
from landform.components.errors import ComponentError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.blueprints.files import BlueprintFiles
    from landform.blueprints.questions import Answers
    from landform.components.versions import ComponentVersion

LOCAL: Final = "local://"
BLUEPRINT: Final = "blueprint://"
COMPONENT: Final = uris.SCHEME

MOST_NODES: Final = 200_000
"""Most values of a resolved schema: types that use types twice, thirty levels deep, would fill the memory."""

MOST_BYTES: Final = 8 * 1024 * 1024
"""Largest schema file, once it is decompressed."""

_GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class Surroundings:
    """What the references of a schema can mean where it stands."""

    local_types: Mapping[str, Any]
    files: BlueprintFiles | None
    component: ComponentVersion | None

    document: Any = None
    """What ``#/...`` refers to, if the schema's document is not the whole that is compiled in the end."""

    @property
    def owner(self) -> str:
        """The component version, to tell equal references of different components apart."""
        return f"{self.component.name}:{self.component.version}" if self.component else ""


class Resolution:
    """Makes one schema whole."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._left = MOST_NODES
        self._trail: list[str] = []

    def resolved(self, schema: Any, surroundings: Surroundings, *, whole: bool = False) -> Any:
        """The schema with the content of its references; `whole` if it is what will be compiled."""
        self._left -= 1
        if self._left < 0:
            raise SchemaError(f"the JSON schema has more than {MOST_NODES} values once its references are followed")
        if isinstance(schema, list):
            return [self.resolved(inner, surroundings) for inner in schema]
        if not isinstance(schema, dict):
            return schema
        reference = schema.get("$ref")
        if isinstance(reference, str) and self._is_ours(reference, surroundings):
            return self._followed(reference, surroundings, whole)
        return {name: self.resolved(inner, surroundings) for name, inner in schema.items()}

    def _is_ours(self, reference: str, surroundings: Surroundings) -> bool:
        if reference.startswith("#"):
            return surroundings.document is not None
        return reference.startswith((LOCAL, BLUEPRINT, COMPONENT))

    def _followed(self, reference: str, surroundings: Surroundings, whole: bool) -> Any:
        step = f"{surroundings.owner}::{reference}" if surroundings.owner else reference
        if reference.startswith("#"):
            step = f"{self._trail[-1].partition('#')[0]}{reference}"
        if step in self._trail:
            circle = " -> ".join([*self._trail[self._trail.index(step) :], step])
            raise SchemaError(f"the references of the JSON schema lead in a circle: {circle}")
        self._trail.append(step)
        document, around = self._looked_up(reference, surroundings)
        path = reference.partition("#")[2]
        is_whole = whole and not path.strip("/")
        around = dataclasses.replace(around, document=None if is_whole else document)
        result = self.resolved(_inside(document, path, reference), around, whole=is_whole)
        self._trail.pop()
        return result

    def _looked_up(self, reference: str, surroundings: Surroundings) -> tuple[Any, Surroundings]:
        """The document that a reference is about, and what references inside of it can mean."""
        address = reference.partition("#")[0]
        if not address:
            return surroundings.document, surroundings
        if reference.startswith(LOCAL):
            return _local_type(unquote(address.removeprefix(LOCAL)), reference, surroundings), surroundings
        if reference.startswith(BLUEPRINT):
            return _file(unquote(address.removeprefix(BLUEPRINT)), reference, surroundings), surroundings
        return self._resource(reference, surroundings)

    def _resource(self, reference: str, surroundings: Surroundings) -> tuple[Any, Surroundings]:
        component = surroundings.component
        if component is None:
            raise SchemaError(f"{reference}: there is no component descriptor, so no component can be referred to")
        try:
            uri = uris.parse(reference)
            holder = dataclasses.replace(component, descriptor=component.follow(uri.references))
            if uri.resource is None:
                raise SchemaError(f"{reference}: this names a component; a JSON schema is one of its resources")
            selection.resource_named(holder.descriptor, uri.resource)
        except ComponentError as exc:
            raise SchemaError(f"{reference}: {exc}") from exc
        content = self._answers.ask(RESOURCE_CONTENT, holder.name, holder.version, uri.resource)
        # A schema elsewhere knows nothing of the types and files of the blueprint that happens to use it.
        return _parsed(_inflated(content, reference), reference), Surroundings({}, None, holder)


def _local_type(name: str, reference: str, surroundings: Surroundings) -> Any:
    if name not in surroundings.local_types:
        known = ", ".join(surroundings.local_types) or "none"
        raise SchemaError(f"{reference}: there is no such local type; known are: {known}")
    return surroundings.local_types[name]


def _file(path: str, reference: str, surroundings: Surroundings) -> Any:
    if surroundings.files is None:
        raise SchemaError(f"{reference}: a JSON schema of a component cannot refer to files of a blueprint")
    return _parsed(surroundings.files.read(path, wanted_by=f"the JSON schema reference {reference}"), reference)


def _inflated(content: bytes, reference: str) -> bytes:
    if not content.startswith(_GZIP):
        return content
    try:
        inflater = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        inflated = inflater.decompress(content, MOST_BYTES)
    except zlib.error as exc:
        raise SchemaError(f"{reference}: the content cannot be decompressed: {exc}") from exc
    if inflater.unconsumed_tail:
        raise SchemaError(f"{reference}: the content has more than {MOST_BYTES >> 20} MiB")
    return inflated


def _parsed(content: bytes, reference: str) -> Any:
    try:
        return json.loads(content)
    except json.JSONDecodeError as exc:
        raise SchemaError(f"{reference}: not JSON: line {exc.lineno}, column {exc.colno}: {exc.msg}") from exc
    except (UnicodeDecodeError, RecursionError) as exc:
        raise SchemaError(f"{reference}: not JSON: {exc}") from exc


def _inside(document: Any, path: str, reference: str) -> Any:
    """The part of a document that a fragment such as ``/definitions/port`` names."""
    for name in filter(None, path.split("/")):
        if not isinstance(document, dict) or name not in document:
            raise SchemaError(f"{reference}: there is no {name!r} in it")
        document = document[name]
    return document
