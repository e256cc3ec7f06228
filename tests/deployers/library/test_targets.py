"""Targets: their content, the ways to a cluster that are allowed, and the clients for them."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.deployers.library.worlds import World, in_a_world

from landform.api import anyjson
from landform.api.names import KUBERNETES_CLUSTER
from landform.api.phases import Phase
from landform.api.references import LocalSecretReference
from landform.api.structs import ObjectMeta
from landform.api.targets import Target, TargetSpec
from landform.cluster.kinds import TARGETS
from landform.cluster.resources import CONFIG_MAPS, SECRETS
from landform.deployers.library import OperationFailed, ResolvedTarget, access, targets
from landform.deployers.library.access import Account, Kubeconfig

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.deployers.library import Item


def kubeconfig(server: str = "https://there", **user: Any) -> dict[str, Any]:
    return {
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": server}}],
        "users": [{"name": "u", "user": user or {"token": "t"}}],
    }


def plain(type_: str = "x", **spec: Any) -> Target:
    return Target(metadata=ObjectMeta(name="place", namespace="default"), spec=TargetSpec(type=type_, **spec))


def cluster_target(content: Any) -> ResolvedTarget:
    return ResolvedTarget(plain(KUBERNETES_CLUSTER), content if isinstance(content, str) else json.dumps(content))


def secret(**data: str) -> dict[str, Any]:
    return {"data": {key: base64.b64encode(text.encode()).decode() for key, text in data.items()}}


def test_the_content_is_the_text_of_the_configuration() -> None:
    assert targets.resolve(plain(config=anyjson.of({"b": 1, "a": [2]})), None).content == '{"b":1,"a":[2]}'


def test_the_content_is_one_key_of_a_secret() -> None:
    found = targets.resolve(plain(secret_ref=LocalSecretReference(name="s", key="k")), secret(k="a: 1\n", other="x"))
    assert found.content == "a: 1\n"


def test_without_a_key_the_content_is_the_whole_secret_with_its_values_read_as_yaml() -> None:
    found = targets.resolve(
        plain(secret_ref=LocalSecretReference(name="s")),
        secret(number="123", text="abc", map="a: {b: yes}", odd="a: b: c"),
    )
    assert json.loads(found.content) == {"number": 123, "text": "abc", "map": {"a": {"b": True}}, "odd": "a: b: c"}


@pytest.mark.parametrize(
    ("reference", "found", "reason"),
    [
        (LocalSecretReference(name="s"), None, "SecretNotFound"),
        (LocalSecretReference(name="s", key="k"), secret(other="x"), "SecretKeyNotFound"),
        (LocalSecretReference(name="s", key="k"), {"data": {"k": "////"}}, "SecretUnreadable"),
    ],
)
def test_a_secret_that_does_not_have_it_is_named(
    reference: LocalSecretReference, found: dict[str, Any] | None, reason: str
) -> None:
    with pytest.raises(OperationFailed) as refused:
        targets.resolve(plain(secret_ref=reference), found)
    assert refused.value.reason == reason
    assert "default/place" in refused.value.message


def test_no_content_is_shown_by_accident() -> None:
    shown = repr(targets.resolve(plain(config=anyjson.of({"password": "geheim"})), None).content)
    assert "geheim" in shown
    assert "geheim" not in repr(ResolvedTarget(plain(), "geheim"))


@pytest.mark.parametrize(
    "content",
    [
        {"kubeconfig": json.dumps(kubeconfig())},
        {"kubeconfig": kubeconfig()},
        kubeconfig(),
        {"kubeconfig": kubeconfig(), "selfConfig": {"serviceAccount": {"name": "x"}}},
    ],
    ids=["text", "object", "bare", "before the others"],
)
def test_a_kubeconfig_may_be_written_in_several_ways(content: Any) -> None:
    way = access.read(cluster_target(content))
    assert isinstance(way, Kubeconfig)
    assert json.loads(way.text) == kubeconfig()


def test_a_cluster_that_trusts_ours_needs_an_account_and_an_address() -> None:
    content = {
        "oidcConfig": {
            "server": "https://there",
            "caData": "Y2E=",
            "serviceAccount": {"name": "robot"},
            "audience": ["aud"],
            "expirationSeconds": 900,
        },
        "selfConfig": {"serviceAccount": {"name": "other"}},
    }
    assert access.read(cluster_target(content)) == Account("robot", ("aud",), 900, "https://there", "Y2E=")


def test_our_own_cluster_needs_an_account() -> None:
    content = {"selfConfig": {"serviceAccount": {"name": "robot"}}}
    assert access.read(cluster_target(content)) == Account("robot", (), 86400)


@pytest.mark.parametrize(
    ("user", "word"),
    [
        ({"client-certificate": "/etc/x"}, "client-certificate file"),
        ({"client-key": "/etc/x"}, "client-key file"),
        ({"tokenFile": "/etc/x"}, "tokenFile"),
        ({"as": "admin", "token": "t"}, "impersonation"),
        ({"as-groups": ["system:masters"]}, "impersonation"),
        ({"auth-provider": {"name": "gcp", "config": {"a": "b"}}}, "auth-provider"),
        ({"exec": {"command": "rm", "apiVersion": "client.authentication.k8s.io/v1"}}, "exec"),
    ],
)
def test_a_kubeconfig_that_reads_our_files_or_runs_programs_is_refused(user: dict[str, Any], word: str) -> None:
    with pytest.raises(OperationFailed) as refused:
        access.read(cluster_target({"kubeconfig": kubeconfig(**user)}))
    assert refused.value.reason == "ValidateTarget"
    assert refused.value.codes == ("ERR_CONFIGURATION_PROBLEM",)
    assert word in refused.value.message


@pytest.mark.parametrize(
    "user",
    [
        {"token": "t"},
        {"username": "u", "password": "p"},
        {"client-certificate-data": "YQ==", "client-key-data": "YQ=="},
        {"auth-provider": {"name": "x"}, "token": "t"},
    ],
)
def test_credentials_that_are_written_out_are_allowed(user: dict[str, Any]) -> None:
    assert isinstance(access.read(cluster_target({"kubeconfig": kubeconfig(**user)})), Kubeconfig)


@pytest.mark.parametrize(
    "content", ["", "  ", "a: b: c", "[1, 2]", {"selfConfig": {}}, {"oidcConfig": {"server": "x"}}]
)
def test_content_that_says_no_way_is_refused(content: Any) -> None:
    with pytest.raises(OperationFailed, match="ValidateTarget"):
        access.read(cluster_target(content))


async def use_cluster(item: Item) -> None:
    cluster = await item.cluster()
    await cluster.create(CONFIG_MAPS, {"metadata": {"name": item.name}}, namespace="default")


async def create_cluster_target(world: World, content: Mapping[str, Any]) -> None:
    await world.create_target(type=KUBERNETES_CLUSTER, config={"kubeconfig": content})


PLACE = {"name": "place", "namespace": "default"}


def test_an_item_gets_a_client_for_its_target() -> None:
    async def scenario(world: World) -> None:
        world.clusters["https://there"] = Lasting(world.cluster)
        world.sample.on_reconcile = use_cluster
        await create_cluster_target(world, kubeconfig())
        item = await world.run_job(target=PLACE)
        assert item.status.phase == Phase.SUCCEEDED
        assert await world.cluster.get(CONFIG_MAPS, "one", namespace="default")

    in_a_world(scenario)


class Lasting:
    """A cluster that notes that it was closed."""

    def __init__(self, cluster: Any) -> None:
        self._cluster = cluster
        self.is_closed = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cluster, name)

    async def close(self) -> None:
        self.is_closed = True


def test_a_changed_secret_is_a_new_client_and_wakes_who_waits_for_its_next_try() -> None:
    async def scenario(world: World) -> None:
        new = world.clusters["https://new"] = Lasting(world.cluster)
        world.sample.on_reconcile = use_cluster
        body = {"metadata": {"name": "access"}, "stringData": {"kubeconfig": json.dumps(kubeconfig("https://old"))}}
        await world.cluster.create(SECRETS, body, namespace="default")
        await world.create_target(type=KUBERNETES_CLUSTER, secretRef={"name": "access"})
        world.clusters["https://old"] = Unusable()  # type: ignore[assignment]
        await world.run_job(target=PLACE, seconds=60)
        tries = len(world.sample.calls)
        assert tries > 3
        change = {"stringData": {"kubeconfig": json.dumps(kubeconfig("https://new"))}}
        await world.cluster.patch(SECRETS, "access", change, namespace="default")
        await asyncio.sleep(0.01)
        assert (await world.item()).status.phase == Phase.SUCCEEDED
        assert len(world.sample.calls) == tries + 1
        assert not new.is_closed
        await world.stop()
        assert new.is_closed

    in_a_world(scenario)


class Unusable:
    """A cluster that nobody reaches."""

    async def create(self, *args: Any, **kwargs: Any) -> Any:
        raise OSError("nobody there")

    async def close(self) -> None:
        pass


def test_a_missing_target_fails_the_item_at_once() -> None:
    async def scenario(world: World) -> None:
        item = await world.run_job(target={"name": "nowhere", "namespace": "default"})
        assert (item.status.phase, item.status.job_id_finished) == (Phase.FAILED, "job-1")
        assert item.status.last_error is not None
        assert item.status.last_error.operation == "reconcilePrivate"
        assert item.status.last_error.reason == "NoTargetFound"
        assert "default/nowhere" in item.status.last_error.message
        assert world.sample.calls == []

    in_a_world(scenario)


def test_the_target_is_looked_for_in_the_items_own_namespace() -> None:
    async def scenario(world: World) -> None:
        async def work(item: Item) -> None:
            assert item.target is not None
            assert item.target.content == '{"a":1}'

        world.sample.on_reconcile = work
        await world.create_target(config={"a": 1})
        item = await world.run_job(target={"name": "place", "namespace": "elsewhere"})
        assert item.status.phase == Phase.SUCCEEDED

    in_a_world(scenario)


def test_a_missing_secret_is_waited_for() -> None:
    async def scenario(world: World) -> None:
        await world.create_target(secretRef={"name": "later", "key": "k"})
        item = await world.run_job(target=PLACE, seconds=5)
        assert item.status.last_error is not None
        assert item.status.last_error.reason == "SecretNotFound"
        await world.cluster.create(
            SECRETS, {"metadata": {"name": "later"}, "stringData": {"k": "v"}}, namespace="default"
        )
        await asyncio.sleep(0.05)
        assert (await world.item()).status.phase == Phase.SUCCEEDED

    in_a_world(scenario)


def test_only_targets_that_are_clusters_are_checked_as_such() -> None:
    async def scenario(world: World) -> None:
        await world.create_target(config="just a word")
        assert (await world.run_job(target=PLACE)).status.phase == Phase.SUCCEEDED
        await world.cluster.patch(TARGETS, "place", {"spec": {"type": KUBERNETES_CLUSTER}}, namespace="default")
        item = await world.run_job("two", target=PLACE)
        assert item.status.phase == Phase.FAILED
        assert item.status.last_error is not None
        assert item.status.last_error.reason == "ValidateTarget"

    in_a_world(scenario)


def test_an_item_without_a_target_has_no_client() -> None:
    async def scenario(world: World) -> None:
        world.sample.on_reconcile = use_cluster
        item = await world.run_job()
        assert item.status.phase == Phase.FAILED
        assert item.status.last_error is not None
        assert item.status.last_error.message == "deploy item default/one has no target; give it one in spec.target"

    in_a_world(scenario)


def test_a_deployer_may_use_another_target_by_its_name() -> None:
    async def scenario(world: World) -> None:
        async def work(item: Item) -> None:
            other = await item.find_target("place")
            assert (other.type, other.content) == ("example.org/place", '{"a":1}')

        world.sample.on_reconcile = work
        await world.create_target(config={"a": 1})
        assert (await world.run_job()).status.phase == Phase.SUCCEEDED

    in_a_world(scenario)
