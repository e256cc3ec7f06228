"""YAML documents and plain data as nodes."""

from __future__ import annotations

import base64
import binascii
from collections import deque
from typing import TYPE_CHECKING, Any

import yaml

from landform.kit import floats
from landform.kit.quoting import INT64_MAX, INT64_MIN
from landform.spiff.errors import Overspent, SpiffError
from landform.spiff.expressions.lambdas import LambdaValue
from landform.spiff.expressions.merging import Marked
from landform.spiff.expressions.templates import TemplateValue
from landform.spiff.nodes import Node, Whole
from landform.spiff.scalars import scalar
from landform.spiff.texts import from_bytes, printable
from landform.spiff.values import bool_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from landform.spiff.budgets import Meter

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TEXT_TAG = "tag:yaml.org,2002:str"
_MOST_DEPTH = 500
_BINARY_TAGS = ("!binary", "tag:yaml.org,2002:binary")


class DocumentError(SpiffError):
    """A text is no YAML document, or one that has no meaning here."""


def read_one(source: str, text: str, meter: Meter) -> Node:
    """The one document of a text."""
    documents = read_all(source, text, meter)
    if len(documents) > 1:
        raise DocumentError("multi document not possible")
    return documents[0]


def read_all(source: str, text: str, meter: Meter) -> list[Node]:
    """All documents of a text; an empty text is one document, null."""
    if len(text) > meter.budgets.text:
        raise Overspent(f"{source}: the document has more than {meter.budgets.text} characters")
    if not text.strip(" \t\n\r"):
        return [Node(None, source)]
    try:
        return _Composer(source, meter, _events(printable(text))).documents()
    except yaml.MarkedYAMLError as error:
        place = _place(error.problem_mark, 1)
        raise DocumentError(f"yaml: [{error.context or ''}] {error.problem} at {place}") from None
    except yaml.YAMLError as error:
        reason = "control characters are not allowed" if "control characters" in str(error) else str(error)
        raise DocumentError(f"yaml: [] {reason} at line 1, column 1") from None


def _events(text: str) -> Iterator[yaml.Event]:
    yield from yaml.parse(text, Loader=_Loader)


def _place(mark: Any, first: int) -> str:
    """Where something stands in a text, with lines and columns counted from a first number."""
    return f"line {mark.line + first}, column {mark.column + first}" if mark else "the end"


class _Composer:
    """Builds nodes from the events of a YAML parser; an alias is its anchor's events over again."""

    def __init__(self, source: str, meter: Meter, events: Iterator[yaml.Event]) -> None:
        self.source = source
        self.meter = meter
        self.events = events
        self.replayed: deque[yaml.Event] = deque()
        self.anchors: dict[str, list[yaml.Event]] = {}
        self.recorded: list[list[yaml.Event]] = []
        self.depth = 0

    def documents(self) -> list[Node]:
        found: list[Node] = []
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                found.append(self._node(self._next()))
            elif isinstance(event, yaml.StreamEndEvent) and not found:
                raise DocumentError(f"Expected document start at {_place(event.start_mark, 0)}")
        return found

    def _next(self) -> yaml.Event:
        event = self.replayed.popleft() if self.replayed else next(self.events)
        for record in self.recorded:
            if not isinstance(event, yaml.AliasEvent):
                record.append(event)
        return event

    def _node(self, event: yaml.Event) -> Node:
        self.meter.step()
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        anchor = getattr(event, "anchor", None)
        if anchor and not self.replayed:
            self.recorded.append([event])
            node = self._value(event)
            self.anchors[anchor] = self.recorded.pop()
            return node
        return self._value(event)

    def _alias(self, event: yaml.AliasEvent) -> Node:
        events = self.anchors.get(event.anchor or "")
        if events is None:
            raise DocumentError(f"missing anchor: '{event.anchor}' at {_place(event.start_mark, 0)}")
        self.meter.step(len(events))
        self.replayed.extendleft(reversed(events))
        return self._node(self._next())

    def _value(self, event: yaml.Event) -> Node:
        if isinstance(event, yaml.ScalarEvent):
            return Node(_scalar(event), self.source)
        self.depth += 1
        if self.depth > self.meter.budgets.nesting:
            raise Overspent(f"{self.source}: maps and lists are nested more than {self.meter.budgets.nesting} deep")
        value: Any = self._map() if isinstance(event, yaml.MappingStartEvent) else self._list()
        self.depth -= 1
        return Node(value, self.source)

    def _list(self) -> list[Node]:
        entries = []
        while not isinstance(event := self._next(), yaml.SequenceEndEvent):
            entries.append(self._node(event))
        return entries

    def _map(self) -> dict[str, Node]:
        entries: dict[str, Node] = {}
        wrong: str | None = None
        while not isinstance(event := self._next(), yaml.MappingEndEvent):
            key = self._node(event).value
            node = self._node(self._next())
            if type(key) is str:
                entries[key] = node
            elif wrong is None:
                wrong = _key_text(key)
        if wrong is not None:
            raise DocumentError(f"map key must be a string: {wrong}")
        return entries


def _key_text(key: Any) -> str:
    if key is None:
        return "<nil>"
    if type(key) is bool:
        return bool_text(key)
    if type(key) is float:
        return floats.general(key)
    return str(key) if type(key) is int else "a map or list"


def _scalar(event: yaml.ScalarEvent) -> Any:
    if event.tag == _TEXT_TAG or (not event.tag and not event.implicit[0]):
        return event.value
    value = scalar(event.value)
    if type(value) is str and event.tag in _BINARY_TAGS:
        try:
            return base64.b64decode(value, validate=True)
        except (ValueError, binascii.Error):
            return value
    return value


def bound(values: Mapping[str, Any], meter: Meter) -> dict[str, Node]:
    """Values from outside as nodes; numbers that are whole become whole numbers."""
    return {key: _bound(value, meter, 1) for key, value in values.items()}


def bound_value(value: Any, meter: Meter) -> Any:
    """One value from outside, as a node holds it."""
    return _bound(value, meter, 1).value


def _bound(value: Any, meter: Meter, depth: int) -> Node:
    meter.step()
    if depth > meter.budgets.nesting:
        raise Overspent(f"values: maps and lists are nested more than {meter.budgets.nesting} deep")
    if isinstance(value, dict):
        entries = {}
        for key, entry in value.items():
            if not isinstance(key, str):
                raise DocumentError(f"map key must be a string: {_key_text(key)}")
            entries[key] = _bound(entry, meter, depth + 1)
        return Node(entries, "values")
    if isinstance(value, list | tuple):
        return Node([_bound(entry, meter, depth + 1) for entry in value], "values")
    if isinstance(value, float):
        return Node(Whole(value) if value.is_integer() and abs(value) < 2**63 else float(value), "values")
    if isinstance(value, int) and not isinstance(value, bool):
        return Node(int(value) if INT64_MIN <= value <= INT64_MAX else float(value), "values")
    if value is None or isinstance(value, bool | str | bytes):
        return Node(value, "values")
    raise DocumentError(f"values: a value of type {type(value).__name__} has no meaning in a document")


def plain(node: Node) -> Any:
    """A node as plain data: lambdas as text, templates as they were written."""
    return plain_value(node.value)


def plain_value(value: Any, depth: int = 0) -> Any:
    """A value as plain data; raises Overspent if it is nested deeper than other code could follow."""
    kind = type(value)
    if depth > _MOST_DEPTH:
        raise Overspent(f"a value is nested more than {_MOST_DEPTH} deep")
    if kind is dict:
        return {printable(key): plain_value(node.value, depth + 1) for key, node in value.items()}
    if kind is list:
        return [plain_value(node.value, depth + 1) for node in value]
    if kind is str:
        return printable(value)
    if isinstance(value, LambdaValue):
        return value.output()
    if isinstance(value, TemplateValue):
        return plain_value(value.original.value, depth + 1)
    if isinstance(value, Marked):
        return f"(( {value} ))"
    if value is None or kind in (int, float, bool, bytes):
        return value
    if isinstance(value, int):
        return int(value)
    raise DocumentError(f"unknown type during normalization: {value}")


def text_of(data: bytes) -> str:
    """The text of a file."""
    return from_bytes(data)
