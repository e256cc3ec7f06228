"""Changes of an object's parts as patches that say only what differs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from landform.cluster.kinds import DEPLOY_ITEMS, EXECUTIONS
from landform.kit import patches
from landform.runtime.intents import Patch

if TYPE_CHECKING:
    from landform.api.deployitems import DeployItem, DeployItemStatus
    from landform.api.executions import Execution, ExecutionStatus

_STATUS = "status"


def execution_status(execution: Execution, status: ExecutionStatus) -> Patch[Execution]:
    """Give an Execution a status."""
    return Patch(EXECUTIONS, execution, {_STATUS: difference(execution.status, status)}, subresource=_STATUS)


def item_status(item: DeployItem, status: DeployItemStatus) -> Patch[DeployItem]:
    """Give an item a status."""
    change = difference(item.status, status)
    if change:
        # Required by the schema, and nobody may have written it before.
        change["observedGeneration"] = status.observed_generation
    return Patch(DEPLOY_ITEMS, item, {_STATUS: change}, subresource=_STATUS)


def difference(old: Any, new: Any) -> dict[str, Any]:
    """The merge patch that makes one struct of another."""
    change: dict[str, Any] = patches.diff(plain(old), plain(new))
    return change


def plain(value: Any) -> Any:
    """A struct as plain JSON data."""
    return msgspec.json.decode(msgspec.json.encode(value))
