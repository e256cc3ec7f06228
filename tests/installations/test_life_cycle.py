"""The life of a root Installation: created, run, run again, deleted."""

from __future__ import annotations

import asyncio

from tests.installations.objects import blueprint, data_import, installation, item, producer
from tests.installations.worlds import World, condition, in_a_world

from landform.api.names import Finalizer


def test_an_installation_with_one_item_succeeds_and_exports() -> None:
    async def scenario(world: World) -> None:
        await world.apply(producer("shop", "url", "http://db"))
        done = await world.finished("shop")
        assert done.status.phase == "Succeeded", done.status.last_error
        assert await world.value("url") == "http://db"
        assert done.status.job_id == done.status.job_id_finished
        assert condition(done, "Healthy").status == "True"
        assert condition(done, "CreateExports").status == "True"

    in_a_world(scenario)


def test_a_chain_without_exports_takes_eleven_writes_of_ours() -> None:
    async def scenario(world: World) -> None:
        await world.apply(installation("shop", blueprint(items=[item()])))
        await world.finished("shop")
        await asyncio.sleep(1)
        assert world.writes == [
            "patch Installation/status",  # the job and Init
            "patch Installation",  # finalizer, annotation taken off
            "create Execution",
            "patch Installation/status",  # Progressing
            "patch Execution/status",  # the job
            "create DeployItem",
            "patch Execution/status",  # Progressing
            "patch DeployItem/status",  # the job
            "patch DeployItem/status",  # Succeeded
            "patch Execution/status",  # Succeeded
            "patch Installation/status",  # Succeeded
        ]

    in_a_world(scenario)


def test_each_export_takes_one_write_more_on_each_level() -> None:
    async def scenario(world: World) -> None:
        await world.apply(producer("shop", "url", "x"))
        await world.finished("shop")
        await asyncio.sleep(1)
        assert len(world.writes) == 14
        assert sorted(write for write in world.writes if "create" in write) == [
            "create DataObject",
            "create DataObject",
            "create DeployItem",
            "create Execution",
            "create Secret",
        ]

    in_a_world(scenario)


def test_a_second_job_writes_only_what_it_changes() -> None:
    async def scenario(world: World) -> None:
        await world.apply(installation("shop", blueprint(items=[item()])))
        await world.finished("shop")
        await asyncio.sleep(1)
        world.writes.clear()
        await world.reconcile("shop")
        await asyncio.sleep(1)
        assert [write for write in world.writes if "create" in write or write == "replace Execution"] == []
        assert len(world.writes) <= 10

    in_a_world(scenario)


def test_deleting_takes_everything_away() -> None:
    async def scenario(world: World) -> None:
        await world.apply(producer("shop", "url", "x"))
        await world.finished("shop")
        await world.delete("shop")
        await world.gone("shop")
        assert await world.left() == []

    in_a_world(scenario)


def test_an_installation_without_anything_to_do_succeeds() -> None:
    async def scenario(world: World) -> None:
        await world.apply(installation("shop"))
        done = await world.finished("shop")
        assert (done.status.phase, done.status.execution_ref, done.status.sub_inst_cache) == ("Succeeded", None, None)
        await world.delete("shop")
        await world.gone("shop")
        assert await world.left() == []

    in_a_world(scenario)


def test_imports_are_written_into_the_inner_scope_with_their_labels() -> None:
    async def scenario(world: World) -> None:
        await world.data("domain", "example.com")
        await world.apply(
            installation("root", blueprint(imports=[data_import("myimport")]), data={"myimport": "domain"})
        )
        done = await world.finished("root")
        assert done.status.phase == "Succeeded"
        name = "w3hrpyq3ob6m2nodocu6wmxpnfr524b2"
        assert await world.value(name) == "example.com"

    in_a_world(scenario)


def test_the_finalizer_is_there_before_any_child() -> None:
    async def scenario(world: World) -> None:
        await world.apply(installation("shop", blueprint(items=[item(delay="5s")])))
        shop = await world.until("shop", "Progressing")
        assert shop.metadata.finalizers == (Finalizer.LANDSCAPER,)
        assert not (shop.metadata.annotations)
        assert not ({})

    in_a_world(scenario)
