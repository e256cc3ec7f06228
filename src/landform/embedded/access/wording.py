"""Words as the API server writes them: Go's quoting, names of resources, several errors as one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_ESCAPES = {
    '"': '\\"', "\\": "\\\\", "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t",
    "\v": "\\v",
}  # fmt: skip


def quoted(text: str) -> str:
    """The text as Go's ``%q`` prints it."""
    return '"' + "".join(_character(c) for c in text) + '"'


def quoted_list(texts: Iterable[str]) -> str:
    """The texts as Go's ``%q`` prints a slice of strings: ``["a" "b"]``."""
    return "[" + " ".join(map(quoted, texts)) + "]"


def qualified(group: str, resource: str) -> str:
    """A resource with its group: ``deployments.apps``, or ``secrets`` in the core group."""
    return f"{resource}.{group}" if group else resource


def aggregated(problems: Iterable[str]) -> str:
    """Several error texts as one, each only once."""
    unique = list(dict.fromkeys(problems))
    return unique[0] if len(unique) == 1 else f"[{', '.join(unique)}]"


def _character(c: str) -> str:
    if c in _ESCAPES:
        return _ESCAPES[c]
    if c.isprintable():
        return c
    code = ord(c)
    if code < 0x20 or code == 0x7F:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
