"""Arbitrary JSON inside a typed object, kept as the bytes it was written in and decoded only when asked.

A configuration of several kilobytes costs its bytes and nothing more, and survives a round trip untouched: the order
of keys, the spelling of numbers and fields nobody knows stay as they were. JSON `null` reads as `ABSENT`.

>>> config = of({"kind": "ProviderConfiguration"})
>>> value(config)
{'kind': 'ProviderConfiguration'}
>>> value(ABSENT) is None, bool(ABSENT), bool(config)
(True, False, True)
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

AnyJSON: TypeAlias = msgspec.Raw
"""Any JSON value as bytes; false in a condition when there is none. Equal means: the same bytes."""

ABSENT: AnyJSON = msgspec.Raw()
"""No value. A field that holds it is not written."""

_NULL = msgspec.Raw(b"null")


def of(value: Any) -> AnyJSON:
    """The JSON of a plain Python value; `ABSENT` for None."""
    return ABSENT if value is None else msgspec.Raw(msgspec.json.encode(value))


def value(json: AnyJSON) -> Any:
    """The value as plain Python data, decoded anew on each call; None for `ABSENT`."""
    return msgspec.json.decode(json) if json else None


class _Views:
    """Whether structs that are being decoded may keep views into the text they are decoded from."""

    kept = False


@contextmanager
def keeping_views() -> Iterator[None]:
    """Decode within this when the text stays in memory anyway: the structs then hold no bytes of their own.

    For decoding only, never around an `await`. Should another thread decode meanwhile, its structs may keep a view
    too, which costs memory and nothing else.
    """
    _Views.kept = True
    try:
        yield
    finally:
        _Views.kept = False


def detach(owner: msgspec.Struct, *fields: str) -> None:
    """Give the named fields of a freshly decoded struct their own bytes, and turn `null` into `ABSENT`.

    The decoder hands out views into the whole answer it decodes; one that stays would keep all of it in memory.
    """
    for field in fields:
        content = getattr(owner, field)
        if isinstance(content, dict):
            if not _Views.kept:
                for key, raw in content.items():
                    content[key] = raw.copy()
        elif content == _NULL:
            msgspec.structs.force_setattr(owner, field, ABSENT)
        elif content and not _Views.kept:
            msgspec.structs.force_setattr(owner, field, content.copy())
