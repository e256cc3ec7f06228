"""Following: a Landscape that caches keep up to date, for whoever looks on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.cluster.kinds import DEPLOY_ITEMS, EXECUTIONS, INSTALLATIONS
from landform.insight.landscapes import Landscape, execution_of, key_of, parent_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from landform.api.deployitems import DeployItem
    from landform.api.executions import Execution
    from landform.api.installations import Installation
    from landform.cluster.errors import ClusterError
    from landform.cluster.informers import Caches
    from landform.cluster.resources import ObjectKey

_PARENT = "insight parent"
_EXECUTION = "insight execution"


class Follower:
    """What the caches have of a namespace, or of all; exports are left out, for they are only read at the end.

    Looking costs what belongs to the roots that are looked at.
    """

    def __init__(self, caches: Caches, namespace: str = "") -> None:
        self._installations = caches.informer(INSTALLATIONS, namespace=namespace)
        self._executions = caches.informer(EXECUTIONS, namespace=namespace)
        self._items = caches.informer(DEPLOY_ITEMS, namespace=namespace)
        self._installations.add_index(_PARENT, _by_parent)
        self._items.add_index(_EXECUTION, _by_execution)

    def subscribe(self, changed: Callable[[], None]) -> None:
        """Have somebody told whenever anything changes."""
        for informer in (self._installations, self._executions, self._items):
            informer.subscribe(lambda old, new: changed())

    @property
    def trouble(self) -> ClusterError | None:
        """Why what is seen may be out of date; None if all is well."""
        informers = (self._installations, self._executions, self._items)
        return next((informer.trouble for informer in informers if informer.trouble is not None), None)

    def roots(self) -> list[ObjectKey]:
        """The keys of all root Installations, in their order."""
        return [key_of(each) for each in Landscape(self._installations.list()).roots()]

    def look(self, roots: Iterable[ObjectKey]) -> Landscape:
        """The Installations of these names with everything below them, as they are now."""
        installations: list[Installation] = []
        executions: list[Execution] = []
        items: list[DeployItem] = []
        pending = [found for key in roots if (found := self._installations.get(key)) is not None]
        while pending:
            installation = pending.pop()
            installations.append(installation)
            key = key_of(installation)
            if (execution := self._executions.get(key)) is not None:
                executions.append(execution)
            items += self._items.by_index(_EXECUTION, str(key))
            pending += self._installations.by_index(_PARENT, str(key))
        return Landscape(installations, executions, items)


def _by_parent(installation: Installation) -> list[str]:
    parent = parent_of(installation)
    return [str(key_of(installation)._replace(name=parent))] if parent else []


def _by_execution(item: DeployItem) -> list[str]:
    execution = execution_of(item)
    return [str(key_of(item)._replace(name=execution))] if execution else []
