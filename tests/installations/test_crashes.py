"""A process that dies at any of its writes, and another one that goes on: nothing is lost, doubled or left behind."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, Any

import pytest
from tests.installations.objects import (
    blueprint,
    consumer,
    consuming,
    data_export,
    data_import,
    installation,
    item,
    producing,
    template,
)
from tests.installations.worlds import NAMESPACE, Crash, World, process

from landform.cluster.kinds import CONTEXTS, DEPLOY_ITEMS, EXECUTIONS, INSTALLATIONS
from landform.kit.ids import RandomIds
from landform.kit.surroundings import Surroundings
from landform.testing import homes, time

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from landform.cluster.resources import Resource

TREE = blueprint(
    imports=[data_import("in")],
    exports=[data_export("out")],
    items=[item()],
    subinstallations=[
        template("one", consuming(), data={"in": "in"}, gives={"out": "a"}),
        template("two", consuming(), data={"in": "a"}, gives={"out": "b"}),
    ],
    exported="exports: {out: {{ .dataobjects.b }}}",
)
OTHER = blueprint(
    imports=[data_import("in")],
    exports=[data_export("out")],
    subinstallations=[template("two", producing(9), gives={"out": "b"})],
    exported="exports: {out: {{ .dataobjects.b }}}",
)


async def run(world: World) -> None:
    await world.data("x", 7)
    await world.apply(installation("shop", TREE, data={"in": "x"}, gives={"out": "y"}))
    await world.apply(consumer("user", "y", "z"), start=False)


async def change(world: World) -> None:
    await world.change("shop", blueprint=installation("shop", OTHER)["spec"]["blueprint"])
    await world.annotate("shop", operation="reconcile")


async def delete(world: World) -> None:
    await world.delete("user")
    await world.delete("shop")


async def check_run(world: World) -> None:
    for name in ("shop", "user"):
        done = await world.finished(name)
        assert done.status.phase == "Succeeded", done.status.last_error
    assert (await world.value("y"), await world.value("z")) == (7, 7)
    await check_children(world, 4, 4)


async def check_change(world: World) -> None:
    assert (await world.finished("shop")).status.phase == "Succeeded"
    await world.finished("user")
    assert (await world.value("y"), await world.value("z")) == (9, 9)
    await check_children(world, 3, 2)


async def check_children(world: World, installations: int, executions: int) -> None:
    resources: list[Resource[Any]] = [INSTALLATIONS, EXECUTIONS, DEPLOY_ITEMS]
    counts = [len((await world.cluster.list(resource, namespace=NAMESPACE)).items) for resource in resources]
    assert counts == [installations, executions, executions]


async def check_gone(world: World) -> None:
    await world.gone("shop")
    assert await world.left() == ["DataObject x"]


EACH = 12
"""Of so many writes one is tried: all of them take a minute and a half. The simulator tries all."""

STEPS: dict[str, tuple[Callable[[World], Awaitable[None]], Callable[[World], Awaitable[None]]]] = {
    "run": (run, check_run),
    "change": (change, check_change),
    "delete": (delete, check_gone),
}


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("step", STEPS)
def test_a_crash_at_any_write_changes_nothing_in_the_end(step: str, after: bool) -> None:
    writes = time.run(_play(step, None))
    assert writes > 10
    for at in range(int(after), writes, EACH):
        time.run(_play(step, Crash(at, after)))


async def _play(step: str, crash: Crash | None) -> int:
    """All steps up to one, with a crash in that; how many writes the last one took."""
    ids = RandomIds(random.Random(1))
    surroundings = Surroundings(clock=time.VirtualClock(), random=random.Random(1), ids=ids)
    async with homes.in_process(surroundings) as cluster:
        await cluster.create(CONTEXTS, {"metadata": {"name": "default"}}, namespace=NAMESPACE)
        for name, (act, check) in STEPS.items():
            dies = crash if name == step else None
            async with process(cluster, surroundings, crash=dies) as world:
                await act(world)
                if dies is None:
                    await check(world)
                else:
                    async with asyncio.timeout(60):
                        await world.recording.crashed.wait()
            if dies is not None:
                async with process(cluster, surroundings) as other:
                    await check(other)
            if name == step:
                break
    return len(world.writes)
