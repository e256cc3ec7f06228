"""Strings: cut, padded, joined, split and searched. Lengths and places count bytes, as in Go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.gotemplate import budgets
from landform.gotemplate.errors import GoError
from landform.gotemplate.formatting import text_of
from landform.gotemplate.functions import Function, function
from landform.gotemplate.printf import sprintf
from landform.gotemplate.quoting import quote as go_quote
from landform.gotemplate.sprig import runes
from landform.gotemplate.sprig.casting import to_string
from landform.gotemplate.values import TypedList, TypedMap, byte_length, decoded, encoded

if TYPE_CHECKING:
    from collections.abc import Sequence

STRINGS = "[]string"


def string_list(items: Sequence[str]) -> TypedList:
    """A []string."""
    return TypedList(STRINGS, items)


def _bounds(start: int, end: int, size: int) -> None:
    """Complains as Go does when a string is cut outside its bounds."""
    if end < 0 or end > size:
        raise GoError(
            f"runtime error: slice bounds out of range [:{end}]" + (f" with length {size}" if end > 0 else "")
        )
    if start < 0 or start > end:
        raise GoError(f"runtime error: slice bounds out of range [{start}:{end}]")


def _cut(text: str, start: int, end: int) -> str:
    return text[start:end] if text.isascii() else decoded(encoded(text)[start:end])


def trunc(count: int, text: str) -> str:
    """The first bytes, or with a negative count the last."""
    size = byte_length(text)
    if count < 0 and size + count > 0:
        return _cut(text, size + count, size)
    return _cut(text, 0, count) if 0 <= count < size else text


def substr(start: int, end: int, text: str) -> str:
    """The bytes between two places."""
    size = byte_length(text)
    if start < 0:
        _bounds(0, end, size)
        return _cut(text, 0, end)
    if end < 0 or end > size:
        if start > size:
            raise GoError(f"runtime error: slice bounds out of range [{start}:{size}]")
        return _cut(text, start, size)
    _bounds(start, end, size)
    return _cut(text, start, end)


def abbrev(width: int, text: str) -> str:
    """The text cut to the width, with an ellipsis."""
    return text if width < 4 else _abbreviated(text, 0, width)


def abbrev_both(left: int, right: int, text: str) -> str:
    """The text cut at both ends."""
    if right < 4 or (left > 0 and right < 7):
        return text
    return _abbreviated(text, left, right)


def _abbreviated(text: str, offset: int, width: int) -> str:
    size = byte_length(text)
    if size <= width:
        return text
    offset = min(offset, size)
    if size - offset < width - 3:
        offset = size - (width - 3)
    if offset <= 4:
        return _cut(text, 0, width - 3) + "..."
    if width < 7:
        return ""
    if offset + width - 3 < size:
        inner = _cut(text, offset, size)
        return "..." + ("" if width - 3 < 4 else _abbreviated(inner, 0, width - 3))
    return "..." + _cut(text, size - (width - 3), size)


def repeat(count: int, text: str) -> str:
    """The text many times over."""
    if count < 0:
        raise GoError("strings: negative Repeat count")
    budgets.current().size(count * len(text))
    return text * count


def nospace(text: str) -> str:
    """The text without white space, byte by byte as the original does it."""
    content = encoded(text)
    kept = [chr(byte) for byte in content if chr(byte) not in runes.SPACES]
    return text if len(kept) == len(content) else "".join(kept)


def wrap(width: int, text: str, separator: str = "\n", cut_words: bool = False) -> str:
    """The text in lines of at most the width, broken at spaces."""
    content, separator_bytes = encoded(text), encoded(separator or "\n")
    width = max(width, 1)
    budgets.current().size(len(content) + len(content) // width * len(separator_bytes))
    parts: list[bytes] = []
    offset, size = 0, len(content)
    while size - offset > width:
        if content[offset] == 0x20:
            offset += 1
            continue
        space = content.rfind(b" ", offset, offset + width + 1)
        if space < 0 and cut_words:
            parts += [content[offset : offset + width], separator_bytes]
            offset += width
            continue
        if space < 0:
            space = content.find(b" ", offset + width)
        if space < 0:
            break
        parts += [content[offset:space], separator_bytes]
        offset = space + 1
    return decoded(b"".join(parts) + content[offset:])


def quote(*values: Any) -> str:
    """The values in double quotes, without those that are nil."""
    return " ".join(go_quote(to_string(value)) for value in values if value is not None)


def single_quote(*values: Any) -> str:
    """The values in single quotes, without those that are nil."""
    return " ".join(f"'{text_of(value)}'" for value in values if value is not None)


def cat(*values: Any) -> str:
    """The values with spaces between them, without those that are nil."""
    present = tuple(value for value in values if value is not None)
    return sprintf(" ".join(["%v"] * len(present)), present)


def indent(spaces: int, text: str) -> str:
    """The text with each line moved to the right."""
    if spaces < 0:
        raise GoError("strings: negative Repeat count")
    budgets.current().size(len(text) + spaces * (text.count("\n") + 1))
    padding = " " * spaces
    return padding + text.replace("\n", "\n" + padding)


def replace(old: str, new: str, text: str) -> str:
    """The text with all of one stretch replaced by another."""
    count = text.count(old) if old else len(text) + 1
    budgets.current().size(len(text) + count * len(new))
    if old:
        return text.replace(old, new)
    return new + "".join(char + new for char in text)


def to_strings(value: Any) -> TypedList:
    """A list as texts, without what is nil; anything else is a list of one."""
    if isinstance(value, TypedList) and value.go_type == STRINGS:
        return value
    if isinstance(value, bytes):
        return string_list([str(byte) for byte in value])
    if isinstance(value, list):
        return string_list([to_string(item) for item in value if item is not None])
    return string_list([] if value is None else [to_string(value)])


def join(separator: str, value: Any) -> str:
    """The elements of a list as one text."""
    texts = to_strings(value)
    budgets.current().size(sum(map(len, texts)) + len(texts) * len(separator))
    return separator.join(texts)


def split_list(separator: str, text: str, limit: int = -1) -> list[str]:
    """The pieces of a text between separators."""
    if limit == 0:
        return []
    if separator:
        pieces = text.split(separator, limit - 1) if limit > 0 else text.split(separator)
    else:
        pieces = list(text) if limit < 0 or limit >= len(text) else [*text[: limit - 1], text[limit - 1 :]]
    budgets.current().steps(len(pieces) // 16)
    return pieces


def _numbered(pieces: list[str]) -> TypedMap:
    return TypedMap("map[string]string", {f"_{index}": piece for index, piece in enumerate(pieces)})


def sort_alpha(value: Any) -> TypedList:
    """The elements of a list as sorted texts."""
    if not isinstance(value, list | bytes):
        return string_list([to_string(value) if value is not None else "<nil>"])
    texts = to_strings(value)
    return string_list(sorted(texts) if all(map(str.isascii, texts)) else sorted(texts, key=encoded))


FUNCTIONS: dict[str, Function] = {
    "abbrev": function("int, string -> string", abbrev),
    "abbrevboth": function("int, int, string -> string", abbrev_both),
    "trunc": function("int, string -> string", trunc),
    "trim": function("string -> string", lambda text: text.strip(runes.SPACES)),
    "substr": function("int, int, string -> string", substr),
    "repeat": function("int, string -> string", repeat),
    "trimall": function("string, string -> string", lambda chars, text: text.strip(chars) if chars else text),
    "trimAll": function("string, string -> string", lambda chars, text: text.strip(chars) if chars else text),
    "trimSuffix": function("string, string -> string", lambda suffix, text: text.removesuffix(suffix)),
    "trimPrefix": function("string, string -> string", lambda prefix, text: text.removeprefix(prefix)),
    "nospace": function("string -> string", nospace),
    "wrap": function("int, string -> string", wrap),
    "wrapWith": function(
        "int, string, string -> string", lambda width, separator, text: wrap(width, text, separator, cut_words=True)
    ),
    "contains": function("string, string -> bool", lambda part, text: part in text),
    "hasPrefix": function("string, string -> bool", lambda prefix, text: text.startswith(prefix)),
    "hasSuffix": function("string, string -> bool", lambda suffix, text: text.endswith(suffix)),
    "quote": function("...any -> string", quote),
    "squote": function("...any -> string", single_quote),
    "cat": function("...any -> string", cat),
    "indent": function("int, string -> string", indent),
    "nindent": function("int, string -> string", lambda spaces, text: "\n" + indent(spaces, text)),
    "replace": function("string, string, string -> string", replace),
    "plural": function("string, string, int -> string", lambda one, many, count: one if count == 1 else many),
    "toString": function("any -> string", to_string),
    "toStrings": function("any -> []string", to_strings),
    "join": function("string, any -> string", join),
    "split": function("string, string", lambda separator, text: _numbered(split_list(separator, text))),
    "splitn": function(
        "string, int, string", lambda separator, limit, text: _numbered(split_list(separator, text, limit))
    ),
    "splitList": function(
        "string, string -> []string", lambda separator, text: string_list(split_list(separator, text))
    ),
    "sortAlpha": function("any -> []string", sort_alpha),
    "hello": function("-> string", lambda: "Hello!"),
}
