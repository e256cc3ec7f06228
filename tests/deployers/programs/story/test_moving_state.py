"""State moves with its item, when its program runs in another place than the last time."""

from __future__ import annotations

import asyncio
import os
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from tests.deployers.programs.state.stores import NAMESPACE, files, item, world
from tests.deployers.programs.story.fakes import CONFIG, FakeSandbox, Machine, Stage, on_stage

from landform.api.phases import Phase
from landform.cluster.resources import SECRETS
from landform.deployers.library.failures import FinalFailure
from landform.deployers.programs.contract.sandboxes import SandboxName
from landform.deployers.programs.grounds.choosing import Available, Wish
from landform.deployers.programs.grounds.grounds import Grounds
from landform.deployers.programs.runs import moving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from landform.cluster.interface import Cluster
    from landform.deployers.programs.contract.sandboxes import Sandbox
    from landform.kit.surroundings import Surroundings

HERE, THERE = SandboxName.PROCESS, SandboxName.KUBERNETES
WITH_IMAGE = {"spec": {"config": {"image": "example/shell:1"}}}
WITHOUT_IMAGE = {"spec": {"config": {"image": None}}}


@dataclass
class Choice:
    """A deployer that runs scripts here, and those with an image on a host cluster while there is one."""

    machine: Machine
    has_host: bool = True

    @property
    def grounds(self) -> Grounds:
        def builder(name: SandboxName) -> Any:
            @asynccontextmanager
            async def opened(home: Cluster, surroundings: Surroundings) -> AsyncIterator[Sandbox]:
                yield FakeSandbox(self.machine, name)

            return opened

        def available() -> Available:
            return Available(host=self.has_host, engine="" if self.has_host else "/run/engine.sock")

        places = (HERE, THERE, SandboxName.ENGINE)
        return Grounds(Wish.AUTO, available, {name: builder(name) for name in places})


async def again(stage: Stage, change: dict[str, Any]) -> None:
    """Change the item and have its program run."""
    await stage.world.patch("one", change)
    await stage.world.trigger()
    await asyncio.sleep(60)
    assert (await stage.world.item()).status.phase == Phase.SUCCEEDED


def test_state_goes_along_to_the_host_cluster_and_back() -> None:
    machine = Machine()

    async def scenario(stage: Stage) -> None:
        await stage.run_job(seconds=60)
        machine.states[HERE] = "first"
        await again(stage, WITH_IMAGE)
        assert machine.states == {HERE: "first", THERE: "first"}
        assert (await stage.status_of())["sandbox"] == THERE
        machine.states[THERE] = "second"
        await again(stage, {})
        assert machine.states == {HERE: "first", THERE: "second"}
        await again(stage, WITHOUT_IMAGE)
        assert machine.states == {HERE: "second", THERE: "second"}

    on_stage(scenario, machine, grounds=Choice(machine).grounds)


def test_a_deployer_that_is_killed_while_state_is_moved_moves_it_again() -> None:
    machine = Machine()

    async def scenario(stage: Stage) -> None:
        await stage.run_job(seconds=60)
        machine.states[HERE] = "first"
        machine.kill_in = "moving"
        await stage.world.patch("one", WITH_IMAGE)
        await stage.world.trigger()
        await machine.killed.wait()
        await stage.killed()
        await asyncio.sleep(60)
        assert (await stage.world.item()).status.phase == Phase.SUCCEEDED
        assert machine.states == {HERE: "first", THERE: "first"}

    on_stage(scenario, machine, grounds=Choice(machine).grounds)


def test_state_that_is_out_of_reach_is_told_of() -> None:
    machine = Machine()
    choice = Choice(machine)

    async def scenario(stage: Stage) -> None:
        await stage.run_job(seconds=60, config={"image": "example/shell:1"})
        machine.states[THERE] = "first"
        choice.has_host = False
        await again(stage, {})
        assert machine.states == {THERE: "first"}
        [told] = [message for _, reason, message in await stage.world.events() if reason == "StateLeftBehind"]
        assert told.startswith(
            "the program runs in the sandbox engine, and ran in the sandbox kubernetes the last time"
        )

    on_stage(scenario, machine, grounds=choice.grounds)


def test_state_of_the_original_comes_from_its_pods() -> None:
    machine = Machine(states={THERE: "theirs"})

    async def scenario(stage: Stage) -> None:
        await stage.world.create(config={**CONFIG, "script": "true"})
        status = {"apiVersion": "v1", "kind": "ProviderStatus", "lastOperation": "RECONCILE", "podStatus": {}}
        await stage.world.write_status("one", {"providerStatus": status})
        await again(stage, {})
        assert machine.states == {HERE: "theirs", THERE: "theirs"}

    on_stage(scenario, machine, grounds=Choice(machine).grounds)


@pytest.mark.parametrize(
    ("former", "chosen", "needed"),
    [("", THERE, False), (HERE, SandboxName.ENGINE, False), (THERE, THERE, False), (SandboxName.ENGINE, THERE, True)],
)
def test_places_on_this_machine_share_their_state(former: str, chosen: SandboxName, needed: bool) -> None:
    assert moving.is_needed(former, chosen) is needed


async def test_what_is_moved_is_the_same_and_takes_the_place_of_what_was_there() -> None:
    tree = files(noise=os.urandom(700_000), a=b"1")
    async with world() as place:
        source, target = place.store(item(1), by_name=True), place.store(item(2))
        await target.save(place.made(files(older=b"0")), "run-0")
        await source.save(place.made(tree), "run-1")
        await moving.move(source, target, "run-2")
        assert await place.restored(target) == await place.restored(source) == tree
        await source.save(place.made({}), "run-3")
        await moving.move(source, target, "run-4")
        assert await place.restored(target) == {}


async def test_state_that_cannot_be_read_fails_the_item_and_does_not_vanish() -> None:
    async with world() as place:
        source, target = place.store(item(1), by_name=True), place.store(item(2))
        saved = await source.save(place.made(files(noise=os.urandom(700_000))), "run-1")
        assert saved is not None
        await place.cluster.delete(SECRETS, saved.names[1], namespace=NAMESPACE)
        with pytest.raises(FinalFailure, match="its state cannot be taken along"):
            await moving.move(source, target, "run-2")
        assert await target.current() is None
