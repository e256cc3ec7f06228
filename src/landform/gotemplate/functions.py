"""Functions that templates may call, with the Go types of their parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from landform.gotemplate.values import INTERFACE, LIST, MAP

if TYPE_CHECKING:
    from collections.abc import Callable

VALUE = "reflect.Value"  # a parameter that takes any value as it is, even a missing one
_ALIASES = {"any": INTERFACE, "list": LIST, "map": MAP, "value": VALUE}


@dataclass(frozen=True, slots=True)
class Function:
    """A Python function and the types that Go would check before it is called.

    It raises GoError for what Go gives back as an error or panics with. The last type of a variadic function is that
    of each further argument.
    """

    call: Callable[..., Any]
    parameters: tuple[str, ...]
    variadic: bool = False
    result: str = ""
    """The type of the result where it is always the same; what is printed or looped over need not be asked then."""

    def expected(self, index: int) -> str:
        """The type of the argument at the index."""
        return self.parameters[min(index, len(self.parameters) - 1)]


def function(signature: str, call: Callable[..., Any]) -> Function:
    """A function from a signature such as "int, string -> string" or "string, ...any"."""
    given, _, result = signature.partition("->")
    names = [name.strip() for name in given.split(",") if name.strip()]
    variadic = bool(names) and names[-1].startswith("...")
    plain = [name.removeprefix("...") for name in names]
    return Function(call, tuple(_ALIASES.get(name, name) for name in plain), variadic, result.strip())


def wrapped(call: Function | Callable[..., Any]) -> Function:
    """A Function as it is; any other callable takes arguments of any type and number."""
    return call if isinstance(call, Function) else Function(call, (INTERFACE,), True)
