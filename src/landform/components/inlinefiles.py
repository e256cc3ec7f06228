"""Files that are written into a repository specification: a map is a folder, a text is a file."""

from __future__ import annotations

import base64
import binascii
import json
from typing import TYPE_CHECKING, Any

from landform.components.errors import ConfigurationError
from landform.kit import yamls

if TYPE_CHECKING:
    from collections.abc import Iterator

_BEGIN, _END = "---Start Binary---", "---End Binary---"


def read(document: Any) -> dict[str, bytes]:
    """All files of a document by their path without a leading slash."""
    if not isinstance(document, dict):
        raise ConfigurationError("an inline file system must be a map from names to files and folders")
    return dict(_files("", document))


def _files(path: str, value: Any) -> Iterator[tuple[str, bytes]]:
    if isinstance(value, dict) and "$type" in value:
        yield from _typed(path, value["$type"], value.get("value"))
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _files(f"{path}/{name}" if path else str(name), inner)
    elif isinstance(value, str):
        yield path, _unframed(path, value)
    else:
        raise ConfigurationError(f"{path!r} of an inline file system is neither a map nor a text")


def _typed(path: str, kind: Any, value: Any) -> Iterator[tuple[str, bytes]]:
    match kind:
        case "directory":
            for name, inner in (value or {}).items():
                yield from _files(f"{path}/{name}" if path else str(name), inner)
        case "file":
            yield path, _unframed(path, str(value or ""))
        case "yaml":
            yield path, yamls.dump(value).encode()
        case "json":
            yield path, json.dumps(value, ensure_ascii=False).encode()
        case _:
            known = "directory, file, yaml, json"
            raise ConfigurationError(f"{path!r} of an inline file system has the $type {kind!r}; known are {known}")


def _unframed(path: str, text: str) -> bytes:
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) < 2 or lines[0] != _BEGIN or lines[-1] != _END:
        return text.encode()
    try:
        return base64.b64decode("".join(lines[1:-1]).replace("\r", ""), validate=True)
    except binascii.Error as error:
        raise ConfigurationError(f"{path!r} of an inline file system is framed as binary, but not base64") from error
