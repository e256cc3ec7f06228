"""Roots: the Installation at the top of the tree that an object belongs to.

Replicas share the work by roots, so that a whole tree stays with one of them and sees its own writes at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from landform.api.structs import GROUP
from landform.cluster.kinds import DEPLOY_ITEMS, EXECUTIONS, INSTALLATIONS
from landform.cluster.resources import ObjectKey
from landform.installations import relations

if TYPE_CHECKING:
    from collections.abc import Iterable

    from landform.api.deployitems import DeployItem
    from landform.api.structs import Kind
    from landform.cluster.informers import Caches, Informer
    from landform.runtime.controllers import Controller

K = TypeVar("K", bound="Kind")

_OWNER = "engine owner"


class Roots:
    """Climbs from objects to their roots, as far as the caches know them."""

    def __init__(self, caches: Caches) -> None:
        self._installations = caches.informer(INSTALLATIONS)
        self._executions = caches.informer(EXECUTIONS)
        self._items = caches.informer(DEPLOY_ITEMS)
        for informer in (self._installations, self._executions, self._items):
            informer.add_index(_OWNER, _owners)

    def of_installation(self, key: ObjectKey) -> ObjectKey:
        """The root of an Installation: itself, if it belongs to no other."""
        seen = {key}
        while (installation := self._installations.get(key)) is not None:
            above = relations.owner_key(installation)
            if above is None or above in seen:
                return key
            seen.add(above)
            key = above
        return key

    def of_execution(self, key: ObjectKey) -> ObjectKey:
        """The root of an Execution: itself, if it belongs to no Installation."""
        execution = self._executions.get(key)
        above = relations.owner_key(execution) if execution is not None else None
        return self.of_installation(above) if above is not None else key

    def of_item(self, key: ObjectKey) -> ObjectKey:
        """The root of a DeployItem: itself, if it belongs to no Execution."""
        item = self._items.get(key)
        above = _execution_of(item) if item is not None else ""
        return self.of_execution(key._replace(name=above)) if above else key

    def follow(
        self,
        installations: Iterable[Controller[Any]],
        executions: Iterable[Controller[Any]],
        items: Iterable[Controller[Any]],
    ) -> None:
        """Have what is below an object looked at again when the object appears.

        A replica that sees a child before its parent does not know yet that both are its own, and leaves the child.
        """
        below = (
            (self._installations, tuple(installations)),
            (self._executions, tuple(executions)),
            (self._items, tuple(items)),
        )

        def appeared(old: Kind | None, new: Kind | None) -> None:
            pending = [new] if old is None and new is not None else []
            while pending:
                uid = pending.pop().metadata.uid or ""
                for informer, controllers in below:
                    for child in _found(informer, uid):
                        pending.append(child)
                        for controller in controllers:
                            controller.add(ObjectKey(child.metadata.namespace or "", child.metadata.name or ""))

        self._installations.subscribe(appeared)
        self._executions.subscribe(appeared)


def _found(informer: Informer[Any], owner: str) -> Iterable[Kind]:
    return informer.by_index(_OWNER, owner)


def _execution_of(item: DeployItem) -> str:
    """The name of the Execution that an item belongs to; empty if there is none."""
    for owner in item.metadata.owner_references or ():
        if owner.kind == EXECUTIONS.kind and owner.api_version.startswith(f"{GROUP}/"):
            return owner.name
    return ""


def _owners(obj: Kind) -> list[str]:
    return [owner.uid for owner in obj.metadata.owner_references or ()]
