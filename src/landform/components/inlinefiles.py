"""Files that are written into a repository specification."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.components.errors import ConfigurationError
from landform.kit import filetrees
from landform.kit.filetrees import Folder, Link, TreeError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from landform.kit.filetrees import Node


def read(document: Any) -> dict[str, bytes]:
    """All files of a document by their path without a leading slash. Links are refused: repositories have none."""
    try:
        return dict(_files("", filetrees.tree(document)))
    except TreeError as error:
        raise ConfigurationError(f"{error.path!r} of an inline file system {error.problem}") from error


def _files(path: str, node: Node) -> Iterator[tuple[str, bytes]]:
    if isinstance(node, Link):
        raise TreeError(path, "is a symbolic link, which a repository cannot have")
    if isinstance(node, Folder):
        for name, inner in node.entries.items():
            yield from _files(f"{path}/{name}" if path else name, inner)
    else:
        yield path, node
