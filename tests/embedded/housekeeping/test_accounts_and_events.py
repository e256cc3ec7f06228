"""What each namespace gets, tokens kept in Secrets, and events that expire."""

from __future__ import annotations

import asyncio
import base64
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.contract.objects import eventually, exists, names
from tests.embedded.housekeeping.resting import ManualClock, at_rest

from landform.cluster.interface import PatchType
from landform.cluster.resources import CONFIG_MAPS, EVENTS, NAMESPACES, SECRETS, SERVICE_ACCOUNTS, untyped
from landform.embedded.folder import DataFolder
from landform.embedded.home import EmbeddedHome, open_home
from landform.embedded.journal import Change, SqliteJournal
from landform.kit.surroundings import Surroundings
from landform.testing import homes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from landform.cluster.interface import Cluster

TOKEN_TYPE = "kubernetes.io/service-account-token"
NEW_EVENTS = untyped("events.k8s.io/v1", "Event", "events")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def home(clock: ManualClock) -> AsyncIterator[EmbeddedHome]:
    async with homes.home(Surroundings(clock=clock)) as opened:
        await at_rest()
        yield opened


@pytest.fixture
def cluster(home: EmbeddedHome) -> Cluster:
    return home.cluster


def token_secret(name: str, account: str) -> dict[str, Any]:
    annotations = {"kubernetes.io/service-account.name": account}
    return {"metadata": {"name": name, "annotations": annotations}, "type": TOKEN_TYPE}


async def test_a_default_account_that_is_deleted_comes_back_as_another_one(cluster: Cluster) -> None:
    first = await cluster.get(SERVICE_ACCOUNTS, "default", namespace="default")
    await cluster.delete(SERVICE_ACCOUNTS, "default", namespace="default")
    await at_rest()
    second = await cluster.get(SERVICE_ACCOUNTS, "default", namespace="default")
    assert second["metadata"]["uid"] != first["metadata"]["uid"]


async def test_every_namespace_has_the_authoritys_certificate_whatever_is_done_to_it(home: EmbeddedHome) -> None:
    cluster, expected = home.cluster, {"ca.crt": home.authority.ca}
    await cluster.create(NAMESPACES, {"metadata": {"name": "fresh"}})
    await at_rest()
    assert (await cluster.get(CONFIG_MAPS, "kube-root-ca.crt", namespace="fresh"))["data"] == expected
    await cluster.delete(CONFIG_MAPS, "kube-root-ca.crt", namespace="fresh")
    await at_rest()
    assert (await cluster.get(CONFIG_MAPS, "kube-root-ca.crt", namespace="fresh"))["data"] == expected
    wrong = [{"op": "replace", "path": "/data", "value": {"ca.crt": "mine", "more": "x"}}]
    await cluster.patch(CONFIG_MAPS, "kube-root-ca.crt", wrong, namespace="fresh", type=PatchType.JSON)
    await at_rest()
    assert (await cluster.get(CONFIG_MAPS, "kube-root-ca.crt", namespace="fresh"))["data"] == expected


async def test_a_secret_that_asks_for_a_token_gets_one_and_goes_with_its_account(home: EmbeddedHome) -> None:
    cluster = home.cluster
    account = await cluster.create(SERVICE_ACCOUNTS, {"metadata": {"name": "robot"}}, namespace="default")
    for name in ("one", "two"):
        await cluster.create(SECRETS, token_secret(name, "robot"), namespace="default")
    await cluster.create(SECRETS, {"metadata": {"name": "other"}}, namespace="default")
    await at_rest()
    filled = await cluster.get(SECRETS, "one", namespace="default")
    assert base64.b64decode(filled["data"]["ca.crt"]).decode() == home.authority.ca
    assert base64.b64decode(filled["data"]["namespace"]) == b"default"
    assert filled["data"]["token"]
    assert filled["metadata"]["annotations"]["kubernetes.io/service-account.uid"] == account["metadata"]["uid"]
    await cluster.delete(SERVICE_ACCOUNTS, "robot", namespace="default")
    await at_rest()
    assert names((await cluster.list(SECRETS, namespace="default")).items) == ["other"]


async def test_a_secret_for_an_account_that_is_not_there_goes(cluster: Cluster) -> None:
    await cluster.create(SECRETS, token_secret("lost", "nobody"), namespace="default")
    await at_rest()
    assert not await exists(cluster, SECRETS, "lost", "default")


async def test_what_was_left_undone_when_the_home_was_killed_is_done_at_the_next_start(tmp_path: Path) -> None:
    """As kill -9 leaves it: the Secret is on disk, its token is not; one account went without its Secret."""
    folder = DataFolder(tmp_path)
    try:
        async with open_home(folder, Surroundings()) as home:
            version = int((await home.cluster.list(SECRETS)).resource_version)
        await asyncio.to_thread(_write, folder, version + 1, token_secret("undone", "default"))
        await asyncio.to_thread(_write, folder, version + 2, token_secret("left", "gone"))
        async with open_home(folder, Surroundings()) as home:
            cluster = home.cluster

            async def is_done() -> bool:
                secrets = (await cluster.list(SECRETS, namespace="default")).items
                return [bool(secret.get("data", {}).get("token")) for secret in secrets] == [True]

            await eventually(is_done, "the token is there and the other Secret is gone", deadline=10)
    finally:
        folder.close()


def _write(folder: DataFolder, version: int, secret: dict[str, Any]) -> None:
    name = secret["metadata"]["name"]
    system = {"namespace": "default", "uid": f"uid-{name}", "resourceVersion": str(version)}
    raw = msgspec.json.encode(
        {"apiVersion": "v1", "kind": "Secret", **secret, "metadata": {**secret["metadata"], **system}}
    )
    journal = SqliteJournal(folder.database)
    journal.start(lambda count, error: None)
    journal.append(Change(version, "secrets", "default", name, raw), 0)
    journal.close()


async def create_event(cluster: Cluster, name: str, **fields: Any) -> None:
    about = {"kind": "Pod", "namespace": "default", "name": "p"}
    await cluster.create(EVENTS, {"metadata": {"name": name}, "involvedObject": about, **fields}, namespace="default")


async def event_names(cluster: Cluster) -> list[str]:
    return names((await cluster.list(EVENTS, namespace="default")).items)


async def test_events_expire_an_hour_after_they_last_happened(cluster: Cluster, clock: ManualClock) -> None:
    await create_event(cluster, "once")
    await create_event(cluster, "from-the-past", lastTimestamp="2020-01-01T00:00:00Z")
    await create_event(cluster, "from-the-future", lastTimestamp="2099-01-01T00:00:00Z")
    await create_event(cluster, "counted")
    await create_event(cluster, "series")
    await clock.advance(59 * 60)
    assert len(await event_names(cluster)) == 5
    patch: dict[str, Any] = {"lastTimestamp": "2030-01-01T00:59:00Z"}
    await cluster.patch(EVENTS, "counted", patch, namespace="default")
    patch = {"series": {"count": 2, "lastObservedTime": "2030-01-01T00:59:00.000000Z"}}
    await cluster.patch(EVENTS, "series", patch, namespace="default")
    await clock.advance(3 * 60)
    assert await event_names(cluster) == ["counted", "series"]
    await clock.advance(60 * 60)
    assert await event_names(cluster) == []


async def test_expiry_goes_on_after_a_round_that_found_nothing(cluster: Cluster, clock: ManualClock) -> None:
    await clock.advance(5 * 3600)
    await create_event(cluster, "late")
    await clock.advance(3600 + 120)
    assert await event_names(cluster) == []
