"""Lambdas: expressions with parameters, and the values that they are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from landform.spiff.expressions.base import Expr, Literal
from landform.spiff.info import CLEAN, Info, Result
from landform.spiff.nodes import SELF, Issue, Map, Node, dynaml_node
from landform.spiff.parsing import ParseError
from landform.spiff.values import Special, short, shorten

if TYPE_CHECKING:
    from landform.spiff.environment import Environment

_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")


class Parameter(NamedTuple):
    """A parameter of a lambda."""

    name: str
    default: Expr | None = None

    def __str__(self) -> str:
        return self.name if self.default is None else f"{self.name}={self.default}"


class Lambda(Expr):
    """`|a, b=1, c...|-> expression`."""

    __slots__ = ("expression", "parameters", "variadic")

    def __init__(self, parameters: tuple[Parameter, ...], variadic: bool, expression: Expr) -> None:
        self.parameters = parameters
        self.variadic = variadic
        self.expression = expression

    def evaluate(self, env: Environment, locally: bool) -> Result:
        expression = self
        if self.parameters and self.parameters[-1].default is not None:
            parameters = []
            for index, parameter in enumerate(self.parameters):
                if parameter.default is not None:
                    value, info, ok = parameter.default.evaluate(env, locally)
                    if not ok:
                        text = f"evaluation of lambda call default argument {index} failed: {self}: {parameter.default}"
                        return info.fail(text, (info.issue,), sequence=True)
                    parameter = Parameter(parameter.name, Literal(value))
                parameters.append(parameter)
            expression = Lambda(tuple(parameters), self.variadic, self.expression)
        return LambdaValue(expression, env.static, _definition(env)), CLEAN, True

    def __str__(self) -> str:
        parameters = ",".join(map(str, self.parameters)) + ("..." if self.variadic else "")
        return f"lambda|{parameters}|->{self.expression}"


def _definition(env: Environment) -> Environment:
    """Where `_` looks from inside a lambda that is made here."""
    own = env.find_reference((SELF,))
    return own.resolver if own is not None and own.resolver is not None else env


class LambdaReference(Expr):
    """`lambda expression`: a lambda that another node holds, or its text."""

    __slots__ = ("path", "source", "stub_path")

    def __init__(self, source: Expr, path: tuple[str, ...], stub_path: tuple[str, ...]) -> None:
        self.source = source
        self.path = path
        self.stub_path = stub_path

    def evaluate(self, env: Environment, locally: bool) -> Result:
        value, info, ok = self.source.evaluate(env, False)
        if not ok:
            return None, info, False
        if isinstance(value, Expr):
            waits = self if value is self.source else LambdaReference(value, self.path, self.stub_path)
            return waits, info, False
        if isinstance(value, LambdaValue):
            return value, info, True
        if type(value) is not str:
            return info.fail("lambda reference must resolve to lambda value or string")
        try:
            expression = env.state.parse(value, self.path, self.stub_path)
        except ParseError as error:
            return info.fail(f"cannot parse lamba expression '{error}': %!s(MISSING)")
        if not isinstance(expression, Lambda):
            return info.fail(f"'{value}' is no lambda expression")
        return expression.evaluate(env, locally)

    def __str__(self) -> str:
        return f"lambda {self.source}"


class LambdaValue(Special):
    """A lambda with the names it was made with."""

    __slots__ = ("expression", "resolver", "static")
    type_name = "lambda"

    def __init__(self, expression: Lambda, static: Map, resolver: Environment) -> None:
        resolver.state.specials += 1
        self.expression = expression
        self.static = static
        self.resolver = resolver

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters that are still open."""
        return self.expression.parameters

    def equivalent(self, other: Special) -> bool:
        return isinstance(other, LambdaValue) and self.expression == other.expression

    def __str__(self) -> str:
        known = shorten(short(self.static)) if self.static else ""
        return f"{known}{self.expression}"

    def output(self) -> str:
        """The lambda as it is written to the output."""
        return f"(( {self.expression} ))"


class Arguments(NamedTuple):
    """What a lambda is called with."""

    positional: list[Any]
    named: Map = {}  # noqa: RUF012 - never changed
    curry: bool = False
    """Keep the arguments and wait for more."""
    curry_if_few: bool = False
    inline: bool = False
    """The lambda is written at the place of the call, so `_` is not the lambda."""


Outcome = tuple[bool, Any, Info, bool]
"""Whether the call is through, then value, info and whether there is a value."""


def call(function: LambdaValue, arguments: Arguments, env: Environment) -> Outcome:
    """Calls a lambda where an expression stands; free names are looked up there."""
    parameters = function.parameters
    positional = _packed(function, arguments.positional, env)
    if len(positional) > len(parameters):
        return _wrong(f"found {len(positional)} argument(s), but expects {len(parameters)}")
    names = dict(function.static)
    named = _named(function, arguments.named, len(positional))
    if isinstance(named, Issue):
        return _wrong(named.text) if not named.sequence else _failed(named.text)
    names.update(named)
    for parameter, value in zip(parameters, positional, strict=False):
        names[parameter.name] = dynaml_node(value, env.source)
    few = len(positional) < len(parameters) and not function.expression.variadic
    if arguments.curry or (arguments.curry_if_few and not named and few and parameters[-1].default is None):
        return True, _curried(function, names, named, len(positional)), CLEAN, True
    missing = _add_defaults(function, names, named, len(positional), env)
    if missing:
        return _failed(missing)
    return _run(function, names, arguments.inline, env)


def _packed(function: LambdaValue, positional: list[Any], env: Environment) -> list[Any]:
    """The arguments with the surplus ones of a variadic lambda as one list."""
    if not function.expression.variadic:
        return positional
    required = max(len(function.parameters) - 1, 0)
    if len(positional) <= required:
        return positional
    return [*positional[:required], [Node(value, env.source) for value in positional[required:]]]


def _named(function: LambdaValue, given: Map, positional: int) -> Map | Issue:
    """The named arguments by parameter name, or what is wrong with them (in sequence: an error of its own)."""
    parameters = function.parameters
    names = [parameter.name for parameter in parameters]
    named: Map = {}
    for name, node in given.items():
        if _NUMBER.fullmatch(name):
            index = int(name)
            if index < 1:
                return Issue(f"invalid argument index {index}")
            if index > len(parameters):
                return Issue(f"argument index {index} too large for {len(parameters)} parameters")
            name = names[index - 1]
        if name in named:
            return Issue(f"named argument {name} given by name and index")
        named[name] = node
    for name, node in named.items():
        if name not in names:
            return Issue(f"no lambda parameter found for named argument {name}")
        index = names.index(name)
        if index < positional:
            return Issue(f"both, positional ({index + 1}) and named argument found for lambda parameter {name}")
        if function.expression.variadic and index == len(names) - 1 and type(node.value) is not list:
            return Issue(f"named varargs argument {index + 1} ({name}) must be a list", sequence=True)
    return named


def _curried(function: LambdaValue, names: Map, named: Map, positional: int) -> LambdaValue:
    open_parameters = function.parameters[positional:]
    rest = tuple(parameter for parameter in open_parameters if parameter.name not in named)
    variadic = bool(rest) and rest[-1] is open_parameters[-1] and function.expression.variadic
    return LambdaValue(Lambda(rest, variadic, function.expression.expression), names, function.resolver)


def _add_defaults(function: LambdaValue, names: Map, named: Map, positional: int, env: Environment) -> str | None:
    """Fills in what was not given; returns what is wrong if that is impossible."""
    parameters = function.parameters
    for index in range(positional, len(parameters)):
        parameter = parameters[index]
        if parameter.name in named:
            continue
        if isinstance(parameter.default, Literal):
            names[parameter.name] = dynaml_node(parameter.default.value, env.source)
        elif function.expression.variadic and index == len(parameters) - 1:
            names[parameter.name] = dynaml_node([], env.source)
        elif named:
            return f"missing named argument for {parameter.name}"
        else:
            return _too_few(function, positional)
    return None


def _too_few(function: LambdaValue, found: int) -> str:
    parameters = function.parameters
    first = next((index for index, parameter in enumerate(parameters) if parameter.default is not None), None)
    optional = len(parameters) - first if first is not None else int(function.expression.variadic)
    if optional:
        required = len(parameters) - optional
        return f"expected at least {required} arguments ({optional} optional), but found {found}"
    return f"expected {len(parameters)} arguments, but found {found}"


def _run(function: LambdaValue, names: Map, inline: bool, env: Environment) -> Outcome:
    if not inline:
        own = dynaml_node(function, env.source)
        own.resolver = function.resolver
        names[SELF] = own
    meter = env.state.meter
    meter.step()
    meter.enter()
    value, info, ok = function.expression.expression.evaluate(env.with_names(names), False)
    meter.leave()
    if not ok:
        text = f"evaluation of lambda expression failed: {function}: {shorten(short(names))}"
        return False, *info.fail(text, (info.issue,), sequence=True)
    if isinstance(value, Expr):
        return False, None, info, True
    return True, value, info, True


def _wrong(text: str) -> Outcome:
    return False, *CLEAN.refuse(text)


def _failed(text: str) -> Outcome:
    return False, *CLEAN.fail(text)
