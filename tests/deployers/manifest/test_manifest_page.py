"""What docs/deployers/manifest.md shows works as it says."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import msgspec
import pytest
from tests.deployers.manifest.places import (
    CONFIG_MAPS,
    DEPLOYMENTS,
    NAMESPACE,
    SECRETS,
    Place,
    config_map,
    deployment,
    drifted,
    error,
    in_place,
    waits_for,
)
from tests.docs import pages

from landform.api.phases import Phase
from landform.cluster.kinds import DEPLOY_ITEMS
from landform.cluster.resources import NAMESPACES
from landform.deployers.manifest import configuration, debouncing
from landform.deployers.manifest.configuration import Policy, PredefinedType, UpdateStrategy
from landform.installations import latedata
from landform.kit import yamls
from landform.testing import homes

PAGE = "docs/deployers/manifest.md"


def shown(heading: str) -> dict[str, Any]:
    """The example below a heading."""
    section = pages.read(PAGE).split(f"\n## {heading}\n")[1]
    found = re.search(r"```yaml\n(.*?)```", section, re.DOTALL)
    assert found is not None
    value: dict[str, Any] = yamls.load(found[1])
    return value


async def run(place: Place, config: dict[str, Any], seconds: float = 1) -> Any:
    return await place.run(**{**config, "seconds": seconds})


def test_the_first_example_is_deployed() -> None:
    async def scenario(place: Place) -> None:
        item = yamls.load(pages.blocks(PAGE)[0].text)
        await place.add_target("cluster", place.target)
        await place.world.cluster.create(DEPLOY_ITEMS, item, namespace="default")
        assert (await place.again("greeting")).status.phase == Phase.SUCCEEDED
        assert await place.data("greeting") == {"text": "hello"}

    in_place(scenario)


def test_policies() -> None:
    async def scenario(place: Place) -> None:
        assert (await run(place, shown("Policies"))).status.phase == Phase.SUCCEEDED
        secret = await place.get(SECRETS, "admin", "data")
        assert secret["metadata"]["annotations"] == {"example.com/made-by": "landform"}
        assert (await place.get(CONFIG_MAPS, "switch", "data"))["data"] == {"suspend": "true"}
        await place.target.patch(SECRETS, "admin", {"data": {"password": "bXk="}}, namespace="data")
        await place.again()
        assert (await place.get(SECRETS, "admin", "data"))["data"] == {"password": "bXk="}
        await place.world.delete()
        await asyncio.sleep(1)
        assert await place.world.is_gone()
        assert await place.exists(NAMESPACES, "data")

    in_place(scenario)


def test_update_strategies() -> None:
    async def scenario(place: Place) -> None:
        await place.put(config_map("shared", {"ours": "0", "theirs": "1"}))
        assert (await run(place, shown("Update strategies"))).status.phase == Phase.SUCCEEDED
        assert await place.data("shared") == {"ours": "1", "theirs": "1"}

    in_place(scenario)


def test_readiness() -> None:
    async def scenario(place: Place) -> None:
        item = await run(place, shown("Readiness"), 2)
        assert "check import-is-done" in waits_for(item)
        await place.target.patch(CONFIG_MAPS, "job", {"data": {"state": "done", "error": "x"}}, namespace=NAMESPACE)
        assert "check nobody-failed" in waits_for(await place.later(seconds=2))
        await place.target.patch(CONFIG_MAPS, "job", {"data": {"error": None}}, namespace=NAMESPACE)
        assert (await place.later()).status.phase == Phase.SUCCEEDED

    in_place(scenario)


def test_exports() -> None:
    async def scenario(place: Place) -> None:
        item = await run(place, shown("Exports"))
        assert (item.status.phase, error(item)) == (Phase.SUCCEEDED, "")
        assert await place.world.exported() == {"robot": {"name": "robot", "token": "YWJj"}}

    in_place(scenario)


def test_late_data() -> None:
    async def scenario(place: Place) -> None:
        await place.put(config_map("result", {"address": "a.example.com"}))
        await run(place, shown("Late data"))
        await place.target.patch(CONFIG_MAPS, "result", {"data": {"address": "b.example.com"}}, namespace=NAMESPACE)
        await asyncio.sleep(debouncing.QUIET_SECONDS + 1)
        assert await place.world.exported() == {"address": "b.example.com"}

    in_place(scenario)


def test_the_page_tells_the_true_times_of_late_data() -> None:
    section = pages.read(PAGE).split("\n## Late data\n")[1].split("\n## ")[0]
    told = re.findall(r"\| (\d+) s \|", section)
    every = latedata.EVERY.total_seconds()
    known = (debouncing.QUIET_SECONDS, debouncing.LONGEST_SECONDS, debouncing.PAUSE_SECONDS, every)
    assert told == [f"{seconds:.0f}" for seconds in known]


def test_a_second_cluster() -> None:
    async def scenario(place: Place) -> None:
        async with homes.in_process(place.world.surroundings) as cluster:
            second = Place(place.world, cluster, place.deployer)
            await cluster.create(NAMESPACES, {"metadata": {"name": NAMESPACE}})
            await place.add_target("second", cluster)
            await second.put(config_map("result", {"token": "t"}))
            assert "Deployment shop/web" in waits_for(await run(place, shown("A second cluster"), 2))
            await second.put(deployment(), DEPLOYMENTS)
            await second.roll_out()
            assert (await place.later()).status.phase == Phase.SUCCEEDED
            assert await place.world.exported() == {"token": "t"}
            await place.world.delete()
            await asyncio.sleep(1)
            assert not await second.exists(CONFIG_MAPS, "result")
            await place.world.stop()

    in_place(scenario)


def test_deletion() -> None:
    async def scenario(place: Place) -> None:
        await run(place, shown("Deletion"))
        await place.target.patch(CONFIG_MAPS, "first", {"metadata": {"finalizers": ["x.org/y"]}}, namespace=NAMESPACE)
        await place.world.delete()
        await asyncio.sleep(1)
        assert await place.world.is_gone()
        assert not await place.exists(CONFIG_MAPS, "first")

    in_place(scenario)


def test_drift() -> None:
    async def scenario(place: Place) -> None:
        await run(place, shown("Drift"))
        await place.target.patch(CONFIG_MAPS, "settings", {"data": {"colour": "red"}}, namespace=NAMESPACE)
        item = await place.later(seconds=3601)
        assert drifted(item) == ("True", "ConfigMap shop/settings differs at .data.colour")
        assert await place.data("settings") == {"colour": "red"}

    in_place(scenario)


@pytest.mark.parametrize("words", [Policy, UpdateStrategy, PredefinedType, configuration.Operator, configuration.Drift])
def test_the_page_names_every_word(words: Any) -> None:
    text = pages.prose(PAGE)
    assert [word for word in words if f"`{word}`" not in text and f": {word}`" not in text] == []


STRUCTS = [each for each in vars(configuration).values() if isinstance(each, type) and issubclass(each, msgspec.Struct)]


@pytest.mark.parametrize("struct", STRUCTS, ids=lambda struct: struct.__name__)
def test_the_page_names_every_field(struct: Any) -> None:
    text = pages.read(PAGE)
    names = [field.encode_name for field in msgspec.structs.fields(struct)]
    assert [name for name in names if not re.search(rf"\b{name}\b", text)] == []
