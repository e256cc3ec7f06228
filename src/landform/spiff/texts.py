"""Texts as Go sees them: bytes that are usually UTF-8."""

from __future__ import annotations


def to_bytes(text: str) -> bytes:
    """The bytes of a text; half characters are kept as they were cut."""
    return text.encode("utf-8", "surrogateescape")


def from_bytes(data: bytes) -> str:
    """The text that some bytes are; what is not UTF-8 is kept so that `to_bytes` gives it back."""
    return data.decode("utf-8", "surrogateescape")


def printable(text: str) -> str:
    """The text with a replacement character for every byte that is not UTF-8, as in JSON."""
    if text.isascii():
        return text
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def byte_length(text: str) -> int:
    """How many bytes a text has."""
    return len(text) if text.isascii() else len(to_bytes(text))
