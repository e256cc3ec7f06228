"""Names of field managers: where they come from and which are allowed."""

from __future__ import annotations

from landform.cluster.errors import Cause
from landform.kit.quoting import quote

MAX_LENGTH = 128
"""Bytes that a manager's name may have."""


def manager_from_user_agent(user_agent: str) -> str:
    """The manager of a request that names none: its User-Agent up to the first slash, printable and cut to size."""
    name, used = [], 0
    for character in user_agent.partition("/")[0]:
        size = len(character.encode(errors="replace"))
        if not _is_printable(character):
            continue
        if used + size > MAX_LENGTH:
            break
        name.append(character)
        used += size
    return "".join(name)


def manager_faults(manager: str, *, applying: bool = False) -> tuple[Cause, ...]:
    """What is wrong with the ``fieldManager`` of a request; applying needs one."""
    faults = []
    if applying and not manager:
        faults.append(Cause("FieldValueRequired", "Required value: is required for apply patch", "fieldManager"))
    if len(manager.encode(errors="replace")) > MAX_LENGTH:
        text = f"Too long: may not be more than {MAX_LENGTH} bytes"
        faults.append(Cause("FieldValueTooLong", text, "fieldManager"))
    position = 0
    for character in manager:
        if not _is_printable(character):
            text = f"Invalid value: {quote(manager)}: invalid character {_code(character)} (at position {position})"
            faults.append(Cause("FieldValueInvalid", text, "fieldManager"))
        position += len(character.encode(errors="replace"))
    return tuple(faults)


def _is_printable(character: str) -> bool:
    """As Go sees it: letters, marks, numbers, punctuation, symbols and the plain space."""
    return character.isprintable()


def _code(character: str) -> str:
    """``U+0009``, followed by the character itself where it can be shown."""
    return f"U+{ord(character):04X}"
