"""Asking: `why`, with everything that the answer needs read from a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.api.deployitems import DeployItem
from landform.api.installations import Installation
from landform.cluster.errors import NotFound
from landform.cluster.kinds import INSTALLATIONS
from landform.insight import gathering
from landform.insight.causes import why
from landform.insight.landscapes import Landscape, execution_of, key_of, parent_of

if TYPE_CHECKING:
    from landform.api.executions import Execution
    from landform.cluster.interface import Reader
    from landform.cluster.resources import ObjectKey
    from landform.insight.causes import Chain
    from landform.insight.landscapes import Worker


async def ask(reader: Reader, start: Worker) -> Chain:
    """What is in the way of an object.

    Read is the tree that it belongs to, and those of neighbours as the way leads to them.
    """
    landscape = Landscape(*_alone(start))
    root = await root_of(reader, start)
    if root is not None:
        landscape = landscape.merged(await gathering.gather(reader, [root]))
    known: set[ObjectKey] = set()
    while True:
        chain = why(landscape, start)
        found = await _neighbours(reader, start, chain.unseen) if chain.unseen else []
        new = set(found) - known
        if not new:
            return chain
        known |= new
        landscape = landscape.merged(await gathering.gather(reader, sorted(new)))


async def root_of(reader: Reader, obj: Worker) -> ObjectKey | None:
    """The Installation at the top of the tree that an object belongs to; None if it belongs to none."""
    key = key_of(obj)
    name = execution_of(obj) if isinstance(obj, DeployItem) else key.name
    found = obj if isinstance(obj, Installation) else await _get(reader, key._replace(name=name))
    while found is not None and (parent := parent_of(found)):
        above = await _get(reader, key._replace(name=parent))
        if above is None:
            break
        found = above
    return key_of(found) if found is not None else None


async def _neighbours(reader: Reader, start: Worker, names: tuple[str, ...]) -> list[ObjectKey]:
    """Those of some words that are names of Installations in the same namespace."""
    namespace = start.metadata.namespace or ""
    there = await reader.list(INSTALLATIONS, namespace=namespace)
    return [key_of(each) for each in there.items if each.metadata.name in names]


async def _get(reader: Reader, key: ObjectKey) -> Installation | None:
    if not key.name:
        return None
    try:
        found = await reader.get(INSTALLATIONS, key.name, namespace=key.namespace)
    except NotFound:
        return None
    return found


def _alone(obj: Worker) -> tuple[tuple[Installation, ...], tuple[Execution, ...], tuple[DeployItem, ...]]:
    if isinstance(obj, Installation):
        return (obj,), (), ()
    return ((), (), (obj,)) if isinstance(obj, DeployItem) else ((), (obj,), ())
