"""Landform's own kinds: the same defaults and rules that the webhook has on a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.api import defaults, validation
from landform.cluster.errors import Cause
from landform.embedded.strategies.strategy import Object, Strategy, Unchangeable

if TYPE_CHECKING:
    from collections.abc import Iterator


def _prepare(obj: Object, old: Object | None) -> None:
    defaults.apply_defaults(obj)


def _check(obj: Object, old: Object | None) -> Iterator[Cause]:
    if old is not None and "spec" in old and obj.get("spec") is old["spec"]:
        return  # a write of the status: all rules are about the rest, which is as it was when they were checked
    for fault in validation.validate(obj, old):
        kind = Unchangeable if fault.immutable else Cause
        yield kind(fault.reason, fault.message, fault.field)


STRATEGY = Strategy(_prepare, _check)
