"""Inputs on their way into a pod: cut into pieces that Secrets can hold, and put together again from their files."""

from __future__ import annotations

import base64
from dataclasses import fields
from typing import TYPE_CHECKING, Final

from landform.deployers.programs.contract.sandboxes import Inputs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PIECE: Final = 512 * 1024
"""The most bytes of one piece, and of all pieces in one Secret."""


def pack(inputs: Inputs) -> list[dict[str, str]]:
    """The data of the Secrets that carry the inputs: one if it suffices, each not over the size of a piece."""
    secrets: list[dict[str, str]] = [{}]
    room = PIECE
    for name, piece in _pieces(inputs):
        if len(piece) > room and secrets[-1]:
            secrets.append({})
            room = PIECE
        secrets[-1][name] = base64.b64encode(piece).decode()
        room -= len(piece)
    return secrets


def unpack(folder: Path) -> Inputs:
    """The inputs whose pieces are files of the folder."""
    found: dict[str, bytes] = {}
    for path in sorted(folder.iterdir()):
        name, dot, _ = path.name.partition(".")
        if name and dot:  # the kubelet keeps files of its own there, which begin with dots
            found[name] = found.get(name, b"") + path.read_bytes()
    return Inputs(**found)


def _pieces(inputs: Inputs) -> Iterator[tuple[str, bytes]]:
    """What there is, with names that sort by their place; an empty value is one empty piece."""
    for field in fields(inputs):
        value: bytes | None = getattr(inputs, field.name)
        if value is not None:
            for number, start in enumerate(range(0, len(value) or 1, PIECE)):
                yield f"{field.name}.{number:05}", value[start : start + PIECE]
