"""Each example does what its page says."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from tests.examples.landscapes import EXAMPLES, landscape

from landform.api import conditions
from landform.api.conditions import ConditionType
from landform.testing import time

if TYPE_CHECKING:
    from pathlib import Path

FAILING = sorted((EXAMPLES / "error-handling").glob("*.yaml"))


def test_hello_exports_its_greeting() -> None:
    async def scenario() -> None:
        async with landscape("hello") as hello:
            assert await hello.phases() == {"hello": "Succeeded"}
            assert await hello.exported("greeting") == "Hello, landscape"

    time.run(scenario())


def test_data_flows_from_a_secret_through_two_installations() -> None:
    async def scenario() -> None:
        async with landscape("data-flow") as shop:
            assert await shop.phases() == {"database": "Succeeded", "website": "Succeeded"}
            assert await shop.exported("database-url") == "postgres://admin:correct-horse@db:5432/shop"
            assert await shop.exported("website-address") == "https://www.shop.example.com"

    time.run(scenario())


def test_sub_installations_run_in_the_order_of_their_data() -> None:
    async def scenario() -> None:
        async with landscape("sub-installations") as shop:
            phases = await shop.phases()
            assert len(phases) == 4
            assert set(phases.values()) == {"Succeeded"}
            assert await shop.exported("shop-address") == (
                "https://shop.example.com?database=database.internal&cache=cache.internal"
            )

    time.run(scenario())


def test_targets_of_lists_and_maps_reach_their_items() -> None:
    async def scenario() -> None:
        async with landscape("targets") as everywhere:
            assert set((await everywhere.phases()).values()) == {"Succeeded"}
            assert await everywhere.exported("regions") == ["eu", "us", "ap"]
            targets = {
                str(item.metadata.name).rsplit("-", 1)[0]: item.spec.target.name
                for item in await everywhere.items()
                if item.spec.target
            }
            standby = next(name for name in targets if name.endswith("replica"))
            assert targets == {
                "everywhere-agent-0": "cluster-eu",
                "everywhere-agent-1": "cluster-us",
                "everywhere-agent-2": "cluster-ap",
                "everywhere-controller": "cluster-eu",
                standby: targets[standby],
            }

    time.run(scenario())


def test_conditional_imports_are_needed_only_by_those_who_switch_them_on() -> None:
    async def scenario() -> None:
        async with landscape("conditional-imports") as backups:
            assert await backups.phases() == {"with-backup": "Succeeded", "without-backup": "Succeeded"}
            assert await backups.exported("summary-with") == "backups to s3://backups @daily"
            assert await backups.exported("summary-without") == "no backups"

    time.run(scenario())


def test_a_password_is_made_once_and_kept() -> None:
    async def scenario() -> None:
        async with landscape("template-state") as account:
            first = await account.exported("password")
            await account.apply("template-state")
            assert len(first) == 24
            assert await account.exported("password") == first

    time.run(scenario())


def test_schedules_run_by_themselves() -> None:
    async def scenario() -> None:
        async with landscape("schedules") as fresh:
            [item] = await fresh.items()
            job = (await fresh.installation("kept-fresh")).status.job_id
            await asyncio.sleep(11 * 60)
            [again] = await fresh.items()
            assert again.status.job_id != item.status.job_id
            assert again.status.phase == "Succeeded"
            assert (await fresh.installation("kept-fresh")).status.job_id == job
            await asyncio.sleep(25 * 3600)
            assert (await fresh.installation("kept-fresh")).status.job_id != job
            assert await fresh.phases() == {"kept-fresh": "Succeeded"}

    time.run(scenario())


@pytest.mark.parametrize("file", FAILING, ids=[file.stem for file in FAILING])
def test_an_error_names_what_its_first_line_says(file: Path) -> None:
    named = file.read_text().partition("\n")[0].removeprefix("# fails: ")

    async def scenario() -> None:
        async with landscape(f"error-handling/{file.name}") as failing:
            [(name, phase)] = (await failing.phases()).items()
            installation = await failing.installation(name)
            assert phase == "Failed"
            assert installation.status.last_error is not None
            assert named in installation.status.last_error.message
            assert conditions.find(installation.status.conditions, ConditionType.WAITING) is None

    time.run(scenario())
