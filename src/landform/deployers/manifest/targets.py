"""The sites of the targets that one item names: its own and others of its namespace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.api.errors import ErrorCode, OperationFailed
from landform.cluster.errors import Unauthorized, Unreachable

if TYPE_CHECKING:
    from types import TracebackType

    from landform.deployers.library import DeployItem, Desk, Item, ResolvedTarget
    from landform.deployers.manifest.sites import Site, Sites


class TargetSites:
    """Sites by the names of targets."""

    def __init__(self, item: Item, sites: Sites) -> None:
        self._item = item
        self._sites = sites
        self._known: dict[str, Site] = {}

    async def site(self, name: str = "") -> Site:
        """The site of a target; empty for the item's own. Another one is asked whether it lets us in."""
        if name not in self._known:
            self._known[name] = await self._second(name) if name else self._sites.of(await self._item.cluster())
        return self._known[name]

    async def _second(self, name: str) -> Site:
        try:
            target = await self._item.find_target(name)
        except OperationFailed as failure:
            message = f"targetName: {failure.message}"
            raise type(failure)(failure.operation, failure.reason, message, codes=failure.own_codes) from None
        site = self._sites.of(await self._item.cluster(target))
        try:
            await site.cluster.version()
        except (Unreachable, Unauthorized) as error:
            message = f"the cluster of target {name}, which targetName says, cannot be used: {error}"
            raise _failed(error, message) from error
        return site


class DeskSites:
    """Sites by the names of targets, for an item that no job works on; the clients are held while this is entered."""

    def __init__(self, desk: Desk, item: DeployItem, sites: Sites) -> None:
        self._desk = desk
        self._item = item
        self._sites = sites
        self._held: dict[str, ResolvedTarget] = {}
        self._known: dict[str, Site] = {}

    async def site(self, name: str = "") -> Site:
        """The site of a target; empty for the item's own."""
        if name not in self._known:
            target = await self._desk.find_target(self._item, name)
            self._known[name] = self._sites.of(self._desk.acquire(target))
            self._held[name] = target
        return self._known[name]

    async def are_current(self) -> bool:
        """Whether the targets still say the same; OperationFailed if one is gone."""
        for name, held in self._held.items():
            if (await self._desk.find_target(self._item, name)).fingerprint != held.fingerprint:
                return False
        return True

    async def __aenter__(self) -> DeskSites:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while self._held:
            await self._desk.release(self._held.popitem()[1])


def _failed(error: Exception, message: str) -> OperationFailed:
    codes = (ErrorCode.UNAUTHORIZED,) if isinstance(error, Unauthorized) else ()
    return OperationFailed("ConnectToTarget", "SecondTarget", message, codes=codes)
