"""Suggestions: what somebody may have meant by a name that nothing has."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def perhaps(wanted: str, known: Iterable[str]) -> str:
    """A question for what may have been meant; empty if nothing is near."""
    near = difflib.get_close_matches(wanted, sorted(set(known)), n=1, cutoff=0.7)
    return f'; did you mean "{near[0]}"?' if near else ""
