"""Protobuf's wire format: a message is a row of numbered values."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

Value: TypeAlias = int | float | bytes
"""What a field may be on the wire: a number, or bytes that mean whatever the message says."""

_LONGEST_VARINT = 10
_VARINT, _DOUBLE, _BYTES, _FLOAT = 0, 1, 2, 5


class WireError(ValueError):
    """The bytes are no protobuf message."""


def fields(message: bytes) -> Iterator[tuple[int, Value]]:
    """The field numbers and values of a message, in order."""
    at, end = 0, len(message)
    while at < end:
        # Nearly all tags and lengths are one byte: those are taken here, without a call.
        tag = message[at]
        at += 1
        if tag > 0x7F:
            tag, at = varint(message, at - 1)
        wire_type = tag & 7
        value: Value
        if wire_type == _BYTES:
            if at < end and message[at] < 0x80:
                length, at = message[at], at + 1
            else:
                length, at = varint(message, at)
            stop = at + length
            if stop > end:
                raise WireError(f"at byte {at} a value of {length} bytes is announced, {end - at} are left")
            value, at = message[at:stop], stop
        elif wire_type == _VARINT:
            value, at = varint(message, at)
        elif wire_type == _DOUBLE:
            value, at = _fixed(message, at, "<d")
        elif wire_type == _FLOAT:
            value, at = _fixed(message, at, "<f")
        else:
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


def packed(numbers: bytes) -> Iterator[int]:
    """The numbers of a list that is written as one value."""
    at = 0
    while at < len(numbers):
        number, at = varint(numbers, at)
        yield number


def signed(value: int) -> int:
    """A number that was written as its 64-bit complement if negative."""
    return value - (1 << 64) if value >> 63 else value


def _fixed(message: bytes, at: int, form: str) -> tuple[float, int]:
    size = struct.calcsize(form)
    if at + size > len(message):
        raise WireError(f"at byte {at} a number of {size} bytes is cut off")
    return struct.unpack_from(form, message, at)[0], at + size
