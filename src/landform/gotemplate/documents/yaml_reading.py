"""YAML as sigs.k8s.io/yaml reads it into any: by way of JSON, so every number is a float64."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any

import yaml

from landform.gotemplate import budgets
from landform.gotemplate.documents import json_writing
from landform.gotemplate.documents.yaml_scalars import resolve
from landform.gotemplate.errors import GoError
from landform.gotemplate.printf import sprintf
from landform.gotemplate.times.moments import Time
from landform.kit import yamls
from landform.kit.floats import general

_TOO_DEEP = "yaml: exceeded max depth of 10000"
_PREFIX = "tag:yaml.org,2002:"
_PLAIN, _QUOTED = "plain", "quoted"  # tags of scalars whose tag is not written


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """A loader that leaves the meaning of plain scalars to us."""

    def resolve(self, kind: type[yaml.Node], value: str, implicit: Any) -> str:
        """The tag of a node that has none written."""
        if kind is yaml.ScalarNode:
            return _PLAIN if implicit[0] else _QUOTED
        return _QUOTED


def read(text: str) -> Any:
    """The first document of the text; GoError in Go's words."""
    try:
        return _Reader().document(text)
    except GoError as error:
        raise GoError(f"error converting YAML to JSON: {error}") from None


class _Reader:
    """Builds values from the nodes of one document."""

    def __init__(self) -> None:
        self._depth = 0

    def document(self, text: str) -> Any:
        """The value of the document."""
        try:
            node = _composed(text)
        except yaml.MarkedYAMLError as error:
            raise GoError(f"yaml: {_complaint(error, text)}") from None
        except yaml.YAMLError:
            raise GoError("yaml: control characters are not allowed") from None
        return None if node is None else self._value(node)

    def _value(self, node: yaml.Node) -> Any:
        self._depth += 1
        if self._depth > 500:
            raise GoError(_TOO_DEEP)
        budgets.current().steps(1)
        if isinstance(node, yaml.MappingNode):
            value: Any = self._mapping(node)
        elif isinstance(node, yaml.SequenceNode):
            value = [self._value(item) for item in node.value]
        else:
            value = self._json(_scalar(node))
        self._depth -= 1
        return value

    def _mapping(self, node: yaml.MappingNode) -> dict[str, Any]:
        merged: dict[str, Any] = {}
        own: dict[str, Any] = {}
        for key, item in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value == "<<" and key.tag == _PLAIN:
                self._merge(merged, item)
                continue
            own[_key(key, item)] = self._value(item)
        return {**merged, **own}

    def _merge(self, target: dict[str, Any], node: yaml.Node) -> None:
        sources = node.value if isinstance(node, yaml.SequenceNode) else [node]
        for source in reversed(sources):
            if not isinstance(source, yaml.MappingNode):
                raise GoError("yaml: map merge requires map or sequence of maps as the value")
            target.update(self._mapping(source))

    def _json(self, value: Any) -> Any:
        """A scalar as it comes back from JSON."""
        if isinstance(value, bool) or value is None or isinstance(value, str):
            return value
        json_writing.number(float(value))
        return float(value)


def _composed(text: str) -> yaml.Node | None:
    try:
        yamls.check_depth(text)
    except ValueError:
        raise GoError(_TOO_DEEP) from None
    loader = _Loader(text)
    try:
        return loader.get_node() if loader.check_node() else None
    finally:
        loader.dispose()


def _complaint(error: yaml.MarkedYAMLError, text: str) -> str:
    mark = error.problem_mark
    if mark is not None and "undefined alias" in (error.problem or ""):
        rest = text.splitlines()[mark.line][mark.column + 1 :]
        name = re.match(r"[\w-]*", rest, re.ASCII)
        return f"unknown anchor '{name[0] if name else ''}' referenced"
    return f"{_where(error)}{error.problem or error.context}"


def _where(error: yaml.MarkedYAMLError) -> str:
    """The line, counted as go-yaml does: from zero for the parser, from one for the scanner."""
    mark = error.problem_mark
    line = mark.line if mark is not None else 0
    if line:
        line += isinstance(error, yaml.scanner.ScannerError)
    elif error.context_mark is not None:
        line = error.context_mark.line
    return f"line {line}: " if line else ""


def _scalar(node: yaml.Node) -> Any:
    text = str(node.value)
    if node.tag == _PLAIN:
        value = resolve(text)
        return text if isinstance(value, Time) else value
    if node.tag == _PREFIX + "binary":
        try:
            return base64.b64decode(text).decode("utf-8", "replace")
        except (binascii.Error, ValueError):
            raise GoError("yaml: !!binary value contains invalid base64 data") from None
    if node.tag in (_PREFIX + "int", _PREFIX + "float", _PREFIX + "bool", _PREFIX + "null"):
        return _tagged(text, node.tag.removeprefix(_PREFIX))
    return text


def _tagged(text: str, wanted: str) -> Any:
    """A text that says itself what it is; a whole number may be called a float, and nothing else another thing."""
    value = resolve(text)
    found = _TAGS.get(type(value), "str")  # a time is one only where nothing is said
    if found != wanted and (found, wanted) != ("int", "float"):
        raise GoError(f"yaml: cannot decode !!{found} `{text}` as a !!{wanted}")
    return value


_TAGS = {bool: "bool", int: "int", float: "float", type(None): "null"}


def _key(node: yaml.Node, item: yaml.Node) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise GoError("yaml: invalid map key")
    value = _scalar(node)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return {"+Inf": ".inf", "-Inf": "-.inf", "NaN": ".nan"}.get(general(value), general(value))
    shown = sprintf("%+#v", (_scalar(item) if isinstance(item, yaml.ScalarNode) else None,))
    raise GoError(f"unsupported map key of type: %!s(<nil>), key: <nil>, value: {shown}")
