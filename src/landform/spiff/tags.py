"""Tags: names that nodes carry across documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from landform.spiff.nodes import Node


@dataclass
class Tag:
    """A named node. A local tag may be set again from the same place; a stream tag ends with its document."""

    name: str
    node: Node
    path: tuple[str, ...]
    local: bool
    stream: bool

    @property
    def level(self) -> int:
        """How many parts the name has, less one."""
        return self.name.count(".")


class Tags:
    """The tags of one evaluation."""

    def __init__(self) -> None:
        self._tags: dict[str, Tag] = {}
        self._document = 1

    def set(self, name: str, node: Node, path: tuple[str, ...], *, local: bool, stream: bool) -> str | None:
        """Names a node; returns why that is impossible, if it is."""
        name = name.replace(":", ".")
        old = self._tags.get(name)
        if old is not None:
            if not old.local:
                return f'duplicate tag "{name}": {".".join(path)} in foreign document'
            if old.path != path:
                return f'duplicate tag "{name}": {".".join(path)} <-> {".".join(old.path)}'
        self._tags[name] = Tag(name, node, path, local, stream)
        return None

    def matching(self, name: str) -> list[Tag]:
        """The tags with this name or below it, shortest first."""
        name = name.replace(":", ".")
        if name.startswith("doc."):
            found = self._tags.get(self._document_name(name))
            return [found] if found else []
        below = name + "."
        matches = (tag for tag in self._tags.values() if tag.name == name or tag.name.startswith(below))
        return sorted(matches, key=lambda tag: (tag.level, tag.name))

    def _document_name(self, name: str) -> str:
        try:
            number = int(name[4:])
        except ValueError:
            return ""
        if number <= 0:
            number += self._document
        return f"doc.{number}" if number > 0 else ""

    def reset_stream(self) -> None:
        """Forgets the tags that end with their document."""
        self._tags = {name: tag for name, tag in self._tags.items() if not tag.stream}
        self._document = 1

    def push(self, document: Node) -> None:
        """Keeps a finished document under its number; tags set so far belong to another document from now on."""
        self.set(f"doc.{self._document}", document, (), local=False, stream=False)
        for tag in self._tags.values():
            tag.local = False
        self._document += 1


def name_fault(name: str) -> str | None:
    """Why a text cannot be the name of a tag, if so."""
    for index, char in enumerate(name):
        if char in ".:":
            if index == 0 or name[index - 1] in ".:":
                return "empty tag component not allowed"
        elif char.isascii() and char.isdigit():
            if index == 0 or name[index - 1] in ".:":
                return "tag component must start with alnum rune"
        elif not (char.isascii() and char.isalpha()):
            return f'invalid character "{char}" in tag component'
    return None
