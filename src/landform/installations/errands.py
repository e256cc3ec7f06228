"""Work beside the reconciles: what takes long is fetched by an errand, and its Installation is looked at afterwards.

So a slow registry keeps neither a place of the controller nor the deletion of the Installation waiting.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol, Self

from landform.api import waiting
from landform.api.errors import OperationFailed
from landform.cluster.codec import key_of
from landform.cluster.errors import ClusterError
from landform.installations import statuses, writing
from landform.kit.errors import LandformError
from landform.runtime.errors import LeaseLost

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Hashable

    from landform.api.installations import Installation
    from landform.cluster.resources import ObjectKey
    from landform.installations.answers import Trouble
    from landform.installations.sources import Desk
    from landform.runtime.intents import Hands

log = logging.getLogger(__name__)

OPERATION: Final = "InitPrerequisites"
"""What an Installation was doing when something that it is made from cannot be had."""


class Again(Protocol):
    """Has an Installation looked at again, now or later."""

    def __call__(self, key: ObjectKey, *, after: float = 0.0) -> None: ...


class Errands:
    """Errands, each once at a time; entered as long as the process works, and those that still run end with it."""

    def __init__(self) -> None:
        self._running: dict[Hashable, asyncio.Task[None]] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        tasks = list(self._running.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def send(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Begin an errand, unless one of that key is under way."""
        if key not in self._running:
            task = asyncio.create_task(work(), name=f"errand {key}")
            self._running[key] = task
            task.add_done_callback(lambda done: self._ended(key, done))

    def _ended(self, key: Hashable, task: asyncio.Task[None]) -> None:
        self._running.pop(key, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("an errand failed: %s", error, exc_info=error)


@dataclass(frozen=True)
class Errand:
    """Something to be fetched for an Installation. Should it fail in a way that passes, it is tried again for a while.

    Meanwhile the Installation says so; in the end its job fails with the last reason.
    """

    desk: Desk
    installation: Installation
    hands: Hands
    root: ObjectKey

    def send(self, what: Hashable, bring: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Begin it, unless it is under way or too early; `bring` notes what it finds."""
        trouble = self.desk.notebook.known(*whose(self.installation)).trouble
        early = (trouble.until - self.hands.surroundings.clock.now()).total_seconds() if trouble else 0.0
        if early > 0:
            self.desk.again(key_of(self.installation), after=early)
            return
        self.desk.errands.send((*whose(self.installation), what), lambda: self._run(bring))

    async def _run(self, bring: Callable[[], Coroutine[Any, Any, None]]) -> None:
        after = 0.0
        try:
            await bring()
        except Exception as error:  # of one Installation, whatever it is
            if not isinstance(error, LandformError):
                log.error("fetching for %s failed: %s", key_of(self.installation), error, exc_info=error)
            after = await self._put_off(str(error) or type(error).__name__)
        self.desk.again(key_of(self.installation), after=after)

    async def _put_off(self, message: str) -> float:
        """Try again later, or never; the seconds until then."""
        now, notebook = self.hands.surroundings.clock.now(), self.desk.notebook
        trouble = notebook.note_trouble(*whose(self.installation), message, now)
        if trouble.is_hopeless:
            failure = OperationFailed(OPERATION, "GetComponentVersion", f"{message} (tried {trouble.tries} times)")
            notebook.note_sources(*whose(self.installation), failure)
            return 0.0
        await self._tell(trouble)
        return (trouble.until - now).total_seconds()

    async def _tell(self, trouble: Trouble) -> None:
        """Say in the status what is waited for; if that cannot be written now, the next try says it."""
        wait = waiting.retry(trouble.until, trouble.message)
        status, now = self.installation.status, self.hands.surroundings.clock.now()
        said, _ = waiting.settle(status.conditions, wait, since=now - waiting.PATIENCE, now=now)
        try:
            for intent in writing.write_status(self.installation, statuses.changed(status, conditions=said)):
                await intent.perform(self.hands, self.root)
        except (ClusterError, LeaseLost) as error:
            log.debug("what %s waits for was not written: %s", key_of(self.installation), error)


def whose(installation: Installation) -> tuple[str, str]:
    """The Installation and the job that something is noted for."""
    return installation.metadata.uid or "", installation.status.job_id or ""
