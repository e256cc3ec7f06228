"""Stopping a home: in order, soon, and at once for those who insist."""

from __future__ import annotations

import asyncio
import signal
import time
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import pytest
from tests.cli.processes import up
from tests.contract.objects import config_map, next_event

from landform.cluster.interface import ListOptions
from landform.cluster.resources import CONFIG_MAPS

if TYPE_CHECKING:
    from pathlib import Path

STOP_SECONDS = 3.0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
async def test_a_home_stops_soon_with_open_watches_and_connections(tmp_path: Path, number: signal.Signals) -> None:
    with up(tmp_path / "data") as home:
        async with home.cluster() as cluster, AsyncExitStack() as watches:
            await cluster.create(CONFIG_MAPS, config_map("one"), namespace="default")
            initial = ListOptions(send_initial_events=True)
            streams = [
                await watches.enter_async_context(cluster.watch(CONFIG_MAPS, namespace="default", options=initial))
                for _ in range(20)
            ]
            for stream in streams:
                await next_event(stream)
            begin = time.monotonic()
            assert await home.stopped(number) == 0
            assert time.monotonic() - begin < STOP_SECONDS


async def test_clients_that_left_do_not_delay_the_stop(tmp_path: Path) -> None:
    with up(tmp_path / "data") as home:
        async with home.cluster() as cluster:
            for _ in range(5):
                async with cluster.watch(CONFIG_MAPS, options=ListOptions(send_initial_events=True)) as stream:
                    await next_event(stream)
        begin = time.monotonic()
        assert await home.stopped() == 0
        assert time.monotonic() - begin < STOP_SECONDS


async def test_writes_under_way_when_it_stops_are_answered_truly(tmp_path: Path) -> None:
    acknowledged: list[str] = []
    with up(tmp_path / "data") as home:
        async with home.cluster() as cluster:

            async def write(worker: int) -> None:
                number = 0
                while True:
                    name = f"w{worker}-{number}"
                    await cluster.create(CONFIG_MAPS, config_map(name), namespace="default")
                    acknowledged.append(name)
                    number += 1

            writers = [asyncio.create_task(write(worker)) for worker in range(10)]
            while len(acknowledged) < 100:  # noqa: ASYNC110 - the writers tell nobody
                await asyncio.sleep(0.005)
            assert await home.stopped() == 0
            await asyncio.gather(*writers, return_exceptions=True)
    with up(tmp_path / "data") as home:
        async with home.cluster() as cluster:
            found = await cluster.list(CONFIG_MAPS, namespace="default")
            assert {obj["metadata"]["name"] for obj in found.items} >= set(acknowledged)


async def test_the_second_interrupt_ends_it_at_once(tmp_path: Path) -> None:
    """The process is held up so that its orderly end cannot come first."""
    with up(tmp_path / "data") as home:
        home.process.send_signal(signal.SIGSTOP)
        # One number each: pending signals of the same number are merged into one.
        home.process.send_signal(signal.SIGTERM)
        home.process.send_signal(signal.SIGINT)
        home.process.send_signal(signal.SIGCONT)
        assert await asyncio.to_thread(home.process.wait, 10) == 130
