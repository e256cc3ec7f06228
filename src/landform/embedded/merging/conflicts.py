"""Conflicts of an apply: fields that it would change and that others own."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from landform.cluster.errors import Cause, Conflict
from landform.embedded.merging import elements, fieldsets

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from landform.embedded.merging.entries import Manager
    from landform.embedded.merging.fieldsets import FieldSet


class FieldConflict(NamedTuple):
    """One field of another manager."""

    manager: Manager
    path: tuple[str, ...]

    @property
    def field(self) -> str:
        """The path in words: ``.spec.containers[name="x"].image``."""
        return "".join(map(elements.shown, self.path))


def listed(owned: Mapping[Manager, FieldSet]) -> list[FieldConflict]:
    """All conflicts, by manager and then by path."""
    ordered = sorted(owned, key=lambda manager: manager.identifier)
    return [FieldConflict(manager, path) for manager in ordered for path in fieldsets.paths(owned[manager])]


def error(conflicts: Iterable[FieldConflict]) -> Conflict:
    """The conflicts as the API server reports them."""
    conflicts = list(conflicts)
    causes = tuple(Cause("FieldManagerConflict", f"conflict with {c.manager.shown}", c.field) for c in conflicts)
    return Conflict(_message(conflicts), causes=causes)


def _message(conflicts: list[FieldConflict]) -> str:
    if len(conflicts) == 1:
        [only] = conflicts
        return f"Apply failed with 1 conflict: conflict with {only.manager.shown}: {only.field}"
    lines: list[str] = []
    for manager in dict.fromkeys(conflict.manager for conflict in conflicts):
        lines.append(f"conflicts with {manager.shown}:")
        lines += [f"- {conflict.field}" for conflict in conflicts if conflict.manager == manager]
    return f"Apply failed with {len(conflicts)} conflicts: " + "\n".join(lines)
