"""Functions that get their arguments unevaluated: they ask whether there is a value at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from landform.kit.quoting import quote
from landform.spiff.expressions.base import Expr
from landform.spiff.expressions.mappings import Catch
from landform.spiff.expressions.references import Reference
from landform.spiff.expressions.sync import Sync
from landform.spiff.info import CLEAN, Result, done, fail, join
from landform.spiff.paths import components
from landform.spiff.values import is_true

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from landform.spiff.environment import Environment

_UNDEFINED = CLEAN._replace(undefined=True)


class _Call(Protocol):
    """The call of an intrinsic function."""

    @property
    def arguments(self) -> Sequence[Expr]:
        """The arguments as they are written."""

    def evaluate(self, env: Environment, locally: bool) -> Result:
        """The call itself is what is left while an argument has to wait."""


def _defined(call: _Call, env: Environment) -> Result:
    waits = False
    for argument in call.arguments:
        value, info, ok = argument.evaluate(env, True)
        waits = waits or (ok and isinstance(value, Expr))
        if not waits and (not ok or info.undefined):
            return done(False)
    return done(call if waits else True)


def _valid(call: _Call, env: Environment) -> Result:
    waits, valid = False, True
    for argument in call.arguments:
        value, _, ok = argument.evaluate(env, True)
        waits = waits or (ok and isinstance(value, Expr))
        if not waits and not ok:
            return done(False)
        valid = valid and value is not None
    return done(call if waits else valid)


def _require(call: _Call, env: Environment) -> Result:
    if len(call.arguments) != 1:
        return fail("one argument expected for 'require'")
    value, _, ok = call.arguments[0].evaluate(env, True)
    if ok and isinstance(value, Expr):
        return done(call)
    if not ok or value is None:
        return fail(f"required expression {quote(str(call.arguments[0]))} undefined")
    return done(value)


def _optional(call: _Call, env: Environment) -> Result:
    if len(call.arguments) != 2:
        return fail("condition and template required for optional()")
    condition, info, ok = call.arguments[0].evaluate(env, False)
    if ok and isinstance(condition, Expr):
        return call, info, True
    if not ok or info.undefined or not is_true(condition):
        return None, _UNDEFINED, True
    value, own, ok = call.arguments[1].evaluate(env, False)
    return value, join(own, info), ok


def _stub(call: _Call, env: Environment) -> Result:
    if len(call.arguments) > 1:
        return fail("a maximum of one argument expected for 'stub'")
    path: Any = env.path
    if call.arguments:
        argument = call.arguments[0]
        if isinstance(argument, Reference):
            path = argument.path
        else:
            value, info, ok = argument.evaluate(env, True)
            if not ok:
                return value, info, ok
            if isinstance(value, Expr):
                return call, info, True
            path = _stub_path(value)
            if isinstance(path, str):
                if not info.undefined or value is not None:
                    return info.fail(path)
                path = env.path
    node = env.find_in_stubs(path)
    if node is None:
        return fail(f"'{'.'.join(path)}' not found in any stub")
    return done(node.value)


def _stub_path(value: Any) -> tuple[str, ...] | str:
    """The path that an argument of `stub` stands for, or what is wrong with it."""
    if type(value) is str:
        return components(value, leading=True)
    if type(value) is not list:
        return "stub() requires a string or reference argument"
    if any(type(node.value) is not str for node in value):
        return "stub() requires a string entries in list"
    return tuple(node.value for node in value)


def _catch(call: _Call, env: Environment) -> Result:
    if len(call.arguments) != 1:
        return fail("catch requires a single argument")
    return done(Catch(call.arguments[0], None))


def _sync(call: _Call, env: Environment) -> Result:
    if not 2 <= len(call.arguments) <= 4:
        return fail("2 or 3 arguments required for sync")
    expression, condition, *rest = call.arguments
    value, timeout = [*rest, None, None][:2]
    return done(Sync(expression, condition, value, timeout, as_function=True))


INTRINSICS: dict[str, Callable[[Any, Environment], Result]] = {
    "defined": _defined,
    "valid": _valid,
    "require": _require,
    "optional": _optional,
    "stub": _stub,
    "catch": _catch,
    "sync": _sync,
}
