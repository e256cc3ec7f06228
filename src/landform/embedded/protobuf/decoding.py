"""From Kubernetes' protobuf to JSON data, as the API server would write the same object in JSON."""

from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import msgspec

from landform.embedded.protobuf import wire
from landform.embedded.protobuf.messages import Field, messages
from landform.embedded.schemas.bodies import DEEPEST, exceeds_depth
from landform.kit import clocks, durations

if TYPE_CHECKING:
    from collections.abc import Callable

    from landform.cluster.resources import Unstructured

MEDIA_TYPE = "application/vnd.kubernetes.protobuf"

_MAGIC = b"k8s\x00"
_DEEPEST = DEEPEST // 2
"""Messages inside of messages: each is at most a list and its item in JSON, so the result is no deeper than a body."""

_NOTHING: dict[str, wire.Value] = {"b": 0, "i": 0, "d": 0.0}
"""What a map's entry without a value means, by type; for all others it is no bytes."""

_EXACT = 2.0**53
"""Up to here a floating number is a whole number without doubt."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def decode(body: bytes) -> Unstructured:
    """The object that a body holds; ValueError, in words for its sender, if it holds none that is known here."""
    if not body.startswith(_MAGIC):
        raise ValueError("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")
    try:
        envelope = dict(wire.fields(body[len(_MAGIC) :]))
        type_meta = dict(wire.fields(_bytes(envelope.get(1, b""))))
        api_version, kind = _text(type_meta.get(1, b"")), _text(type_meta.get(2, b""))
        message = messages().of_kind(api_version, kind)
        if message is None:
            raise ValueError(f'no kind "{kind}" is registered for version "{api_version}" in protobuf; send it as JSON')
        content = _message(message, _bytes(envelope.get(2, b"")), 0)
    except wire.WireError as error:
        raise ValueError(f"the body is not valid protobuf: {error}") from error
    return {"apiVersion": api_version, "kind": kind, **content}


def _message(name: str, data: bytes, depth: int) -> dict[str, Any]:
    """The fields of a message under their JSON names."""
    if depth > _DEEPEST:
        raise wire.WireError(f"messages are nested more than {_DEEPEST} deep")
    known = messages().fields(name)
    found: dict[str, Any] = {}
    for number, value in wire.fields(data):
        # Like the API server, skip what a newer client may know.
        if (field := known.get(number)) is not None:
            _take(found, field, value, depth + 1)
    return found


def _take(found: dict[str, Any], field: Field, value: wire.Value, depth: int) -> None:
    """Add the value of a field to what was found, unless it says only that there is nothing."""
    match field.type[0]:
        case "[":
            found.setdefault(field.name, []).extend(_items(field.type[1:], value, depth))
        case "{":
            entry = dict(wire.fields(_bytes(value)))
            inner = entry.get(2, _NOTHING.get(field.type[1:], b""))
            found.setdefault(field.name, {})[_text(entry.get(1, b""))] = _value(field.type[1:], inner, depth)
        case _:
            taken = _value(field.type, value, depth)
            if field.mode == "n":
                found.update(taken)
            elif taken is not None and (taken or field.mode):
                found[field.name] = taken


def _items(type_: str, value: wire.Value, depth: int) -> list[Any]:
    """The items that one occurrence of a repeated field brings: one, or many numbers packed together."""
    if type_ == "i" and isinstance(value, bytes):
        numbers, at = [], 0
        while at < len(value):
            number, at = wire.varint(value, at)
            numbers.append(wire.signed(number))
        return numbers
    return [_value(type_, value, depth)]


def _value(type_: str, value: wire.Value, depth: int) -> Any:
    """A value of a type, as JSON has it."""
    if type_ in _PLAIN:
        return _PLAIN[type_](value)
    data = _bytes(value)
    if type_ == "R":
        return _json(dict(wire.fields(data)), depth)
    if type_ in _MESSAGES:
        return _MESSAGES[type_](dict(wire.fields(data)))
    match type_[0]:
        case "w":
            return [_value(type_[2:], item, depth) for _, item in wire.fields(data)]
        case "P":
            return _this_or_that(type_[1:], data, depth)
    return _message(type_, data, depth)


def _this_or_that(name: str, data: bytes, depth: int) -> Any:
    """A schema where a list or a plain value may stand too: the second field, if it is there, is meant."""
    this: Any = None
    that: list[Any] = []
    known = messages().fields(name)
    for number, value in wire.fields(data):
        type_ = known[number].type if number in known else ""
        if type_.startswith("["):
            that.append(_value(type_[1:], value, depth))
        elif type_:
            this = _value(type_, value, depth)
    return that or this


def _bytes(value: wire.Value) -> bytes:
    if not isinstance(value, bytes):
        raise wire.WireError("a number stands where text or a message is expected")
    return value


def _text(value: wire.Value) -> str:
    try:
        return _bytes(value).decode()
    except UnicodeDecodeError as error:
        raise wire.WireError("a text is not UTF-8") from error


def _integer(value: wire.Value) -> int:
    if not isinstance(value, int):
        raise wire.WireError("a whole number is expected")
    return wire.signed(value)


def _number(value: wire.Value) -> float:
    """A number as JSON has it: Go writes whole ones without a fraction."""
    if not isinstance(value, float):
        raise wire.WireError("a number is expected")
    return int(value) if value.is_integer() and abs(value) < _EXACT else value


_PLAIN: dict[str, Callable[[wire.Value], Any]] = {
    "s": _text,
    "b": lambda value: bool(_integer(value)),
    "i": _integer,
    "d": _number,
    "y": lambda value: base64.b64encode(_bytes(value)).decode(),
}


def _moment(fields: dict[int, wire.Value]) -> datetime | None:
    """The time of a Time message; None for an empty one."""
    seconds, nanos = _integer(fields.get(1, 0)), _integer(fields.get(2, 0))
    try:
        return _EPOCH + timedelta(seconds=seconds, microseconds=nanos // 1000) if fields else None
    except OverflowError as error:
        raise wire.WireError(f"{seconds} seconds since 1970 is no time") from error


def _time(fields: dict[int, wire.Value]) -> str | None:
    moment = _moment(fields)
    return None if moment is None else clocks.rfc3339(moment)


def _micro_time(fields: dict[int, wire.Value]) -> str | None:
    moment = _moment(fields)
    return None if moment is None else clocks.rfc3339_micro(moment)


def _int_or_string(fields: dict[int, wire.Value]) -> int | str:
    return _text(fields.get(3, b"")) if fields.get(1) else _integer(fields.get(2, 0))


def _json(fields: dict[int, wire.Value], depth: int) -> Any:
    """JSON text inside of a message, no deeper than the messages around it have left."""
    raw = _bytes(fields.get(1, b""))
    if exceeds_depth(raw, DEEPEST - 2 * depth):
        raise wire.WireError(f"a value that is JSON is nested too deep; {DEEPEST} levels are allowed in all")
    try:
        return msgspec.json.decode(raw) if raw else None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise wire.WireError(f"a value that should be JSON is none: {error}") from error


_MESSAGES: dict[str, Callable[[dict[int, wire.Value]], Any]] = {
    "T": _time,
    "U": _micro_time,
    "D": lambda fields: str(durations.Duration(_integer(fields.get(1, 0)))),
    "Q": lambda fields: _text(fields.get(1, b"")),
    "I": _int_or_string,
}
"""Messages that are one value in JSON."""
