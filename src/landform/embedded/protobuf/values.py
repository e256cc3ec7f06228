"""Single values in protobuf and what they are in JSON."""

from __future__ import annotations

import base64
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

import msgspec

from landform.embedded.protobuf import wire
from landform.embedded.schemas.bodies import DEEPEST, exceeds_depth
from landform.kit import clocks, durations

Reader: TypeAlias = Callable[[wire.Value, int], Any]
"""Makes JSON data of what stands on the wire; also told how many messages there are around it."""

_EXACT = 2.0**53
"""Up to here a floating number is a whole number without doubt."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def content(value: wire.Value) -> bytes:
    """The bytes of a value that must have some: a text or a message."""
    if type(value) is not bytes:
        raise wire.WireError("a number stands where text or a message is expected")
    return value


def text(value: wire.Value, _: int = 0) -> str:
    """A text."""
    try:
        return content(value).decode()
    except UnicodeDecodeError as error:
        raise wire.WireError("a text is not UTF-8") from error


def integer(value: wire.Value, _: int = 0) -> int:
    """A whole number."""
    if type(value) is not int:
        raise wire.WireError("a whole number is expected")
    return wire.signed(value)


def _yes_or_no(value: wire.Value, _: int) -> bool:
    return bool(integer(value))


def _number(value: wire.Value, _: int) -> float:
    """A number as JSON has it: Go writes whole ones without a fraction."""
    if type(value) is not float:
        raise wire.WireError("a number is expected")
    return int(value) if value.is_integer() and abs(value) < _EXACT else value


def _octets(value: wire.Value, _: int) -> str:
    return base64.b64encode(content(value)).decode()


def _moment(value: wire.Value) -> datetime | None:
    """The time of a Time message; None for an empty one."""
    fields = dict(wire.fields(content(value)))
    seconds, nanos = integer(fields.get(1, 0)), integer(fields.get(2, 0))
    try:
        return _EPOCH + timedelta(seconds=seconds, microseconds=nanos // 1000) if fields else None
    except OverflowError as error:
        raise wire.WireError(f"{seconds} seconds since 1970 is no time") from error


def _time(value: wire.Value, _: int) -> str | None:
    moment = _moment(value)
    return None if moment is None else clocks.rfc3339(moment)


def _micro_time(value: wire.Value, _: int) -> str | None:
    moment = _moment(value)
    return None if moment is None else clocks.rfc3339_micro(moment)


def _duration(value: wire.Value, _: int) -> str:
    return str(durations.Duration(integer(dict(wire.fields(content(value))).get(1, 0))))


def _quantity(value: wire.Value, _: int) -> str:
    return text(dict(wire.fields(content(value))).get(1, b""))


def _int_or_string(value: wire.Value, _: int) -> int | str:
    fields = dict(wire.fields(content(value)))
    return text(fields.get(3, b"")) if fields.get(1) else integer(fields.get(2, 0))


def _json(value: wire.Value, depth: int) -> Any:
    """JSON text inside of a message, no deeper than the messages around it have left."""
    raw = content(dict(wire.fields(content(value))).get(1, b""))
    if exceeds_depth(raw, DEEPEST - 2 * depth):
        raise wire.WireError(f"a value that is JSON is nested too deep; {DEEPEST} levels are allowed in all")
    try:
        return msgspec.json.decode(raw) if raw else None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise wire.WireError(f"a value that should be JSON is none: {error}") from error


READERS: dict[str, Reader] = {
    "s": text,
    "b": _yes_or_no,
    "i": integer,
    "d": _number,
    "y": _octets,
    "T": _time,
    "U": _micro_time,
    "D": _duration,
    "Q": _quantity,
    "I": _int_or_string,
    "R": _json,
}
"""By the letter that `messages` has for the type."""

NOTHING: dict[str, wire.Value] = {"b": 0, "i": 0, "d": 0.0}
"""What a map's entry without a value means, by type; for all others it is no bytes."""
