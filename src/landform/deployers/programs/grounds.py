"""Grounds: the sandboxes of one deployer, made when the first program needs one, closed when nobody does any more."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from landform.deployers.programs import choosing
from landform.deployers.programs.sandboxes import SandboxName

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from landform.cluster.interface import Cluster
    from landform.components.resolving import Resolver
    from landform.components.settings import Repositories
    from landform.deployers.programs.choosing import Available, Wish
    from landform.deployers.programs.sandboxes import Sandbox
    from landform.deployers.programs.specifications import Specification
    from landform.kit.surroundings import Surroundings

log = logging.getLogger(__name__)


class Grounds:
    """Where the programs of one deployer run.

    Invariant: a sandbox is closed when the deployer ends and no program is followed in it, and never before.
    """

    def __init__(
        self,
        wish: Wish,
        available: Available,
        builders: Mapping[SandboxName, Callable[[Cluster, Surroundings], Sandbox]],
        repositories: Repositories | None = None,
    ) -> None:
        self._wish = wish
        self._available = available
        self._builders = builders
        self._repositories = repositories
        self._made: dict[SandboxName, Sandbox] = {}
        self._resolver: Resolver | None = None
        self._users = 0
        self._is_ending = False

    def choose(self, wanted: Specification) -> SandboxName:
        """The place for a program; OperationFailed if there is none."""
        return choosing.choose(self._wish, self._available, wanted)

    def names(self) -> list[SandboxName]:
        """The places in which programs of this deployer may have run."""
        there = {
            SandboxName.KUBERNETES: self._available.host,
            SandboxName.ENGINE: bool(self._available.engine),
            SandboxName.PROCESS: True,
        }
        return [name for name in self._builders if there[name]]

    def is_there(self, name: str) -> bool:
        """Whether the place exists here."""
        return name in self.names()

    @asynccontextmanager
    async def sandbox(self, name: SandboxName, home: Cluster, surroundings: Surroundings) -> AsyncIterator[Sandbox]:
        """A sandbox, open for as long as it is needed; `home` is the cluster that the items live in."""
        self._users += 1
        try:
            if name not in self._made:
                self._made[name] = self._builders[name](home, surroundings)
                log.info("programs run in the sandbox %s", name)
            yield self._made[name]
        finally:
            self._users -= 1
            await self._close_if_unused()

    def resolver(self, surroundings: Surroundings) -> Resolver | None:
        """The way to component repositories, for somebody who uses a sandbox; None if the deployer has none."""
        if self._resolver is None and self._repositories is not None:
            self._resolver = self._repositories.resolver(surroundings)
        return self._resolver

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """While the deployer runs the sandboxes stay open, used or not."""
        self._is_ending = False
        try:
            yield
        finally:
            self._is_ending = True
            await asyncio.shield(self._close_if_unused())

    async def _close_if_unused(self) -> None:
        if not self._is_ending or self._users:
            return
        made, self._made = self._made, {}
        resolver, self._resolver = self._resolver, None
        if resolver is not None:
            async with resolver:
                pass  # leaving closes it
        for sandbox in made.values():
            await sandbox.close()
