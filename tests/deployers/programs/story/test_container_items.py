"""Container items: what is run where an item says nothing, and what becomes of one that cannot be run."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from tests.deployers.library.worlds import World, in_a_world
from tests.deployers.programs.story.fakes import FakeSandbox, Machine

from landform.api.phases import Phase
from landform.deployers.container import ContainerDeployer
from landform.deployers.programs.contract.sandboxes import SandboxName
from landform.deployers.programs.grounds.choosing import Available, Wish
from landform.deployers.programs.grounds.grounds import Grounds
from landform.deployers.programs.pods.settings import ContainerSettings
from landform.deployers.programs.runs.deployers import Equipment

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from landform.cluster.interface import Cluster
    from landform.deployers.programs.contract.sandboxes import Program, Sandbox
    from landform.kit.surroundings import Surroundings

CONFIG = {"apiVersion": "container.deployer.landscaper.gardener.cloud/v1alpha1", "kind": "ProviderConfiguration"}
DEFAULT = ContainerSettings("example/default:1", ("default", "command"), ("default",))


def deployer(machine: Machine, available: Available) -> ContainerDeployer:
    """A deployer whose container engine is a machine of the test."""

    @asynccontextmanager
    async def opened(home: Cluster, surroundings: Surroundings) -> AsyncIterator[Sandbox]:
        sandbox = FakeSandbox(machine)
        sandbox.name = SandboxName.ENGINE
        yield sandbox

    grounds = Grounds(Wish.AUTO, lambda: available, {SandboxName.ENGINE: opened})
    return ContainerDeployer(Equipment(grounds, default=DEFAULT))


def program_of(**config: Any) -> Program:
    """What is run for an item."""
    machine = Machine()

    async def scenario(world: World) -> None:
        item = await world.run_job(config={**CONFIG, **config}, seconds=60)
        assert item.status.phase == Phase.SUCCEEDED

    in_a_world(scenario, deployer=deployer(machine, Available(engine="/run/engine.sock")))
    return machine.programs[0]


def test_an_item_without_a_place_to_run_fails_at_once_and_says_what_to_install() -> None:
    async def scenario(world: World) -> None:
        item = await world.run_job(config={**CONFIG, "image": "example/x:1"}, seconds=1)
        assert item.status.phase == Phase.FAILED
        assert item.status.last_error is not None
        assert item.status.last_error.reason == "NoSandbox"
        assert "install podman" in item.status.last_error.message
        await world.delete()
        assert await world.is_gone() or not (await world.item()).status.provider_status

    in_a_world(scenario, deployer=deployer(Machine(), Available()))


@pytest.mark.parametrize(
    ("config", "image", "command", "args"),
    [
        ({}, "example/default:1", ("default", "command"), ("default",)),
        ({"command": ["mine"], "args": ["x"]}, "example/default:1", ("mine",), ("x",)),
        ({"image": "example/x:1"}, "example/x:1", (), ()),
    ],
)
def test_the_default_command_belongs_to_the_default_image(
    config: dict[str, Any], image: str, command: tuple[str, ...], args: tuple[str, ...]
) -> None:
    program = program_of(**config)
    assert (program.image, program.command, program.args) == (image, command, args)
