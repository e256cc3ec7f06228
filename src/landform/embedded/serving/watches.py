"""A watch over HTTP: one JSON line an event, until the client or the server ends it."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
from aiohttp import web

from landform.cluster.errors import Gone
from landform.cluster.interface import EventType, ListOptions
from landform.embedded import versions
from landform.embedded.history import Event, Overrun, watch_line
from landform.embedded.serving import answers
from landform.embedded.serving.media import Shape, Wanted

if TYPE_CHECKING:
    from landform.embedded.catalog import ResourceType
    from landform.embedded.objects import Stored
    from landform.embedded.reading import Reading, Watch
    from landform.kit.clocks import Clock

BOOKMARK_SECONDS = 30.0
"""How often a silent watch says how far it has come; clients that hear nothing for longer give up on us."""

INITIAL_EVENTS_END = {"k8s.io/initial-events-end": "true"}


@dataclass(frozen=True)
class WatchRequest:
    """What a client wants to watch, and how it wants to see it."""

    type_: ResourceType
    namespace: str
    options: ListOptions
    wanted: Wanted
    include: str
    bookmarks: bool


async def stream(request: web.BaseRequest, asked: WatchRequest, reading: Reading, clock: Clock) -> web.StreamResponse:
    """Send events until the watch ends. A version that is too old is told in the stream, as the API server does."""
    response = web.StreamResponse(headers={"Content-Type": answers.JSON, "Cache-Control": "no-cache, private"})
    response.enable_chunked_encoding()
    lines = _Lines(asked, clock)
    with contextlib.suppress(ConnectionError):  # that the client goes is how most watches end
        try:
            with reading.watch(asked.type_, asked.namespace, asked.options) as watch:
                await response.prepare(request)
                await _send(response, lines, watch, asked)
        except Gone as error:
            if not response.prepared:
                await response.prepare(request)
            await response.write(lines.error(error))
        await response.write_eof()
    return response


async def _send(response: web.StreamResponse, lines: _Lines, watch: Watch, asked: WatchRequest) -> None:
    initial = b"".join(lines.added(stored) for stored in watch.initial)
    if asked.options.send_initial_events:
        initial += lines.bookmark(watch.version, INITIAL_EVENTS_END)
    if initial:
        await response.write(initial)
    version = watch.version
    try:
        async with asyncio.timeout(asked.options.timeout_seconds):
            while True:
                try:
                    async with asyncio.timeout(BOOKMARK_SECONDS):
                        batch = await watch.watcher.next_batch()
                except TimeoutError:
                    if asked.bookmarks:
                        await response.write(lines.bookmark(version))
                    continue
                version = batch[-1].version
                await response.write(b"".join(map(lines.event, batch)))
    except (TimeoutError, Overrun):
        return  # the client goes on from the last version it saw


class _Lines:
    """The lines of one watch, in the shape its client wants."""

    def __init__(self, asked: WatchRequest, clock: Clock) -> None:
        self._asked = asked
        self._clock = clock
        self._present = versions.presenter(asked.type_)
        self._as_stored = asked.wanted.shape is Shape.OBJECT and self._present is None
        self._headers = True
        """Whether a table still has to name its columns: only the first one does."""

    def added(self, stored: Stored) -> bytes:
        return self.event(Event(EventType.ADDED, stored, None))

    def event(self, event: Event) -> bytes:
        if self._as_stored:
            return event.line()
        raw = event.current.raw if self._present is None else self._present(event.current.raw)
        asked, headers, self._headers = self._asked, self._headers, False
        shown = answers.one(asked.type_, raw, asked.wanted, asked.include, self._clock.now(), headers=headers)
        return watch_line(event.type, shown)

    def bookmark(self, version: int, annotations: dict[str, str] | None = None) -> bytes:
        metadata: dict[str, object] = {"resourceVersion": str(version), "creationTimestamp": None}
        if annotations:
            metadata["annotations"] = annotations
        type_, wanted = self._asked.type_, self._asked.wanted
        shown = {"kind": type_.kind, "apiVersion": type_.api_version, "metadata": metadata}
        if wanted.shape is Shape.METADATA:
            shown = answers.metadata_only(shown, wanted)
        return watch_line(EventType.BOOKMARK, msgspec.json.encode(shown))

    def error(self, error: Gone) -> bytes:
        return b'{"type":"ERROR","object":%b}\n' % msgspec.json.encode(error.to_status())
