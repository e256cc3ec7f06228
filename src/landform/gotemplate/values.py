"""Go's values as Python holds them.

Plain data keep their Python types: None is nil, bool, int (int64), float (float64), complex, str, bytes ([]uint8), list
([]interface {}) and dict (map[string]interface {}). What else templates meet has a class here that knows its Go type.
Bytes of a string that are not UTF-8 are kept as surrogate escapes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from landform.gotemplate.errors import GoError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from landform.gotemplate.functions import Function

LIST = "[]interface {}"
MAP = "map[string]interface {}"
INTERFACE = "interface {}"


class Missing:
    """The one value that is not there: what a missing key gives, as Go's invalid reflect.Value."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return False


MISSING = Missing()


class Integer(int):
    """A whole number of a Go type other than int64."""

    __slots__ = ()
    go_type: ClassVar[str]
    go_kind: ClassVar[str]
    unsigned: ClassVar[bool] = False


class Int(Integer):
    """Go's int: what number constants, lengths and indexes are."""

    __slots__ = ()
    go_type = go_kind = "int"


class Uint8(Integer):
    """Go's byte."""

    __slots__ = ()
    go_type = go_kind = "uint8"
    unsigned = True


class Uint32(Integer):
    """Go's uint32."""

    __slots__ = ()
    go_type = go_kind = "uint32"
    unsigned = True


class Uint64(Integer):
    """Go's uint64."""

    __slots__ = ()
    go_type = go_kind = "uint64"
    unsigned = True


class TypedList(list[Any]):
    """A slice whose elements share a type, or a nil slice."""

    __slots__ = ("go_type", "is_nil")

    def __init__(self, go_type: str, items: Iterable[Any] = (), *, is_nil: bool = False) -> None:
        super().__init__(items)
        self.go_type = go_type
        self.is_nil = is_nil


class TypedMap(dict[str, Any]):
    """A map whose values share a type, or a nil map."""

    __slots__ = ("go_type", "is_nil")

    def __init__(self, go_type: str, items: Any = (), *, is_nil: bool = False) -> None:
        super().__init__(items)
        self.go_type = go_type
        self.is_nil = is_nil

    def zero(self) -> Any:
        """The value of a missing key."""
        return "" if self.go_type == "map[string]string" else None


class Object:
    """A struct, or a pointer to one, that functions hand to templates.

    Templates see nothing of it but the fields and methods in these tables.
    """

    __slots__ = ()
    go_type: ClassVar[str]
    go_kind: ClassVar[str] = "struct"
    methods: ClassVar[dict[str, Function]] = {}

    def fields(self) -> dict[str, Any]:
        """The fields by name, in their order; those with a small letter cannot be reached from templates."""
        return {}

    def string(self) -> str | None:
        """What its String method gives; None when it has none."""
        return None

    def go_string(self) -> str | None:
        """What its GoString method gives; None when it has none."""
        return None


class NilPointer(Object):
    """A pointer to nothing inside a struct."""

    __slots__ = ("pointed",)
    go_kind = "ptr"

    def __init__(self, pointed: str) -> None:
        self.pointed = pointed


class NamedInteger(Integer):
    """A whole number of a named type with methods, such as a duration or a month."""

    __slots__ = ()
    methods: ClassVar[dict[str, Function]] = {}

    def string(self) -> str:
        """What its String method gives."""
        raise NotImplementedError


_TYPES: dict[type, str] = {
    str: "string",
    bool: "bool",
    int: "int64",
    float: "float64",
    complex: "complex128",
    bytes: "[]uint8",
    list: LIST,
    dict: MAP,
}
_KINDS: dict[type, str] = {
    str: "string",
    bool: "bool",
    int: "int64",
    float: "float64",
    complex: "complex128",
    bytes: "slice",
    list: "slice",
    dict: "map",
    TypedList: "slice",
    TypedMap: "map",
    type(None): "invalid",
    Missing: "invalid",
}


def type_name(value: Any) -> str:
    """The Go type of a value that is not nil."""
    name = _TYPES.get(type(value))
    if name is None:
        name = getattr(value, "go_type", None) if isinstance(value, Integer | Object | TypedList | TypedMap) else None
    if name is None:
        name = _foreign(value)
    return name


def kind_name(value: Any) -> str:
    """The name of the value's reflect.Kind."""
    name = _KINDS.get(type(value))
    if name is None:
        if isinstance(value, Integer | Object):
            return value.go_kind
        if isinstance(value, dict):
            return "map"
        if isinstance(value, list):
            return "slice"
        _foreign(value)
        return "struct"
    return name


def _foreign(value: Any) -> str:
    """Templates handle only values that Go could hold; subclasses of plain types pass for them."""
    for known, name in _TYPES.items():
        if isinstance(value, known):
            return name
    raise GoError(f"a value of the Python type {type(value).__name__} has no counterpart in Go")


def is_nil(value: Any) -> bool:
    """Whether the value is nil or of a type that can be nil and is."""
    return value is None or value is MISSING or (isinstance(value, TypedList | TypedMap) and value.is_nil)


def encoded(text: str) -> bytes:
    """The bytes of a string."""
    return text.encode("utf-8", "surrogateescape")


def decoded(content: bytes) -> str:
    """The string of some bytes."""
    return content.decode("utf-8", "surrogateescape")


def byte_length(text: str) -> int:
    """Go's length of a string."""
    return len(text) if text.isascii() else len(encoded(text))


def wrap64(number: int) -> int:
    """The number as int64 arithmetic leaves it."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)
