"""The output of a run, followed through a host whose logs are played."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from tests.deployers.programs.pods.nodes import NAMESPACE, ORDER, RUN, World, ended, running, status, waiting, world

from landform.api.errors import OperationFailed
from landform.cluster.errors import BadRequest, Unreachable
from landform.deployers.programs.pods.following import Following
from landform.kit.surroundings import Surroundings
from landform.testing import time

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@dataclass
class PlayedLogs:
    """What the kubelet would tell: a log that grows, and connections that break."""

    lines: list[bytes] = field(default_factory=list)
    breaks: int = 0
    """So many streams break off after what is there."""

    refusals: int = 0
    asked: list[tuple[str, bool]] = field(default_factory=list)
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    @asynccontextmanager
    async def pod_log(
        self, name: str, *, namespace: str, container: str, since: str = "", follow: bool = False
    ) -> AsyncIterator[AsyncIterator[bytes]]:
        assert (namespace, container) == (NAMESPACE, "main")
        self.asked.append((since, follow))
        if self.refusals:
            self.refusals -= 1
            raise BadRequest(f'container "main" in pod "{name}" is waiting to start')
        yield self._stream(since[:19], follow)

    async def _stream(self, since: str, follow: bool) -> AsyncIterator[bytes]:
        sent = 0
        while True:
            for line in self.lines[sent:]:
                if line.decode()[:19] >= since:
                    yield line
            sent = len(self.lines)
            if self.breaks:
                self.breaks -= 1
                raise Unreachable("the watch broke off")
            if not follow or self.ended.is_set():
                return
            await asyncio.sleep(0.1)

    def add(self, second: int, *texts: str) -> None:
        """More lines, all in one second."""
        for number, text in enumerate(texts):
            self.lines.append(f"2030-01-01T00:00:{second:02}.{number}Z {text}\n".encode())


def _following(w: World, logs: PlayedLogs) -> Following:
    return Following(logs, NAMESPACE, RUN, w.sandbox.view, Surroundings(clock=w.clock))


async def _all(following: Following) -> bytes:
    return b"".join([chunk async for chunk in following.chunks()])


def test_output_is_followed_until_the_program_has_ended() -> None:
    async def scenario() -> None:
        async with world() as w:
            logs = PlayedLogs(breaks=2, refusals=1)
            await w.sandbox.begin(ORDER)
            async with asyncio.TaskGroup() as group:
                output = group.create_task(_all(_following(w, logs)))
                await asyncio.sleep(10)
                assert not logs.asked, "nothing is asked before the program has begun"
                await w.say(status(init=ended(), main=running(), wait=running()))
                logs.add(11, "one", "two")
                await asyncio.sleep(20)
                logs.add(31, "three")
                await asyncio.sleep(1)
                logs.ended.set()
                logs.add(32, "four")
                await w.say(status(init=ended(), main=ended(), wait=running()))
            assert output.result() == b"one\ntwo\nthree\nfour\n"
            assert logs.asked[-1][1] is False, "the end is read once more, when it is surely all there"

    time.run(scenario())


def test_lines_that_reach_the_log_after_the_program_has_ended_are_not_lost() -> None:
    async def scenario() -> None:
        async with world() as w:
            logs = PlayedLogs()
            logs.add(11, "one", "two")
            logs.lines.append(b"2030-01-01T00:00:12.0Z thr")  # a busy node had not written more of it yet
            logs.ended.set()
            await w.sandbox.begin(ORDER)
            await w.say(status(init=ended(), main=ended(), wait=running()))
            async with asyncio.TaskGroup() as group:
                output = group.create_task(_all(_following(w, logs)))
                await asyncio.sleep(0.05)
                logs.lines[-1] = b"2030-01-01T00:00:12.0Z three\n"
                await asyncio.sleep(0.1)
                logs.lines.append(b"2030-01-01T00:00:13.0Z a line without an end")
            assert output.result() == b"one\ntwo\nthree\na line without an end"

    time.run(scenario())


def test_a_program_that_never_begins_prints_nothing() -> None:
    async def scenario() -> None:
        async with world() as w:
            logs = PlayedLogs()
            await w.sandbox.begin(ORDER)
            await w.say(
                status("Failed", init=ended(1), main=waiting("PodInitializing"), wait=waiting("PodInitializing"))
            )
            assert await _all(_following(w, logs)) == b""
            assert not logs.asked

    time.run(scenario())


def test_a_host_without_nodes_says_that_nothing_can_print() -> None:
    async def scenario() -> None:
        async with world() as w:
            await w.sandbox.begin(ORDER)
            with pytest.raises(OperationFailed) as caught:
                await anext(aiter(w.sandbox.output(RUN)))
            assert caught.value.reason == "NoNodes"

    time.run(scenario())
