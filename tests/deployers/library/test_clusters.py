"""Clients for targets, shared; and tokens for targets that have no kubeconfig."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import TYPE_CHECKING, Any

import pytest

from landform.api.names import KUBERNETES_CLUSTER
from landform.api.structs import ObjectMeta
from landform.api.targets import Target, TargetSpec
from landform.cluster.connections import Connection
from landform.cluster.credentials import Credential
from landform.cluster.errors import ConfigurationError, Unreachable
from landform.cluster.resources import SERVICE_ACCOUNTS
from landform.deployers.library import Clusters, OperationFailed, ResolvedTarget
from landform.deployers.library.access import Account
from landform.deployers.library.clusters import MOST_IDLE
from landform.deployers.library.tokens import TokenCredentials
from landform.kit.surroundings import Surroundings
from landform.testing import homes, time

if TYPE_CHECKING:
    from landform.cluster.interface import Cluster


def client(cluster: object) -> Client:
    """The client that the pool made."""
    assert isinstance(cluster, Client)
    return cluster


class Client:
    """A client that knows its connection and whether it was closed."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.is_closed = False

    async def close(self) -> None:
        self.is_closed = True


def clusters(home: Any = None, connection: Connection | None = None) -> Clusters:
    return Clusters(home, home_connection=connection, connect=Client)  # type: ignore[arg-type]


def target(content: Any, name: str = "place") -> ResolvedTarget:
    spec = TargetSpec(type=KUBERNETES_CLUSTER)
    return ResolvedTarget(Target(metadata=ObjectMeta(name=name, namespace="default"), spec=spec), json.dumps(content))


def kubeconfig(server: str) -> dict[str, Any]:
    return {
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c"}}],
        "clusters": [{"name": "c", "cluster": {"server": server}}],
    }


async def test_the_same_access_is_the_same_client() -> None:
    async with clusters() as pool:
        one = pool.acquire(target(kubeconfig("https://a")))
        assert pool.acquire(target(kubeconfig("https://a"), "second")) is one
        assert pool.acquire(target(kubeconfig("https://b"))) is not one


async def test_only_so_many_unused_clients_are_kept_and_used_ones_always() -> None:
    async with clusters() as pool:
        used = client(pool.acquire(target(kubeconfig("https://used"))))
        others = []
        for number in range(MOST_IDLE + 5):
            other = target(kubeconfig(f"https://n{number}"))
            others.append(client(pool.acquire(other)))
            await pool.release(other)
        assert closed(used, *others[:6]) == [False, True, True, True, True, True, False]
    assert closed(used, others[-1]) == [True, True]


def closed(*clients: Client) -> list[bool]:
    return [each.is_closed for each in clients]


async def test_a_target_that_trusts_our_accounts_is_reached_with_a_token() -> None:
    content = {
        "oidcConfig": {
            "server": "https://there",
            "caData": base64.b64encode(b"PEM").decode(),
            "serviceAccount": {"name": "r"},
        }
    }
    async with clusters() as pool:
        connection = client(pool.acquire(target(content))).connection
    assert (connection.server, connection.ca) == ("https://there", b"PEM")
    assert isinstance(connection.credentials, TokenCredentials)


async def test_our_own_cluster_is_reached_with_a_token_at_its_own_address() -> None:
    own = Connection("https://home", headers=(("Impersonate-User", "x"),), ca=b"CA")
    content = {"selfConfig": {"serviceAccount": {"name": "r"}}}
    async with clusters(connection=own) as pool:
        connection = client(pool.acquire(target(content))).connection
    assert (connection.server, connection.ca, connection.headers) == ("https://home", b"CA", ())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"selfConfig": {"serviceAccount": {"name": "r"}}}, "was not told"),
        ({"oidcConfig": {"server": "https://x", "caData": "!", "serviceAccount": {"name": "r"}}}, "not base64"),
        ({"oidcConfig": {"server": "nowhere", "serviceAccount": {"name": "r"}}}, "not an http or https URL"),
        (kubeconfig(""), "names no server"),
    ],
)
async def test_a_way_that_leads_nowhere_is_refused_for_good(content: Any, message: str) -> None:
    async with clusters() as pool:
        with pytest.raises(OperationFailed, match=message) as refused:
            pool.acquire(target(content))
        assert refused.value.codes == ("ERR_CONFIGURATION_PROBLEM",)


async def test_a_target_of_another_type_is_no_cluster() -> None:
    place = Target(metadata=ObjectMeta(name="place", namespace="default"), spec=TargetSpec(type="example.org/x"))
    async with clusters() as pool:
        with pytest.raises(OperationFailed, match="no Kubernetes cluster"):
            pool.acquire(ResolvedTarget(place, "{}"))


def test_a_token_is_used_until_most_of_its_life_is_over() -> None:
    async def scenario() -> None:
        surroundings = Surroundings(clock=time.VirtualClock())
        async with homes.in_process(surroundings) as home:
            await home.create(SERVICE_ACCOUNTS, {"metadata": {"name": "robot"}}, namespace="default")
            credentials = TokenCredentials(home, "default", Account("robot", (), 1000), surroundings.clock)
            first = await credentials.current()
            await asyncio.sleep(790)
            assert await credentials.current() == first
            await asyncio.sleep(20)
            second = await credentials.current()
            assert second != first
            assert credentials.renew(second)
            await asyncio.sleep(1)
            assert await credentials.current() != second

    time.run(scenario())


def test_the_last_token_is_used_on_while_there_is_no_other() -> None:
    async def scenario() -> None:
        surroundings = Surroundings(clock=time.VirtualClock())
        async with homes.in_process(surroundings) as home:
            await home.create(SERVICE_ACCOUNTS, {"metadata": {"name": "robot"}}, namespace="default")
            flaky = Flaky(home)
            credentials = TokenCredentials(flaky, "default", Account("robot", (), 1000), surroundings.clock)
            first = await credentials.current()
            flaky.is_broken = True
            await asyncio.sleep(900)
            assert await credentials.current() == first

    time.run(scenario())


async def test_an_account_that_does_not_exist_is_named() -> None:
    async with homes.in_process() as home:
        credentials = TokenCredentials(home, "default", Account("robot", (), 1000), Surroundings().clock)
        with pytest.raises(ConfigurationError, match="default/robot"):
            await credentials.current()


class Flaky:
    """A cluster that can be broken."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self.is_broken = False

    def __getattr__(self, name: str) -> Any:
        if self.is_broken:
            raise Unreachable("no answer")
        return getattr(self._cluster, name)


def test_a_credential_is_not_shown() -> None:
    assert "geheim" not in repr(Credential("Bearer geheim"))
