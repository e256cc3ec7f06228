"""Functions that the user of the library brings along: plain data in, plain data out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from landform.spiff.documents import bound_value, plain_value
from landform.spiff.errors import SpiffError
from landform.spiff.info import Result, done, fail

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.spiff.functions.signature import Call, Function

Foreign = Callable[..., Any]
"""A function over plain data; it raises SpiffError to say why the expression has no value."""


def foreign(functions: Mapping[str, Foreign]) -> dict[str, Function]:
    """The functions as expressions call them."""
    return {name: _wrapped(name, function) for name, function in functions.items()}


def _wrapped(name: str, function: Foreign) -> Function:
    def run(call: Call) -> Result:
        arguments = [plain_value(argument) for argument in call.arguments]
        try:
            value = function(*arguments)
        except SpiffError as error:
            return fail(f"{name}: {error}")
        return done(bound_value(value, call.env.state.meter))

    return run
