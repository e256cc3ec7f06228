"""Expressions that call a lambda for every entry: map, select, filter, sum; and catch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from landform.spiff.expressions.base import Expr
from landform.spiff.expressions.lambdas import Arguments, Lambda, LambdaValue, call
from landform.spiff.info import CLEAN, Info, Result, join
from landform.spiff.nodes import Node, dynaml_node
from landform.spiff.values import is_true, type_name

if TYPE_CHECKING:
    from landform.spiff.environment import Environment


@dataclass(frozen=True)
class Kind:
    """One of the mapping expressions: what it accepts, and what it does with the lambda's values."""

    keyword: str
    brackets: str
    lists: bool
    maps: bool
    selects: bool
    """The entries themselves are kept, where the lambda yields a true value."""

    @property
    def to_map(self) -> bool:
        """Whether the result is a map."""
        return self.brackets == "{}"


KINDS = {
    "map[": Kind("map", "[]", lists=True, maps=True, selects=False),
    "map{": Kind("map", "{}", lists=True, maps=True, selects=False),
    "select[": Kind("select", "[]", lists=True, maps=True, selects=True),
    "select{": Kind("select", "{}", lists=False, maps=True, selects=True),
    "filter[": Kind("filter", "[]", lists=True, maps=False, selects=True),
    "filter{": Kind("filter", "{}", lists=False, maps=True, selects=True),
}


def _lambda_text(function: Expr) -> str:
    return str(function).removeprefix("lambda") if isinstance(function, Lambda) else f"|{function}"


class Mapping(Expr):
    """`map[source|x|->...]` and its relatives."""

    __slots__ = ("function", "kind", "source")

    def __init__(self, kind: Kind, source: Expr, function: Expr) -> None:
        self.kind = kind
        self.source = source
        self.function = function

    def evaluate(self, env: Environment, locally: bool) -> Result:
        value, info, ok = self.source.evaluate(env, True)
        if not ok:
            return None, info, False
        function, function_info, ok = self.function.evaluate(env, False)
        if not ok:
            return None, info, False
        if isinstance(value, Expr) or isinstance(function, Expr):
            return self._waiting(value, function), join(info, function_info), True
        if not isinstance(function, LambdaValue):
            return function_info.fail("mapping requires a lambda value")
        kind = self.kind
        if not (kind.lists and type(value) is list) and not (kind.maps and type(value) is dict):
            return info.fail(f"{kind.keyword}{kind.brackets} does not support {type_name(value)} values")
        result, info, ok = self._map(value, function, env)
        if not ok:
            return None, info, False
        return (self if result is None else result), info, True

    def _waiting(self, value: Any, function: Any) -> Mapping:
        source = value if isinstance(value, Expr) else self.source
        inner = function if isinstance(function, Expr) else self.function
        return self if source is self.source and inner is self.function else Mapping(self.kind, source, inner)

    def _map(self, value: Any, function: LambdaValue, env: Environment) -> Result:
        """The result of all calls; without a value the mapping has to wait."""
        inline = isinstance(self.function, Lambda)
        count = len(function.parameters)
        if type(value) is list and count > 2:
            return CLEAN.fail("mapping expression takes a maximum of 2 arguments")
        collected: list[tuple[Any, Any, Node]] = []
        for key, node in _entries(value):
            arguments = _inputs(count, [key], node.value)
            if arguments is None:
                return CLEAN.fail("mapping expression takes a minimum of 1 argument")
            through, mapped, info, ok = call(function, Arguments(arguments, inline=inline), env)
            if not ok or not through or isinstance(mapped, Expr):
                return None, info, ok
            if info.undefined or mapped is None or (self.kind.selects and not is_true(mapped)):
                continue
            entry = node if self.kind.selects else dynaml_node(mapped, info.source)
            if self.kind.to_map and type(value) is list:
                if type(node.value) is not str:
                    return info.fail(f"list element must be string, but found {type_name(node.value)}")
                key = node.value
            collected.append((key, mapped, entry))
        if self.kind.to_map:
            return {key: entry for key, _, entry in collected}, CLEAN, True
        return [entry for _, _, entry in collected], CLEAN, True

    def __str__(self) -> str:
        brackets = self.kind.brackets
        return f"{self.kind.keyword}{brackets[0]}{self.source}{_lambda_text(self.function)}{brackets[1]}"


def _entries(value: Any) -> list[tuple[Any, Node]]:
    return list(enumerate(value)) if type(value) is list else sorted(value.items(), key=lambda item: item[0])


def _inputs(count: int, leading: list[Any], value: Any) -> list[Any] | None:
    """The arguments of a call: the leading ones as far as there is room, the value last."""
    if count == 0:
        return None
    inputs = [*leading, *([None] * count)][:count]
    inputs[-1] = value
    return inputs


class Sum(Expr):
    """`sum[source|initial|s,x|->...]`."""

    __slots__ = ("function", "initial", "source")

    def __init__(self, source: Expr, initial: Expr, function: Expr) -> None:
        self.source = source
        self.initial = initial
        self.function = function

    def evaluate(self, env: Environment, locally: bool) -> Result:
        value, info, ok = self.source.evaluate(env, True)
        if not ok:
            return None, info, False
        initial, own, ok = self.initial.evaluate(env, False)
        info = join(info, own)
        if not ok:
            return None, info, False
        function, own, ok = self.function.evaluate(env, False)
        if not ok:
            return None, own, False
        if any(isinstance(part, Expr) for part in (value, initial, function)):
            return self._waiting(value, initial, function), join(info, own), True
        if not isinstance(function, LambdaValue):
            return own.fail("sum requires a lambda value")
        if type(value) is not list and type(value) is not dict:
            return info.fail("map or list required for sum")
        return self._sum(value, initial, function, env)

    def _waiting(self, value: Any, initial: Any, function: Any) -> Sum:
        source = value if isinstance(value, Expr) else self.source
        start = initial if isinstance(initial, Expr) else self.initial
        inner = function if isinstance(function, Expr) else self.function
        return Sum(source, start, inner)

    def _sum(self, value: Any, initial: Any, function: LambdaValue, env: Environment) -> Result:
        inline = isinstance(self.function, Lambda)
        count = len(function.parameters)
        if count > 3:
            return CLEAN.fail("mapping expression take a maximum of 3 arguments")
        if count < 2:
            return CLEAN.fail("mapping expression take a minimum of 2 arguments")
        total = initial
        for key, node in _entries(value):
            arguments = _inputs(count, [total, key], node.value)
            through, total, info, ok = call(function, Arguments(arguments or [], inline=inline), env)
            if not ok:
                return None, info, False
            if not through or isinstance(total, Expr):
                return self, info, True
        return total, CLEAN, True

    def __str__(self) -> str:
        return f"sum[{self.source}|{self.initial}{_lambda_text(self.function)}]"


class Catch(Expr):
    """`catch(a)` and `catch[a|value,error|->...]`: a failure as a value."""

    __slots__ = ("expression", "function")

    def __init__(self, expression: Expr, function: Expr | None) -> None:
        self.expression = expression
        self.function = function

    def includes_merge(self) -> bool:
        return self.expression.includes_merge()

    def evaluate(self, env: Environment, locally: bool) -> Result:
        function: Any = None
        if self.function is not None:
            function, info, ok = self.function.evaluate(env, False)
            if not ok:
                return None, info, False
            if isinstance(function, Expr):
                return Catch(self.expression, function), join(info, info), ok
            if not isinstance(function, LambdaValue):
                return info.fail("catch requires a lambda value")
            if len(function.parameters) > 2:
                return info.fail("catch function takes a maximum of 2 arguments")
        value, info, ok = self.expression.evaluate(env, False)
        if ok and isinstance(value, Expr):
            return (self if value is self.expression else Catch(value, self.function)), info, True
        if function is None:
            return _caught(value, info, ok, env), CLEAN, True
        return self._handle(function, value, info, ok, env)

    def _handle(self, function: LambdaValue, value: Any, info: Info, ok: bool, env: Environment) -> Result:
        count = len(function.parameters)
        if count == 0:
            return CLEAN.fail("lambda expression for sync condition must take one or two arguments, found 0")
        arguments = [value if ok else None, None if ok else info.issue.text][:count]
        inline = isinstance(self.function, Lambda)
        through, result, info, ok = call(function, Arguments(arguments, inline=inline), env)
        if not ok:
            return None, info, False
        return (result if through and not isinstance(result, Expr) else self), info, True

    def __str__(self) -> str:
        if self.function is None:
            return f"catch({self.expression})"
        return f"catch[{self.expression}{_lambda_text(self.function)}]"


def _caught(value: Any, info: Info, ok: bool, env: Environment) -> dict[str, Node]:
    result = {
        "valid": dynaml_node(ok, env.source),
        "error": dynaml_node("" if ok else info.issue.text, env.source),
    }
    if ok:
        result["value"] = dynaml_node(value, env.source)
    return result
