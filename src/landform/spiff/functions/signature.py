"""What a function is: something that turns a call into a result."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from landform.spiff.info import Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from landform.spiff.environment import Environment
    from landform.spiff.expressions.base import Expr


class Call(NamedTuple):
    """The call of a function."""

    arguments: list[Any]
    env: Environment
    written: Sequence[Expr] = ()
    """The arguments as expressions."""

    @property
    def size(self) -> int:
        """How many arguments there are."""
        return len(self.arguments)


Function = Callable[[Call], Result]
