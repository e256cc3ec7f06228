"""Folders for tests: made from a description, and described again."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, NamedTuple

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from hypothesis.strategies import SearchStrategy


class Node(NamedTuple):
    """A file, or a folder if it has no content."""

    content: bytes | None
    mode: int
    mtime: int = 1_700_000_000


Tree = dict[bytes, Node]
"""What is in a folder, by relative path; the folders on the way to a path are there too."""


def make(folder: Path, tree: Mapping[bytes, Node]) -> Path:
    """The folder, filled."""
    top = os.fsencode(folder)
    os.makedirs(top, exist_ok=True)
    for path, node in sorted(tree.items()):
        place = top + b"/" + path
        if node.content is None:
            os.mkdir(place)
        else:
            with open(place, "wb") as file:
                file.write(node.content)
    for path, node in sorted(tree.items(), reverse=True):
        os.chmod(top + b"/" + path, node.mode)
        os.utime(top + b"/" + path, (node.mtime, node.mtime))
    return folder


def describe(folder: Path) -> Tree:
    """What is in a folder; read as root or by the owner, whatever the permissions say."""
    found: Tree = {}
    _describe(os.fsencode(folder), b"", found)
    return found


def _describe(top: bytes, prefix: bytes, found: Tree) -> None:
    for name in os.listdir(top + b"/" + prefix):
        path = prefix + name
        said = os.lstat(top + b"/" + path)
        mode = stat.S_IMODE(said.st_mode)
        if stat.S_ISDIR(said.st_mode):
            found[path] = Node(None, mode, int(said.st_mtime))
            _describe(top, path + b"/", found)
        else:
            with open(top + b"/" + path, "rb") as file:
                found[path] = Node(file.read(), mode, int(said.st_mtime))


_NAMES = (
    st.sampled_from(
        [b"a", b"b", b"a b", b".hidden", b"\xc3\xa4\xe6\xbc\xa2", b"\xff\xfe", b"new\nline", b"-rf", b"x" * 120]
    )
    | st.binary(min_size=1, max_size=12).filter(lambda name: b"/" not in name and b"\0" not in name)
).filter(lambda name: name not in (b".", b".."))
_TIMES = st.integers(0, 4_000_000_000)
_CONTENTS = st.binary(max_size=700) | st.sampled_from([b"", bytes(512), b"\0" * 1025 + b"x", b"text\n" * 400])
_FILES = st.builds(Node, _CONTENTS, st.sampled_from([0o600, 0o644, 0o755, 0o400, 0o777]), _TIMES)
_FOLDERS = st.builds(Node, st.none(), st.sampled_from([0o700, 0o755, 0o777]), _TIMES)


@st.composite
def _trees(draw: st.DrawFn) -> Tree:
    folders = [b""]
    tree: Tree = {}
    for name in draw(st.lists(_NAMES, max_size=10)):
        path = draw(st.sampled_from(folders)) + name
        if path in tree:
            continue
        tree[path] = draw(_FILES | _FOLDERS)
        if tree[path].content is None:
            folders.append(path + b"/")
    return tree


trees: SearchStrategy[Tree] = _trees()
"""Small folders with every kind of name, permission and content."""
