"""The deployer of the page about the library is complete, and works as the page says."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from typing import TYPE_CHECKING, Any

import pytest
from tests.deployers.library.worlds import World, in_a_world
from tests.docs import pages

from landform.api.conditions import ConditionType, find
from landform.api.names import KUBERNETES_CLUSTER
from landform.api.phases import Phase
from landform.cluster.errors import NotFound
from landform.cluster.resources import CONFIG_MAPS
from landform.deployers.library import Deployer, Hooks, HookType, Item, controllers
from landform.deployers.library.hooks import HookCall

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGE = "docs/deployers/library.md"
PROGRAM, HOOK, _ = (block.text for block in pages.blocks(PAGE) if block.language == "python")
KUBECONFIG = {
    "current-context": "c",
    "contexts": [{"name": "c", "context": {"cluster": "c"}}],
    "clusters": [{"name": "c", "cluster": {"server": "https://there"}}],
}
PLACE = {"name": "place", "namespace": "default"}


@pytest.fixture
def greeting(tmp_path: Path) -> Iterator[Any]:
    """The module that the page tells its readers to write."""
    file = tmp_path / "greeting.py"
    file.write_text(PROGRAM)
    spec = importlib.util.spec_from_file_location("greeting_of_the_page", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def test_the_deployer_of_the_page_has_fewer_than_forty_lines() -> None:
    assert len([line for line in PROGRAM.splitlines() if line.strip()]) < 40


def test_the_deployer_of_the_page_works(greeting: Any) -> None:
    async def scenario(world: World) -> None:
        world.clusters["https://there"] = world.cluster
        await world.create_target(type=KUBERNETES_CLUSTER, config={"kubeconfig": KUBECONFIG})
        item = await world.run_job(config={"to": "world"}, target=PLACE, seconds=5)
        waiting = find(item.status.conditions, ConditionType.WAITING)
        assert waiting is not None
        assert waiting.message == "ConfigMap default/one has no answer yet"
        found = await world.cluster.get(CONFIG_MAPS, "one", namespace="default")
        assert found["data"] == {"greeting": "Hello world"}
        await world.cluster.patch(CONFIG_MAPS, "one", {"data": {"answer": "Hello you"}}, namespace="default")
        await asyncio.sleep(1)
        assert (await world.item()).status.phase == Phase.SUCCEEDED
        assert await world.exported() == {"answer": "Hello you"}
        await world.delete()
        await asyncio.sleep(1)
        assert await world.is_gone()
        with pytest.raises(NotFound):
            await world.cluster.get(CONFIG_MAPS, "one", namespace="default")

    in_a_world(scenario, deployer=greeting.GreetingDeployer())


def test_the_deployer_of_the_page_refuses_to_greet_nobody(greeting: Any) -> None:
    async def scenario(world: World) -> None:
        item = await world.run_job()
        assert item.status.phase == Phase.FAILED
        assert item.status.last_error is not None
        assert (item.status.last_error.reason, item.status.last_error.message) == (
            "NobodyToGreet",
            "spec.config.to names nobody",
        )

    in_a_world(scenario, deployer=greeting.GreetingDeployer())


def test_the_hook_of_the_page_is_one(greeting: Any) -> None:
    names: dict[str, Any] = {"GreetingDeployer": greeting.GreetingDeployer, "is_sunday": lambda: True}
    exec(HOOK, names)
    hooks: Hooks = greeting.GreetingDeployer.hooks
    answer = asyncio.run(hooks.call(HookCall(HookType.BEFORE_RECONCILE, None, None)))
    assert answer is not None
    assert (answer.abort, answer.requeue_after) == (True, 3600.0)


def test_the_page_names_every_hook_in_order() -> None:
    text = pages.prose(PAGE)
    places = [text.index(f"`{type_.name}`", text.index("| In this order")) for type_ in HookType]
    assert places == sorted(places)


def test_the_page_names_everything_that_an_item_offers() -> None:
    offered = [name for name in vars(Item) if not name.startswith("_")] + ["object", "config", "target", "context"]
    text = pages.prose(PAGE)
    assert [name for name in offered if f"item.{name}" not in text and name != "key"] == []


def test_the_page_tells_the_true_delays() -> None:
    backoff = controllers.BETWEEN_TRIES
    assert f"after {backoff.first:.0f} to {backoff.longest:.0f} s" in pages.prose(PAGE)
    assert "abstract" not in pages.prose(PAGE)
    assert Deployer.hooks == Hooks()
