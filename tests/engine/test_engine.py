"""The engine at work: everything of one process, on the embedded home."""

from __future__ import annotations

import asyncio

import pytest
from tests.engine.landscapes import ended, installation

from landform.api import anyjson
from landform.cluster.errors import ClusterError
from landform.cluster.kinds import DATA_OBJECTS, INSTALLATIONS
from landform.deployers.mock import MockDeployer
from landform.engine import deployers
from landform.engine.engine import Engine, HealthAddress, Settings
from landform.kit.surroundings import Surroundings
from landform.runtime.health import HealthServerError
from landform.runtime.manager import Life
from landform.testing import homes, time


def test_an_installation_runs_to_its_end_and_exports() -> None:
    async def scenario() -> None:
        surroundings = Surroundings(clock=time.VirtualClock())
        async with homes.in_process(surroundings) as cluster:
            async with Engine(cluster, surroundings, deployers=[MockDeployer()]).running():
                await cluster.create(INSTALLATIONS, installation("a", exports="x", value="fine"), namespace="default")
                assert (await ended(cluster, "a")).status.phase == "Succeeded"
            exported = await cluster.get(DATA_OBJECTS, "x", namespace="default")
            assert anyjson.value(exported.data) == "fine"

    time.run(scenario())


def test_an_engine_that_is_started_again_goes_on() -> None:
    async def scenario() -> None:
        surroundings = Surroundings(clock=time.VirtualClock())
        async with homes.in_process(surroundings) as cluster:
            async with Engine(cluster, surroundings).running():  # nobody deploys
                await cluster.create(INSTALLATIONS, installation("a"), namespace="default")
                await asyncio.sleep(5)
                assert (await cluster.get(INSTALLATIONS, "a", namespace="default")).status.phase == "Progressing"
            async with Engine(cluster, surroundings, deployers=[MockDeployer()]).running():
                assert (await ended(cluster, "a")).status.phase == "Succeeded"

    time.run(scenario())


async def test_a_fault_of_a_part_ends_the_block_with_that_fault() -> None:
    class Broken(MockDeployer):
        @property
        def hooks(self) -> None:  # type: ignore[override]
            raise ClusterError("this deployer cannot be made")

    async with homes.in_process() as cluster:
        with pytest.raises(ClusterError, match="cannot be made"):
            Engine(cluster, deployers=[Broken()])


async def test_a_health_port_that_is_taken_is_said_and_nothing_runs() -> None:
    server = await asyncio.start_server(lambda _reader, _writer: None, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with homes.in_process() as cluster, server:
        settings = Settings(health=HealthAddress("127.0.0.1", port))
        with pytest.raises(HealthServerError, match=f"cannot listen on 127.0.0.1:{port}"):
            async with Engine(cluster, settings=settings).running():
                raise AssertionError("it must not start")


async def test_what_the_block_raises_comes_out_as_it_is() -> None:
    async with homes.in_process() as cluster:
        with pytest.raises(KeyError, match="mine"):
            async with Engine(cluster).running():
                raise KeyError("mine")


async def test_an_engine_can_be_stopped_before_it_is_ready() -> None:
    async with homes.in_process() as cluster:
        life = Life()
        life.stop()
        await Engine(cluster).run(life)


def test_deployers_are_chosen_by_name() -> None:
    assert deployers.chosen("none") == []
    assert [type(each) for each in deployers.chosen("mock")] == [MockDeployer]
    assert {each.type for each in deployers.chosen("all")} >= {MockDeployer.type}
    with pytest.raises(deployers.UnknownDeployer, match='there is no deployer "mokc" in Landform; choose all, none'):
        deployers.chosen("mock, mokc")
