"""What was first seen on a real control plane: a Context that is filled in later, and writes that are refused."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tests.installations.objects import blueprint, installation, item, template
from tests.installations.worlds import Crash, World, condition, in_a_world, process

from landform.api import conditions
from landform.cluster.kinds import CONTEXTS, INSTALLATIONS
from landform.kit.surroundings import Surroundings
from landform.testing import homes, time

if TYPE_CHECKING:
    from landform.api.installations import Installation

BROKEN = {"deployExecutions": [{"name": "main", "type": "GoTemplate", "template": "{{ fail `no` }}"}]}


def test_a_job_that_fails_in_its_first_phase_has_seen_the_specification_of_that_time() -> None:
    async def scenario(world: World) -> None:
        await world.apply(installation("a", blueprint(items=[item(delay="10s")]), gives={"x": "x"}))
        await world.apply(installation("b", blueprint(), data={"x": "x"}))
        await world.until("b", "Init")
        await world.change("b", blueprint=installation("b", BROKEN)["spec"]["blueprint"])
        found = await world.finished("b")
        assert found.status.phase == "Failed"
        assert found.status.observed_generation == found.metadata.generation

    in_a_world(scenario)


def test_a_blueprint_that_cannot_be_read_is_a_missing_prerequisite() -> None:
    async def scenario(world: World) -> None:
        made = installation("a")
        made["spec"]["blueprint"]["inline"]["filesystem"] = {"blueprint.yaml": ": no yaml :"}
        await world.apply(made)
        error = (await world.finished("a")).status.last_error
        assert error is not None
        assert (error.operation, error.reason) == ("InitPrerequisites", "ResolveBlueprint")
        assert error.message.startswith("blueprint.yaml, line 1")

    in_a_world(scenario)


def test_an_export_that_the_cluster_refuses_is_named_as_such() -> None:
    async def scenario(world: World) -> None:
        made = blueprint(exports=[{"name": "x", "type": "data", "schema": {}}], exported={"x": 1})
        await world.apply(installation("a", made, gives={"x": "no [label]"}))
        error = (await world.finished("a")).status.last_error
        assert error is not None
        assert (error.operation, error.reason) == ("handlePhaseCompleting", "CreateOrUpdateExports")
        assert "metadata.labels" in error.message

    in_a_world(scenario)


def test_an_import_that_the_cluster_refuses_is_named_as_such() -> None:
    async def scenario(world: World) -> None:
        made = blueprint(imports=[{"name": "no [label]", "type": "data", "schema": {}}])
        await world.apply(installation("a", made, importDataMappings={"no [label]": 1}))
        error = (await world.finished("a")).status.last_error
        assert error is not None
        assert (error.operation, error.reason) == ("handlePhaseInit", "CreateImportsAndSubobjects")

    in_a_world(scenario)


def test_a_part_that_is_deleted_with_its_whole_does_not_ask_for_another_job() -> None:
    async def scenario(world: World) -> None:
        part = template("part", blueprint(items=[item()]))
        await world.apply(installation("whole", blueprint(subinstallations=[part])))
        await world.finished("whole")
        name = (await world.child("part")).metadata.name or ""
        await asyncio.sleep(60)
        said: list[str] = []

        def note(_old: Installation | None, new: Installation | None) -> None:
            found = conditions.find(new.status.conditions, "Waiting") if new is not None else None
            said.extend([found.message] if found is not None else [])

        world.caches.informer(INSTALLATIONS).subscribe(note)
        await world.delete("whole")
        await world.gone(name)
        assert said == []

    in_a_world(scenario)


def test_a_part_that_is_deleted_by_hand_says_who_will_do_it() -> None:
    async def scenario(world: World) -> None:
        part = template("part", blueprint(items=[item()]))
        await world.apply(installation("whole", blueprint(subinstallations=[part])))
        await world.finished("whole")
        name = (await world.child("part")).metadata.name or ""
        await world.delete(name)
        await asyncio.sleep(10)
        assert "whole deletes it in its next job" in condition(await world.get(name), "Waiting").message

    in_a_world(scenario)


def test_a_process_that_dies_as_it_begins_the_first_job_does_not_leave_a_request_for_a_second() -> None:
    async def main() -> None:
        surroundings = Surroundings(clock=time.VirtualClock())
        async with homes.in_process(surroundings) as cluster:
            await cluster.create(CONTEXTS, {"metadata": {"name": "default"}}, namespace="default")
            async with process(cluster, surroundings, crash=Crash(at=0, after=True)) as world:
                await world.apply(installation("a", blueprint(items=[item()])))
                await world.recording.crashed.wait()
                first = (await world.get("a")).status.job_id
            async with process(cluster, surroundings) as world:
                found = await world.finished("a")
                assert (found.status.phase, found.status.job_id) == ("Succeeded", first)

    time.run(main())
