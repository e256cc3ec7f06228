"""Roles and their bindings: as access control says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.cluster.errors import Invalid
from landform.embedded.access import role_objects
from landform.embedded.strategies.strategy import Object, Strategy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from landform.cluster.errors import Cause


def _prepare(obj: Object, old: Object | None) -> None:
    obj.update(role_objects.with_defaults(obj))


def _check(obj: Object, old: Object | None) -> Iterable[Cause]:
    try:
        role_objects.check(obj, old=old)
    except Invalid as error:
        return error.causes
    return ()


STRATEGY = Strategy(_prepare, _check, knows_all=True)
