"""What compiled templates call while they render."""

from __future__ import annotations

import contextvars
import sys
import threading
from typing import TYPE_CHECKING, Any

from landform.gotemplate.errors import Fault, GoError, Overspent
from landform.gotemplate.formatting import text_of
from landform.gotemplate.functions import VALUE, Function
from landform.gotemplate.nodes import Nil, Node, Number, String
from landform.gotemplate.quoting import quote
from landform.gotemplate.values import (
    INTERFACE,
    MISSING,
    Int,
    NamedInteger,
    Object,
    TypedList,
    TypedMap,
    Uint8,
    type_name,
)
from landform.kit.floats import general

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from landform.gotemplate.budgets import Meter

_MANY = 64  # elements from which a loop looks at the clock on its way
_PARTS = 512  # parts of output after which its size is taken
_FIRST_HOP = 60  # templates inside templates on the caller's stack
_FRAMES = 3  # of Python for each template inside a template
_WORDS = {"bool": "bool", "string": "string", "float64": "float", "uint32": "unsigned integer"}
_SMALL = [Int(number) for number in range(1024)]


class State:
    """One render: its output so far and its meter."""

    __slots__ = ("_locate", "_measured", "_size", "_stack", "meter", "out", "write")

    def __init__(self, meter: Meter, locate: Callable[[BaseException], BaseException]) -> None:
        self.out: list[str] = []
        self.write = self.out.append
        self.meter = meter
        self._measured = 0
        self._size = 0
        self._locate = locate
        self._stack = _FIRST_HOP

    def measure(self) -> None:
        """Stops a render whose output grows too large."""
        self._size += sum(map(len, self.out[self._measured :]))
        self._measured = len(self.out)
        if self._size > self.meter.budgets.output:
            raise Overspent(f"an output of more than {self.meter.budgets.output} characters")

    def loop(self, items: Sequence[Any]) -> Iterator[Any] | Sequence[Any]:
        """Pays for a loop over the items."""
        if len(self.out) - self._measured > _PARTS:
            self.measure()
        if len(items) >= _MANY:
            return self._paced(items)
        self.meter.steps(len(items))
        return items

    def _paced(self, items: Sequence[Any]) -> Iterator[Any]:
        for item in self.meter.paced(items):
            yield item
            if len(self.out) - self._measured > _PARTS:
                self.measure()

    def enter(self, template: Callable[[State, Any], None], dot: Any) -> None:
        """Renders a template inside this one."""
        meter = self.meter
        if meter.depth >= meter.budgets.depth:
            raise Fault(f"exceeded maximum template depth ({meter.budgets.depth})")
        meter.depth += 1
        if not meter.depth % 16:
            meter.steps(16)
            self.measure()
        if meter.depth >= self._stack:
            self._hop(template, dot)
        else:
            template(self, dot)
        meter.depth -= 1

    def _hop(self, template: Callable[[State, Any], None], dot: Any) -> None:
        """Goes on in a fresh thread: Go's templates may nest far deeper than one Python stack allows.

        An error is given its place at once, so that it does not keep all the frames below it alive.
        """
        failure: list[BaseException] = []

        def run() -> None:
            try:
                template(self, dot)
            except BaseException as error:
                failure.append(self._locate(error).with_traceback(None))

        before = self._stack
        self._stack += (sys.getrecursionlimit() - 150) // _FRAMES
        thread = threading.Thread(target=contextvars.copy_context().run, args=(run,), daemon=True)
        thread.start()
        thread.join()
        self._stack = before
        if failure:
            raise failure[0] from None


# Printing.


def printed(value: Any) -> str:
    """The value as an action prints it."""
    kind = type(value)
    if kind is int or kind is Int:
        return int.__repr__(value)
    if kind is bool:
        return "true" if value else "false"
    if kind is float:
        return general(value)
    if value is None or value is MISSING:
        return "<no value>"
    return text_of(value)


# Fields and methods.


def field(receiver: Any, name: str, boxed: bool = False) -> Any:
    """A field of a value; a missing key gives the missing value."""
    if isinstance(receiver, dict):
        return receiver.get(name, MISSING)
    if receiver is MISSING:
        return MISSING
    return _member(receiver, name, boxed)


def field_or_zero(receiver: Any, name: str, boxed: bool = False) -> Any:
    """A field of a value; a missing key gives the zero value of the map's elements."""
    if isinstance(receiver, TypedMap):
        return receiver.get(name, receiver.zero())
    if isinstance(receiver, dict):
        return receiver.get(name)
    if receiver is MISSING:
        return MISSING
    return _member(receiver, name, boxed)


def field_or_error(receiver: Any, name: str, boxed: bool = False) -> Any:
    """A field of a value; a missing key is an error."""
    if isinstance(receiver, dict):
        if name not in receiver:
            raise Fault(f"map has no entry for key {quote(name)}")
        return receiver[name]
    if receiver is MISSING:
        raise Fault(f"nil data; no entry for key {quote(name)}")
    return _member(receiver, name, boxed)


def _member(receiver: Any, name: str, boxed: bool) -> Any:
    found = _method(receiver, name)
    if found is not None:
        _expect(name, found, 0)
        return invoke(name, found, receiver, ())
    if isinstance(receiver, Object):
        fields = receiver.fields()
        if name in fields:
            if not name[0].isupper():
                raise Fault(f"{name} is an unexported field of struct type {receiver.go_type}")
            return fields[name]
    if isinstance(receiver, Object):
        boxed = False  # most likely what a method gave, which Go does not box
    raise Fault(f"can't evaluate field {name} in type {INTERFACE if boxed else type_name(receiver)}")


def _method(receiver: Any, name: str) -> Function | None:
    if receiver is None:
        raise Fault(f"nil pointer evaluating {INTERFACE}.{name}")
    if isinstance(receiver, Object | NamedInteger):
        return receiver.methods.get(name)
    return None


def method(receiver: Any, name: str, count: int, boxed: bool = False) -> Function | None:
    """The method that is to be called with arguments; None stands for a call of nothing, which gives nothing."""
    if receiver is MISSING:
        return None
    found = _method(receiver, name)
    if found is not None:
        _expect(name, found, count)
        return found
    if isinstance(receiver, dict):
        raise Fault(f"{name} is not a method but has arguments")
    if isinstance(receiver, Object) and name in receiver.fields():
        raise Fault(f"{name} has arguments but cannot be invoked as function")
    raise Fault(f"can't evaluate field {name} in type {INTERFACE if boxed else type_name(receiver)}")


def _expect(name: str, found: Function, count: int) -> None:
    if count != len(found.parameters):
        raise Fault(f"wrong number of args for {name}: want {len(found.parameters)} got {count}")


def invoke(name: str, found: Function | None, receiver: Any, arguments: tuple[Any, ...]) -> Any:
    """Calls a method with arguments that fit it."""
    if found is None:
        return MISSING
    try:
        return found.call(receiver, *arguments)
    except GoError as error:
        raise Fault(f"error calling {name}: {error}") from None


def fit(found: Function | None, index: int, value: Any) -> Any:
    """An argument as the method wants it; constants come as nodes."""
    if found is None:
        return None
    kind = found.parameters[index]
    return _constant(value, kind) if isinstance(value, Node) else check(value, kind)


def _constant(node: Node, kind: str) -> Any:
    if isinstance(node, String) and kind == "string":
        return node.value
    if isinstance(node, Nil):
        if not can_be_nil(kind):
            raise Fault(f"cannot assign nil to {kind}")
        return None
    if isinstance(node, Number) and node.whole is not None:
        if kind == "int":
            return Int(node.whole)
        if kind in NAMED_INTEGERS:
            return NAMED_INTEGERS[kind](node.whole)
    raise Fault(unfit(node, kind))


def unfit(node: Node, kind: str) -> str:
    """What Go says of a constant that is not of the type of a parameter."""
    if kind.startswith(("[]", "map[", "*")) or kind in ("time.Time", "sprig.certificate"):
        return f"can't handle {node.text()} for arg of type {kind}"
    return f"expected {_WORDS.get(kind, 'integer')}; found {node.text()}"


# Types of arguments.


def can_be_nil(kind: str) -> bool:
    """Whether nil fits a parameter of the type."""
    return kind in (INTERFACE, VALUE) or kind.startswith(("[]", "map[", "*"))


def nil_of(kind: str) -> Any:
    """The nil of a type."""
    if kind.startswith("[]"):
        return TypedList(kind, is_nil=True)
    return TypedMap(kind, is_nil=True) if kind.startswith("map[") else None


def check(value: Any, kind: str) -> Any:
    """The value as an argument of the type."""
    if kind == VALUE:
        return value
    if value is MISSING:
        if not can_be_nil(kind):
            raise Fault(f"invalid value; expected {kind}")
        return nil_of(kind)
    if kind == INTERFACE:
        return value
    if value is None:
        raise Fault(f"wrong type for value; expected {kind}; got {INTERFACE}")
    if type_name(value) != kind:
        raise Fault(f"wrong type for value; expected {kind}; got {type_name(value)}")
    return value


def checker(kind: str) -> Callable[[Any], Any]:
    """The check for one type."""
    return lambda value: check(value, kind)


NAMED_INTEGERS: dict[str, Callable[[int], Any]] = {}
"""Makers of whole numbers with a named type, filled by the modules that define them."""


# Loops.


class _Ints:
    """The numbers below a limit, of Go's type int."""

    __slots__ = ("_limit",)

    def __init__(self, limit: int) -> None:
        self._limit = limit

    def __len__(self) -> int:
        return self._limit

    def __iter__(self) -> Iterator[Int]:
        return map(Int, range(self._limit))


def items(value: Any) -> Any:
    """The elements that a loop with at most one variable runs over."""
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        return [value[key] for key in sorted(value)]
    if value is None or value is MISSING:
        return ()
    if isinstance(value, bytes):
        return [Uint8(byte) for byte in value]
    if isinstance(value, int) and not isinstance(value, bool):
        if type(value) is int:
            return range(value)
        if type(value) is Int:
            return _Ints(max(0, value))
        return [type(value)(number) for number in range(min(value, 1 << 20))]
    raise Fault(f"range can't iterate over {text_of(value)}")


def pairs(value: Any) -> Any:
    """The indexes or keys, and the elements, that a loop with two variables runs over."""
    if isinstance(value, dict):
        return [(key, value[key]) for key in sorted(value)]
    if isinstance(value, int) and not isinstance(value, bool):
        raise Fault(f"can't use {text_of(value)} to iterate over more than one variable")
    elements = items(value)
    if len(elements) <= len(_SMALL):
        return list(zip(_SMALL, elements, strict=False))
    return [(Int(index), element) for index, element in enumerate(elements)]


def fail(message: str) -> None:
    """Stops at the node in hand."""
    raise Fault(message)
