"""Compiles pipelines: their commands, arguments and variables."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from landform.gotemplate import runtime
from landform.gotemplate.codes import Code, Either, Note, Program, Value
from landform.gotemplate.functions import VALUE, Function
from landform.gotemplate.nodes import (
    Bool,
    Chain,
    Command,
    Dot,
    Field,
    Identifier,
    Nil,
    Node,
    Number,
    Pipe,
    String,
    Variable,
)
from landform.gotemplate.values import INTERFACE, LIST, MAP, Int, Uint32

if TYPE_CHECKING:
    from collections.abc import Mapping

_PYTHON_TYPES = {"string": "str", "int": "Int", LIST: "list", MAP: "dict", "bool": "bool", "float64": "float"}
_FIELD_ACCESS = {
    "default": "{0}.get({1}, M) if type({0}) is dict else field({0}, {1}{2})",
    "zero": "{0}.get({1}) if type({0}) is dict else field({0}, {1}{2})",
    "error": "{0}[{1}] if type({0}) is dict and {1} in {0} else field({0}, {1}{2})",
}
DEEPEST = 10  # blocks inside blocks of one Python function


def unlocal(boxed: str) -> str:
    """What another function can say of it: it does not see the local variable."""
    return boxed if boxed in ("True", "False") else "True"


class Scope:
    """The variables of a template by name; each has a slot of its own."""

    def __init__(self) -> None:
        self._names: list[tuple[str, int]] = [("$", 0)]
        self._boxed: dict[int, str] = {}
        self.slots = 1

    def boxed(self, slot: int) -> str:
        """Source that tells whether the variable holds an element of a list or map, which Go keeps boxed."""
        return self._boxed.get(slot, "False")

    def box(self, slot: int, boxed: str) -> None:
        """Says so."""
        self._boxed[slot] = boxed

    def declare(self, name: str) -> int:
        """The slot of a new variable."""
        self._names.append((name, self.slots))
        self.slots += 1
        return self.slots - 1

    def find(self, name: str) -> int | None:
        """The slot of the variable that was declared last under the name."""
        return next((slot for known, slot in reversed(self._names) if known == name), None)

    def mark(self) -> int:
        """Where the variables stand now."""
        return len(self._names)

    def forget(self, mark: int) -> None:
        """Drops the variables declared since."""
        del self._names[mark:]


class Expressions:
    """Compiles the expressions of one template.

    `_at` follows the node that Go would name in an error at that moment; it is known when compiling.
    """

    def __init__(
        self,
        name: str,
        program: Program,
        functions: Mapping[str, Function],
        builtins: Mapping[str, Function],
        mode: str,
    ) -> None:
        self._name = name
        self._program = program
        self._functions = functions
        self._builtins = builtins
        self._access = _FIELD_ACCESS[mode]
        self._nil_fields = mode == "zero"
        self._scope = Scope()
        self._code: Code
        self._at: Node
        self._temporaries = 0

    # Source.

    def _note(self, node: Node | None = None, call: str = "") -> Note:
        return Note(self._name, node or self._at, call)

    def _temporary(self) -> str:
        self._temporaries += 1
        return f"t{self._temporaries}"

    def _keep(self, source: str, note: Note | None = None) -> str:
        """A temporary variable with the value of the source."""
        name = self._temporary()
        self._code.emit(f"{name} = {source}", note)
        return name

    def _owned(self, value: Value) -> str:
        """A temporary variable with the value, which may be changed in place."""
        return value.source if value.source[0] == "t" else self._keep(value.source)

    def _fail(self, message: str) -> Value:
        """Source that stops when it is reached."""
        return Value(self._keep(f"fail({message!r})", self._note()))

    # Pipelines.

    def _pipeline(self, pipe: Pipe, dot: Value) -> Value:
        """The value of a pipeline; nil becomes the missing value, and variables are set."""
        self._at = pipe
        value: Value | None = None
        for command in pipe.commands:
            value = self._solid(self._command(command, dot, value))
        assert value is not None
        for variable in pipe.variables:
            name = variable.names[0]
            slot = self._scope.find(name) if pipe.assigns else self._scope.declare(name)
            if slot is None:
                self._fail(f"undefined variable: {name}")
            else:
                self._scope.box(slot, "False")
                self._code.emit(f"V[{slot}] = {value.source}")
        return value

    def _solid(self, value: Value) -> Value:
        """The value with nil made the missing value."""
        if not value.nil:
            return value
        name = self._owned(value)
        self._code.emit(f"if {name} is None: {name} = M")
        return Value(name, value.kind, missing=True)

    def _no_arguments(self, arguments: list[Node], final: Value | None) -> bool:
        if len(arguments) > 1 or final is not None:
            self._fail(f"can't give argument to non-function {arguments[0].text()}")
            return False
        return True

    def _command(self, command: Command, dot: Value, final: Value | None) -> Value:
        first = command.arguments[0]
        if isinstance(first, Field):
            self._at = first
            return self._fields(dot, dot, first, first.names, command.arguments, final)
        if isinstance(first, Chain):
            return self._chain(first, dot, command.arguments, final)
        if isinstance(first, Identifier):
            return self._function(first, command, dot, command.arguments, final)
        if isinstance(first, Pipe):
            if not self._no_arguments(command.arguments, final):
                return Value("None")
            return self._pipeline(first, dot)
        if isinstance(first, Variable):
            return self._variable(first, dot, command.arguments, final)
        self._at = first
        if not self._no_arguments(command.arguments, final):
            return Value("None")
        return self._constant(first, dot)

    def _constant(self, node: Node, dot: Value) -> Value:
        if isinstance(node, Dot):
            return dot
        if isinstance(node, Nil):
            return self._fail("nil is not a command")
        if isinstance(node, String):
            return Value(self._program.constant(node.value), "string")
        if isinstance(node, Bool):
            return Value(repr(node.value), "bool")
        assert isinstance(node, Number)
        return self._ideal(node)

    def _ideal(self, number: Number) -> Value:
        """A number constant whose type only its own syntax tells."""
        self._at = number
        text = number.source
        if number.imaginary is not None:
            return Value(self._program.constant(number.imaginary), "complex128")
        is_hex = len(text) > 2 and text[:2] in ("0x", "0X") and not any(char in "pP" for char in text)
        if number.real is not None and not is_hex and text[0] != "'" and any(char in ".eEpP" for char in text):
            return Value(self._program.constant(number.real), "float64")
        if number.whole is None:
            return self._fail(f"{text} overflows int")
        return Value(self._program.constant(Int(number.whole)), "int")

    # Fields and variables.

    def _chain(self, chain: Chain, dot: Value, arguments: list[Node] | None, final: Value | None) -> Value:
        self._at = chain
        if isinstance(chain.node, Nil):
            return self._fail(f"indirection through explicit nil in {chain.text()}")
        receiver = self._argument(chain.node, "", dot)
        return self._fields(receiver, dot, chain, chain.names, arguments, final)

    def _variable(self, variable: Variable, dot: Value, arguments: list[Node] | None, final: Value | None) -> Value:
        self._at = variable
        slot = self._scope.find(variable.names[0])
        if slot is None:
            return self._fail(f"undefined variable: {variable.names[0]}")
        value = Value(f"V[{slot}]", missing=True, nil=True)
        if len(variable.names) == 1:
            if arguments is not None and not self._no_arguments(arguments, final):
                return Value("None")
            return Value(self._keep(value.source), missing=True, nil=True)
        receiver = Value(self._keep(value.source), boxed=self._scope.boxed(slot))
        return self._fields(receiver, dot, variable, variable.names[1:], arguments, final)

    def _fields(
        self,
        receiver: Value,
        dot: Value,
        node: Node,
        names: list[str],
        arguments: list[Node] | None,
        final: Value | None,
    ) -> Value:
        """Fields one after the other; the last may be a method that takes the arguments."""
        source = receiver.source
        if not source.isidentifier():
            source = self._keep(source)
        *first, last = names
        boxed = receiver.boxed
        for name in first:
            source = self._field(source, name, boxed)
            boxed = "True"
        if (arguments is not None and len(arguments) > 1) or final is not None:
            return self._method(source, last, node, arguments or [], dot, final, boxed)
        return Value(self._field(source, last, boxed), missing=True, nil=True, boxed="True")

    def _field(self, receiver: str, name: str, boxed: str) -> str:
        access = self._access.format(receiver, repr(name), "" if boxed == "False" else f", {boxed}")
        return self._keep(access, self._note())

    def _method(
        self,
        receiver: str,
        name: str,
        node: Node,
        arguments: list[Node],
        dot: Value,
        final: Value | None,
        boxed: str,
    ) -> Value:
        given = arguments[1:]
        count = len(given) + (final is not None)
        method = self._keep(f"method({receiver}, {name!r}, {count}, {boxed})", self._note())
        values = []
        for index, argument in enumerate(given):
            self._at = argument
            if isinstance(argument, Number | String | Bool | Nil):
                source = self._program.constant(argument)
            else:
                source = self._argument(argument, VALUE, dot).source
            values.append(self._keep(f"fit({method}, {index}, {source})", self._note()))
        if final is not None:
            values.append(self._keep(f"fit({method}, {len(given)}, {final.source})", self._note()))
        sources = "".join(f"{value}, " for value in values)
        result = self._keep(f"invoke({name!r}, {method}, {receiver}, ({sources}))", self._note(node))
        return Value(result, missing=True, nil=True)

    # Functions.

    def _function(
        self, identifier: Identifier, node: Node, dot: Value, arguments: list[Node] | None, final: Value | None
    ) -> Value:
        self._at = identifier
        name = identifier.name
        given = arguments[1:] if arguments else []
        builtin = name not in self._functions
        function = self._builtins[name] if builtin else self._functions[name]
        count = len(given) + (final is not None)
        wanted = len(function.parameters)
        if function.variadic and count < wanted - 1:
            return self._fail(f"wrong number of args for {name}: want at least {wanted - 1} got {len(given)}")
        if not function.variadic and count != wanted:
            return self._fail(f"wrong number of args for {name}: want {wanted} got {count}")
        if builtin and name in ("and", "or"):
            return self._junction(name, given, dot, final)
        values = [self._argument(argument, function.expected(index), dot) for index, argument in enumerate(given)]
        if final is not None:
            values.append(self._checked(final, function.expected(len(given))))
        if builtin and name in ("eq", "ne", "not"):
            quick = self._quick(name, values, node)
            if quick is not None:
                return quick
        sources = [value.source for value in values]
        if builtin and name == "call":
            sources.insert(0, repr(given[0].text() if given else None))
        called = self._program.constant(function.call)
        result = self._keep(f"{called}({', '.join(sources)})", self._note(node, name))
        if function.result:
            return Value(result, function.result)
        return Value(result, missing=builtin, nil=True)

    def _quick(self, name: str, values: list[Value], node: Node) -> Value | None:
        """The commonest comparisons, without a call."""
        if name == "not":
            return Value(self._keep(f"not {values[0].source}"), "bool")
        if len(values) != 2:
            return None
        left, right = values
        sign = "==" if name == "eq" else "!="
        called = self._program.constant(self._builtins[name].call)
        same = (
            f"type({left.source}) is str"
            if right.kind == "string"
            else f"type({left.source}) is type({right.source}) is str"
        )
        source = f"{left.source} {sign} {right.source} if {same} else {called}({left.source}, {right.source})"
        return Value(self._keep(source, self._note(node, name)), "bool")

    def _junction(self, name: str, arguments: list[Node], dot: Value, final: Value | None) -> Value:
        """`and` and `or`, which evaluate no more arguments than they need."""
        if self._code.depth <= DEEPEST:
            return self._joined(name, arguments, dot, final)
        outer = self._code
        self._code = inner = self._program.code("S, dot, V, last")
        last = None if final is None else Value("last", missing=True)
        result = self._joined(name, arguments, replace(dot, source="dot", boxed=unlocal(dot.boxed)), last)
        inner.emit(f"return {result.source}")
        self._code = outer
        given = "None" if final is None else final.source
        return Value(self._keep(f"{inner.name}(S, {dot.source}, V, {given})"), missing=True, nil=True)

    def _joined(self, name: str, arguments: list[Node], dot: Value, final: Value | None) -> Value:
        result = self._temporary()
        stop = "not " if name == "and" else ""
        reached: list[Node] = []
        with self._code.block("while True:"):
            for index, argument in enumerate(arguments):
                value = self._argument(argument, VALUE, dot)
                reached.append(self._at)
                self._code.emit(f"{result} = {value.source}; at{result} = {index}")
                self._code.emit(f"if {stop}{result}: break")
            if final is not None:
                self._code.emit(f"{result} = {final.source}")
            self._code.emit("break")
        if reached:
            self._at = Either(reached[0].position, f"at{result}", reached)
        return Value(result, missing=True, nil=True)

    # Arguments.

    def _argument(self, node: Node, kind: str, dot: Value) -> Value:
        """An argument for a parameter of the type; no type takes anything."""
        self._at = node
        if isinstance(node, Dot):
            return self._checked(dot, kind)
        if isinstance(node, Field):
            return self._checked(self._fields(dot, dot, node, node.names, None, None), kind)
        if isinstance(node, Variable):
            return self._checked(self._variable(node, dot, None, None), kind)
        if isinstance(node, Pipe):
            return self._checked(self._pipeline(node, dot), kind)
        if isinstance(node, Identifier):
            return self._checked(self._function(node, node, dot, None, None), kind)
        if isinstance(node, Chain):
            return self._checked(self._chain(node, dot, None, None), kind)
        if isinstance(node, Nil):
            return self._nil(kind)
        return self._literal(node, kind, dot)

    def _nil(self, kind: str) -> Value:
        if not runtime.can_be_nil(kind):
            return self._fail(f"cannot assign nil to {kind}")
        if kind == VALUE:
            return Value("M", missing=True)
        return Value(self._program.constant(runtime.nil_of(kind)) if kind != INTERFACE else "None", nil=True)

    def _checked(self, value: Value, kind: str) -> Value:
        """The value, with a check of its type where it is not known."""
        if kind in ("", VALUE) or value.kind == kind:
            return value
        if kind == INTERFACE:
            if not value.missing:
                return value
            name = self._owned(value)
            self._code.emit(f"if {name} is M: {name} = None")
            return Value(name, nil=True)
        name = self._owned(value)
        check = self._check_of(kind)
        guard = f"if type({name}) is not {_PYTHON_TYPES[kind]}: " if kind in _PYTHON_TYPES else ""
        self._code.emit(f"{guard}{name} = {check}({name})", self._note())
        return Value(name, kind)

    def _check_of(self, kind: str) -> str:
        names = self._program.names
        for name, value in names.items():
            if name.startswith("check") and getattr(value, "kind", None) == kind:
                return name
        check = runtime.checker(kind)
        check.kind = kind  # type: ignore[attr-defined]
        name = f"check{len(names)}"
        names[name] = check
        return name

    def _literal(self, node: Node, kind: str, dot: Value) -> Value:
        """A constant as the type that the parameter has."""
        if kind in (INTERFACE, VALUE):
            return self._constant(node, dot)
        if kind == "":
            return self._fail(f"can't handle {node.text()} for arg of type nil")
        if isinstance(node, Bool) and kind == "bool":
            return Value(repr(node.value), "bool")
        if isinstance(node, String) and kind == "string":
            return Value(self._program.constant(node.value), "string")
        if isinstance(node, Number):
            number = self._number(node, kind)
            if number is not None:
                return number
        return self._fail(runtime.unfit(node, kind))

    def _number(self, node: Number, kind: str) -> Value | None:
        if kind == "int" and node.whole is not None:
            return Value(self._program.constant(Int(node.whole)), "int")
        if kind == "float64" and node.real is not None:
            return Value(self._program.constant(node.real), "float64")
        if kind == "uint32" and node.unsigned is not None:
            return Value(self._program.constant(Uint32(node.unsigned % (1 << 32))), "uint32")
        return None
