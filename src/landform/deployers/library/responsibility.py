"""Which items a deployer answers for; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.api.deployitems import full_type
from landform.api.names import Annotation
from landform.cluster.resources import ObjectKey

if TYPE_CHECKING:
    from landform.api.deployitems import DeployItem
    from landform.api.targets import Target
    from landform.deployers.library.selectors import Selectors


def is_of_type(item: DeployItem, type_: str) -> bool:
    """Whether the item is of the deployer's type, by its specification and by its annotation if it has one."""
    hint = (item.metadata.annotations or {}).get(Annotation.DEPLOYER_TYPE)
    return full_type(item.spec.type) == type_ and (hint is None or full_type(hint) == type_)


def target_key(item: DeployItem) -> ObjectKey | None:
    """The item's target, always in the item's own namespace; None without one."""
    named = item.spec.target
    return ObjectKey(item.metadata.namespace or "", named.name) if named is not None and named.name else None


def is_taken(item: DeployItem, target: Target | None, selectors: Selectors) -> bool:
    """Whether an item of the right type is for this instance; `target` is None if there is none of that name."""
    key = target_key(item)
    return selectors.matches_none() if key is None else selectors.matches(key, target)
