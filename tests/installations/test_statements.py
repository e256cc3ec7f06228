"""What an Installation says of itself: that it waits, for whom, and whether all below it is well."""

from __future__ import annotations

import asyncio

from tests.installations.objects import blueprint, consuming, installation, item, producing, template
from tests.installations.worlds import NAMESPACE, World, condition, in_a_world

from landform.api import conditions
from landform.cluster.kinds import TARGETS
from landform.cluster.resources import EVENTS


def test_who_waits_for_children_names_the_first_of_them() -> None:
    made = blueprint(subinstallations=[template("db", blueprint(items=[item(delay="1m")]))])

    async def scenario(world: World) -> None:
        await world.apply(installation("shop", made))
        await asyncio.sleep(30)
        db = await world.child("db")
        said = condition(await world.get("shop"), "Waiting")
        assert said.reason == "Children"
        assert said.message == f"sub-installation {db.metadata.name} (db) is in phase Progressing"
        done = await world.finished("shop")
        assert conditions.find(done.status.conditions, "Waiting") is None

    in_a_world(scenario)


def test_who_waits_for_a_sibling_names_it() -> None:
    made = blueprint(
        subinstallations=[
            template("one", producing(1, delay="1m"), gives={"out": "a"}),
            template("two", consuming(), data={"in": "a"}),
        ]
    )

    async def scenario(world: World) -> None:
        await world.apply(installation("shop", made))
        await asyncio.sleep(30)
        one, two = await world.child("one"), await world.child("two")
        said = condition(two, "Waiting")
        assert said.reason == "Predecessor"
        assert said.message == f"sub-installation {one.metadata.name} (one) is in phase Progressing"
        await world.finished("shop")
        assert conditions.find((await world.child("two")).status.conditions, "Waiting") is None

    in_a_world(scenario)


def test_who_moves_within_a_second_never_says_that_it_waits() -> None:
    async def scenario(world: World) -> None:
        await asyncio.sleep(0.95)  # right before a full second
        await world.apply(installation("shop", blueprint(items=[item(delay="900ms")])))
        await world.finished("shop")
        assert world.writes.count("patch Installation/status") == 3

    in_a_world(scenario)


def test_health_follows_what_is_below_and_the_phase_stays() -> None:
    passing = item(target={"name": "here"}, continuousReconcile={"every": "1m"})
    made = blueprint(subinstallations=[template("db", blueprint(items=[passing]))])

    async def scenario(world: World) -> None:
        await world.target("here")
        await world.apply(installation("shop", made))
        done = await world.finished("shop")
        assert condition(done, "Healthy").status == "True"
        await world.cluster.delete(TARGETS, "here", namespace=NAMESPACE)
        await asyncio.sleep(90)
        sick = await world.get("shop")
        said = condition(sick, "Healthy")
        assert (said.status, sick.status.phase) == ("False", "Succeeded")
        assert said.message.startswith(f"sub-installation {(await world.child('db')).metadata.name} (db): ")
        await world.target("here")
        await asyncio.sleep(90)
        well = await world.get("shop")
        assert (condition(well, "Healthy").status, well.status.job_id) == ("True", done.status.job_id)

    in_a_world(scenario)


def test_a_failed_job_is_not_healthy_and_the_next_good_one_is() -> None:
    async def scenario(world: World) -> None:
        await world.apply(installation("shop", blueprint(items=[item(phase="Failed")])))
        failed = await world.finished("shop")
        assert condition(failed, "Healthy").status == "False"
        await world.change("shop", blueprint=installation("x", blueprint(items=[item()]))["spec"]["blueprint"])
        assert condition(await world.reconcile("shop"), "Healthy").status == "True"

    in_a_world(scenario)


def test_a_failure_is_told_by_an_event() -> None:
    async def scenario(world: World) -> None:
        await world.apply(installation("shop", blueprint(items=[item(phase="Failed")])))
        await world.finished("shop")
        await asyncio.sleep(1)
        found = (await world.cluster.list(EVENTS, namespace=NAMESPACE)).items
        told = [(each["type"], each["reason"]) for each in found if each["involvedObject"]["name"] == "shop"]
        assert ("Warning", "children failed") in told

    in_a_world(scenario)
