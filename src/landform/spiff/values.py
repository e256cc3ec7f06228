"""What can be asked of any value: its type, its truth, whether it equals another, and how it reads in messages.

What goes down into lists and maps is written with plain loops: expressions can nest values deeper than C code could
follow, and the interpreter stops Python code in good time.
"""

from __future__ import annotations

from typing import Any

from landform.kit import floats
from landform.kit.quoting import quote
from landform.spiff.info import CLEAN, Info
from landform.spiff.nodes import Issue, Node, Whole
from landform.spiff.numbers import parse_bool, parse_int


class Special:
    """A value that is neither data nor an expression: a lambda or a template."""

    __slots__ = ()
    type_name = ""

    def equivalent(self, other: Special) -> bool:
        """Whether another value is the same lambda or template."""
        raise NotImplementedError


_NAMES = {
    str: "string",
    int: "int",
    float: "float",
    bool: "bool",
    list: "list",
    dict: "map",
    type(None): "nil",
    Whole: "float",
}
_GO_NAMES = {
    list: "[]yaml.Node",
    dict: "map[string]yaml.Node",
    type(None): "<nil>",
    str: "string",
    int: "int64",
    float: "float64",
    bool: "bool",
    bytes: "[]uint8",
}
_SHORTENED = 40


def counted(value: Any) -> Any:
    """The value with a number from outside as a plain whole number."""
    return int(value) if type(value) is Whole else value


def type_name(value: Any) -> str:
    """The name of a value's type; empty for what the language has no name for."""
    name = _NAMES.get(type(value))
    if name is not None:
        return name
    return value.type_name if isinstance(value, Special) else ""


def go_type_name(value: Any) -> str:
    """The type of a value in the words of the original implementation, which its messages use."""
    if isinstance(value, Special):
        return f"dynaml.{value.type_name.capitalize()}Value"
    return _GO_NAMES.get(type(value), "int")


def is_true(value: Any) -> bool:
    """Whether a value counts as true: everything but false, 0, empty text, list or map, and null."""
    kind = type(value)
    if kind is bool:
        return bool(value)
    if kind is str or kind is list or kind is dict:
        return len(value) > 0
    if kind is int or kind is Whole:
        return bool(value != 0)
    return value is not None


def equals(one: Any, other: Any) -> tuple[bool, Info, bool]:
    """Whether two values are equal, as `==` compares: texts, whole numbers and truth values are converted."""
    one, other = counted(one), counted(other)
    if one is None or other is None:
        both = one is None and other is None
        return both, CLEAN, both
    kind = type(one)
    if kind is str:
        return _text_equals(one, other)
    if kind is int:
        return _int_equals(one, other), CLEAN, True
    if kind is bool:
        return _bool_equals(one, other), CLEAN, True
    if kind is list:
        return _list_equals(one, other)
    if kind is dict:
        return _map_equals(one, other)
    if isinstance(one, Special) and isinstance(other, Special):
        return one.equivalent(other), CLEAN, True
    return False, CLEAN, True


def _text_equals(one: str, other: Any) -> tuple[bool, Info, bool]:
    kind = type(other)
    if kind is str:
        return one == other, CLEAN, True
    if kind is int:
        return one == str(other), CLEAN, True
    if kind is bool:
        return one == bool_text(other), CLEAN, True
    if isinstance(other, Special) and other.type_name == "lambda":
        return one == str(other), CLEAN, True
    return False, CLEAN._replace(issue=Issue("types uncomparable")), False


def _int_equals(one: int, other: Any) -> bool:
    kind = type(other)
    if kind is str:
        try:
            return one == parse_int(other)
        except ValueError:
            return False
    return bool(kind in (int, bool) and one == other)


def _bool_equals(one: bool, other: Any) -> bool:
    if type(other) is str:
        try:
            return one == parse_bool(other.lower())
        except ValueError:
            return False
    return type(other) is bool and one == other


def _list_equals(one: list[Node], other: Any) -> tuple[bool, Info, bool]:
    if type(other) is not list or len(one) != len(other):
        return False, CLEAN, True
    for mine, theirs in zip(one, other, strict=True):
        equal, info, _ = equals(mine.value, theirs.value)
        if not equal:
            return False, info, True
    return True, CLEAN, True


def _map_equals(one: dict[str, Node], other: Any) -> tuple[bool, Info, bool]:
    if type(other) is not dict or len(one) != len(other):
        return False, CLEAN, True
    for key, theirs in other.items():
        mine = one.get(key)
        if mine is None:
            return False, CLEAN, True
        equal, info, _ = equals(mine.value, theirs.value)
        if not equal:
            return False, info, True
    return True, CLEAN, True


def equivalent(one: Node, other: Node) -> bool:
    """Whether two nodes hold the same data: types count, sources and notes do not."""
    mine, theirs = counted(one.value), counted(other.value)
    if type(mine) is not type(theirs):
        return False
    if type(mine) is dict:
        return mine.keys() == theirs.keys() and _all_equivalent([(node, theirs[key]) for key, node in mine.items()])
    if type(mine) is list:
        return len(mine) == len(theirs) and _all_equivalent(list(zip(mine, theirs, strict=True)))
    if isinstance(mine, Special):
        return mine.equivalent(theirs)
    return bool(mine == theirs)


def _all_equivalent(pairs: list[tuple[Node, Node]]) -> bool:
    return all(equivalent(one, other) for one, other in pairs)


def bool_text(value: bool) -> str:
    """A truth value as text."""
    return "true" if value else "false"


def simple_text(value: Any) -> str | None:
    """Text, a whole number or a truth value as text; None for anything else."""
    kind = type(value)
    if kind is str:
        return str(value)
    if kind is int or kind is Whole:
        return str(int(value))
    return bool_text(value) if kind is bool else None


def short(value: Any, everything: bool = False) -> str:
    """A value as error messages show the arguments of a lambda."""
    kind = type(value)
    if kind is list:
        return "[" + ", ".join([short(node.value, everything) for node in value]) + "]"
    if kind is dict:
        shown = [key for key in sorted(value) if everything or key != "_"]
        return "{" + ", ".join([key + ": " + short(value[key].value, everything) for key in shown]) + "}"
    if kind is str:
        return quote(value)
    if value is None:
        return "<nil>"
    return plain_text(value)


def plain_text(value: Any) -> str:
    """A scalar as `%v` prints it."""
    kind = type(value)
    if kind is bool:
        return bool_text(value)
    if kind is float:
        return floats.general(value)
    return "<nil>" if value is None else str(value)


def go_text(value: Any) -> str:
    """A value as the original puts it into messages that expect text."""
    if value is None:
        return "%!s(<nil>)"
    if type(value) in (bool, int, float):
        return f"%!s({go_type_name(value)}={plain_text(value)})"
    return str(value)


def shorten(text: str) -> str:
    """A text cut in the middle if it is long."""
    return text if len(text) <= _SHORTENED else f"{text[:17]} ... {text[-17:]}"


def literal(value: Any) -> str:
    """A value as it would be written in an expression."""
    kind = type(value)
    if kind is list:
        return "[" + ", ".join([literal(node.value) for node in value]) + "]"
    if kind is dict:
        return "{" + ", ".join(['"' + key + '"=' + literal(value[key].value) for key in sorted(value)]) + "}"
    if kind is str:
        return f'"{value}"'
    if value is None:
        return "%!s(<nil>)"
    return plain_text(value)
