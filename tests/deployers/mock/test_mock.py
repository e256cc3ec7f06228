"""Mock items end as their configuration says."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.deployers.library.worlds import World, in_a_world

from landform.api import anyjson
from landform.api.conditions import ConditionType, find
from landform.api.phases import Phase
from landform.cluster.kinds import DEPLOY_ITEMS
from landform.deployers.mock import MockDeployer

STATUS = {"apiVersion": "x/v1", "kind": "S", "any": {"thing": [1]}}


def in_a_mock_world(scenario: Any) -> None:
    in_a_world(scenario, deployer=MockDeployer())


def test_by_default_it_succeeds_in_one_write() -> None:
    async def scenario(world: World) -> None:
        item = await world.run_job()
        assert (item.status.phase, item.status.job_id_finished) == (Phase.SUCCEEDED, "job-1")
        assert item.status.deployer is not None
        assert item.status.deployer.name == "mock.deployer.landscaper.gardener.cloud"
        found = find(item.status.conditions, ConditionType.DEPLOY_ITEM_VALIDATION)
        assert found is not None
        assert (found.status, found.reason) == ("True", "SuccessfullValidation")
        assert world.writes == ["patch deployitems status"]

    in_a_mock_world(scenario)


def test_the_short_type_of_old_is_understood() -> None:
    async def scenario(world: World) -> None:
        body = {"metadata": {"name": "one"}, "spec": {"type": "mock", "config": {"apiVersion": "x/v1", "kind": "P"}}}
        await world.cluster.create(DEPLOY_ITEMS, body, namespace="default")
        await world.trigger()
        await asyncio.sleep(0.05)
        assert (await world.item()).status.phase == Phase.SUCCEEDED

    in_a_mock_world(scenario)


def test_it_exports_and_remembers_what_it_is_told_to() -> None:
    async def scenario(world: World) -> None:
        item = await world.run_job(config={"export": {"a": {"b": 1}}, "providerStatus": STATUS})
        assert await world.exported() == {"a": {"b": 1}}
        assert anyjson.value(item.status.provider_status) == STATUS
        assert world.writes == ["create secrets", "patch deployitems status"]

    in_a_mock_world(scenario)


def test_it_fails_if_it_is_told_to() -> None:
    async def scenario(world: World) -> None:
        item = await world.run_job(config={"phase": "Failed", "providerStatus": STATUS})
        assert (item.status.phase, item.status.job_id_finished) == (Phase.FAILED, "job-1")
        assert anyjson.value(item.status.provider_status) == STATUS
        assert item.status.last_error is not None
        assert item.status.last_error.message == "the configuration wants the phase Failed"

    in_a_mock_world(scenario)


def test_a_phase_that_is_not_final_is_kept_until_time_is_over() -> None:
    async def scenario(world: World) -> None:
        item = await world.run_job(config={"phase": "Completing"}, timeout="1m", seconds=50)
        assert (item.status.phase, item.status.job_id_finished) == ("Completing", None)
        await asyncio.sleep(11)
        status = (await world.item()).status
        assert (status.phase, status.job_id_finished) == (Phase.FAILED, "job-1")

    in_a_mock_world(scenario)


@pytest.mark.parametrize(
    ("config", "first", "last"),
    [
        ({"initialPhase": "Init"}, "Init", Phase.SUCCEEDED),
        ({"initialPhase": "Init", "phase": "Failed"}, "Init", Phase.FAILED),
        ({"initialPhase": "Failed"}, Phase.FAILED, Phase.FAILED),
        ({"initialPhase": "Failed", "phase": "Succeeded"}, Phase.SUCCEEDED, Phase.SUCCEEDED),
    ],
)
def test_an_initial_phase_is_shown_for_a_moment(config: dict[str, str], first: str, last: str) -> None:
    async def scenario(world: World) -> None:
        assert (await world.run_job(config=config, seconds=0.5)).status.phase == first
        await asyncio.sleep(1)
        assert (await world.item()).status.phase == last

    in_a_mock_world(scenario)


def test_it_takes_as_long_as_it_is_told_to() -> None:
    async def scenario(world: World) -> None:
        item = await world.run_job(config={"delay": "20s"}, seconds=19)
        assert item.status.phase == Phase.PROGRESSING
        found = find(item.status.conditions, ConditionType.WAITING)
        assert found is not None
        assert found.message == "the configured delay of 20s"
        await asyncio.sleep(2)
        assert (await world.item()).status.phase == Phase.SUCCEEDED

    in_a_mock_world(scenario)


@pytest.mark.parametrize("config", [{"phase": 5}, {"export": "text"}, {"delay": "long"}])
def test_a_configuration_that_makes_no_sense_is_told_and_may_be_mended(config: dict[str, Any]) -> None:
    async def scenario(world: World) -> None:
        item = await world.run_job(config=config)
        found = find(item.status.conditions, ConditionType.DEPLOY_ITEM_VALIDATION)
        assert found is not None
        assert (found.status, found.reason) == ("False", "FailedUnmarshal")
        assert item.status.last_error is not None
        assert item.status.last_error.reason == "FailedUnmarshal"
        await world.patch("one", {"spec": {"config": dict.fromkeys(config)}})
        await asyncio.sleep(20)
        status = (await world.item()).status
        assert (status.phase, status.observed_generation) == (Phase.SUCCEEDED, 2)

    in_a_mock_world(scenario)


@pytest.mark.parametrize(
    ("node", "calls"),
    [
        ({"every": "1m"}, 4),
        ({"cron": "*/2 * * * *", "every": "1m"}, 2),
        ({"cron": "nonsense"}, 1),
        ({}, 1),
    ],
)
def test_its_schedule_is_not_checked_and_cron_counts(node: Any, calls: int) -> None:
    async def scenario(world: World) -> None:
        await world.run_job(config={"continuousReconcile": node})
        versions = {(await world.item()).status.job_id}
        for _ in range(20):
            await asyncio.sleep(10)
            item = await world.item()
            assert item.status.phase == Phase.SUCCEEDED
            versions.add(item.status.job_id)
        assert len(versions) == calls

    in_a_mock_world(scenario)


def test_a_deleted_item_goes_with_its_exports() -> None:
    async def scenario(world: World) -> None:
        await world.run_job(config={"export": {"a": 1}})
        await world.delete()
        await asyncio.sleep(1)
        assert await world.is_gone()

    in_a_mock_world(scenario)
