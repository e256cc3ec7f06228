"""`cd://` URIs: from a component version through its references to a resource."""

from __future__ import annotations

from dataclasses import dataclass

from landform.components.errors import InvalidReference

SCHEME = "cd://"
LONGEST = 2083
"""Most characters of a URI."""

_REFERENCES = "componentReferences"
_RESOURCES = "resources"


@dataclass(frozen=True)
class ComponentUri:
    """Where a URI leads: along `references`, to a `resource` of the last one, or to that component itself."""

    references: tuple[str, ...]
    """Names of component references, to be followed one after the other."""

    resource: str | None
    """Name of a resource of the component version that they lead to; None means that component version itself."""

    fragment: str
    """What follows `#`, a path inside the content; empty if there is none."""


def parse(uri: str) -> ComponentUri:
    """The parts of a URI such as ``cd://componentReferences/a/resources/b#/path``."""
    if len(uri) > LONGEST:
        raise InvalidReference(f"the URI {uri[:60]!r}… has {len(uri)} characters; at most {LONGEST} are allowed")
    if not uri.startswith(SCHEME):
        raise InvalidReference(f"the URI {uri!r} does not begin with {SCHEME}")
    path, _, fragment = uri.removeprefix(SCHEME).partition("#")
    segments = path.split("/")
    if len(segments) % 2:
        raise InvalidReference(f"the URI {uri!r} must have pairs of a keyword and a name, such as cd://resources/chart")
    references, resource = _walk(uri, list(zip(segments[::2], segments[1::2], strict=True)))
    return ComponentUri(references, resource, fragment)


def _walk(uri: str, pairs: list[tuple[str, str]]) -> tuple[tuple[str, ...], str | None]:
    references = []
    for index, (keyword, name) in enumerate(pairs):
        if not name:
            raise InvalidReference(f"the URI {uri!r} has no name after {keyword!r}")
        if keyword == _REFERENCES:
            references.append(name)
        elif keyword != _RESOURCES:
            raise InvalidReference(
                f"the URI {uri!r} has the keyword {keyword!r}; known are {_REFERENCES}, {_RESOURCES}"
            )
        elif index < len(pairs) - 1:
            raise InvalidReference(f"the URI {uri!r} goes on after the resource {name!r}; a resource must come last")
        else:
            return tuple(references), name
    return tuple(references), None
