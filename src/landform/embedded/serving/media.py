"""Which representation a client wants: plain objects, a table, or metadata only. Pure."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from functools import lru_cache

from landform.cluster.errors import NotAcceptable


class Shape(enum.Enum):
    """How objects are shown."""

    OBJECT = "object"
    TABLE = "Table"
    METADATA = "PartialObjectMetadata"


@dataclass(frozen=True)
class Wanted:
    """One acceptable representation."""

    shape: Shape = Shape.OBJECT
    yaml: bool = False
    version: str = "v1"


_SHAPES = {
    "Table": Shape.TABLE,
    "PartialObjectMetadata": Shape.METADATA,
    "PartialObjectMetadataList": Shape.METADATA,
}


@lru_cache(maxsize=256)
def wanted(accept: str) -> Wanted:
    """The first representation in an Accept header that we have; NotAcceptable if there is none."""
    if not accept:
        return Wanted()
    for media_type, options in _clauses(accept):
        if media_type in ("application/json", "*/*", "application/*"):
            named = options.get("as")
            if named is None:
                return Wanted()
            if named in _SHAPES and options.get("g") == "meta.k8s.io" and options.get("v") in ("v1", "v1beta1"):
                return Wanted(_SHAPES[named], version=options["v"])
        elif media_type in ("application/yaml", "text/yaml"):
            return Wanted(yaml=True)
    raise NotAcceptable(
        "only the following media types are accepted: application/json, application/yaml,"
        " application/json;as=Table;g=meta.k8s.io;v=v1"
    )


@lru_cache(maxsize=256)
def accepts(accept: str, media_type: str) -> bool:
    """Whether an Accept header names this very media type, with its parameters in any order."""
    (wanted_type, wanted_options), *_ = _clauses(media_type)
    return any(
        found == wanted_type and options.items() >= wanted_options.items() for found, options in _clauses(accept)
    )


def _clauses(accept: str) -> list[tuple[str, dict[str, str]]]:
    """The media types of an Accept header in their order, each with its parameters."""
    clauses = []
    for clause in accept.split(","):
        media_type, *parameters = (part.strip() for part in clause.split(";"))
        named = (parameter.partition("=") for parameter in parameters)
        clauses.append((media_type.lower(), {key: value for key, _, value in named}))
    return clauses
