"""Values as YAML text, as the original's emitter writes them."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any

import yaml
from yaml.emitter import Emitter

from landform.kit import floats
from landform.spiff.documents import plain_value
from landform.spiff.scalars import scalar
from landform.spiff.values import bool_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from landform.spiff.budgets import Meter

_STEPS = 4
"""What one event counts for."""
_LINES = re.compile("\n|\u0085|\u2028|\u2029")
_ESCAPES: dict[str, str] = Emitter.ESCAPE_REPLACEMENTS
_SPECIAL = {"NaN": ".nan", "+Inf": "+.inf", "-Inf": "-.inf"}


class _Emitter(Emitter):
    """PyYAML's emitter with the original's ideas of block texts."""

    def check_simple_key(self) -> bool:
        """A text is a key without further ado if it has one line; an empty one has."""
        event = self.event
        if not isinstance(event, yaml.ScalarEvent):
            return bool(super().check_simple_key())
        return len(event.value) <= 128 and "\r" not in event.value and not _LINES.search(event.value)

    def check_empty_document(self) -> bool:
        """An empty text is no empty document."""
        return False

    def determine_block_hints(self, text: str) -> str:
        """A text that ends with a line end always says so; one line end is not the default here."""
        hints = super().determine_block_hints(text)
        return f"{hints}+" if text.endswith("\n") and not hints.endswith("+") else str(hints)

    def write_double_quoted(self, text: str, split: bool = True) -> None:
        """Breaks long texts at blanks, and needs a backslash only where a blank begins the next line."""
        self.write_indicator('"', True)
        after_blank = False
        for index, char in enumerate(text):
            if (
                char == " "
                and split
                and not after_blank
                and self.column > self.best_width
                and 0 < index < len(text) - 1
            ):
                self.write_indent()
                if text[index + 1] == " ":
                    self._put("\\")
            elif char in _ESCAPES or not " " <= char <= "~":
                self._put(_escaped(char))
            else:
                self._put(char)
            after_blank = char == " "
        self.write_indicator('"', False)

    def _put(self, text: str) -> None:
        self.column += len(text)
        self.stream.write(text)


def _escaped(char: str) -> str:
    code = ord(char)
    if char in _ESCAPES:
        return f"\\{_ESCAPES[char]}"
    return f"\\x{code:02X}" if code < 0x100 else f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"


def to_yaml(value: Any, meter: Meter) -> str:
    """A value as YAML text."""
    output = io.StringIO()
    emitter = _Emitter(output, width=80)
    for event in _document(plain_value(value)):
        meter.step(_STEPS)
        emitter.emit(event)
    return output.getvalue().removesuffix("...\n")


def _document(value: Any) -> Iterator[yaml.Event]:
    yield yaml.StreamStartEvent()
    yield yaml.DocumentStartEvent(explicit=False)
    yield from _events(value)
    yield yaml.DocumentEndEvent(explicit=False)
    yield yaml.StreamEndEvent()


def _events(value: Any) -> Iterator[yaml.Event]:
    if isinstance(value, dict):
        yield yaml.MappingStartEvent(None, None, True, flow_style=False)
        for key in sorted(value):
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
        yield yaml.ScalarEvent(None, None, (True, True), _plain(value), style=None)


def _style(text: str) -> str | None:
    if scalar(text) != text or not text:
        return '"'  # it would be read as something else
    return "|" if _LINES.search(text) else None


def _plain(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return bool_text(value)
    if isinstance(value, float):
        return _SPECIAL.get(floats.general(value), floats.general(value))
    return str(value)
