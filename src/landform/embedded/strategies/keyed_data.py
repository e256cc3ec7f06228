"""The data of ConfigMaps and Secrets: keys that can be file names, a limited size, no change once immutable."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from landform.embedded.schemas import causes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from landform.cluster.errors import Cause
    from landform.embedded.strategies.strategy import Object

LARGEST = 1024 * 1024
"""Most bytes that all values together may have."""

_LONGEST_KEY = 253
_KEY = "[-._a-zA-Z0-9]+"
_fits = re.compile(_KEY, re.ASCII).fullmatch
_is_plain = re.compile(r"[-_a-zA-Z0-9][-._a-zA-Z0-9]{0,252}").fullmatch
"""Nearly all keys, told at once to be without a problem."""

_KEY_RULE = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',"
    f"  or 'key-name', regex used for validation is '{_KEY}')"
)
_IMMUTABLE = "field is immutable when `immutable` is set"


def check_keys(keys: Iterable[str], field: str) -> Iterator[Cause]:
    """Every key must do as the name of a file that the value is mounted as."""
    for key in keys:
        if not _is_plain(key):
            for problem in _key_problems(key):
                yield causes.invalid(f"{field}[{key}]", key, problem)


def _key_problems(key: str) -> Iterator[str]:
    if len(key) > _LONGEST_KEY:
        yield f"must be no more than {_LONGEST_KEY} characters"
    if not _fits(key):
        yield _KEY_RULE
    if key in (".", ".."):
        yield f"must not be '{key}'"
    elif key.startswith(".."):
        yield "must not start with '..'"


def check_size(size: int, field: str) -> Iterator[Cause]:
    """All values together must stay below the limit."""
    if size > LARGEST:
        yield causes.too_long(field, LARGEST)


def text_size(values: Mapping[str, str]) -> int:
    """How many bytes the texts are at most; exact if that matters."""
    most = 4 * sum(map(len, values.values()))
    return most if most <= LARGEST else sum(len(text.encode()) for text in values.values())


def decoded_size(values: Mapping[str, str]) -> int:
    """How many bytes the values are that base64 text stands for."""
    return sum(len(text) // 4 * 3 - text[-2:].count("=") for text in values.values())


def check_immutable(obj: Object, old: Object | None, fields: tuple[str, ...]) -> Iterator[Cause]:
    """An object marked immutable keeps its data, and the mark."""
    if old is None or not old.get("immutable"):
        return
    if not obj.get("immutable"):
        yield causes.forbidden("immutable", _IMMUTABLE)
    for field in fields:
        if (obj.get(field) or {}) != (old.get(field) or {}):
            yield causes.forbidden(field, _IMMUTABLE)
