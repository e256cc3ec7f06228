"""Following a resource for ever: list, watch, resume, and list again when the cluster has forgotten where we were.

The machine has five states, and one `step` that moves it on:

    Starting ──► Listing ──► Listed ──► Resuming ◄──► Following
        ▲           │  ▲ next page          │              │
        └───────────┴──┴──── Gone ──────────┴──────────────┘

Whatever else goes wrong it waits, longer each time, and tries again from where it was: a kind that is not there yet
may come, a right that is missing may be given. It never ends by itself.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from landform.cluster.errors import ApiError, ClusterError, Gone
from landform.cluster.interface import LIST_ALL, EventType, ListOptions, Reader, WatchEvent
from landform.cluster.retries import Backoff
from landform.kit.surroundings import Surroundings

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Sequence

    from landform.cluster.resources import Resource

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Restarting:
    """What exists is about to be told anew, by `Found`."""


@dataclass(frozen=True, slots=True)
class Found(Generic[T]):
    """Some of the objects that exist."""

    items: Sequence[T]
    version: str
    """The version of the whole list that these are a part of."""


@dataclass(frozen=True, slots=True)
class Restarted:
    """All that existed at this version has been told since `Restarting`; what was not, is gone."""

    version: str


@dataclass(frozen=True, slots=True)
class Applied(Generic[T]):
    """An object was created or changed."""

    object: T


@dataclass(frozen=True, slots=True)
class Deleted(Generic[T]):
    """An object is gone, or is not selected any more."""

    object: T


@dataclass(frozen=True, slots=True)
class Progressed:
    """Nothing else happened up to this version."""

    version: str


@dataclass(frozen=True, slots=True)
class Troubled:
    """Something went wrong; after that many seconds it is tried again."""

    error: ClusterError
    delay: float


Event: TypeAlias = Restarting | Found[T] | Restarted | Applied[T] | Deleted[T] | Progressed | Troubled


@dataclass(frozen=True)
class Starting:
    """Nothing is known."""

    whole: bool = False
    """Read everything at once, because its pages expired before all were read."""


@dataclass(frozen=True)
class Listing:
    """Some pages are known; `token` leads to the next."""

    whole: bool = False
    token: str = ""


@dataclass(frozen=True)
class Listed:
    """Everything up to `version` is known, but not told."""

    version: str


@dataclass(frozen=True)
class Resuming:
    """Everything up to `version` is known and told; what came after is to be watched."""

    version: str


@dataclass(frozen=True)
class Following:
    """A watch is open; everything up to `version` is told."""

    version: str
    events: AsyncIterator[WatchEvent[Any]] = field(repr=False)
    opened: float
    """When, by the clock's `monotonic`."""

    eventful: bool = False
    """Whether the watch has reported anything yet."""


State: TypeAlias = Starting | Listing | Listed | Resuming | Following


def after_error(state: State, error: ClusterError) -> State:
    """Where to go on after an error: from the start if the cluster has forgotten, else from where we were."""
    if isinstance(error, Gone):
        return Starting(whole=isinstance(state, Listing) and bool(state.token))
    return Resuming(state.version) if isinstance(state, Following) else state


@dataclass(frozen=True)
class Settings:
    """How a `Watcher` goes about it."""

    page: int = 500
    """Objects per page of a list."""

    lifetime_seconds: float = 300.0
    """A watch is asked to end after one to two times this, and then resumed: so that load spreads over API servers,
    and that nothing depends on a single connection for ever."""

    backoff: Backoff = field(default_factory=lambda: Backoff(first=0.2, longest=30.0))
    """Between failures."""


class Watcher(Generic[T]):
    """Follows the objects of one resource, in one namespace or in all, whichever are selected."""

    def __init__(
        self,
        reader: Reader,
        resource: Resource[T],
        *,
        namespace: str = "",
        selection: ListOptions = LIST_ALL,
        surroundings: Surroundings | None = None,
        settings: Settings | None = None,
    ) -> None:
        self._reader = reader
        self._resource = resource
        self._namespace = namespace
        self._selection = selection
        self._surroundings = surroundings or Surroundings()
        self._settings = settings or Settings()
        self._stream = contextlib.AsyncExitStack()
        self._state: State = Starting()
        self._failures = 0
        self._pause = 0.0

    @property
    def is_following(self) -> bool:
        """Whether a watch is open now: that it was opened is no event, because nothing happened to any object."""
        return isinstance(self._state, Following)

    async def events(self) -> AsyncGenerator[Event[T]]:
        """What happens, for ever. Close it (`contextlib.aclosing`) to end the watch."""
        try:
            while True:
                if (event := await self.step()) is not None:
                    yield event
        finally:
            await self._stream.aclose()

    async def step(self) -> Event[T] | None:
        """Move on by one state, or wait for one event; None if there is nothing to tell."""
        if self._pause:
            await self._surroundings.clock.sleep(self._pause)
            self._pause = 0.0
        state = self._state
        try:
            return await self._advance(state)
        except ClusterError as error:
            await self._stream.aclose()
            self._state = after_error(state, error)
            self._slow_down(state, error)
            return Troubled(error, self._pause)

    async def _advance(self, state: State) -> Event[T] | None:
        match state:
            case Starting(whole):
                self._state = Listing(whole)
                return Restarting()
            case Listing():
                return await self._list(state)
            case Listed(version):
                self._state = Resuming(version)
                return Restarted(version)
            case Resuming(version):
                await self._open(version)
                return None
            case Following():
                return await self._follow(state)

    async def _list(self, state: Listing) -> Event[T]:
        limit = 0 if state.whole else self._settings.page
        options = replace(self._selection, limit=limit, continue_token=state.token)
        page = await self._reader.list(self._resource, namespace=self._namespace, options=options)
        more = page.continue_token
        self._state = replace(state, token=more) if more else Listed(page.resource_version)
        return Found(page.items, page.resource_version)

    async def _open(self, version: str) -> None:
        chance, clock = self._surroundings.random, self._surroundings.clock
        lifetime = self._settings.lifetime_seconds * chance.uniform(1.0, 2.0)
        options = replace(self._selection, resource_version=version, timeout_seconds=lifetime)
        watch = self._reader.watch(self._resource, namespace=self._namespace, options=options)
        self._state = Following(version, await self._stream.enter_async_context(watch), clock.monotonic())

    async def _follow(self, state: Following) -> Event[T] | None:
        try:
            event = await anext(state.events)
        except StopAsyncIteration:
            await self._stream.aclose()
            self._state = Resuming(state.version)
            if not state.eventful:
                self._slow_down(state)
            return None
        self._failures = 0
        self._state = replace(state, version=event.resource_version, eventful=True)
        if event.object is None:
            return Progressed(event.resource_version)
        return Deleted(event.object) if event.type is EventType.DELETED else Applied(event.object)

    def _slow_down(self, state: State, error: ClusterError | None = None) -> None:
        """Wait before the next step, longer each time; a watch that was open for long proves that all was well."""
        longest = self._settings.backoff.longest
        if isinstance(state, Following) and self._surroundings.clock.monotonic() - state.opened > longest:
            self._failures = 0
        self._failures += 1
        asked = error.retry_after if isinstance(error, ApiError) else None
        self._pause = max(self._settings.backoff.delay(self._failures, self._surroundings.random), asked or 0.0)
