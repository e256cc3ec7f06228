"""Values as YAML text, as the original's emitter (a port of libyaml) writes them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import yaml

from landform.spiff.documents import plain_value
from landform.spiff.numbers import shortest
from landform.spiff.scalars import scalar
from landform.spiff.values import bool_text

if TYPE_CHECKING:
    from collections.abc import Iterator

_Dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_LINES = re.compile("\n|\u0085|\u2028|\u2029")
_TIME = re.compile("[0-9]{4}-")


def to_yaml(value: Any) -> str:
    """A value as YAML text."""
    events = [
        yaml.StreamStartEvent(encoding=None),
        yaml.DocumentStartEvent(explicit=False),
        *_events(plain_value(value)),
        yaml.DocumentEndEvent(explicit=False),
        yaml.StreamEndEvent(),
    ]
    text: str = yaml.emit(events, Dumper=_Dumper, width=80)
    return text.removesuffix("...\n") if text.endswith("\n...\n") else text


def _events(value: Any) -> Iterator[yaml.Event]:
    if isinstance(value, dict):
        yield yaml.MappingStartEvent(None, None, True, flow_style=False)
        for key in sorted(value, key=_natural):
            yield from _events(key)
            yield from _events(value[key])
        yield yaml.MappingEndEvent()
    elif isinstance(value, list):
        yield yaml.SequenceStartEvent(None, None, True, flow_style=False)
        for entry in value:
            yield from _events(entry)
        yield yaml.SequenceEndEvent()
    elif isinstance(value, str):
        yield yaml.ScalarEvent(None, None, (True, True), value, style=_style(value))
    else:
        yield yaml.ScalarEvent(None, None, (True, True), _plain(value), style="")


def _natural(key: str) -> str:
    return key


def _style(text: str) -> str:
    if type(scalar(text)) is not str or _TIME.match(text) and scalar(text) != text:
        return '"'
    return "|" if _LINES.search(text) else ""


def _plain(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return bool_text(value)
    if isinstance(value, float):
        special = {"NaN": ".nan", "+Inf": "+.inf", "-Inf": "-.inf"}
        return special.get(shortest(value), shortest(value))
    return str(value)
