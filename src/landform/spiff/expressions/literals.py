"""Literals: texts, numbers, truth values, null, undefined, lists and maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.kit.quoting import quote
from landform.spiff.expressions.base import Expr, Literal, evaluate_all
from landform.spiff.info import CLEAN, Result, done, join
from landform.spiff.nodes import Map, dynaml_node
from landform.spiff.values import bool_text

if TYPE_CHECKING:
    from landform.spiff.environment import Environment

_UNDEFINED = CLEAN._replace(undefined=True)


class Text(Literal):
    """`"text"`, an IP address, or `$name`."""

    __slots__ = ()

    def __str__(self) -> str:
        return quote(self.value)


class Number(Literal):
    """A whole number or a float."""

    __slots__ = ()


class Truth(Literal):
    """`true` or `false`."""

    __slots__ = ()

    def __str__(self) -> str:
        return bool_text(self.value)


class Nil(Literal):
    """`nil` or `~`."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(None)

    def __str__(self) -> str:
        return "nil"


class Undefined(Expr):
    """`~~`: no value at all."""

    __slots__ = ()

    def evaluate(self, env: Environment, locally: bool) -> Result:
        return None, _UNDEFINED, True

    def __str__(self) -> str:
        return "~~"


class ListLiteral(Expr):
    """`[a, b, c...]`."""

    __slots__ = ("entries",)

    def __init__(self, entries: list[Expr]) -> None:
        self.entries = entries

    def evaluate(self, env: Environment, locally: bool) -> Result:
        values, left, info, ok = evaluate_all(self.entries, env)
        if not ok or values is None:
            return None, info, False
        if left is not None:
            return ListLiteral(left), info, True
        env.state.meter.step(len(values))
        return [dynaml_node(value, env.source) for value in values], info, True

    def __str__(self) -> str:
        return f"[{', '.join(map(str, self.entries))}]"


class MapLiteral(Expr):
    """`{ key = value, ... }`."""

    __slots__ = ("assignments",)

    def __init__(self, assignments: list[tuple[Expr, Expr]]) -> None:
        self.assignments = assignments

    def evaluate(self, env: Environment, locally: bool) -> Result:
        entries: Map = {}
        for key_expression, value_expression in self.assignments:
            key, info, ok = key_expression.evaluate(env, locally)
            if not ok or isinstance(key, Expr):
                return self, info, ok
            if type(key) is not str:
                return info.fail("assignment target must evaluate to string")
            value, value_info, ok = value_expression.evaluate(env, locally)
            if not ok or isinstance(value, Expr):
                return self, join(info, value_info), ok
            entries[key] = dynaml_node(value, env.source)
        return done(entries)

    def inside(self) -> str:
        """The assignments as text."""
        return ", ".join(f"{key} = {value}" for key, value in self.assignments)

    def __str__(self) -> str:
        return f"{{ {self.inside()} }}" if self.assignments else "{ }"


class ScopeLiteral(Expr):
    """`( name = value, ... ) expression`: names that only the expression sees."""

    __slots__ = ("expression", "names")

    def __init__(self, names: MapLiteral, expression: Expr) -> None:
        self.names = names
        self.expression = expression

    def evaluate(self, env: Environment, locally: bool) -> Result:
        names, info, ok = self.names.evaluate(env, locally)
        if not ok:
            return names, info, ok
        if isinstance(names, Expr):
            return self, info, ok
        value, info, ok = self.expression.evaluate(env.with_names(names), locally)
        return (self if ok and isinstance(value, Expr) else value), info, ok

    def __str__(self) -> str:
        return f"({self.names.inside()} ) {self.expression}"
