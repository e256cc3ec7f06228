"""Label and field selectors in Kubernetes' text syntax.

Labels: ``a=b,c!=d,e in (x,y),f notin (z),g,!h,i>3``. Fields: ``metadata.name=x,status.phase!=y``. What cannot be
parsed raises ValueError in the API server's words. Parsed selectors are frozen, may be shared, and are remembered by
their text, so parsing the same selector with each request costs a lookup.
"""

from __future__ import annotations

import enum
import functools
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from landform.kit import names
from landform.kit.quoting import atoi, quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

__all__ = [
    "EVERYTHING",
    "EVERY_FIELD",
    "FieldSelector",
    "FieldTerm",
    "LabelSelector",
    "Operator",
    "Requirement",
    "check_label_key",
    "check_label_value",
    "parse_fields",
    "parse_labels",
    "selector_from_object",
]

_REMEMBERED = 512


class Operator(enum.StrEnum):
    """How a requirement compares; the value is the API server's name for it."""

    IN = "in"
    NOT_IN = "notin"
    EQUALS = "="
    DOUBLE_EQUALS = "=="
    NOT_EQUALS = "!="
    GREATER_THAN = "gt"
    LESS_THAN = "lt"
    EXISTS = "exists"
    DOES_NOT_EXIST = "!"


_BINARY_BY_TOKEN = {
    "in": Operator.IN,
    "notin": Operator.NOT_IN,
    "=": Operator.EQUALS,
    "==": Operator.DOUBLE_EQUALS,
    "!=": Operator.NOT_EQUALS,
    ">": Operator.GREATER_THAN,
    "<": Operator.LESS_THAN,
}
_SET_BASED = (Operator.IN, Operator.NOT_IN)
_ORDERED = (Operator.GREATER_THAN, Operator.LESS_THAN)
_TEXT = {operator: token for token, operator in _BINARY_BY_TOKEN.items()}


@dataclass(frozen=True, slots=True)
class Requirement:
    """One condition on one label. `values` is sorted and without duplicates."""

    key: str
    operator: Operator
    values: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether these labels fulfil the condition; an absent label fulfils the negative ones."""
        value = labels.get(self.key)
        match self.operator:
            case Operator.IN | Operator.EQUALS | Operator.DOUBLE_EQUALS:
                return value is not None and value in self.values
            case Operator.NOT_IN | Operator.NOT_EQUALS:
                return value is None or value not in self.values
            case Operator.EXISTS:
                return value is not None
            case Operator.DOES_NOT_EXIST:
                return value is None
            case _:
                return self._in_order(value)

    def _in_order(self, value: str | None) -> bool:
        number, bound = _int64(value), _int64(self.values[0])
        if number is None or bound is None:
            return False
        return number > bound if self.operator is Operator.GREATER_THAN else number < bound

    def __str__(self) -> str:
        if self.operator is Operator.EXISTS:
            return self.key
        if self.operator is Operator.DOES_NOT_EXIST:
            return f"!{self.key}"
        if self.operator in _SET_BASED:
            return f"{self.key} {self.operator} ({','.join(self.values)})"
        return f"{self.key}{_TEXT[self.operator]}{self.values[0]}"


@dataclass(frozen=True, slots=True)
class LabelSelector:
    """All of its requirements must hold; without any it matches everything."""

    requirements: tuple[Requirement, ...] = ()
    _equal: tuple[tuple[str, str], ...] = field(init=False, repr=False, compare=False)
    """The plain equalities, apart, because they are nearly all there is and are compared without a call."""

    _other: tuple[Requirement, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        plain = (Operator.EQUALS, Operator.DOUBLE_EQUALS)
        equal = tuple((r.key, r.values[0]) for r in self.requirements if r.operator in plain)
        object.__setattr__(self, "_equal", equal)
        object.__setattr__(self, "_other", tuple(r for r in self.requirements if r.operator not in plain))

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether an object with these labels is selected."""
        for key, value in self._equal:
            if labels.get(key) != value:
                return False
        return all(requirement.matches(labels) for requirement in self._other) if self._other else True

    def __bool__(self) -> bool:
        """Whether it restricts anything."""
        return bool(self.requirements)

    def __str__(self) -> str:
        return ",".join(map(str, self.requirements))


@dataclass(frozen=True, slots=True)
class FieldTerm:
    """One field that must have, or must not have, a value."""

    field: str
    value: str
    negated: bool = False

    def __str__(self) -> str:
        value = self.value.replace("\\", "\\\\").replace(",", "\\,").replace("=", "\\=")
        return f"{self.field}{'!=' if self.negated else '='}{value}"


@dataclass(frozen=True, slots=True)
class FieldSelector:
    """All of its terms must hold; without any it matches everything."""

    terms: tuple[FieldTerm, ...] = ()

    def matches(self, lookup: Callable[[str], str]) -> bool:
        """Whether the object is selected whose field values `lookup` gives; empty text for an absent field."""
        return all((lookup(term.field) == term.value) is not term.negated for term in self.terms)

    def exact(self, field: str) -> str | None:
        """The value that the field must have, if it must have one; lets a store go straight to one object."""
        return next((term.value for term in self.terms if term.field == field and not term.negated), None)

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the fields it looks at."""
        return tuple(term.field for term in self.terms)

    def __bool__(self) -> bool:
        """Whether it restricts anything."""
        return bool(self.terms)

    def __str__(self) -> str:
        return ",".join(map(str, self.terms))


EVERYTHING = LabelSelector()
EVERY_FIELD = FieldSelector()


def check_label_key(key: str) -> str | None:
    """What is wrong with a label's key, or None."""
    return "; ".join(names.qualified(key)) or None


def check_label_value(value: str) -> str | None:
    """What is wrong with a label's value, or None."""
    return "; ".join(names.label_value(value)) or None


def parse_labels(text: str) -> LabelSelector:
    """The label selector that the text describes; ValueError in the API server's words if it describes none."""
    return _remembered_labels(text) if text else EVERYTHING


def parse_fields(text: str) -> FieldSelector:
    """The field selector that the text describes; ValueError in the API server's words if it describes none."""
    return _remembered_fields(text) if text else EVERY_FIELD


def selector_from_object(selector: Mapping[str, Any] | None) -> LabelSelector | None:
    """The selector that a LabelSelector object describes.

    As in Kubernetes, an empty object selects everything, and no object selects nothing, which is None here.
    """
    if selector is None:
        return None
    requirements = [
        _requirement(key, Operator.EQUALS, [value]) for key, value in (selector.get("matchLabels") or {}).items()
    ]
    for expression in selector.get("matchExpressions") or ():
        name = str(expression.get("operator", ""))
        if (operator := _OBJECT_OPERATORS.get(name)) is None:
            raise ValueError(f"{quote(name)} is not a valid label selector operator")
        requirements.append(_requirement(expression.get("key", ""), operator, expression.get("values") or ()))
    return LabelSelector(_sorted(requirements))


_OBJECT_OPERATORS = {
    "In": Operator.IN,
    "NotIn": Operator.NOT_IN,
    "Exists": Operator.EXISTS,
    "DoesNotExist": Operator.DOES_NOT_EXIST,
}


@functools.lru_cache(_REMEMBERED)
def _remembered_labels(text: str) -> LabelSelector:
    return LabelSelector(_sorted(_LabelParser(text).requirements()))


def _sorted(requirements: Iterable[Requirement]) -> tuple[Requirement, ...]:
    return tuple(sorted(requirements, key=lambda requirement: requirement.key))


def _requirement(key: str, operator: Operator, values: Iterable[str]) -> Requirement:
    """A checked requirement."""
    values = tuple(values)
    if faults := list(dict.fromkeys(_faults(key, operator, values))):
        raise ValueError(faults[0] if len(faults) == 1 else f"[{', '.join(faults)}]")
    return Requirement(key, operator, tuple(sorted(set(values))))


def _faults(key: str, operator: Operator, values: tuple[str, ...]) -> Iterator[str]:
    """What is wrong with a requirement, each as ``path: Invalid value: ...``."""
    if fault := check_label_key(key):
        yield f"key: Invalid value: {quote(key)}: {fault}"
    if operator in _SET_BASED and not values:
        yield "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"
    elif operator in (Operator.EXISTS, Operator.DOES_NOT_EXIST) and values:
        listed = json.dumps(values, separators=(",", ":"), ensure_ascii=False)
        yield f"values: Invalid value: {listed}: values set must be empty for exists and does not exist"
    elif operator in _ORDERED and _int64(values[0]) is None:
        text = quote(values[0])
        yield f"values[0]: Invalid value: {text}: for 'Gt', 'Lt' operators, the value must be an integer"
    for index, value in enumerate(values):
        if fault := check_label_value(value):
            yield f"values[{index}][{key}]: Invalid value: {quote(value)}: {fault}"


def _int64(text: str | None) -> int | None:
    if text is None:
        return None
    try:
        return atoi(text)
    except ValueError:
        return None


# A NUL ends the text, as it does for the API server's lexer.
_TOKEN = re.compile(r"[ \t\r\n]*(?:(?P<symbol>!=|==|[=!(),<>])|(?P<word>[^ \t\r\n=!(),<>\0]+)\0?)")
_END = ""
_WORDS_EXPECTED = ", ".join(_BINARY_BY_TOKEN[token] for token in ("in", "notin", "=", "==", "!=", ">", "<"))


class _LabelParser:
    """Reads requirements by recursive descent, with one token of lookahead.

    A token is its text and whether it is a word; ``in`` and ``notin`` are words that only `_operator` treats
    as operators, so they may be keys and values too. The end is the empty symbol.
    """

    def __init__(self, text: str) -> None:
        self._tokens = [(match[1] or match[2], match[1] is None) for match in _matches(text)]
        self._tokens.append((_END, False))
        self._next = 0

    def requirements(self) -> Iterator[Requirement]:
        while True:
            text, is_word = self._peek()
            if text == _END:
                return
            if not is_word and text != "!":
                _expected(text, "!, identifier, or 'end of string'")
            try:
                yield self._requirement()
            except ValueError as fault:
                raise ValueError(f"unable to parse requirement: {fault}") from None
            if self._separator() == _END:
                return

    def _separator(self) -> str:
        text, is_word = self._take()
        if is_word or text not in (",", _END):
            _expected(text, "',' or 'end of string'")
        if text == ",":
            following, is_word = self._peek()
            if not is_word and following != "!":
                _expected(following, "identifier after ','")
        return text

    def _requirement(self) -> Requirement:
        negated = self._peek() == ("!", False)
        if negated:
            self._take()
        key, is_word = self._take()
        if not is_word:
            _expected(key, "identifier")
        if fault := check_label_key(key):
            raise ValueError(f"<nil>: Invalid value: {quote(key)}: {fault}")
        if negated:
            return Requirement(key, Operator.DOES_NOT_EXIST)
        if self._peek() in ((_END, False), (",", False)):
            return Requirement(key, Operator.EXISTS)
        operator = self._operator()
        return _requirement(key, operator, sorted(self._set() if operator in _SET_BASED else {self._exact()}))

    def _operator(self) -> Operator:
        text, _ = self._take()
        if (operator := _BINARY_BY_TOKEN.get(text)) is None:
            _expected(text, _WORDS_EXPECTED)
        return operator

    def _exact(self) -> str:
        if self._peek() in ((_END, False), (",", False)):
            return ""
        text, is_word = self._take()
        if not is_word:
            _expected(text, "identifier")
        return text

    def _set(self) -> set[str]:
        """``(x,,y)``: an empty place stands for the empty value."""
        opening, _ = self._take()
        if opening != "(":
            raise ValueError(f"found '{opening}' expected: '('")
        first, is_word = self._peek()
        if not is_word and first not in (",", ")"):
            _expected(first, "',', ')' or identifier")
        if first == ")":
            self._take()
            return {""}
        return self._members()

    def _members(self) -> set[str]:
        """What stands between the brackets, and the closing one.

        An odd comma before the closing bracket is an empty value, a pair of them is refused: so does the API server.
        """
        values = set[str]()
        while True:
            text, is_word = self._take()
            if is_word:
                values.add(text)
                following, _ = self._peek()
                if following not in (",", ")"):
                    _expected(following, "',' or ')'")
            elif text == ",":
                if not values or self._peek()[0] in (",", ")"):
                    values.add("")
                if self._peek()[0] == ",":
                    self._take()
                    continue
            else:
                _expected(text, "',', or identifier")
            if self._peek()[0] == ")":
                self._take()
                return values

    def _peek(self) -> tuple[str, bool]:
        return self._tokens[self._next]

    def _take(self) -> tuple[str, bool]:
        token = self._tokens[self._next]
        self._next += 1
        return token


def _matches(text: str) -> Iterator[re.Match[str]]:
    position = 0
    while match := _TOKEN.match(text, position):
        yield match
        position = match.end()


def _expected(found: str, expected: str) -> NoReturn:
    raise ValueError(f"found '{found}', expected: {expected}")


_FIELD_OPERATOR = re.compile(r"!=|==|=")
_FIELD_TERM = re.compile(r"(?:[^\\,]|\\.|\\$)*", re.DOTALL)
_FIELD_VALUE_PART = re.compile(r"[^\\,=]+|\\.?|[,=]", re.DOTALL)


@functools.lru_cache(_REMEMBERED)
def _remembered_fields(text: str) -> FieldSelector:
    terms = []
    for part in sorted(filter(None, _field_parts(text))):
        operator = _FIELD_OPERATOR.search(part)
        if operator is None:
            raise ValueError(f"invalid selector: '{text}'; can't understand '{part}'")
        name, value = part[: operator.start()], _unescaped(part[operator.end() :])
        if name or value:  # a bare operator is allowed and says nothing
            terms.append(FieldTerm(name, value, negated=operator[0] == "!="))
    return FieldSelector(tuple(terms))


def _field_parts(text: str) -> Iterator[str]:
    """The terms between commas; a comma behind a backslash belongs to its term."""
    position = 0
    while match := _FIELD_TERM.match(text, position):
        yield match[0]
        position = match.end() + 1
        if position > len(text):
            return


def _unescaped(value: str) -> str:
    return "".join(map(_unescaped_part, _FIELD_VALUE_PART.findall(value)))


def _unescaped_part(part: str) -> str:
    if part in (",", "="):
        # The number is the API server's way to say which character.
        raise ValueError(f"invalid field selector: unescaped character in value: {ord(part)}")
    if part[0] != "\\":
        return part
    if part not in ("\\\\", "\\,", "\\="):
        raise ValueError(f"invalid field selector: invalid escape sequence: {part}")
    return part[1]
