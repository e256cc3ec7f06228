"""Garbage: what is left in sandboxes of items that do not exist any more, and runs whose job is over.

A run is left over when its job ended while nobody looked after it: the deployer was killed, or the item's time was over
between two tries. Everything else is left over when an item vanished without being deleted in order.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

from landform.api import jobs
from landform.cluster.errors import NotFound
from landform.cluster.kinds import DEPLOY_ITEMS
from landform.cluster.resources import ObjectKey
from landform.deployers.programs.runs import running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import timedelta

    from landform.api.deployitems import DeployItem
    from landform.deployers.library import Desk
    from landform.deployers.programs.contract.identities import ItemId, RunId
    from landform.deployers.programs.contract.sandboxes import Sandbox, SandboxName
    from landform.deployers.programs.grounds.grounds import Grounds

log = logging.getLogger(__name__)


class Garbage:
    """Finds what is left over, and removes it.

    Invariants:
    - nothing of an item is removed unless the cluster itself, asked after the sandbox, says that there is no such item;
    - a run is ended only if the cluster itself says that its job is over, and nobody here follows it.
    """

    def __init__(self, grounds: Grounds, grace: timedelta) -> None:
        self._grounds = grounds
        self._grace = grace
        self._spared: set[RunId] = set()
        self._suspects: dict[RunId, SandboxName] = {}
        """Runs that were not removed when they were last seen."""

        self._news = asyncio.Event()

    @contextmanager
    def sparing(self, run: RunId, place: SandboxName) -> Iterator[None]:
        """Somebody looks after the run, and removes it if all goes well."""
        self._spared.add(run)
        try:
            yield
        except BaseException:
            self._suspects[run] = place
            raise
        else:
            self._suspects.pop(run, None)
        finally:
            self._spared.discard(run)

    def changed(self, key: ObjectKey) -> None:
        """An item changed: perhaps the job of a run is over."""
        if any(_key(run.item) == key for run in self._suspects):
            self._news.set()

    async def collect_for_ever(self, desk: Desk, seconds: float | None) -> None:
        """Collect now and every so many seconds, if at all; and end runs as soon as their job is over."""
        due = desk.surroundings.clock.monotonic()
        while True:
            now = desk.surroundings.clock.monotonic()
            if seconds is not None and now >= due:
                await self.collect(desk)
                due = now + seconds
            await self._end_suspects(desk)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(None if seconds is None else due - now):
                    await self._news.wait()
            self._news.clear()

    async def collect(self, desk: Desk) -> None:
        """Look through all sandboxes once."""
        for name in self._grounds.names():
            try:
                async with self._grounds.sandbox(name, desk.home, desk.surroundings) as sandbox:
                    await self._collect_from(desk, sandbox)
            except Exception as error:  # of one sandbox: the others are looked through all the same
                log.warning("what is left in the sandbox %s cannot be collected: %s", name, error)

    async def _collect_from(self, desk: Desk, sandbox: Sandbox) -> None:
        runs, items = await sandbox.runs(), await sandbox.items()
        self._suspects |= {run: sandbox.name for run in runs}
        for item in items:
            with _going_on(f"what is left of {item}"):
                if not is_living(await _found(desk, item), item):
                    await self._forget(sandbox, item, [run for run in runs if run.item == item])

    async def _forget(self, sandbox: Sandbox, item: ItemId, runs: list[RunId]) -> None:
        for run in runs:
            await self._end(sandbox, run, keeps_state=False)
        await sandbox.forget(item)
        log.info("removed what was left of %s in the sandbox %s: the item is gone", item, sandbox.name)

    async def _end_suspects(self, desk: Desk) -> None:
        for run, name in list(self._suspects.items()):
            if run in self._spared:
                continue
            with _going_on(f"the run of {run}"):
                found = await _found(desk, run.item)
                if not is_wanted(found, run) and run not in self._spared:
                    async with self._grounds.sandbox(name, desk.home, desk.surroundings) as sandbox:
                        await self._end(sandbox, run, keeps_state=is_living(found, run.item))

    async def _end(self, sandbox: Sandbox, run: RunId, *, keeps_state: bool) -> None:
        if await sandbox.has(run):
            log.info("ending what is left of the program of %s: its job is over", run)
            await sandbox.stop(run, self._grace)
            if keeps_state:
                await running.keep_state(sandbox, run)
            await sandbox.remove(run)
        self._suspects.pop(run, None)


def is_living(found: DeployItem | None, item: ItemId) -> bool:
    """Whether the item is there, and not another one of its name."""
    return found is not None and found.metadata.uid == item.uid


def is_wanted(found: DeployItem | None, run: RunId) -> bool:
    """Whether the run may still be of use: its job is the item's, and not over."""
    return (
        found is not None
        and is_living(found, run.item)
        and jobs.is_busy(found.status)
        and found.status.job_id == run.job
    )


async def _found(desk: Desk, item: ItemId) -> DeployItem | None:
    """The item; what a cache does not have, the cluster is asked for."""
    key = _key(item)
    cached = desk.get(key)
    if is_living(cached, item) and cached is not None and jobs.is_busy(cached.status):
        return cached
    try:
        return await desk.home.get(DEPLOY_ITEMS, key.name, namespace=key.namespace)
    except NotFound:
        return None


def _key(item: ItemId) -> ObjectKey:
    return ObjectKey(item.namespace, item.name)


@contextmanager
def _going_on(what: str) -> Iterator[None]:
    """What cannot be done now is left as it is, until the next time."""
    try:
        yield
    except Exception as error:  # one item must not keep the others from being collected
        log.warning("%s stays for now: %s", what, error)
