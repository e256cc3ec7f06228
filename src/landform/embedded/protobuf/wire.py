"""Protobuf's wire format: a message is a row of numbered values."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

Value: TypeAlias = int | float | bytes
"""What a field may be on the wire: a number, or bytes that mean whatever the message says."""

_LONGEST_VARINT = 10


class WireError(ValueError):
    """The bytes are no protobuf message."""


def fields(message: bytes) -> Iterator[tuple[int, Value]]:
    """The field numbers and values of a message, in order."""
    at, end = 0, len(message)
    while at < end:
        tag, at = varint(message, at)
        value: Value
        match tag & 7:
            case 0:
                value, at = varint(message, at)
            case 1:
                value, at = _fixed(message, at, "<d")
            case 2:
                length, at = varint(message, at)
                if length > end - at:
                    raise WireError(f"at byte {at} a value of {length} bytes is announced, {end - at} are left")
                value, at = message[at : at + length], at + length
            case 5:
                value, at = _fixed(message, at, "<f")
            case wire_type:
                raise WireError(f"at byte {at} stands the unknown wire type {wire_type}")
        yield tag >> 3, value


def varint(message: bytes, at: int) -> tuple[int, int]:
    """The number at a place, and the place after it."""
    value = 0
    for index, byte in enumerate(message[at : at + _LONGEST_VARINT]):
        value |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, at + index + 1
    raise WireError(f"at byte {at} a number does not end")


def signed(value: int) -> int:
    """A number that was written as its 64-bit complement if negative."""
    return value - (1 << 64) if value >> 63 else value


def _fixed(message: bytes, at: int, form: str) -> tuple[float, int]:
    size = struct.calcsize(form)
    if at + size > len(message):
        raise WireError(f"at byte {at} a number of {size} bytes is cut off")
    return struct.unpack_from(form, message, at)[0], at + size
