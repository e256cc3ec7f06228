"""Digests of content, such as ``sha256:`` and 64 hexadecimal digits."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from landform.components.errors import Corrupt

if TYPE_CHECKING:
    from pathlib import Path

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128}")
_ALGORITHMS = {"sha256": hashlib.sha256, "sha512": hashlib.sha512}
"""By name; to look one up in hashlib takes ten times as long as to hash a small blob."""


def is_digest(text: str) -> bool:
    """Whether a text is a digest of a known algorithm."""
    return _DIGEST.fullmatch(text) is not None


def of(content: bytes) -> str:
    """The usual digest of some content."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def checked(content: bytes, digest: str, what: str) -> bytes:
    """The content, if its digest is the given one."""
    if not is_digest(digest):
        raise Corrupt(f"{what}: {digest!r} is not a sha256 or sha512 digest")
    algorithm, _, expected = digest.partition(":")
    found = _ALGORITHMS[algorithm](content).hexdigest()
    if found != expected:
        raise Corrupt(
            f"{what} does not match its digest: {digest} is expected, but the content has {algorithm}:{found}"
        )
    return content


def file_name(digest: str) -> str:
    """The name that archives give to the file with that content."""
    return digest.replace(":", ".", 1)


def of_file(path: Path, algorithm: str) -> str:
    """The hexadecimal hash of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()
