"""Which items an instance takes, by the targets it selects."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.deployers.library.worlds import World, in_a_world

from landform.api.phases import Phase
from landform.api.structs import ObjectMeta
from landform.api.targets import Target, TargetSpec
from landform.cluster.resources import ObjectKey
from landform.deployers.library import selectors
from landform.deployers.library.selectors import SelectorError

PLACE = ObjectKey("default", "place")


def target(**metadata: Any) -> Target:
    return Target(metadata=ObjectMeta(name="place", namespace="default", **metadata), spec=TargetSpec(type="x"))


def requirement(operator: str, *values: str) -> dict[str, Any]:
    return {"key": "zone", "operator": operator, "values": list(values)}


@pytest.mark.parametrize(
    ("selector", "is_taken"),
    [
        ({}, True),
        ({"targets": [{"name": "place"}]}, True),
        ({"targets": [{"name": "other"}, {"name": "place"}]}, True),
        ({"targets": [{"name": "place", "namespace": "default"}]}, True),
        ({"targets": [{"name": "place", "namespace": "elsewhere"}]}, False),
        ({"labels": [requirement("=", "a")]}, True),
        ({"labels": [requirement("==", "a")]}, True),
        ({"labels": [requirement("!=", "a")]}, False),
        ({"labels": [requirement("in", "b", "a")]}, True),
        ({"labels": [requirement("notin", "b")]}, True),
        ({"labels": [requirement("exists")]}, True),
        ({"labels": [requirement("!")]}, False),
        ({"labels": [{"key": "size", "operator": "gt", "values": ["3"]}]}, True),
        ({"labels": [{"key": "size", "operator": "lt", "values": ["3"]}]}, False),
        ({"annotations": [{"key": "by", "operator": "=", "values": ["me"]}]}, True),
        (
            {"annotations": [{"key": "by", "operator": "=", "values": ["you"]}], "labels": [requirement("exists")]},
            False,
        ),
        ({"targets": [{"name": "place"}], "labels": [requirement("=", "b")]}, False),
    ],
    ids=str,
)
def test_every_part_of_a_selector_must_match(selector: dict[str, Any], is_taken: bool) -> None:
    found = target(labels={"zone": "a", "size": "5"}, annotations={"by": "me"})
    assert selectors.parse([selector]).matches(PLACE, found) is is_taken


def test_one_of_several_selectors_is_enough() -> None:
    both = selectors.parse([{"targets": [{"name": "other"}]}, {"targets": [{"name": "place"}]}])
    assert both.matches(PLACE, target())


def test_an_item_without_a_target_is_taken_by_whoever_selects_nothing() -> None:
    assert selectors.parse(None).matches_none()
    assert selectors.parse([]).matches_none()
    assert selectors.parse([{"targets": [{"name": "x"}]}, {}]).matches_none()
    assert not selectors.parse([{"targets": [{"name": "x"}]}]).matches_none()
    assert not selectors.parse({"labels": [requirement("!")]}).matches_none()


def test_a_target_that_does_not_exist_is_judged_by_its_name() -> None:
    assert selectors.parse(None).matches(PLACE, None)
    assert selectors.parse([{"targets": [{"name": "place"}]}]).matches(PLACE, None)
    assert not selectors.parse([{"labels": [requirement("exists")]}]).matches(PLACE, None)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([{"labels": [{"key": "a", "operator": "like", "values": ["x"]}]}], "targetSelector[0].labels[0]"),
        ([{}, {"annotations": [requirement("=", "a", "b")]}], "targetSelector[1].annotations[0]"),
        ([{"labels": [requirement("exists", "x")]}], "takes no values"),
        ([{"labels": [requirement("in")]}], "at least one value"),
        ([{"labels": [requirement("gt", "many")]}], "must be an integer"),
        ([{"labels": [requirement("=", "a,b=c")]}], "no label can have"),
        ([{"labels": [{"key": "-", "operator": "exists"}]}], "targetSelector[0].labels[0]"),
        ([{"labels": [{"key": "a", "operation": "exists"}]}], "operator"),
        ("place", "not a list"),
    ],
)
def test_a_selector_that_makes_no_sense_is_refused(content: Any, message: str) -> None:
    with pytest.raises(SelectorError) as refused:
        selectors.parse(content)
    assert message in str(refused.value)


@given(
    st.text(max_size=8),
    st.sampled_from(["=", "in", "notin", "!=", "exists"]),
    st.lists(st.text(max_size=8), max_size=3),
)
def test_whatever_is_written_is_understood_or_refused(key: str, operator: str, values: list[str]) -> None:
    content = [{"labels": [{"key": key, "operator": operator, "values": values}]}]
    try:
        found = selectors.parse(content)
    except SelectorError:
        return
    found.matches(PLACE, target(labels={"zone": "a"}))


def test_an_instance_takes_only_what_it_selects() -> None:
    async def scenario(world: World) -> None:
        await world.create_target(metadata={"labels": {"zone": "a"}})
        await world.create_target("other", metadata={"labels": {"zone": "b"}})
        for name in ("place", "other", "missing"):
            await world.create(name, target={"name": name, "namespace": "default"})
            await world.trigger(name)
        await world.run_job("targetless", seconds=60)
        assert [name for _, name, _ in world.sample.calls] == ["place"]
        assert world.writes == ["patch deployitems status"]

    in_a_world(scenario, selectors=selectors.parse([{"labels": [requirement("=", "a")]}]))


def test_a_target_that_comes_to_be_selected_brings_its_items() -> None:
    async def scenario(world: World) -> None:
        item = await world.run_job(target={"name": "place", "namespace": "default"}, seconds=60)
        assert item.status.phase is None
        await world.create_target(metadata={"labels": {"zone": "a"}})
        await asyncio.sleep(0.1)
        assert (await world.item()).status.phase == Phase.SUCCEEDED

    in_a_world(scenario, selectors=selectors.parse([{"labels": [requirement("=", "a")]}]))
