"""Leases: their numbers must make sense to those who wait for one to end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.embedded.schemas import causes
from landform.embedded.strategies.strategy import Object, Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from landform.cluster.errors import Cause


def _prepare(obj: Object, old: Object | None) -> None:
    """There is always a spec, be it empty."""
    obj.setdefault("spec", {})


def _check(obj: Object, old: Object | None) -> Iterator[Cause]:
    spec = obj.get("spec") or {}
    duration, transitions = spec.get("leaseDurationSeconds"), spec.get("leaseTransitions")
    if duration is not None and duration <= 0:
        yield causes.invalid("spec.leaseDurationSeconds", duration, "must be greater than 0")
    if transitions is not None and transitions < 0:
        yield causes.invalid("spec.leaseTransitions", transitions, "must be greater than or equal to 0")


STRATEGY = Strategy(_prepare, _check)
