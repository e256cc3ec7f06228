"""Items wait until what they deployed is ready, by watches, and say what for."""

from __future__ import annotations

import asyncio

import pytest
from tests.deployers.manifest.places import (
    CONFIG_MAPS,
    DEPLOYMENTS,
    NAMESPACE,
    WIDGETS,
    Place,
    config_map,
    definition,
    deployment,
    error,
    in_place,
    waits_for,
    widget,
)

from landform.api.phases import Phase
from landform.cluster.resources import EVENTS

CHECK = {
    "name": "has-token",
    "resourceSelector": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "other", "namespace": NAMESPACE}],
    "requirements": [{"jsonPath": ".data.token", "operator": "exists"}],
}


def test_a_deployment_is_waited_for_and_its_numbers_are_told() -> None:
    async def scenario(place: Place) -> None:
        item = await place.run(deployment(), config_map(), seconds=2)
        assert (item.status.phase, error(item)) == (Phase.PROGRESSING, "")
        assert waits_for(item).startswith(f"Deployment {NAMESPACE}/web: ")
        await place.roll_out()
        item = await place.later(seconds=0.05)
        assert (item.status.phase, waits_for(item)) == (Phase.SUCCEEDED, "")
        assert item.status.first_error is None

    in_place(scenario)


def test_what_was_ready_and_is_no_more_counts_again() -> None:
    async def scenario(place: Place) -> None:
        await place.run(deployment("a"), deployment("b"), seconds=2)
        await place.roll_out("a")
        await place.target.patch(DEPLOYMENTS, "a", {"spec": {"replicas": 2}}, namespace=NAMESPACE)
        await place.roll_out("b")
        item = await place.later(seconds=2)
        assert item.status.phase == Phase.PROGRESSING
        assert f"Deployment {NAMESPACE}/a: " in waits_for(item)

    in_place(scenario)


def test_an_object_that_vanishes_while_it_is_waited_for_is_missed() -> None:
    async def scenario(place: Place) -> None:
        await place.run(deployment(), seconds=2)
        await place.target.delete(DEPLOYMENTS, "web", namespace=NAMESPACE)
        item = await place.later(seconds=2)
        assert waits_for(item) == f"Deployment {NAMESPACE}/web: it does not exist"

    in_place(scenario)


def test_after_a_standstill_the_last_event_is_told() -> None:
    async def scenario(place: Place) -> None:
        await place.run(deployment(), seconds=2)
        about = {"kind": "Deployment", "name": "web", "namespace": NAMESPACE}
        event = {
            "metadata": {"name": "e"},
            "involvedObject": about,
            "reason": "NoRoom",
            "message": "no room",
        }
        await place.target.create(EVENTS, event, namespace=NAMESPACE)
        item = await place.later(seconds=10)
        assert waits_for(item).endswith("(last event NoRoom: no room)")

    in_place(scenario)


def test_the_default_rules_can_be_switched_off() -> None:
    async def scenario(place: Place) -> None:
        item = await place.run(deployment(), readinessChecks={"disableDefault": True})
        assert item.status.phase == Phase.SUCCEEDED

    in_place(scenario)


def test_time_is_over_with_the_reason_it_was_waited_for() -> None:
    async def scenario(place: Place) -> None:
        item = await place.run(deployment(), timeout="30s", seconds=40)
        assert item.status.phase == Phase.FAILED
        assert f"given up after 30s: Deployment {NAMESPACE}/web: " in error(item)
        assert item.status.last_error is not None
        assert item.status.last_error.codes == ("ERR_TIMEOUT",)
        assert len(place.deployer._watches) == 0

    in_place(scenario)


def test_a_custom_check_adds_to_the_default_rules_and_may_look_at_any_object() -> None:
    async def scenario(place: Place) -> None:
        item = await place.run(config_map(), readinessChecks={"custom": [CHECK]}, seconds=2)
        assert waits_for(item) == f"check has-token: ConfigMap {NAMESPACE}/other does not exist"
        await place.put(config_map("other"))
        assert ".data.token does not exist" in waits_for(await place.later(seconds=2))
        await place.target.patch(CONFIG_MAPS, "other", {"data": {"token": "t"}}, namespace=NAMESPACE)
        assert (await place.later(seconds=0.05)).status.phase == Phase.SUCCEEDED

    in_place(scenario)


def test_a_custom_check_by_labels_wants_at_least_one_and_forgets_those_that_are_gone() -> None:
    async def scenario(place: Place) -> None:
        check = {
            "name": "all-green",
            "labelSelector": {"apiVersion": "v1", "kind": "ConfigMap", "matchLabels": {"team": "a"}},
            "requirements": [{"jsonPath": "data.state", "operator": "==", "values": [{"value": "green"}]}],
        }
        item = await place.run(config_map(), readinessChecks={"custom": [check]}, seconds=2)
        assert waits_for(item) == "check all-green: no ConfigMap has the labels team=a"
        await place.put(config_map("bad", {"state": "red"}, labels={"team": "a"}))
        await place.put(config_map("good", {"state": "green"}, labels={"team": "a"}))
        assert '.state is "red"' in waits_for(await place.later(seconds=2)).replace("data", "")
        await place.target.delete(CONFIG_MAPS, "bad", namespace=NAMESPACE)
        assert (await place.later(seconds=0.05)).status.phase == Phase.SUCCEEDED

    in_place(scenario)


def test_a_check_may_name_kinds_by_their_plural() -> None:
    async def scenario(place: Place) -> None:
        reference = {"apiVersion": "v1", "kind": "configmaps", "name": "one", "namespace": NAMESPACE}
        labels = {"apiVersion": "v1", "kind": "configmaps", "matchLabels": {"team": "a"}}
        wanted = [{"jsonPath": ".data.a", "operator": "exists"}]
        checks = [
            {"name": "by-name", "resourceSelector": [reference], "requirements": wanted},
            {"name": "by-labels", "labelSelector": labels, "requirements": wanted},
        ]
        item = await place.run(config_map(data={"a": "b"}, labels={"team": "a"}), readinessChecks={"custom": checks})
        assert (item.status.phase, waits_for(item)) == (Phase.SUCCEEDED, "")

    in_place(scenario)


@pytest.mark.parametrize("what", ["check c", "export k"])
def test_an_object_without_its_namespace_is_not_waited_for(what: str) -> None:
    async def scenario(place: Place) -> None:
        reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "one"}
        wanted = [{"jsonPath": ".data.a", "operator": "exists"}]
        check = {"name": "c", "resourceSelector": [reference], "requirements": wanted}
        export = {"key": "k", "jsonPath": ".data.a", "fromResource": reference}
        config = {"readinessChecks": {"custom": [check]}} if what == "check c" else {"exports": {"exports": [export]}}
        item = await place.run(config_map(data={"a": "b"}), **config)
        message = f"{what}: ConfigMap one needs a namespace, because the kind has namespaces"
        assert (item.status.phase, error(item)) == (Phase.FAILED, message)

    in_place(scenario)


def test_a_disabled_check_is_not_made() -> None:
    async def scenario(place: Place) -> None:
        item = await place.run(config_map(), readinessChecks={"custom": [{**CHECK, "disabled": True}]})
        assert item.status.phase == Phase.SUCCEEDED

    in_place(scenario)


def test_a_custom_resource_is_judged_by_its_conditions() -> None:
    async def scenario(place: Place) -> None:
        item = await place.run(definition(), widget(), seconds=3)
        assert item.status.phase == Phase.SUCCEEDED
        condition = {"type": "Ready", "status": "False", "reason": "Busy", "message": "not yet"}
        await place.status(WIDGETS, "w", conditions=[condition])
        item = await place.again(seconds=3)
        assert "not yet" in waits_for(item)
        await place.status(WIDGETS, "w", conditions=[{**condition, "status": "True"}])
        assert (await place.later(seconds=0.1)).status.phase == Phase.SUCCEEDED

    in_place(scenario)


def test_many_items_share_one_watch() -> None:
    async def scenario(place: Place) -> None:
        for number in range(50):
            await place.create(deployment(f"d{number}"), name=f"i{number}")
            await place.world.trigger(f"i{number}")
        await asyncio.sleep(5)
        assert len(place.deployer._watches) == 1
        for number in range(50):
            await place.roll_out(f"d{number}")
        await asyncio.sleep(1)
        phases = {(await place.world.item(f"i{number}")).status.phase for number in range(50)}
        assert phases == {Phase.SUCCEEDED}
        assert len(place.deployer._watches) == 0

    in_place(scenario)


def test_a_restarted_deployer_goes_on_waiting() -> None:
    async def scenario(place: Place) -> None:
        await place.run(deployment(), seconds=2)
        await place.world.stop()
        assert len(place.deployer._watches) == 0
        await place.world.start()
        await place.roll_out()
        assert (await place.later(seconds=2)).status.phase == Phase.SUCCEEDED

    in_place(scenario)
