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
        while await self._started():
            ended = self._has_ended()
            received = False
            try:
                async with aclosing(self._stream(follow=not ended)) as chunks:
                    async for chunk in chunks:
                        received = True
                        yield chunk
            except NotFound:
                return
            except (ClusterError, BadRequest):
                ended = False
            # Only a log that was read to its end after the program's end is surely whole.
            if ended:
                if rest := self._lines.finish():
                    yield rest
                return
            tries = 0 if received else tries + 1
            await self._pause(tries)

    async def _stream(self, *, follow: bool) -> AsyncGenerator[bytes]:
        self._lines.resume()
        name = names.pod_name(self._run)
        log = self._door.pod_log(
            name, namespace=self._namespace, container=MAIN, since=self._lines.since, follow=follow
        )
        async with log as chunks:
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
        with self._view.bell(self._run) as bell:
            if not self._has_ended():
                await self._view.rung(bell, _BACKOFF.delay(tries + 1, self._surroundings.random))
