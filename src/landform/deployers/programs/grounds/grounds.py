"""Grounds: the sandboxes of one deployer, made when the first program needs one, closed when nobody does any more."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from landform.cluster.interface import Cluster
from landform.deployers.programs.contract.sandboxes import Sandbox, SandboxName
from landform.deployers.programs.grounds import choosing
from landform.kit.surroundings import Surroundings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from landform.components.resolving import Resolver
    from landform.components.settings import Repositories
    from landform.deployers.programs.grounds.choosing import Available, Wish
    from landform.deployers.programs.orders.specifications import Specification

log = logging.getLogger(__name__)

Builder = Callable[[Cluster, Surroundings], AbstractAsyncContextManager[Sandbox]]
"""Opens a sandbox for items that live in a cluster."""


class Grounds:
    """Where the programs of one deployer run.

    Invariant: a sandbox is closed when the deployer ends and no program is followed in it, and never before.
    """

    def __init__(
        self,
        wish: Wish,
        available: Callable[[], Available],
        builders: Mapping[SandboxName, Builder],
        repositories: Repositories | None = None,
    ) -> None:
        self._wish = wish
        self._available = available
        self._builders = builders
        self._repositories = repositories
        self._opened = AsyncExitStack()
        self._opening = asyncio.Lock()
        self._sandboxes: dict[SandboxName, Sandbox] = {}
        self._resolver: Resolver | None = None
        self._users = 0
        self._is_ending = False

    def choose(self, wanted: Specification) -> SandboxName:
        """The place for a program; OperationFailed if there is none."""
        return choosing.choose(self._wish, self._available(), wanted)

    def names(self) -> list[SandboxName]:
        """The places in which programs of this deployer may have run."""
        available = self._available()
        there = {
            SandboxName.KUBERNETES: available.host,
            SandboxName.ENGINE: bool(available.engine),
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
            yield await self._sandbox(name, home, surroundings)
        finally:
            self._users -= 1
            await self._close_if_unused()

    async def resolver(self, surroundings: Surroundings) -> Resolver | None:
        """The way to component repositories, for somebody who uses a sandbox; None if the deployer has none."""
        async with self._opening:
            if self._resolver is None and self._repositories is not None:
                made = self._repositories.resolver(surroundings)
                self._resolver = await self._opened.enter_async_context(made)
            return self._resolver

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """While the deployer runs the sandboxes stay open, used or not."""
        self._is_ending = False
        try:
            yield
        finally:
            self._is_ending = True
            await self._close_if_unused()

    async def _sandbox(self, name: SandboxName, home: Cluster, surroundings: Surroundings) -> Sandbox:
        async with self._opening:
            if name not in self._sandboxes:
                opened = self._builders[name](home, surroundings)
                self._sandboxes[name] = await self._opened.enter_async_context(opened)
                log.info("the sandbox %s is chosen for programs", name)
            return self._sandboxes[name]

    async def _close_if_unused(self) -> None:
        if not self._is_ending or self._users:
            return
        self._sandboxes.clear()
        self._resolver = None
        await self._opened.aclose()
