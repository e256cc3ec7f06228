"""How a manifest item is deployed and taken away: the story; each step has a room of its own."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from landform.api import jobs
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
    from landform.deployers.library import Desk, Item
    from landform.deployers.manifest.configuration import Configuration

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
        config = _read(item)
        groups = config.deletion_groups or deletiongroups.DEFAULT
        managed = memory.read(item.provider_status)
        if deletion.is_needed(groups, managed):
            await Deleter(item, self._watches, TargetSites(item, self._sites).site).delete(groups, managed)

    async def serve(self, desk: Desk) -> None:
        """Follow exported values after the jobs that exported them."""
        await Followers(desk, self._sites, self._watches).run()

    async def plan(self, item: Item) -> Plan:
        """What deploying the item, or deleting it, would do; the cluster is asked and keeps nothing."""
        config = _read(item)
        managed = memory.read(item.provider_status)
        is_deleting = item.object.metadata.deletion_timestamp is not None
        if is_deleting and not managed:
            return Plan()
        site = await TargetSites(item, self._sites).site()
        if is_deleting:
            return Plan(await planning.deletions(site, config.deletion_groups or deletiongroups.DEFAULT, managed))
        return await planning.plan(item, config, site)


def _read(item: Item) -> Configuration:
    config = decoding.read(item.config)
    if ignored := decoding.removed_fields(item.config):
        log.warning("ignored, because everything shares the item's timeout: %s", ", ".join(ignored))
    return config
