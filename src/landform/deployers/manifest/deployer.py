"""How a manifest item is deployed and taken away: the story; each step has a room of its own."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from landform.api import anyjson, jobs
from landform.api.deployitems import effective_config
from landform.api.errors import OperationFailed
from landform.api.names import ItemType
from landform.deployers.library import Deployer, Plan
from landform.deployers.manifest import decoding, deletion, deletiongroups, memory, planning
from landform.deployers.manifest.configuration import Drift
from landform.deployers.manifest.deletion import Deleter
from landform.deployers.manifest.deployments import Deployment
from landform.deployers.manifest.following import Followers
from landform.deployers.manifest.sites import Sites
from landform.deployers.manifest.targets import TargetSites
from landform.deployers.manifest.watches import Watches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from landform.deployers.library import DeployItem, Desk, Item
    from landform.deployers.manifest.configuration import Configuration, DeletionGroup
    from landform.deployers.manifest.memory import ManagedResource

log = logging.getLogger(__name__)


class ManifestDeployer(Deployer):
    """The deployer of manifest items."""

    type = ItemType.MANIFEST
    name = "manifest.deployer.landscaper.gardener.cloud"

    def __init__(self) -> None:
        self._sites = Sites()
        self._watches = Watches()

    async def reconcile(self, item: Item) -> None:
        """Apply the objects, remove those that are wanted no longer, wait until all are ready, export values."""
        config = _read(item)
        deployment = Deployment(item, config, TargetSites(item, self._sites), self._watches)
        if config.drift == Drift.DETECT and jobs.is_pass(item.job_id):
            return await deployment.detect_drift()
        await deployment.apply()
        await deployment.remove_orphans()
        await deployment.until_ready()
        await deployment.export()
        await deployment.patch_afterwards()
        deployment.report_correction()

    async def delete(self, item: Item) -> None:
        """Delete what was deployed."""
        groups, managed = _going(item.object)
        if deletion.is_needed(groups, managed):
            await Deleter(item, self._watches, TargetSites(item, self._sites).site).delete(groups, managed)

    def has_deployed(self, item: DeployItem) -> bool:
        """Whether there may be objects to delete: they are remembered before they are created."""
        return deletion.is_needed(*_going(item))

    async def serve(self, desk: Desk) -> None:
        """Follow exported values after the jobs that exported them."""
        await Followers(desk, self._sites, self._watches).run()

    async def plan(self, item: Item) -> Plan:
        """What deploying the item, or deleting it, would do; the cluster is asked and keeps nothing."""
        targets = TargetSites(item, self._sites)
        if item.object.metadata.deletion_timestamp is None:
            return await planning.plan(item, _read(item), targets.site)
        groups, managed = _going(item.object)
        if not deletion.is_needed(groups, managed):
            return Plan()
        return Plan(await planning.deletions(item.name, targets.site, groups, managed))


def _going(item: DeployItem) -> tuple[Sequence[DeletionGroup], list[ManagedResource]]:
    """In which order objects go with the item, and which; whatever else is wrong with its configuration."""
    status = anyjson.value(item.status.provider_status)
    try:
        groups = decoding.deletion_groups(anyjson.value(effective_config(item)) or {})
    except OperationFailed:
        if status is not None:
            raise
        groups = []  # it never deployed anything, so nothing goes however wrong they are
    return groups or deletiongroups.DEFAULT, memory.read(status)


def _read(item: Item) -> Configuration:
    config = decoding.read(item.config)
    if ignored := decoding.removed_fields(item.config):
        log.warning("ignored, because everything shares the item's timeout: %s", ", ".join(ignored))
    return config
