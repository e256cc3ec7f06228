"""Values as Go's fmt package prints them: every verb and flag on every kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.gotemplate import budgets
from landform.gotemplate.errors import Overspent
from landform.gotemplate.quoting import is_print, quote, quote_rune
from landform.gotemplate.values import (
    INTERFACE,
    MISSING,
    Integer,
    NamedInteger,
    NilPointer,
    Object,
    TypedList,
    TypedMap,
    Uint8,
    decoded,
    encoded,
    type_name,
)
from landform.kit.floats import format_float, general, with_zeros

if TYPE_CHECKING:
    from collections.abc import Sequence

_NIL = "<nil>"
_BASES = {"d": "d", "v": "d", "b": "b", "o": "o", "O": "o", "x": "x", "X": "X"}
_STRING_VERBS = "vsxXq"
_DEEPEST = 200  # containers inside containers


class Flags:
    """How one verb of a format wants its argument."""

    __slots__ = ("minus", "plus", "plus_v", "precision", "sharp", "sharp_v", "space", "width", "zero")

    def __init__(self) -> None:
        self.minus = self.plus = self.sharp = self.space = self.zero = self.plus_v = self.sharp_v = False
        self.width: int | None = None
        self.precision: int | None = None

    def for_v(self) -> None:
        """Turns the flags into those of the verb %v."""
        self.sharp_v, self.sharp = self.sharp, False
        self.plus_v, self.plus = self.plus, False


_PLAIN = Flags()


def text_of(value: Any) -> str:
    """The value as `%v` prints it."""
    kind = type(value)
    if kind is str:
        return str(value)
    if kind is int:
        return repr(value)
    if kind is float:
        return general(value)
    return Printer(_PLAIN).argument(value, "v")


def sprint(values: Sequence[Any]) -> str:
    """The values with a space between those of which neither is a string."""
    if len(values) == 1:
        return text_of(values[0])
    budgets.current().size(sum(len(value) for value in values if isinstance(value, str)))
    parts: list[str] = []
    after_string = True
    for value in values:
        is_string = isinstance(value, str)
        if parts and not is_string and not after_string:
            parts.append(" ")
        parts.append(text_of(value))
        after_string = is_string
    return "".join(parts)


def sprintln(values: Sequence[Any]) -> str:
    """The values with spaces between them, and a new line."""
    budgets.current().size(sum(len(value) for value in values if isinstance(value, str)))
    return " ".join(map(text_of, values)) + "\n"


class Printer:
    """Prints one argument under one verb."""

    __slots__ = ("_depth", "_erroring", "_flags", "_size")

    def __init__(self, flags: Flags) -> None:
        self._flags = flags
        self._erroring = False
        self._depth = 0
        self._size = 0

    def argument(self, value: Any, verb: str) -> str:
        """An argument of the format itself."""
        if value is None or value is MISSING:
            return self._pad(_NIL) if verb in "Tv" else self._bad_nil(verb)
        if verb == "T":
            return self._string(type_name(value), "s")
        if verb == "p":
            return self._pointer(value)
        if isinstance(value, bytes):
            return self._bytes(value, verb, "[]byte")
        if verb == "w":
            return self._bad(value, verb)
        return self._value(value, verb)

    def _value(self, value: Any, verb: str) -> str:
        if isinstance(value, str):
            return self._string(value, verb)
        if isinstance(value, bool):
            return self._pad("true" if value else "false") if verb in "tv" else self._bad(value, verb)
        if isinstance(value, int):
            return self._number(value, verb)
        if isinstance(value, float):
            return self._float(value, verb)
        if isinstance(value, list | dict):
            return self._container(value, verb)
        if isinstance(value, bytes):
            return self._bytes(value, verb, "[]uint8")
        if isinstance(value, complex):
            return self._complex(value, verb)
        if isinstance(value, Object):
            return self._object(value, verb)
        type_name(value)  # refuses what has no counterpart in Go
        return f"?{value}?"

    # Padding.

    def _pad(self, text: str) -> str:
        flags = self._flags
        if not flags.width or len(text) >= flags.width:
            return text
        if flags.minus:
            return text.ljust(flags.width)
        return text.rjust(flags.width, "0" if flags.zero else " ")

    def _pad_spaces(self, text: str) -> str:
        width = self._flags.width or 0
        return text.ljust(width) if self._flags.minus else text.rjust(width)

    # Strings and bytes.

    def _string(self, text: str, verb: str) -> str:
        if verb == "s" or (verb == "v" and not self._flags.sharp_v):
            return self._pad(self._truncated(text))
        if verb in "vq":
            return self._quoted(text)
        if verb in "xX":
            return self._hex(encoded(text), verb)
        return self._bad(text, verb)

    def _truncated(self, text: str) -> str:
        return text if self._flags.precision is None else text[: self._flags.precision]

    def _quoted(self, text: str) -> str:
        flags = self._flags
        text = self._truncated(text)
        if flags.sharp and can_backquote(text):
            return self._pad(f"`{text}`")
        return self._pad(quote(text, ascii_only=flags.plus))

    def _hex(self, content: bytes, verb: str) -> str:
        flags = self._flags
        if flags.precision is not None:
            content = content[: flags.precision]
        separator = " " if flags.space else ""
        prefix = "0x" if flags.sharp and content else ""
        text = prefix + (separator + (prefix if flags.space else "")).join(f"{byte:02x}" for byte in content)
        return self._pad(text.upper() if verb == "X" else text)

    def _bytes(self, content: bytes, verb: str, name: str) -> str:
        if verb in "vd":
            if self._flags.sharp_v:
                return f"{name}{{{', '.join(f'{byte:#x}' for byte in content)}}}"
            return "[" + " ".join(self._integer(byte, "d", verb, signed=False) for byte in content) + "]"
        if verb == "s":
            return self._pad(self._truncated(decoded(content)))
        if verb in "xX":
            return self._hex(content, verb)
        if verb == "q":
            return self._quoted(decoded(content))
        return "[" + " ".join(self._number(Uint8(byte), verb) for byte in content) + "]"

    # Numbers.

    def _number(self, value: int, verb: str) -> str:
        if isinstance(value, NamedInteger) and not self._erroring and not self._flags.sharp_v and verb in _STRING_VERBS:
            return self._string(value.string(), verb)
        signed = not (isinstance(value, Integer) and value.unsigned)
        if verb in _BASES:
            if verb == "v" and self._flags.sharp_v and not signed:
                return self._integer(value, "x", verb, signed=False, sharp=True)
            return self._integer(value, _BASES[verb], verb, signed=signed)
        if verb == "c":
            return self._pad(_rune(value))
        if verb == "q":
            return self._pad(quote_rune(value, ascii_only=self._flags.plus))
        if verb == "U":
            return self._unicode(value)
        return self._bad(value, verb)

    def _integer(self, value: int, base: str, verb: str, *, signed: bool, sharp: bool | None = None) -> str:
        flags = self._flags
        digits = format(abs(value), base)
        precision = flags.precision
        if precision is not None:
            if precision == 0 and value == 0:
                return " " * (flags.width or 0)
            digits = digits.rjust(precision, "0")
        elif flags.zero and not flags.minus and flags.width is not None:
            room = flags.width - (value < 0 or flags.plus or flags.space)
            digits = digits.rjust(room, "0")
        if flags.sharp if sharp is None else sharp:
            digits = _prefixed(digits, base)
        if verb == "O":
            digits = "0o" + digits
        sign = "-" if value < 0 and signed else "+" if flags.plus else " " if flags.space else ""
        return self._pad_spaces(sign + digits)

    def _unicode(self, value: int) -> str:
        flags = self._flags
        code = value % (1 << 64)
        text = f"U+{code:0{max(4, flags.precision or 0)}X}"
        if flags.sharp and code <= 0x10FFFF and is_print(chr(code)):
            text += f" '{chr(code)}'"
        return self._pad_spaces(text)

    def _float(self, value: float, verb: str) -> str:
        if verb not in "vbgGxXfFeE":
            return self._bad(value, verb)
        flags = self._flags
        precision = flags.precision
        if precision is None and verb in "feEF":
            precision = 6
        style = "g" if verb == "v" else "f" if verb == "F" else verb
        text = format_float(value, style, precision)
        if text[0] not in "+-":
            text = "+" + text
        if flags.space and text[0] == "+" and not flags.plus:
            text = " " + text[1:]
        if text[1] in "IN":
            if text[1] == "N" and not flags.space and not flags.plus:
                text = text[1:]
            return self._pad_spaces(text)
        if flags.sharp and style != "b":
            text = with_zeros(text, style, precision)
        if flags.plus or text[0] != "+":
            if flags.zero and not flags.minus and flags.width is not None and flags.width > len(text):
                return text[0] + text[1:].rjust(flags.width - 1, "0")
            return self._pad(text)
        return self._pad(text[1:])

    def _complex(self, value: complex, verb: str) -> str:
        if verb not in "vbgGxXfFeE":
            return self._bad(value, verb)
        flags = self._flags
        real = self._float(value.real, verb)
        plus, flags.plus = flags.plus, True
        imaginary = self._float(value.imag, verb)
        flags.plus = plus
        return f"({real}{imaginary}i)"

    # Containers and objects.

    def _container(self, value: list[Any] | dict[str, Any], verb: str) -> str:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise Overspent(f"values inside values more than {_DEEPEST} deep")
        budgets.current().steps(1 + len(value))
        sharp = self._flags.sharp_v
        if sharp and isinstance(value, TypedList | TypedMap) and value.is_nil:
            text = f"{value.go_type}(nil)"
        else:
            if isinstance(value, dict):
                parts = [f"{self._element(key, verb)}:{self._element(value[key], verb)}" for key in sorted(value)]
                opening, closing = (type_name(value) + "{", "}") if sharp else ("map[", "]")
            else:
                parts = [self._element(item, verb) for item in value]
                opening, closing = (type_name(value) + "{", "}") if sharp else ("[", "]")
            text = opening + (", " if sharp else " ").join(parts) + closing
        self._depth -= 1
        self._size += len(text)
        budgets.current().size(self._size)
        return text

    def _element(self, value: Any, verb: str) -> str:
        if value is None:
            return INTERFACE + "(nil)" if self._flags.sharp_v else _NIL
        return self._value(value, verb)

    def _nil_pointer(self, value: NilPointer, verb: str) -> str:
        if verb == "v":
            return f"({value.pointed})(nil)" if self._flags.sharp_v else self._pad(_NIL)
        if verb in "bodxX":
            return self._integer(0, _BASES[verb], verb, signed=False)
        return f"%!{verb}({value.pointed}={self._pad(_NIL)})"

    def _object(self, value: Object, verb: str) -> str:
        if isinstance(value, NilPointer):
            return self._nil_pointer(value, verb)
        if not self._erroring:
            text = value.go_string() if self._flags.sharp_v else value.string() if verb in _STRING_VERBS else None
            if text is not None:
                return self._pad(self._truncated(text)) if self._flags.sharp_v else self._string(text, verb)
        flags = self._flags
        named = flags.plus_v or flags.sharp_v
        parts = [(f"{name}:" if named else "") + self._element(item, verb) for name, item in value.fields().items()]
        body = "{" + (", " if flags.sharp_v else " ").join(parts) + "}"
        name = value.go_type
        if value.go_kind == "ptr":
            return "&" + (name[1:] if flags.sharp_v else "") + body
        return (name if flags.sharp_v else "") + body

    def _pointer(self, value: Any) -> str:
        """The address of a value is nobody's business; values without one are refused as in Go."""
        if isinstance(value, list | dict | bytes) or (isinstance(value, Object) and value.go_kind == "ptr"):
            return self._integer(0xC000000000, "x", "v", signed=False, sharp=not self._flags.sharp)
        return self._bad(value, "p")

    # Complaints.

    def _bad_nil(self, verb: str) -> str:
        return f"%!{verb}({_NIL})"

    def _bad(self, value: Any, verb: str) -> str:
        self._erroring = True
        text = f"%!{verb}({type_name(value)}={self.argument(value, 'v')})"
        self._erroring = False
        return text


def _rune(code: int) -> str:
    return chr(code) if 0 <= code <= 0x10FFFF and not 0xD800 <= code < 0xE000 else "\ufffd"


def can_backquote(text: str) -> bool:
    """Whether the text can stand unchanged in a raw string literal."""
    return not any(
        char in "`\x7f\ufeff" or (char < " " and char != "\t") or "\udc80" <= char <= "\udcff" for char in text
    )


def _prefixed(digits: str, base: str) -> str:
    if base == "o":
        return digits if digits.startswith("0") else "0" + digits
    return {"b": "0b", "x": "0x", "X": "0X"}.get(base, "") + digits
