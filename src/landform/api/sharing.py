"""Equal small values held once: thousands of objects in a cache say the same namespace, type, owner and phase."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

H = TypeVar("H")

MOST = 8192
"""How many values are remembered."""

# Only a place to meet: forgetting all of it costs memory, never correctness, so it is emptied when it is full. Values
# stay alive as long as somebody else uses them or until then.
_known: dict[Any, Any] = {}


def shared(value: H) -> H:
    """An equal value that others use too; the value must be immutable."""
    known: H | None = _known.get(value)
    if known is None:
        if len(_known) >= MOST:
            _known.clear()
        _known[value] = known = value
    return known


def count() -> int:
    """How many values are remembered now."""
    return len(_known)


def share(owner: msgspec.Struct, *fields: str) -> None:
    """Let the named fields of a freshly decoded struct hold shared values."""
    for field in fields:
        value = getattr(owner, field)
        if value is not None:
            msgspec.structs.force_setattr(owner, field, shared(value))


def share_texts(owner: msgspec.Struct, *fields: str) -> None:
    """The same for maps of texts: the map stays the owner's, its keys and values are shared."""
    for field in fields:
        texts = getattr(owner, field)
        if texts:
            own = {shared(key): shared(value) for key, value in texts.items()}
            msgspec.structs.force_setattr(owner, field, own)
