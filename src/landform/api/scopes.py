"""Scopes: where the data of an Installation lives, and what the objects in it are called.

>>> object_name(inner_scope("root"), "myimport")
'w3hrpyq3ob6m2nodocu6wmxpnfr524b2'
>>> object_name(ROOT, "my-config"), object_name("Inst.any", "#my-config")
('my-config', 'my-config')
"""

from __future__ import annotations

import base64
import hashlib
import re
from typing import Final

ROOT: Final = ""
"""The scope of root Installations: the plain names of the namespace."""

INSTALLATION_PREFIX: Final = "Inst."
EXECUTION_PREFIX: Final = "Exec."

LITERAL_PREFIX: Final = "#"
"""A name that begins with this is the rest of it, whatever the scope."""

_LONGEST: Final = 253
"""Most characters of an object's name."""

_PLAIN = re.compile(r"[a-z0-9]|[a-z0-9][a-z0-9.-]*[a-z0-9]")


def inner_scope(installation: str) -> str:
    """The scope that an Installation's imports and its children's exports live in."""
    return INSTALLATION_PREFIX + installation


def outer_scope(parent: str | None) -> str:
    """The scope that an Installation imports from and exports to: its parent's inner one, or the root."""
    return inner_scope(parent) if parent else ROOT


def execution_scope(execution: str) -> str:
    """The scope of an Execution's exports."""
    return EXECUTION_PREFIX + execution


def object_name(scope: str, name: str) -> str:
    """The name of the DataObject or Target that `name` stands for in a scope."""
    if name.startswith(LITERAL_PREFIX):
        return name[len(LITERAL_PREFIX) :]
    if scope == ROOT and _PLAIN.fullmatch(name):
        return name
    return _hashed(f"{scope}/{name}")


def element_name(name: str, element: str | int) -> str:
    """The name of one element of an imported list (by position) or map (by key)."""
    return f"{name}[{element}]"


def child_name(parent_uid: str, base: str, name: str) -> str:
    """The name of the object that a parent makes for one of its parts.

    It follows from what it is for, so that a controller which crashed after creating it finds it again.
    """
    return f"{base}-{_hashed(f'{parent_uid}/{name}')[:5]}"


def companion_name(name: str, suffix: str) -> str:
    """The name of an object that stands beside another one; where that has a long name, it is cut and told by a digest.

    >>> companion_name("shop", "export"), len(companion_name("x" * 253, "export"))
    ('shop-export', 253)
    """
    plain = f"{name}-{suffix}"
    if len(plain) <= _LONGEST:
        return plain
    end = f"-{_hashed(name)[:10]}-{suffix}"
    return name[: _LONGEST - len(end)].rstrip("-.") + end


def _hashed(text: str) -> str:
    # A name, not a secret: sha1 is what makes existing objects be found again.
    digest = hashlib.sha1(text.encode(), usedforsecurity=False).digest()
    return base64.b32encode(digest).decode().rstrip("=").lower()
