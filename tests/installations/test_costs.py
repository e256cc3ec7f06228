"""What a decision costs: what belongs to the Installation, and nothing for all the others."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from tests.installations.objects import blueprint, consumer, data_import, installation, item, producer, template
from tests.installations.worlds import NAMESPACE, World, in_a_world

from landform.cluster.informers import Informer
from landform.cluster.kinds import DATA_OBJECTS

if TYPE_CHECKING:
    import pytest


def test_no_decision_lists_a_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(informer: Informer[Any], namespace: str | None = None) -> list[Any]:
        raise AssertionError(f"somebody listed all {informer.resource}")

    async def scenario(world: World) -> None:
        await world.data("d", 1)
        # TargetSyncs are listed by Executions: a namespace has one of them.
        kept = Informer.list
        monkeypatch.setattr(
            Informer,
            "list",
            lambda informer, namespace=None: (
                kept(informer, namespace) if informer.resource.kind == "TargetSync" else refuse(informer)
            ),
        )
        made = blueprint(imports=[data_import("in")], items=[item()], subinstallations=[template("db")])
        await world.apply(installation("shop", made, data={"in": "d"}))
        assert (await world.finished("shop")).status.phase == "Succeeded"
        await world.delete("shop")
        await world.gone("shop")
        monkeypatch.undo()

    in_a_world(scenario)


def test_a_change_wakes_only_those_it_matters_to() -> None:
    woken: list[str] = []

    async def scenario(world: World) -> None:
        for index in range(20):
            await world.apply(consumer(f"other-{index}", "elsewhere"), start=False)
        await world.apply(producer("a", "x", 1))
        await world.finished("a")
        await world.apply(consumer("b", "x", "y"))
        await world.finished("b")
        await asyncio.sleep(10)
        add = world.controller.queue.add
        world.controller.queue.add = lambda key, **more: (woken.append(key.name), add(key, **more))[1]  # type: ignore[method-assign, func-returns-value]
        await world.data("unrelated", 1)
        await world.cluster.patch(DATA_OBJECTS, "y", {"metadata": {"labels": {"l": "1"}}}, namespace=NAMESPACE)
        await world.annotate("b", touch="true")
        await asyncio.sleep(10)

    in_a_world(scenario)
    assert set(woken) == {"b"}
