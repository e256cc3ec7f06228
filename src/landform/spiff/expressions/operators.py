"""Operators: arithmetic, comparison, logic, concatenation, alternatives and conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.spiff import addresses
from landform.spiff.expressions.base import Binary, Expr
from landform.spiff.info import CLEAN, Info, Result, join
from landform.spiff.nodes import Issue, Whole, dynaml_node
from landform.spiff.numbers import wrap
from landform.spiff.values import Special, counted, equals, is_true, simple_text, type_name

if TYPE_CHECKING:
    from landform.spiff.environment import Environment


def _numbers(a: Any, b: Any) -> tuple[Any, Any] | None:
    """Two numbers of one kind; None if one of the values is no number."""
    kinds = {type(a), type(b)}
    if not kinds <= _NUMBERS:
        return None
    return (a, b) if len(kinds) == 1 and Whole not in kinds else (float(a), float(b))


_NUMBERS = {int, float, Whole}


def _result(number: Any, a: Any, b: Any, info: Info) -> Result:
    """A computed number: of 64 bits, and still whole if it was computed from whole numbers."""
    if type(number) is int:
        return wrap(number), info, True
    if float not in (type(a), type(b)) and number.is_integer() and abs(number) < 2**63:
        return Whole(number), info, True
    return number, info, True


class Addition(Binary):
    """`a + b` for numbers, addresses and networks."""

    __slots__ = ()
    sign = "+"

    def apply(self, a: Any, b: Any, info: Info, env: Environment) -> Result:
        if type(a) is str:
            return addresses.add(a, counted(b), info)
        numbers = _numbers(a, b)
        if numbers is None:
            return info.fail("non-IP address addition requires number arguments")
        return _result(numbers[0] + numbers[1], a, b, info)


class Subtraction(Binary):
    """`a - b` for numbers, addresses and networks."""

    __slots__ = ()
    sign = "-"

    def apply(self, a: Any, b: Any, info: Info, env: Environment) -> Result:
        if type(a) is str:
            return addresses.subtract(a, counted(b), info)
        numbers = _numbers(a, b)
        if numbers is None:
            return info.fail("non-IP address subtration requires number arguments")
        return _result(numbers[0] - numbers[1], a, b, info)


class Multiplication(Binary):
    """`a * b` for numbers and networks."""

    __slots__ = ()
    sign = "*"

    def apply(self, a: Any, b: Any, info: Info, env: Environment) -> Result:
        if type(a) is str:
            return addresses.multiply(a, counted(b), info)
        numbers = _numbers(a, b)
        if numbers is None:
            return info.fail("non-CIDR multiplication requires number arguments")
        return _result(numbers[0] * numbers[1], a, b, info)


class Division(Binary):
    """`a / b` for numbers and networks; whole numbers are cut toward zero."""

    __slots__ = ()
    sign = "/"

    def apply(self, a: Any, b: Any, info: Info, env: Environment) -> Result:
        if type(a) is str:
            return addresses.divide(a, counted(b), info)
        numbers = _numbers(a, b)
        if numbers is None:
            return info.fail("non-CIDR division requires number arguments")
        dividend, divisor = numbers
        if divisor == 0:
            return info.fail("division by zero")
        quotient = _cut(dividend, divisor) if type(dividend) is int else dividend / divisor
        return _result(quotient, a, b, info)


def _cut(dividend: int, divisor: int) -> int:
    quotient = abs(dividend) // abs(divisor)
    return wrap(quotient if (dividend < 0) == (divisor < 0) else -quotient)


class Modulo(Binary):
    """`a % b` for whole numbers; the sign is that of a."""

    __slots__ = ()
    sign = "%"

    def evaluate(self, env: Environment, locally: bool) -> Result:
        operands: list[Any] = []
        info = CLEAN
        for expression in (self.a, self.b):
            value, own, ok = expression.evaluate(env, False)
            value = counted(value)
            info = join(info, own) if operands else own
            if not ok:
                return None, info, False
            if value is not None and type(value) is not int and not isinstance(value, Expr):
                return None, info._replace(issue=Issue("integer operand required")), False
            operands.append(value)
        a, b = operands
        if isinstance(a, Expr) or isinstance(b, Expr):
            return self.waiting(a, b), info, True
        if not b:
            return info.fail("division by zero")
        return (a or 0) - _cut(a or 0, b) * b, info, True


class Comparison(Expr):
    """`a == b`, `!=`, `<`, `<=`, `>`, `>=`."""

    __slots__ = ("a", "b", "sign")

    def __init__(self, a: Expr, sign: str, b: Expr) -> None:
        self.a = a
        self.sign = sign
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
            return self._waiting(a, b), info, True
        if self.sign in ("==", "!="):
            equal, own, ok = equals(a, b)
            return ((equal == (self.sign == "==")) if ok else None), join(info, own), ok
        return self._ordered(counted(a), counted(b), info)

    def _waiting(self, a: Any, b: Any) -> Expr:
        left = a if isinstance(a, Expr) else self.a
        right = b if isinstance(b, Expr) else self.b
        return self if left is self.a and right is self.b else Comparison(left, self.sign, right)

    def _ordered(self, a: Any, b: Any, info: Info) -> Result:
        kind = type(a)
        if kind is not int and kind is not str:
            return False, join(info, CLEAN), True
        if type(b) is not kind:
            kinds = "integers or strings" if kind is int else "strings or integers"
            return CLEAN.fail(f"comparision {self.sign} only for {kinds}")
        result = {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[self.sign]
        return result, join(info, CLEAN), True

    def __str__(self) -> str:
        return f"{self.a} {self.sign} {self.b}"


class _Logic(Binary):
    """`-or` and `-and`: bitwise for two whole numbers, else logical."""

    __slots__ = ()
    decides = True
    """The truth of the first operand that decides alone."""

    def evaluate(self, env: Environment, locally: bool) -> Result:
        a, info, ok = self.a.evaluate(env, False)
        if not ok:
            return None, CLEAN, False
        if isinstance(a, Expr):
            return self, info, True
        b, info_b, ok_b = self.b.evaluate(env, False)
        info = join(info, info_b)
        if ok_b and isinstance(b, Expr):
            return self, info, True
        a, b = counted(a), counted(b)
        if ok_b and type(a) is int and type(b) is int:
            return self.bitwise(a, b), info, True
        if not ok_b and type(a) is int:
            return None, info, False
        if is_true(a) == self.decides:
            return self.decides, info, True
        return (is_true(b), info, True) if ok_b else (None, info, False)

    def bitwise(self, a: int, b: int) -> int:
        """The result for two whole numbers."""
        raise NotImplementedError


class LogicalOr(_Logic):
    """`a -or b`."""

    __slots__ = ()
    sign = "-or"
    decides = True

    def bitwise(self, a: int, b: int) -> int:
        return a | b


class LogicalAnd(_Logic):
    """`a -and b`."""

    __slots__ = ()
    sign = "-and"
    decides = False

    def bitwise(self, a: int, b: int) -> int:
        return a & b


class Not(Expr):
    """`!a`."""

    __slots__ = ("expression",)

    def __init__(self, expression: Expr) -> None:
        self.expression = expression

    def evaluate(self, env: Environment, locally: bool) -> Result:
        value, info, ok = self.expression.evaluate(env, False)
        if not ok:
            return None, info, False
        if isinstance(value, Expr):
            return (self if value is self.expression else Not(value)), info, True
        return not is_true(value), info, True

    def __str__(self) -> str:
        return f"!({self.expression})"


class Concatenation(Binary):
    """`a b`: texts joined, lists appended, maps united."""

    __slots__ = ()

    def includes_merge(self) -> bool:
        return self.a.includes_merge() or self.b.includes_merge()

    def apply(self, a: Any, b: Any, info: Info, env: Environment) -> Result:
        kind = type(a)
        if kind is list:
            return self._append(a, b, info, env)
        if kind is dict:
            if b is None:
                return a, info, True
            return ({**a, **b}, info, True) if type(b) is dict else self._mismatch(a, b, info)
        left = simple_text(a)
        right = str(b) if isinstance(b, Special) and b.type_name == "lambda" else simple_text(b)
        if left is None or right is None:
            return self._mismatch(a, b, info)
        env.state.meter.text(len(left) + len(right))
        return left + right, info, True

    def _append(self, a: Any, b: Any, info: Info, env: Environment) -> Result:
        if b is None:
            return a, info, True
        env.state.meter.step(len(a))
        added = b if type(b) is list else [dynaml_node(b, info.source)]
        return [*a, *added], info, True

    def _mismatch(self, a: Any, b: Any, info: Info) -> Result:
        return info.fail(f"type '{type_name(b)}'({self.b}) cannot be concatenated with type '{type_name(a)}'({self.a})")

    def __str__(self) -> str:
        return f"{self.a} {self.b}"


class Or(Binary):
    """`a || b`: b if a fails or is undefined."""

    __slots__ = ()
    sign = "||"

    def includes_merge(self) -> bool:
        return self.a.includes_merge() or self.b.includes_merge()

    def evaluate(self, env: Environment, locally: bool) -> Result:
        a, info, ok = self.a.evaluate(env, False)
        if ok and not info.undefined:
            return (self if isinstance(a, Expr) else a), info, True
        b, info_b, ok = self.b.evaluate(env, False)
        return b, join(info.cleaned(), info_b)._replace(undefined=info_b.undefined), ok


class ValidOr(Binary):
    """`a // b`: b if a fails, is undefined or null."""

    __slots__ = ()
    sign = "//"

    def evaluate(self, env: Environment, locally: bool) -> Result:
        a, info, ok = self.a.evaluate(env, False)
        if ok:
            if isinstance(a, Expr):
                return (None, info, False) if a == self.a else (self, info, True)
            if a is not None:
                return a, info, True
        b, info_b, ok = self.b.evaluate(env, False)
        return b, join(info, info_b)._replace(undefined=info_b.undefined), ok


class Conditional(Expr):
    """`c ? a : b`: only one branch is evaluated."""

    __slots__ = ("condition", "no", "yes")

    def __init__(self, condition: Expr, yes: Expr, no: Expr) -> None:
        self.condition = condition
        self.yes = yes
        self.no = no

    def includes_merge(self) -> bool:
        return self.yes.includes_merge() or self.no.includes_merge()

    def evaluate(self, env: Environment, locally: bool) -> Result:
        condition, info, ok = self.condition.evaluate(env, False)
        if not ok:
            return None, info, False
        if isinstance(condition, Expr):
            waits = self if condition is self.condition else Conditional(condition, self.yes, self.no)
            return waits, info, True
        value, own, ok = (self.yes if is_true(condition) else self.no).evaluate(env, False)
        return value, join(own, info), ok

    def __str__(self) -> str:
        return f"{self.condition} ? {self.yes} : {self.no}"


class Grouped(Expr):
    """`( a )`."""

    __slots__ = ("expression",)

    def __init__(self, expression: Expr) -> None:
        self.expression = expression

    def includes_merge(self) -> bool:
        return self.expression.includes_merge()

    def evaluate(self, env: Environment, locally: bool) -> Result:
        return self.expression.evaluate(env, locally)

    def __str__(self) -> str:
        return f"( {self.expression} )"


class Prefer(Expr):
    """`prefer a`: a list or map that stubs do not replace."""

    __slots__ = ("expression",)

    def __init__(self, expression: Expr) -> None:
        self.expression = expression

    def evaluate(self, env: Environment, locally: bool) -> Result:
        value, info, ok = self.expression.evaluate(env, locally)
        return value, info._replace(preferred=True), ok

    def __str__(self) -> str:
        return f"prefer {self.expression}"
