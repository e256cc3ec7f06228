"""What all expressions have in common, and how they wait for values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from landform.spiff.embedding import expression_text
from landform.spiff.finding import is_complete_list, is_complete_map
from landform.spiff.info import CLEAN, Info, Result, join
from landform.spiff.values import literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from landform.spiff.environment import Environment
    from landform.spiff.nodes import Node


class Expr:
    """A parsed expression; never changed. Its text is the normalised form that messages show."""

    __slots__ = ()
    _fields: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        slots = cls.__dict__.get("__slots__", ())
        cls._fields = (*cls._fields, *((slots,) if isinstance(slots, str) else slots))

    def evaluate(self, env: Environment, locally: bool) -> Result:
        """The value here and now; `locally`: entries of the value may still be unresolved."""
        raise NotImplementedError

    def includes_merge(self) -> bool:
        """Whether the value may come from the same place in a stub."""
        return False

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other):
            return False
        return all(getattr(self, field) == getattr(other, field) for field in self._fields)

    __hash__ = None  # type: ignore[assignment]


class Literal(Expr):
    """A value that is already there."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def evaluate(self, env: Environment, locally: bool) -> Result:
        return self.value, CLEAN, True

    def __str__(self) -> str:
        return literal(self.value)


class Binary(Expr):
    """Two operands that both need a value."""

    __slots__ = ("a", "b")
    sign = ""

    def __init__(self, a: Expr, b: Expr) -> None:
        self.a = a
        self.b = b

    def evaluate(self, env: Environment, locally: bool) -> Result:
        a, info, ok = self.a.evaluate(env, False)
        if not ok:
            return None, info, False
        b, info_b, ok = self.b.evaluate(env, False)
        info = join(info, info_b)
        if not ok:
            return None, info, False
        if isinstance(a, Expr) or isinstance(b, Expr):
            return self.waiting(a, b), info, True
        return self.apply(a, b, info, env)

    def waiting(self, a: Any, b: Any) -> Expr:
        """The expression that is left while an operand has no value."""
        left = a if isinstance(a, Expr) else self.a
        right = b if isinstance(b, Expr) else self.b
        if left is self.a and right is self.b:
            return self
        return type(self)(left, right)

    def apply(self, a: Any, b: Any, info: Info, env: Environment) -> Result:
        """The result for two values."""
        raise NotImplementedError

    def __str__(self) -> str:
        return f"{self.a} {self.sign} {self.b}"


class Expansion(Expr):
    """`list...`: the entries of a list as separate arguments."""

    __slots__ = ("expression",)

    def __init__(self, expression: Expr) -> None:
        self.expression = expression

    def evaluate(self, env: Environment, locally: bool) -> Result:
        return self.expression.evaluate(env, locally)

    def __str__(self) -> str:
        return f"{self.expression}..."


class NamedArgument(Expr):
    """`name=value` in a call."""

    __slots__ = ("expression", "name")

    def __init__(self, name: str, expression: Expr) -> None:
        self.name = name
        self.expression = expression

    def evaluate(self, env: Environment, locally: bool) -> Result:
        return self.expression.evaluate(env, locally)

    def __str__(self) -> str:
        return f"{self.name}={self.expression}"


def rewrapped(value: Expr, original: Expr) -> Expr:
    """What an argument has become, still expanded or named as before."""
    if value is original:
        return value
    if isinstance(original, Expansion):
        return value if isinstance(value, Expansion) else Expansion(value)
    return NamedArgument(original.name, value) if isinstance(original, NamedArgument) else value


def evaluate_all(
    expressions: Sequence[Expr], env: Environment
) -> tuple[list[Any] | None, list[Expr] | None, Info, bool]:
    """Values of several expressions, or the expressions that are left if one has to wait; list expansions are done."""
    values: list[Any] = []
    left = list(expressions)
    info = CLEAN
    expands = resolved = True
    expands = False
    for index, expression in enumerate(expressions):
        value, own, ok = expression.evaluate(env, False)
        info = join(info, own) if index else own
        if not ok:
            return None, None, info, False
        if isinstance(value, Expr):
            left[index] = rewrapped(value, expression)
            resolved = False
            value = None
        expands = expands or isinstance(left[index], Expansion)
        values.append(value)
    if expands:
        expanded = _expand(values, left)
        if expanded is None:
            return None, None, info.fail("argument expansion required list argument")[1], False
        values = expanded
    return values, None if resolved else left, info, True


def _expand(values: list[Any], expressions: list[Expr]) -> list[Any] | None:
    expanded: list[Any] = []
    for value, expression in zip(values, expressions, strict=True):
        if not isinstance(expression, Expansion):
            expanded.append(value)
        elif type(value) is list:
            expanded += [node.value for node in value]
        else:
            return None
    return expanded


def is_locally_resolved(value: Any, env: Environment) -> bool:
    """Whether a value is no expression and nothing is still to be inserted into it."""
    kind = type(value)
    if kind is dict:
        return is_complete_map(value, env.state.controls)
    if kind is list:
        return is_complete_list(value)
    return not isinstance(value, Expr)


def is_resolved(value: Any, env: Environment, failed_too: bool = False) -> bool:
    """Whether neither a value nor anything below it is an expression; `failed_too`: failed nodes do not count."""
    kind = type(value)
    if kind is str:
        return expression_text(value) is None
    if kind is list:
        return _are_resolved(value, env, failed_too)
    if kind is dict:
        return is_complete_map(value, env.state.controls) and _are_resolved(value.values(), env, failed_too)
    return not isinstance(value, Expr)


def _are_resolved(nodes: Iterable[Node], env: Environment, failed_too: bool) -> bool:
    return all(not (not node.resolved and not is_resolved_node(node, env, failed_too)) for node in nodes)


def is_resolved_node(node: Node, env: Environment, failed_too: bool = False) -> bool:
    """Whether a node holds no expression."""
    if failed_too and (node.note.failed or node.note.error):
        return True
    if is_resolved(node.value, env, failed_too):
        node.resolved = not failed_too
        return True
    return False
