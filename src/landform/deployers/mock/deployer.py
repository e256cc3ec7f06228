"""How a mock item is deployed: it waits, says, exports and ends as its configuration tells."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from landform.api import anyjson
from landform.api.conditions import ConditionStatus, ConditionType
from landform.api.deployitems import effective_config
from landform.api.errors import OperationFailed
from landform.api.names import ItemType
from landform.api.phases import Phase, is_failed, is_final
from landform.api.waiting import WaitReason
from landform.deployers.library import Deployer, Terminal, continuous
from landform.deployers.mock import configuration

if TYPE_CHECKING:
    from datetime import datetime

    from landform.api.deployitems import DeployItem
    from landform.deployers.library import Item
    from landform.deployers.mock.configuration import Configuration

INITIAL_SECONDS = 1.0
"""How long an initial phase is shown, so that somebody can see it."""


class MockDeployer(Deployer):
    """The deployer of mock items."""

    type = ItemType.MOCK
    name = "mock.deployer.landscaper.gardener.cloud"

    async def reconcile(self, item: Item) -> None:
        """Do what the configuration says."""
        config = self._read(item)
        if config.provider_status is not None:
            item.provider_status = config.provider_status
        await item.export(config.export)
        await self._show_initial_phase(item, config)
        if config.delay_seconds > 0:
            item.waiting(WaitReason.PROGRAM, f"the configured delay of {config.delay}")
            await item.surroundings.clock.sleep(config.delay_seconds)
        await self._end(item, config.phase or Phase.SUCCEEDED)

    async def delete(self, item: Item) -> None:
        """There is nothing to take away: the exports go with the item."""

    def next_pass(self, item: DeployItem, last: datetime) -> datetime | None:
        """As for other deployers, but not checked: of `cron` and `every` the first counts."""
        config = anyjson.value(effective_config(item)) or {}
        node = config.get(continuous.FIELD) if isinstance(config, dict) else None
        if not isinstance(node, dict):
            return None
        try:
            schedule = (
                continuous.cron_schedule(node["cron"]) if node.get("cron") else continuous.interval(node.get("every"))
            )
        except OperationFailed:
            return None
        return schedule.next(last) if schedule is not None else None

    def _read(self, item: Item) -> Configuration:
        type_ = ConditionType.DEPLOY_ITEM_VALIDATION
        try:
            config = configuration.read(item.config)
        except OperationFailed as failure:
            item.condition(type_, ConditionStatus.FALSE, "FailedUnmarshal", failure.message)
            raise
        item.condition(type_, ConditionStatus.TRUE, "SuccessfullValidation", "the configuration is valid")
        return config

    async def _show_initial_phase(self, item: Item, config: Configuration) -> None:
        """Show the phase for a moment; a final one can only be the end."""
        initial = config.initial_phase
        if initial and is_final(initial):
            config.phase = config.phase or initial
        elif initial:
            await item.progress(phase=initial)
            await item.surroundings.clock.sleep(INITIAL_SECONDS)

    async def _end(self, item: Item, phase: str) -> None:
        if is_failed(phase):
            raise Terminal("MockFailed", f"the configuration wants the phase {phase}")
        if phase != Phase.SUCCEEDED:
            item.waiting(WaitReason.PROGRAM, f"for ever: the configuration wants the phase {phase}, which is not final")
            await item.progress(phase=phase)
            await asyncio.Event().wait()
