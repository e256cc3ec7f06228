"""What a URL path names: a resource, or one of the documents. Pure."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import unquote


class ResourcePath(NamedTuple):
    """A path below ``/api`` or ``/apis`` that names a resource."""

    group: str
    version: str
    plural: str
    namespace: str = ""
    name: str = ""
    subresource: str = ""


_NAMESPACE_SUBRESOURCES = ("status", "finalize")


def parse(path: str) -> ResourcePath | None:
    """The resource that a path names; None if it names none (a document, or nothing)."""
    parts = path.strip("/").split("/")
    if parts[0] == "api" and len(parts) >= 3:
        group, version, rest = "", parts[1], parts[2:]
    elif parts[0] == "apis" and len(parts) >= 4:
        group, version, rest = parts[1], parts[2], parts[3:]
    else:
        return None
    if "%" in path:
        rest = [unquote(part) for part in rest]
    namespace = ""
    if rest[0] == "namespaces" and len(rest) >= 3 and not (len(rest) == 3 and rest[2] in _NAMESPACE_SUBRESOURCES):
        namespace, rest = rest[1], rest[2:]
        if not namespace:
            return None
    if len(rest) > 3 or "" in rest:
        return None
    plural, name, subresource = (*rest, "", "")[:3]
    return ResourcePath(group, version, plural, namespace, name, subresource)
