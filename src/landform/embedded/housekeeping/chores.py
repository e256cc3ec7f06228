"""Keys that need a look, each looked at by one worker at a time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Hashable
from typing import TYPE_CHECKING, Generic, TypeVar

from landform.cluster.errors import ClusterError, Conflict, NotFound, Storage

if TYPE_CHECKING:
    from landform.kit.clocks import Clock

K = TypeVar("K", bound=Hashable)

_log = logging.getLogger(__name__)

_WORKERS = 32
"""How many keys are looked at side by side: their writes share commits."""

_RETRY_SECONDS = 1.0
_AGAIN_SECONDS = 0.01


class Chores(Generic[K]):
    """A set of keys and the workers that clear it.

    Invariants: a key is looked at by one worker at a time; a key added while it is looked at is looked at again; a
    look that fails is repeated after a second, so that nothing stays undone because of a full disk.
    """

    def __init__(self, name: str, look: Callable[[K], Awaitable[None]], clock: Clock) -> None:
        self._name = name
        self._look = look
        self._clock = clock
        self._waiting: dict[K, None] = {}
        self._running: dict[K, bool] = {}
        self._slots: set[asyncio.Task[None]] = set()
        self._closed = False

    def add(self, key: K) -> None:
        """Look at this key soon. Cheap, callable from listeners."""
        if key in self._running:
            self._running[key] = True
            return
        self._waiting[key] = None
        self._fill_slots()

    def _fill_slots(self) -> None:
        while self._waiting and len(self._slots) < _WORKERS and not self._closed:
            key = next(iter(self._waiting))
            del self._waiting[key]
            self._running[key] = False
            task = asyncio.get_running_loop().create_task(self._run(key), name=f"{self._name} {key}")
            self._slots.add(task)
            task.add_done_callback(self._slots.discard)

    async def _run(self, key: K) -> None:
        try:
            await self._look(key)
        except (Conflict, NotFound):  # the object changed meanwhile: look at it as it is now
            await self._clock.sleep(_AGAIN_SECONDS)
            self._running[key] = True
        except ClusterError as error:
            # A full disk is told to everyone who writes; here it would fill the log, once a second for each key.
            level = logging.DEBUG if isinstance(error, Storage) else logging.WARNING
            _log.log(level, "%s: %s: %s; trying again", self._name, key, error)
            await self._clock.sleep(_RETRY_SECONDS)
            self._running[key] = True
        finally:
            again = self._running.pop(key)
            if again and not self._closed:
                self._waiting[key] = None
            asyncio.get_running_loop().call_soon(self._fill_slots)

    async def close(self) -> None:
        """Stop after the looks under way. Idempotent."""
        self._closed = True
        for task in self._slots:
            task.cancel()
        await asyncio.gather(*self._slots, return_exceptions=True)
