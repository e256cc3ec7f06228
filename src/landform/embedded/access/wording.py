"""Words as the API server writes them: Go's quoting, names of resources, several errors as one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.kit.quoting import quote

if TYPE_CHECKING:
    from collections.abc import Iterable


def quoted_list(texts: Iterable[str]) -> str:
    """The texts as Go's ``%q`` prints a slice of strings: ``["a" "b"]``."""
    return "[" + " ".join(map(quote, texts)) + "]"


def qualified(group: str, resource: str) -> str:
    """A resource with its group: ``deployments.apps``, or ``secrets`` in the core group."""
    return f"{resource}.{group}" if group else resource


def aggregated(problems: Iterable[str]) -> str:
    """Several error texts as one, each only once."""
    unique = list(dict.fromkeys(problems))
    return unique[0] if len(unique) == 1 else f"[{', '.join(unique)}]"
