"""JSON text as Go's encoding/json writes it: compact, and with the characters escaped that HTML would mind."""

from __future__ import annotations

import json
from typing import Any

_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"})
"""These characters occur in JSON text only inside strings, so they can be replaced in the finished text."""


def compact(value: Any) -> str:
    """The value without white space, keys in their own order."""
    return escape(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def escape(text: str) -> str:
    """JSON text with the characters escaped that Go escapes and others do not."""
    return text.translate(_ESCAPES)
