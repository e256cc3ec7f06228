"""Plain data as JSON text, as Go's encoding/json writes it."""

from __future__ import annotations

import base64
import json
import math
from typing import Any

from landform.kit import floats

_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


class JsonError(ValueError):
    """A value has no form in JSON."""


def to_json(value: Any) -> str:
    """Data as JSON: keys sorted, no blanks, HTML characters escaped."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{_text(key)}:{to_json(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(to_json, value)) + "]"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, float):
        if not math.isfinite(value):
            raise JsonError(f"json: unsupported value: {floats.general(value)}")
        return floats.json_number(value)
    if isinstance(value, bytes):
        return _text(_base64(value))
    return str(value)


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _text(text: str) -> str:
    quoted = json.dumps(text, ensure_ascii=False)
    for char, escape in _ESCAPES.items():
        if char in quoted:
            quoted = quoted.replace(char, escape)
    return quoted
