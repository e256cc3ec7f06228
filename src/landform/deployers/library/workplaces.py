"""What all the work of one deployer shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from landform.deployers.library import access
from landform.deployers.library.failures import NoAccess

if TYPE_CHECKING:
    from collections.abc import Callable

    from landform.api.deployitems import DeployerInformation
    from landform.cluster.resources import ObjectKey
    from landform.cluster.retries import Backoff
    from landform.deployers.library.clusters import Clusters
    from landform.deployers.library.deployers import Deployer
    from landform.deployers.library.hooks import Hooks
    from landform.deployers.library.reading import Reading
    from landform.deployers.library.targets import ResolvedTarget
    from landform.runtime.intents import Hands


@dataclass(frozen=True)
class Workplace:
    """A deployer and everything it needs."""

    deployer: Deployer
    information: DeployerInformation
    hooks: Hooks
    hands: Hands
    reading: Reading
    clusters: Clusters
    backoff: Backoff
    """Between the tries of one job."""

    root: Callable[[ObjectKey], ObjectKey]
    """In whose name an item is written."""

    async def resolved(self, key: ObjectKey) -> ResolvedTarget:
        """A Target that may be used, with its access data; OperationFailed if there is none."""
        target = await self.reading.target(key)
        if target is None:
            raise NoAccess("reconcilePrivate", "NoTargetFound", f"target {key} does not exist")
        found = await self.reading.resolve(target)
        if found.is_kubernetes_cluster:
            access.read(found)
        return found
