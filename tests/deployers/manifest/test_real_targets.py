"""The whole life of items on clusters behind HTTPS, embedded and real, one and two at a time."""

from __future__ import annotations

import contextlib
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from tests.cluster.controlplane import fixtures
from tests.cluster.controlplane.plane import ControlPlane
from tests.deployers.manifest import places, realplaces
from tests.deployers.manifest.realplaces import RealPlace, real_place

from landform.api.phases import Phase
from landform.cluster.errors import ApiError, ServerError
from landform.cluster.interface import WriteOptions
from landform.cluster.kinds import DEPLOY_ITEMS
from landform.cluster.resources import CONFIG_MAPS, CUSTOM_RESOURCE_DEFINITIONS, EVENTS, SECRETS, untyped
from landform.embedded.serving.server import Address, serve
from landform.testing import homes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from landform.cluster.http import HttpCluster

DEPLOYMENTS = places.DEPLOYMENTS
QUOTAS = untyped("v1", "ResourceQuota", "resourcequotas")
WEBHOOKS = untyped(
    "admissionregistration.k8s.io/v1",
    "ValidatingWebhookConfiguration",
    "validatingwebhookconfigurations",
    namespaced=False,
)
POLICIES = untyped(
    "admissionregistration.k8s.io/v1",
    "ValidatingAdmissionPolicy",
    "validatingadmissionpolicies",
    namespaced=False,
)
POLICY_BINDINGS = untyped(
    "admissionregistration.k8s.io/v1",
    "ValidatingAdmissionPolicyBinding",
    "validatingadmissionpolicybindings",
    namespaced=False,
)


async def test_an_item_is_deployed_updated_and_deleted(target: str) -> None:
    async with real_place() as place:
        client = await place.add_target("place", target)
        async with client:
            reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "one", "namespace": place.namespace}
            export = {"key": "a.b", "jsonPath": ".data.a", "fromResource": reference}
            await place.create(
                place.config_map(data={"a": "1"}), place.config_map("two"), exports={"exports": [export]}
            )
            item = await place.finished()
            assert (item.status.phase, item.status.last_error) == (Phase.SUCCEEDED, None)
            assert item.status.export_ref is not None
            await place.change(place.config_map(data={"a": "2"}))
            item = await place.finished()
            assert places.managed(item) == ["ConfigMap one"]
            assert not await place.exists(client, "two")
            await place.delete()
            await place.gone()
            assert not await place.exists(client, "one")


@pytest.mark.parametrize("strategy", ["update", "patch", "merge", "mergeOverwrite", "apply"])
async def test_each_strategy_updates_what_exists(target: str, strategy: str) -> None:
    async with real_place() as place:
        client = await place.add_target("place", target)
        async with client:
            web = places.deployment()
            web["metadata"]["namespace"] = place.namespace
            off = {"disableDefault": True}
            await client.create(CONFIG_MAPS, place.config_map(data={"a": "old"}), namespace=place.namespace)
            await place.create(place.config_map(data={"a": "new"}), web, updateStrategy=strategy, readinessChecks=off)
            item = await place.finished()
            assert (item.status.phase, places.error(item)) == (Phase.SUCCEEDED, "")
            data = (await client.get(CONFIG_MAPS, "one", namespace=place.namespace))["data"]
            assert data == {"a": "old" if strategy == "merge" else "new"}
            await place.trigger()
            item = await place.finished()
            assert (item.status.phase, places.error(item)) == (Phase.SUCCEEDED, "")


async def test_a_deployment_is_waited_for(target: str) -> None:
    async with real_place() as place:
        client = await place.add_target("place", target)
        async with client:
            web = places.deployment(replicas=0)
            web["metadata"]["namespace"] = place.namespace
            web["spec"]["paused"] = True
            check = {
                "name": "told",
                "resourceSelector": [
                    {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "namespace": place.namespace}
                ],
                "requirements": [{"jsonPath": ".metadata.labels.told", "operator": "==", "values": [{"value": "yes"}]}],
            }
            await place.create(web, readinessChecks={"disableDefault": True, "custom": [check]})
            item = await place.until(lambda item: "check told" in places.waits_for(item))
            assert item.status.phase == Phase.PROGRESSING
            change = {"metadata": {"labels": {"told": "yes"}}}
            await client.patch(DEPLOYMENTS, "web", change, namespace=place.namespace)
            assert (await place.finished()).status.phase == Phase.SUCCEEDED


async def test_a_definition_and_its_objects_are_one_item(target: str) -> None:
    async with real_place() as place:
        client = await place.add_target("place", target)
        async with client:
            thing = places.widget(metadata={"namespace": place.namespace})
            await place.create(places.definition(), thing)
            item = await place.finished()
            assert (item.status.phase, places.error(item)) == (Phase.SUCCEEDED, "")
            assert await place.exists(client, "w", places.WIDGETS)
            await place.delete()
            await place.gone()
            assert not await place.exists(client, "widgets.example.org", CUSTOM_RESOURCE_DEFINITIONS)


async def test_a_stuck_finalizer_is_named_and_the_item_goes_when_it_is_gone(target: str) -> None:
    async with real_place() as place:
        client = await place.add_target("place", target)
        async with client:
            await place.create(place.config_map(finalizers=["example.org/hold"]))
            await place.finished()
            await place.delete()
            await place.until(lambda item: "held by the finalizer example.org/hold" in places.waits_for(item))
            await client.patch(CONFIG_MAPS, "one", {"metadata": {"finalizers": None}}, namespace=place.namespace)
            await place.gone()


async def test_drift_is_told_by_its_fields_and_defaults_are_none(target: str) -> None:
    async with real_place() as place:
        client = await place.add_target("place", target)
        async with client:
            web = places.deployment(replicas=0)
            web["metadata"]["namespace"] = place.namespace
            labels, ports = {"app": "web"}, [{"port": 80}]
            service = {
                "apiVersion": "v1",
                "kind": "Service",
                "metadata": {"name": "web", "namespace": place.namespace},
                "spec": {"selector": labels, "ports": ports},
            }
            checks = {"disableDefault": True}
            schedule: dict[str, Any] = {
                "continuousReconcile": {"every": "1s"},
                "drift": "detect",
                "readinessChecks": checks,
            }
            await place.create(web, service, place.config_map(data={"a": "1"}), **schedule)
            await place.until(lambda item: places.drifted(item)[0] == "False")
            await client.patch(CONFIG_MAPS, "one", {"data": {"a": "2"}}, namespace=place.namespace)
            item = await place.until(lambda item: places.drifted(item)[0] == "True")
            assert places.drifted(item)[1] == f"ConfigMap {place.namespace}/one differs at .data.a"


async def test_a_plan_changes_nothing(target: str) -> None:
    async with real_place() as place:
        client = await place.add_target("place", target)
        async with client:
            web = places.deployment(replicas=0)
            web["metadata"]["namespace"] = place.namespace
            off = {"disableDefault": True}
            await place.create(web, place.config_map(data={"a": "1"}), place.config_map("old"), readinessChecks=off)
            await place.finished()
            config = {"manifests": [{"manifest": web}, {"manifest": place.config_map(data={"a": "2"})}]}
            item = await place.home.patch(DEPLOY_ITEMS, "one", {"spec": {"config": config}}, namespace="default")
            plan = await place.controller.plan(item)
            assert plan is not None
            assert [(str(each.action), each.kind, [f.path for f in each.fields]) for each in plan.changes] == [
                ("leave", "Deployment", []),
                ("update", "ConfigMap", [".data.a"]),
                ("delete", "ConfigMap", []),
            ]
            assert (await client.get(CONFIG_MAPS, "one", namespace=place.namespace))["data"] == {"a": "1"}
            assert await place.exists(client, "old")


async def test_values_come_from_a_second_cluster(target: str) -> None:
    async with realplaces.embedded_target() as other, real_place() as place:
        first, second = await place.add_target("place", target), await place.add_target("second", other)
        async with first, second:
            await _deploy_with_second(place)
            item = await place.until(lambda item: "does not exist" in places.waits_for(item))
            assert "ConfigMap" in places.waits_for(item)
            await second.create(CONFIG_MAPS, place.config_map("far", {"x": "1"}), namespace=place.namespace)
            assert (await place.finished()).status.phase == Phase.SUCCEEDED
            assert not await place.exists(first, "far")


async def _deploy_with_second(place: RealPlace) -> None:
    far = {"apiVersion": "v1", "kind": "ConfigMap", "name": "far", "namespace": place.namespace}
    check = {
        "name": "far-is-there",
        "resourceSelector": [far],
        "requirements": [{"jsonPath": ".data.x", "operator": "exists"}],
        "targetName": "second",
    }
    export = {"key": "x", "jsonPath": ".data.x", "fromResource": far, "targetName": "second"}
    await place.create(place.config_map(), readinessChecks={"custom": [check]}, exports={"exports": [export]})


async def test_events_of_the_object_are_told(target: str) -> None:
    async with real_place() as place:
        client = await place.add_target("place", target)
        async with client:
            web = places.deployment()
            web["metadata"]["namespace"] = place.namespace
            await place.create(web)
            await place.until(lambda item: "Deployment" in places.waits_for(item))
            about = {"kind": "Deployment", "name": "web", "namespace": place.namespace}
            event = {
                "metadata": {"name": "e"},
                "involvedObject": about,
                "reason": "NoRoom",
                "message": "full",
                "lastTimestamp": "2099-01-01T00:00:00Z",
            }
            await client.create(EVENTS, event, namespace=place.namespace)
            await place.until(lambda item: "last event NoRoom: full" in places.waits_for(item))
            generation = (await client.get(DEPLOYMENTS, "web", namespace=place.namespace))["metadata"]["generation"]
            counts = dict.fromkeys(("replicas", "updatedReplicas", "readyReplicas", "availableReplicas"), 1)
            # The controller manager, where there is one, says again that no pod is ready; it may take a second word.
            while (await place.item()).status.phase != Phase.SUCCEEDED:
                status = {"status": {"observedGeneration": generation, **counts}}
                options = WriteOptions(subresource="status")
                await client.patch(DEPLOYMENTS, "web", status, namespace=place.namespace, options=options)


async def test_a_target_that_stops_and_starts_while_it_is_waited_for() -> None:
    async with homes.home() as home, real_place() as place:
        async with serve(home, Address()) as url:
            client = await place.add_target("place", realplaces.kubeconfig_of_home(home, url))
            await place.create(place.config_map(), readinessChecks={"custom": [_token_check(place)]})
            await place.until(lambda item: "check token" in places.waits_for(item))
            await client.close()
        await place.until(lambda item: "cannot be watched now" in places.waits_for(item) or bool(places.error(item)))
        change = {"data": {"token": "t"}}
        await home.cluster.patch(CONFIG_MAPS, "one", change, namespace=place.namespace)
        async with serve(home, Address(port=urlsplit(url).port or 0)):
            assert (await place.finished()).status.phase == Phase.SUCCEEDED


def _token_check(place: RealPlace) -> dict[str, Any]:
    return {
        "name": "token",
        "resourceSelector": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "one", "namespace": place.namespace}],
        "requirements": [{"jsonPath": ".data.token", "operator": "exists"}],
    }


if fixtures.wanted():

    @pytest.mark.cluster
    @pytest.mark.timeout(300)
    async def test_a_quota_that_is_raised_lets_the_item_through(control_plane: ControlPlane) -> None:
        async with real_place() as place:
            client = await place.add_target("place", realplaces.kubeconfig_of_plane(control_plane))
            async with client:
                quota = {"metadata": {"name": "q"}, "spec": {"hard": {"configmaps": "2"}}}
                await client.create(QUOTAS, quota, namespace=place.namespace)
                while not (await client.get(QUOTAS, "q", namespace=place.namespace)).get("status", {}).get("used"):
                    pass
                await place.create(*(place.config_map(f"m{number}") for number in range(5)))
                item = await place.until(lambda item: bool(places.error(item)))
                assert "exceeded quota: q" in places.error(item)
                change = {"spec": {"hard": {"configmaps": "50"}}}
                await client.patch(QUOTAS, "q", change, namespace=place.namespace)
                assert (await place.finished()).status.phase == Phase.SUCCEEDED

    @pytest.mark.cluster
    @pytest.mark.timeout(300)
    async def test_a_webhook_that_refuses_is_told_until_it_lets_the_item_through(control_plane: ControlPlane) -> None:
        async with real_place() as place:
            client = await place.add_target("place", realplaces.kubeconfig_of_plane(control_plane))
            async with client:
                await client.create(WEBHOOKS, _refusing_webhook(place))
                try:
                    # The API server takes a moment to know it.
                    while await _is_taken(client, place):
                        pass
                    await place.create(place.config_map())
                    item = await place.until(lambda item: bool(places.error(item)))
                    assert "failed calling webhook" in places.error(item)
                finally:
                    await client.delete(WEBHOOKS, place.namespace)
                assert (await place.finished()).status.phase == Phase.SUCCEEDED

    @pytest.mark.cluster
    @pytest.mark.timeout(300)
    async def test_a_policy_that_refuses_is_told_without_secrets_until_it_is_met(control_plane: ControlPlane) -> None:
        async with real_place() as place:
            client = await place.add_target("place", realplaces.kubeconfig_of_plane(control_plane))
            async with client, _policy(client, place):
                secret = {**place.config_map("s"), "kind": "Secret", "data": None, "stringData": {"p": "hunter2-long"}}
                await place.create(secret, place.config_map(data={"team": "a"}))
                item = await place.until(lambda item: bool(places.error(item)))
                assert "no team, but" in places.error(item)
                for text in ("hunter2", "aHVudGVyMi1sb25n"):
                    assert text not in str(item.status)
                assert await place.exists(client, "one"), "what is refused does not keep the others away"
                labelled = {**secret, "metadata": {**secret["metadata"], "labels": {"team": "a"}}}
                await place.change(labelled, place.config_map(data={"team": "a"}))
                assert (await place.finished()).status.phase == Phase.SUCCEEDED

    @asynccontextmanager
    async def _policy(client: HttpCluster, place: RealPlace) -> AsyncIterator[None]:
        """While it is there, a Secret without the label team is refused, and its data are quoted."""
        rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": ["secrets"]}
        check = {
            "expression": "'team' in object.metadata.?labels.orValue({})",
            "messageExpression": "'no team, but ' + string(object.data.p)",
        }
        spec = {"matchConstraints": {"resourceRules": [rule]}, "validations": [check]}
        only_here = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": place.namespace}}}
        binding = {"policyName": place.namespace, "validationActions": ["Deny"], "matchResources": only_here}
        await client.create(POLICIES, {"metadata": {"name": place.namespace}, "spec": spec})
        await client.create(POLICY_BINDINGS, {"metadata": {"name": place.namespace}, "spec": binding})
        try:
            probe, dry = {"metadata": {"name": "probe"}, "stringData": {"p": "x"}}, WriteOptions(dry_run=True)
            with contextlib.suppress(ApiError):
                while True:  # the API server takes a moment to know it
                    await client.create(SECRETS, probe, namespace=place.namespace, options=dry)
            yield
        finally:
            await client.delete(POLICY_BINDINGS, place.namespace)
            await client.delete(POLICIES, place.namespace)

    def _refusing_webhook(place: RealPlace) -> dict[str, Any]:
        hook = {
            "name": "refuse.example.org",
            "clientConfig": {"url": "https://127.0.0.1:1/"},
            "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["configmaps"]}],
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": place.namespace}},
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
        }
        return {"metadata": {"name": place.namespace}, "webhooks": [hook]}

    async def _is_taken(client: HttpCluster, place: RealPlace) -> bool:
        try:
            probe, dry = place.config_map("probe"), WriteOptions(dry_run=True)
            await client.create(CONFIG_MAPS, probe, namespace=place.namespace, options=dry)
        except ServerError:
            return False
        return True

    @pytest.mark.cluster
    @pytest.mark.timeout(300)
    async def test_two_real_clusters_work_together(control_plane: ControlPlane) -> None:
        from_plane = realplaces.kubeconfig_of_plane
        with ControlPlane() as other:
            async with real_place() as place:
                first = await place.add_target("place", from_plane(control_plane))
                second = await place.add_target("second", from_plane(other))
                async with first, second:
                    await _deploy_with_second(place)
                    await second.create(CONFIG_MAPS, place.config_map("far", {"x": "1"}), namespace=place.namespace)
                    assert (await place.finished()).status.phase == Phase.SUCCEEDED
