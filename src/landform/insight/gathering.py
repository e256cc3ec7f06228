"""Gathering: a Landscape, read once from a cluster.

What belongs to one Installation is found by names and labels, so that it does not matter how many others there are.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from landform.api import scopes
from landform.api.names import Label, SourceType
from landform.cluster.errors import NotFound
from landform.cluster.interface import ListOptions
from landform.cluster.kinds import DATA_OBJECTS, DEPLOY_ITEMS, EXECUTIONS, INSTALLATIONS, TARGETS
from landform.insight.landscapes import Export, Landscape

if TYPE_CHECKING:
    from collections.abc import Iterable

    from landform.api.deployitems import DeployItem
    from landform.api.executions import Execution
    from landform.api.installations import Installation
    from landform.cluster.interface import Reader
    from landform.cluster.resources import ObjectKey, Resource

T = TypeVar("T")


async def everything(reader: Reader, namespace: str) -> Landscape:
    """All that is in a namespace, or in all of them if it is empty."""
    exported = ListOptions(label_selector=f"{Label.DATA_SOURCE_TYPE}={SourceType.EXPORT}")
    installations, executions, items, data, targets = await asyncio.gather(
        reader.list(INSTALLATIONS, namespace=namespace),
        reader.list(EXECUTIONS, namespace=namespace),
        reader.list(DEPLOY_ITEMS, namespace=namespace),
        reader.list(DATA_OBJECTS, namespace=namespace, options=exported),
        reader.list(TARGETS, namespace=namespace, options=exported),
    )
    return Landscape(installations.items, executions.items, items.items, (*data.items, *targets.items))


async def gather(reader: Reader, keys: Iterable[ObjectKey]) -> Landscape:
    """The Installations of these names with everything below them; those that are not there are left out."""
    found = _Found(reader)
    await asyncio.gather(*(found.add(key) for key in keys))
    return Landscape(found.installations, found.executions, found.items, found.exports)


@dataclass
class _Found:
    """What was found so far."""

    reader: Reader
    installations: list[Installation] = field(default_factory=list)
    executions: list[Execution] = field(default_factory=list)
    items: list[DeployItem] = field(default_factory=list)
    exports: list[Export] = field(default_factory=list)

    async def add(self, key: ObjectKey) -> None:
        installation = await self._get(INSTALLATIONS, key)
        if installation is not None:
            self.installations.append(installation)
            await self._add_below(key)

    async def _add_below(self, key: ObjectKey) -> None:
        exported = f"{Label.DATA_SOURCE}={scopes.inner_scope(key.name)},{Label.DATA_SOURCE_TYPE}={SourceType.EXPORT}"
        getting = self._get(EXECUTIONS, key)
        execution, children, items, data, targets = await asyncio.gather(
            getting,
            self._list(INSTALLATIONS, key, f"{Label.ENCOMPASSED_BY}={key.name}"),
            self._list(DEPLOY_ITEMS, key, f"{Label.MANAGED_BY}={key.name}"),
            self._list(DATA_OBJECTS, key, exported),
            self._list(TARGETS, key, exported),
        )
        if execution is not None:
            self.executions.append(execution)
        self.installations += children
        self.items += items
        self.exports += (*data, *targets)
        await asyncio.gather(*(self._add_below(key._replace(name=each.metadata.name or "")) for each in children))

    async def _get(self, resource: Resource[T], key: ObjectKey) -> T | None:
        try:
            return await self.reader.get(resource, key.name, namespace=key.namespace)
        except NotFound:
            return None

    async def _list(self, resource: Resource[T], key: ObjectKey, selector: str) -> Iterable[T]:
        options = ListOptions(label_selector=selector)
        return (await self.reader.list(resource, namespace=key.namespace, options=options)).items
