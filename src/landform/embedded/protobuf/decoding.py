"""From Kubernetes' protobuf to JSON data, as Go would write the same object in JSON; only nulls are left out.

The fields of a message are made into readers when it first occurs, so that decoding itself asks no questions of types.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from landform.embedded.protobuf import wire
from landform.embedded.protobuf.messages import Field, messages
from landform.embedded.protobuf.values import NOTHING, READERS, Reader, content, integer, text
from landform.embedded.schemas.bodies import DEEPEST

if TYPE_CHECKING:
    from landform.cluster.resources import Unstructured

MEDIA_TYPE = "application/vnd.kubernetes.protobuf"

_MAGIC = b"k8s\x00"
_DEEPEST = DEEPEST // 2
"""Messages inside of messages: each is at most a list and its item in JSON, so the result is no deeper than a body."""


def decode(body: bytes) -> Unstructured:
    """The object that a body holds; ValueError, in words for its sender, if it holds none that is known here."""
    if not body.startswith(_MAGIC):
        raise ValueError("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")
    try:
        envelope = dict(wire.fields(body[len(_MAGIC) :]))
        type_meta = dict(wire.fields(content(envelope.get(1, b""))))
        api_version, kind = text(type_meta.get(1, b"")), text(type_meta.get(2, b""))
        message = messages().of_kind(api_version, kind)
        if message is None:
            raise ValueError(f'no kind "{kind}" is registered for version "{api_version}" in protobuf; send it as JSON')
        found = _message(message, content(envelope.get(2, b"")), 0)
    except wire.WireError as error:
        raise ValueError(f"the body is not valid protobuf: {error}") from error
    return {"apiVersion": api_version, "kind": kind, **found}


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is done with a field when it occurs."""

    name: str
    form: str
    """``[`` list, ``{`` map, empty for a single value."""

    read: Reader
    """Reads the value, or one item."""

    empty: wire.Value
    """What stands for a value that a map's entry leaves out."""

    mode: str


@cache
def _plans(message: str) -> dict[int, _Plan]:
    """The plans of a message's fields by their numbers."""
    return {number: _plan(field) for number, field in messages().fields(message).items()}


def _plan(field: Field) -> _Plan:
    form = field.type[0] if field.type[0] in "[{" else ""
    type_ = field.type[len(form) :]
    return _Plan(field.name, form, _reader(type_), NOTHING.get(type_, b""), field.mode)


def _reader(type_: str) -> Reader:
    """How values of a type are read."""
    if type_ in READERS:
        return READERS[type_]
    if type_[0] == "w":
        item = _reader(type_[2:])
        return lambda value, depth: [item(found, depth) for _, found in wire.fields(content(value))]
    if type_[0] == "P":
        return lambda value, depth: _this_or_that(type_[1:], content(value), depth)
    return lambda value, depth: _message(type_, content(value), depth)


def _message(name: str, data: bytes, depth: int) -> dict[str, Any]:
    """The fields of a message under their JSON names."""
    if depth > _DEEPEST:
        raise wire.WireError(f"messages are nested more than {_DEEPEST} deep")
    plans = _plans(name)
    depth += 1
    found: dict[str, Any] = {}
    for number, value in wire.fields(data):
        plan = plans.get(number)
        if plan is None:
            continue  # like the API server, skip what a newer client may know
        if plan.form:
            _add(found, plan, value, depth)
            continue
        taken = plan.read(value, depth)
        # Said only if it says something, or if Go says it anyway.
        if taken or (plan.mode and taken is not None):
            if plan.mode == "n":
                found.update(taken)
            else:
                found[plan.name] = taken
    return found


def _add(found: dict[str, Any], plan: _Plan, value: wire.Value, depth: int) -> None:
    """Add to a list or a map what one occurrence of its field brings."""
    if plan.form == "{":
        entry = dict(wire.fields(content(value)))
        key, inner = text(entry.get(1, b"")), plan.read(entry.get(2, plan.empty), depth)
        found.setdefault(plan.name, {})[key] = inner
        return
    items = found.setdefault(plan.name, [])
    if plan.read is integer and type(value) is bytes:
        items.extend(plan.read(number, depth) for number in wire.packed(value))
    else:
        items.append(plan.read(value, depth))


def _this_or_that(name: str, data: bytes, depth: int) -> Any:
    """A schema where a list or a plain value may stand too: the second field, if it is there, is meant."""
    this: Any = None
    that: list[Any] = []
    plans = _plans(name)
    for number, value in wire.fields(data):
        plan = plans.get(number)
        if plan is None:
            continue
        if plan.form:
            that.append(plan.read(value, depth))
        else:
            this = plan.read(value, depth)
    return that or this
