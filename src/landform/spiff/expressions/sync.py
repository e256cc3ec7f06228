"""`sync`: a value that has to meet a condition.

The original tries again until a time has passed, because commands may answer differently later. Here nothing outside
can change, so a condition that is false once every other node is resolved fails at once, with the same message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.spiff.expressions.base import Expr
from landform.spiff.expressions.lambdas import Arguments, Lambda, LambdaValue, call
from landform.spiff.info import CLEAN, Info, Result
from landform.spiff.nodes import Issue, Map, dynaml_node

if TYPE_CHECKING:
    from landform.spiff.environment import Environment


class Sync(Expr):
    """`sync[a|condition|value|seconds]` and `sync(a, condition, value, seconds)`."""

    __slots__ = ("as_function", "condition", "expression", "timeout", "value")

    def __init__(
        self, expression: Expr, condition: Expr, value: Expr | None, timeout: Expr | None, as_function: bool
    ) -> None:
        self.expression = expression
        self.condition = condition
        self.value = value
        self.timeout = timeout
        self.as_function = as_function

    def evaluate(self, env: Environment, locally: bool) -> Result:
        if self.timeout is not None:
            seconds, info, ok = self.timeout.evaluate(env, False)
            if not ok:
                return None, info, False
            if isinstance(seconds, Expr):
                return self, CLEAN, True
            if seconds is not None and type(seconds) is not int:
                return None, info._replace(issue=Issue("integer operand required")), False
        value, info, ok = self.expression.evaluate(env, False)
        if ok and isinstance(value, Expr):
            return self, CLEAN, True
        names: Map = {
            "valid": dynaml_node(ok, env.source),
            "error": dynaml_node("" if ok else info.issue.text, env.source),
        }
        if ok:
            names["value"] = dynaml_node(value, env.source)
        return self._check(names, value, info, ok, env)

    def _check(self, names: Map, value: Any, info: Info, ok: bool, env: Environment) -> Result:
        inside = env.with_names(names) if self.as_function else env
        condition, own, condition_ok = self.condition.evaluate(inside, False)
        if not condition_ok:
            return CLEAN.fail("condition evaluation failed)", (own.issue,) if own.issue.text else ())
        if isinstance(condition, LambdaValue):
            through, condition, own, condition_ok = self._call(condition, self.condition, names, "condition", env)
            if not through:
                return self if condition_ok else None, own, condition_ok
        elif not self.as_function:
            return CLEAN.fail("sync condition must evaluate to a lambda value")
        if isinstance(condition, Expr):
            return self, CLEAN, True
        if type(condition) is not bool:
            return CLEAN.fail("condition must evaluate to bool")
        if not condition:
            return (None, info, False) if not ok and info.issue.text else CLEAN.fail("sync timeout reached")
        return self._result(names, env) if self.value is not None else (value, info, ok)

    def _call(self, function: LambdaValue, written: Expr, names: Map, role: str, env: Environment) -> Any:
        count = len(function.parameters)
        if count not in (1, 2):
            text = f"lambda expression for sync {role} must take one or two arguments, found {count}"
            return False, *CLEAN.fail(text)
        arguments = [names["value"].value if "value" in names else None, names["error"].value][:count]
        inline = isinstance(written, Lambda) and not self.as_function
        return call(function, Arguments(arguments, inline=inline), env)

    def _result(self, names: Map, env: Environment) -> Result:
        if self.value is None:
            return None, CLEAN, True
        value, info, ok = self.value.evaluate(env.with_names(names), False)
        if not ok:
            return CLEAN.fail("value expression failed)")
        if isinstance(value, Expr):
            return self, info, True
        if self.as_function:
            return value, info, ok
        if not isinstance(value, LambdaValue):
            return CLEAN.fail("sync value expression must evaluate to lambda expression")
        through, value, info, ok = self._call(value, self.value, names, "value", env)
        return (value if through or not ok else self), info, ok

    def __str__(self) -> str:
        return f"sync({self.expression})"
