"""Every YAML text, read by a real parser; and JSON data written as YAML."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
Dumper: type[yaml.SafeDumper] = getattr(yaml, "CSafeDumper", yaml.SafeDumper)

MOST_NODES = 2_000_000
"""Most values that one document may have once its aliases are followed: aliases of aliases grow without limit."""

DEEPEST = 500
"""Most levels of one document: the C library calls itself for each, and its stack ends the process, not the call."""


def load(text: str) -> Any:
    """The one document that a text holds, as JSON data; None if it is empty. Raises yaml.YAMLError or ValueError."""
    check_depth(text)
    return _json(yaml.load(text, _KubernetesLoader))


def load_all(text: str) -> Iterator[Any]:
    """Every document of a text, as JSON data; empty ones are None."""
    check_depth(text)
    for document in yaml.load_all(text, _KubernetesLoader):
        yield _json(document)


def dump(value: Any) -> str:
    """JSON data as YAML, in its own order, for people to read."""
    return str(yaml.dump(value, Dumper=_TidyDumper, sort_keys=False, allow_unicode=True, width=120))


_MERGE = "tag:yaml.org,2002:merge"
_MOST_MERGED = 100
_MOST_ENTRIES = 100_000


class _KubernetesLoader(Loader):  # type: ignore[valid-type, misc]
    """A loader with go-yaml's ideas of what plain text means."""

    _entries = 0  # of maps that others were merged into
    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - PyYAML's own name

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[str, Any]:
        """A map whose keys are text from the start: in Python the keys ``1`` and ``true`` would be the same."""
        if not isinstance(node, yaml.MappingNode):
            raise yaml.constructor.ConstructorError(None, None, "expected a map", node.start_mark)
        self.flatten_mapping(node)
        return {
            _key(self.construct_object(key, deep=True)): self.construct_object(value, deep=deep)
            for key, value in node.value
        }

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """The entries of other maps put into one. Each map that merges another twice has twice its entries."""
        merged = [value for key, value in node.value if key.tag == _MERGE]
        if sum(len(value.value) if isinstance(value, yaml.SequenceNode) else 1 for value in merged) > _MOST_MERGED:
            raise _too_much(node, f"more than {_MOST_MERGED} maps are merged into one")
        super().flatten_mapping(node)
        self._entries += len(node.value) if merged else 0
        if self._entries > _MOST_ENTRIES:
            raise _too_much(node, f"maps that others are merged into have more than {_MOST_ENTRIES} entries")


def _too_much(node: yaml.Node, what: str) -> yaml.constructor.ConstructorError:
    return yaml.constructor.ConstructorError(None, None, what, node.start_mark)


class _TidyDumper(Dumper):  # type: ignore[valid-type, misc]
    """A dumper that writes texts of several lines as blocks, and quotes what some reader would not take for text."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - PyYAML's own name


_BOOLEANS = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE"), False),
}
_NULLS = ("", "~", "null", "Null", "NULL")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INTEGER = re.compile(r"[-+]?(0b[01_]+|0x[0-9a-fA-F_]+|0o?[0-7_]+|0|[1-9][0-9_]*)")
_INFINITE = re.compile(r"[-+]?\.(inf|Inf|INF)")
_NOT_A_NUMBER = (".nan", ".NaN", ".NAN")


def _resolver(tag: str, pattern: str, first: str, *, read: bool = True) -> None:
    for kind in (_KubernetesLoader, _TidyDumper) if read else (_TidyDumper,):
        kind.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{pattern})$"), list(first))


_resolver("bool", "|".join(_BOOLEANS), "yYnNtTfFoO")
_resolver("null", "|".join(map(re.escape, _NULLS)), "~nN")
for _kind in (_KubernetesLoader, _TidyDumper):
    _kind.add_implicit_resolver("tag:yaml.org,2002:null", re.compile("^$"), [""])
_resolver("int", _INTEGER.pattern, "-+0123456789")
_resolver("float", f"{_FLOAT.pattern}|{_INFINITE.pattern}|{'|'.join(map(re.escape, _NOT_A_NUMBER))}", "-+.0123456789")
_resolver("merge", "<<", "<")
# Text for us, but a date or a number for other readers of YAML 1.1: written in quotes, as kubectl does.
_resolver("timestamp", r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*", "0123456789", read=False)
_resolver("int", r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?", "-+0123456789", read=False)
_resolver("value", "=", "=", read=False)


def _construct_bool(loader: Any, node: yaml.ScalarNode) -> bool:
    known = _BOOLEANS.get(loader.construct_scalar(node))
    if known is None:  # only an explicit tag leads here with anything else
        raise _misfit(node, "boolean")
    return known


def _construct_int(loader: Any, node: yaml.ScalarNode) -> int:
    text = str(loader.construct_scalar(node)).replace("_", "")
    sign, digits = (-1, text[1:]) if text.startswith("-") else (1, text.removeprefix("+"))
    octal = digits.startswith("0") and digits.isdecimal() and len(digits) > 1
    try:
        return sign * int(digits, 8 if octal else 0)
    except ValueError:
        raise _misfit(node, "whole number") from None


def _construct_float(loader: Any, node: yaml.ScalarNode) -> float:
    text = str(loader.construct_scalar(node))
    if text in _NOT_A_NUMBER:
        return math.nan
    if _INFINITE.fullmatch(text):
        return -math.inf if text.startswith("-") else math.inf
    try:
        return float(text)
    except ValueError:
        raise _misfit(node, "number") from None


def _construct_timestamp(loader: Any, node: yaml.ScalarNode) -> str:
    return str(loader.construct_scalar(node))


def _misfit(node: yaml.ScalarNode, kind: str) -> yaml.constructor.ConstructorError:
    """A value that is not what its tag says, or too long for it; it is not told itself, because it may be secret."""
    return yaml.constructor.ConstructorError(None, None, f"this is no {kind} that can be read", node.start_mark)


_KubernetesLoader.add_constructor("tag:yaml.org,2002:bool", _construct_bool)
_KubernetesLoader.add_constructor("tag:yaml.org,2002:int", _construct_int)
_KubernetesLoader.add_constructor("tag:yaml.org,2002:float", _construct_float)
_KubernetesLoader.add_constructor("tag:yaml.org,2002:timestamp", _construct_timestamp)


def _represent_text(dumper: Any, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text and not text.startswith((" ", "\n")) and "\t" not in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)  # type: ignore[no-any-return]


_TidyDumper.add_representer(str, _represent_text)


_LONG_RUN = re.compile(rf"(?<![ \t?:-])[ \t?:-]{{{DEEPEST // 4}}}")


def check_depth(text: str) -> None:
    """ValueError for a text that is nested too deep: composing it would take the whole process down.

    Only brackets, and the blanks and indicators that a line begins with, can open levels, so most texts need no second
    look. Where lines begin is not asked: YAML knows five line breaks and a mark that may stand before the first.
    """
    if text.count("[") + text.count("{") < DEEPEST // 2 and _LONG_RUN.search(text) is None:
        return
    depth = 0
    for event in yaml.parse(text, Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEEPEST:
                raise ValueError(f"the text is nested more than {DEEPEST} levels deep")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


class _Budget:
    """How many more values a document may have."""

    def __init__(self) -> None:
        self.left = MOST_NODES

    def spend(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise ValueError(f"the document has more than {MOST_NODES} values once its aliases are followed")


def _json(document: Any) -> Any:
    try:
        return _plain(document, _Budget())
    except RecursionError:
        raise ValueError("an alias stands for something that contains it") from None


def _plain(value: Any, budget: _Budget) -> Any:
    """The value as JSON data of its own: keys are text, aliases are copied."""
    budget.spend()
    if isinstance(value, dict):
        return {key: _plain(inner, budget) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner, budget) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} has no form in JSON")
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if value is None or isinstance(value, str | int | float):
        return value
    raise ValueError(f"a value of type {type(value).__name__} has no form in JSON")


def _key(key: Any) -> str:
    """A key as go-yaml's JSON conversion writes it."""
    if isinstance(key, str):
        return key
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, int | float):
        return str(key)
    if key is None:
        return "null"
    raise ValueError(f"a key must be text, not {type(key).__name__}")
