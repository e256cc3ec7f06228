"""Files that are written into a document: a map is a folder, a text a file, and a map with `$type` says what it is.

>>> tree({"docs": {"a.txt": "hello"}, "b.json": {"$type": "json", "value": [1]}})
Folder(entries={'docs': Folder(entries={'a.txt': b'hello'}), 'b.json': b'[1]'})
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from landform.kit import framing, yamls

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Link:
    """A symbolic link."""

    target: str


@dataclass
class Folder:
    """A folder with what is in it, by name."""

    entries: dict[str, Node] = field(default_factory=dict)


Node: TypeAlias = bytes | Link | Folder


class TreeError(ValueError):
    """A document that cannot be files: which path of it, and why."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path!r} {problem}")
        self.path, self.problem = path, problem


def tree(document: Any) -> Folder:
    """The files of a document."""
    root = _node("/", document)
    if not isinstance(root, Folder):
        raise TreeError("/", "must be a map from names to files and folders")
    return root


def _node(path: str, value: Any) -> Node:
    match value:
        case {"$type": kind}:
            return _typed(path, kind, value)
        case dict():
            return Folder({name: _node(f"{path.rstrip('/')}/{name}", value[name]) for name in _names(path, value)})
        case list():
            raise TreeError(path, "is a list; write a map for a folder, a text for a file, or give it a $type")
    return _plain_content(path, value)


def _typed(path: str, kind: Any, entry: dict[str, Any]) -> Node:
    value = entry.get("value")
    match kind:
        case "directory":
            if not isinstance(value, dict | None):
                raise TreeError(path, "is of $type directory, so its value must be a map")
            return _node(path, {key: inner for key, inner in (value or {}).items() if key != "$type"})
        case "symlink":
            if not isinstance(value, str) or not value:
                raise TreeError(path, "is of $type symlink, so its value must be the path that it leads to")
            return Link(value)
        case "yaml":
            return yamls.dump(value).encode()
        case "json":
            return json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False).encode()
        case "file":
            return _plain_content(path, entry.get("binary") if value is None else value)
    raise TreeError(path, f"has the unknown $type {kind!r}; known are directory, file, json, symlink and yaml")


def _names(path: str, folder: dict[str, Any]) -> Iterator[str]:
    for name in folder:
        if "/" in name or name in ("", ".", ".."):
            raise TreeError(path, f"has an entry {name!r}, which cannot be the name of a file")
        yield name


def _plain_content(path: str, value: Any) -> bytes:
    match value:
        case None:
            return b""
        case str():
            return _unframed(path, value)
        case dict() | list():
            raise TreeError(path, "is of $type file, so its value must be a text; use $type yaml or json for data")
    return json.dumps(value).encode()  # a bare number or boolean: what was written, not Go's %!s(int=5)


def _unframed(path: str, text: str) -> bytes:
    try:
        return framing.unframed(text)
    except ValueError as error:
        raise TreeError(path, f"is framed as binary content, but is not base64: {error}") from error
