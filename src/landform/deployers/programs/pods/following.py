"""Following what the program of a run prints, until it has ended."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

from landform.cluster.errors import BadRequest, ClusterError, NotFound
from landform.cluster.retries import Backoff
from landform.deployers.programs.pods import judging, names
from landform.deployers.programs.pods.handover import MAIN
from landform.deployers.programs.pods.output import Lines

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from landform.deployers.programs.contract.identities import RunId
    from landform.deployers.programs.pods.output import LogDoor
    from landform.deployers.programs.pods.views import HostView
    from landform.kit.surroundings import Surroundings

_BACKOFF = Backoff(first=0.2, longest=10.0)

_SETTLING_SECONDS = 0.1
"""Between two looks at the log of a program that has ended: on a busy node its last lines come after its end."""


class Following:
    """The output of one run."""

    def __init__(self, door: LogDoor, namespace: str, run: RunId, view: HostView, surroundings: Surroundings) -> None:
        self._door = door
        self._namespace = namespace
        self._run = run
        self._view = view
        self._surroundings = surroundings
        self._lines = Lines()

    async def chunks(self) -> AsyncGenerator[bytes]:
        """What is printed, as it comes; it ends when the program has ended, or will never begin."""
        tries = 0
        last: bytes | None = None
        while await self._started():
            ended = self._has_ended()
            received = False
            try:
                async with aclosing(self._stream(follow=not ended)) as chunks:
                    async for chunk in chunks:
                        received = True
                        yield chunk
            except NotFound:
                break
            except (ClusterError, BadRequest):
                ended = False
            # The log is whole when it was read twice after the program's end, and nothing came in between.
            if ended and not received and self._lines.unfinished == last:
                break
            last = self._lines.unfinished if ended else None
            tries = 0 if received else tries + 1
            await self._pause(tries)
        if rest := self._lines.finish():
            yield rest

    async def _stream(self, *, follow: bool) -> AsyncGenerator[bytes]:
        name = names.pod_name(self._run)
        log = self._door.pod_log(
            name, namespace=self._namespace, container=MAIN, since=self._lines.since, follow=follow
        )
        async with log as chunks:
            self._lines.resume()
            async for chunk in chunks:
                if new := self._lines.feed(chunk):
                    yield new

    async def _started(self) -> bool:
        """Wait until the program has begun; False if it never will."""
        await self._view.ready()
        with self._view.bell(self._run) as bell:
            while True:
                bell.clear()
                pod = self._view.pod(self._run)
                if pod is not None and judging.has_main_started(pod):
                    return True
                if pod is None or judging.is_over(pod):
                    return False
                await self._view.rung(bell)

    def _has_ended(self) -> bool:
        pod = self._view.pod(self._run)
        return pod is None or judging.has_main_ended(pod)

    async def _pause(self, tries: int) -> None:
        """Until something is known of the pod, or it is time to try again."""
        if self._has_ended():
            await self._surroundings.clock.sleep(_SETTLING_SECONDS)
            return
        with self._view.bell(self._run) as bell:
            await self._view.rung(bell, _BACKOFF.delay(tries + 1, self._surroundings.random))
