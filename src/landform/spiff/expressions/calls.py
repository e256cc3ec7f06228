"""Calls: of functions by name, and of lambdas that an expression yields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.spiff.expressions.base import Expansion, Expr, Literal, NamedArgument, evaluate_all
from landform.spiff.expressions.intrinsics import INTRINSICS
from landform.spiff.expressions.lambdas import Arguments, Lambda, LambdaValue, Parameter, call
from landform.spiff.expressions.references import Reference
from landform.spiff.functions.signature import Call
from landform.spiff.info import CLEAN, Result, fail, join
from landform.spiff.nodes import Map, dynaml_node
from landform.spiff.values import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from landform.spiff.environment import Environment

_REST = "__args"
_SEE_FLOATS = {"format", "error", "type", "validate", "check"}
"""Functions that can tell a whole number from outside from one that is written in the document."""


class Invocation(Expr):
    """`function(arguments)`; with a star before the bracket the arguments are only kept for later."""

    __slots__ = ("arguments", "curry", "function")

    def __init__(self, function: Expr, arguments: Sequence[Expr], curry: bool = False) -> None:
        self.function = function
        self.arguments = arguments
        self.curry = curry

    def evaluate(self, env: Environment, locally: bool) -> Result:
        name = self._name()
        if name is None:
            return self._evaluate_lambda(env)
        intrinsic = INTRINSICS.get(name)
        if intrinsic is not None:
            if self.curry:
                return fail(f"no currying for intrinsic builtin function ({self.function})")
            return intrinsic(self, env)
        return self._evaluate_function(name, env)

    def _name(self) -> str | None:
        """The name of the function, unless a lambda is called."""
        function = self.function
        if isinstance(function, Reference) and not function.tag and len(function.path) == 1:
            name = function.path[0]
            return name if name not in ("", "_") else None
        return None

    def _evaluate_lambda(self, env: Environment) -> Result:
        function, info, ok = self.function.evaluate(env, False)
        if not ok:
            return None, info, False
        waits = isinstance(function, Expr)
        if not waits and not isinstance(function, LambdaValue):
            return info.fail(f"function call '{self.function}' requires function name or lambda value")
        values, left, info, ok = evaluate_all(self.arguments, env)
        if not ok or values is None:
            return None, info, False
        if waits or left is not None:
            return self._waiting(function, left), info, True
        named, positional = self._split(values, env)
        arguments = Arguments(positional, named, curry=self.curry, curry_if_few=True)
        through, value, own, ok = call(function, arguments, env)
        if ok and (not through or isinstance(value, Expr)):
            return self, join(own, info), True
        return value, join(own, info), ok

    def _waiting(self, function: Any, left: Sequence[Expr] | None) -> Invocation:
        inner = function if isinstance(function, Expr) else self.function
        return Invocation(inner, self.arguments if left is None else left, self.curry)

    def _split(self, values: list[Any], env: Environment) -> tuple[Map, list[Any]]:
        named: Map = {}
        for argument, value in zip(self.arguments, values, strict=False):
            if not isinstance(argument, NamedArgument):
                break
            named[argument.name] = dynaml_node(value, env.source)
        count = sum(isinstance(argument, NamedArgument) for argument in self.arguments)
        return named, values[count:]

    def _evaluate_function(self, name: str, env: Environment) -> Result:
        values, left, info, ok = evaluate_all(self.arguments, env)
        if not ok or values is None:
            return None, info, False
        if left is not None:
            return Invocation(self.function, left, self.curry), info, True
        if any(isinstance(argument, NamedArgument) for argument in self.arguments):
            return info.fail(f"no named arguments for builtin function ({self.function})")
        if self.curry:
            return self._curried(values, env)
        if name == "type" and info.undefined:
            return "undef", info._replace(undefined=False), True
        function = env.state.functions.get(name)
        if function is None:
            return info.fail(f"unknown function '{name}'")
        env.state.meter.step()
        if name not in _SEE_FLOATS:
            values = [counted(value) for value in values]
        value, own, ok = function(Call(values, env, self.arguments))
        env.state.meter.look()
        if type(value) is str:
            env.state.meter.text(len(value))
        elif type(value) is list:
            env.state.meter.step(len(value))
        if ok and isinstance(value, Expr):
            return self, join(own, info), True
        return value, join(own, info), ok

    def _curried(self, values: list[Any], env: Environment) -> Result:
        """A lambda that adds its arguments to those that are already there."""
        arguments = [*map(Literal, values), Expansion(Reference((_REST,)))]
        inner = Lambda((Parameter(_REST),), True, Invocation(self.function, arguments))
        return LambdaValue(inner, {}, env), CLEAN, True

    def __str__(self) -> str:
        return f"{self.function}{'*' if self.curry else ''}({', '.join(map(str, self.arguments))})"
