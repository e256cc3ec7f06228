"""What a strategy is: how one kind differs from all others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from landform.cluster.errors import Cause

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Object = dict[str, Any]


class Unchangeable(Cause):
    """A change that is refused whatever the new value is: the answer says 403, not 422."""


def _nothing_to_prepare(obj: Object, old: Object | None) -> None:
    """Most kinds are stored as they come."""


def _nothing_to_check(obj: Object, old: Object | None) -> Iterable[Cause]:
    """Most kinds are checked by their schema alone."""
    return ()


def _nothing_to_say(obj: Object) -> list[str]:
    """Most kinds are taken without a word."""
    return []


@dataclass(frozen=True)
class Strategy:
    """How one kind differs from all others."""

    prepare: Callable[[Object, Object | None], None] = _nothing_to_prepare
    """Complete or normalise the object before it is checked; `old` is what it replaces."""

    check: Callable[[Object, Object | None], Iterable[Cause]] = _nothing_to_check
    """Rules beyond the schema; the object's types are as the schema promises."""

    knows_all: bool = False
    """Whether `check` knows every rule of a built-in kind: then its schema is asked for types only, as Kubernetes does,
    and missing fields are told in the kind's own words."""

    warn: Callable[[Object], list[str]] = _nothing_to_say
    """What its author should know of an object that is taken."""
