"""Clusters that stop and start in the middle of the work, and writers that interfere: on embedded and real servers."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Protocol

import pytest
from tests.cluster.controlplane import fixtures
from tests.cluster.controlplane.outages import ApiServer
from tests.cluster.controlplane.plane import ControlPlane
from tests.deployers.manifest import places, realplaces
from tests.deployers.manifest.gates import Gate
from tests.deployers.manifest.realplaces import RealPlace, real_place

from landform.api.phases import Phase
from landform.cluster import kubeconfig
from landform.cluster.http import HttpCluster
from landform.cluster.interface import EventType, ListOptions
from landform.cluster.resources import CONFIG_MAPS, NAMESPACES
from landform.embedded.serving.server import Address, serve
from landform.testing import homes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from landform.api.deployitems import DeployItem
    from landform.cluster.interface import Cluster
    from landform.embedded.home import EmbeddedHome

MANY = 500
CHECK = {"jsonPath": ".data.token", "operator": "exists"}


class Fragile(Protocol):
    """A cluster that can be stopped."""

    kubeconfig: str

    async def stop(self) -> None: ...

    async def start(self) -> None: ...


class FragileHome:
    """An embedded home behind a gate."""

    def __init__(self, home: EmbeddedHome, gate: Gate) -> None:
        self._gate = gate
        self.kubeconfig = realplaces.kubeconfig_of_home(home, gate.url)

    async def start(self) -> None:
        await self._gate.open()

    async def stop(self) -> None:
        await self._gate.shut()


class FragilePlane:
    """A control plane whose API server dies and comes back."""

    def __init__(self, plane: ControlPlane) -> None:
        self._server = ApiServer(plane)
        self.kubeconfig = realplaces.kubeconfig_of_plane(plane)

    async def start(self) -> None:
        await self._server.start()

    async def stop(self) -> None:
        self._server.stop()


@pytest.fixture(scope="module")
def own_plane() -> Iterator[ControlPlane]:
    """A control plane of this file's own, because its API server is killed."""
    with ControlPlane() as plane:
        realplaces.install_kinds(plane)
        yield plane


@pytest.fixture(params=["embedded", *([pytest.param("kubernetes", marks=fixtures.MARKS)] if fixtures.wanted() else [])])
async def fragile(request: pytest.FixtureRequest) -> AsyncIterator[Fragile]:
    """A running cluster that can be stopped."""
    if request.param == "kubernetes":
        yield FragilePlane(request.getfixturevalue("own_plane"))
        return
    async with homes.home() as home, serve(home, Address()) as url:
        gate = Gate(url)
        await gate.open()
        try:
            yield FragileHome(home, gate)
        finally:
            await gate.shut()


@asynccontextmanager
async def observed(place: RealPlace, text: str) -> AsyncIterator[HttpCluster]:
    """The target, with a client that is not the deployer's."""
    async with await place.add_target("place", text) as client:
        yield client


async def seen(client: HttpCluster, place: RealPlace, type_: EventType, count: int) -> None:
    """Return when the cluster has reported so many events about ConfigMaps of the item."""
    options = ListOptions(label_selector=f"{places.LABEL}=one")
    async with client.watch(CONFIG_MAPS, namespace=place.namespace, options=options) as events:
        async for event in events:
            count -= event.type == type_
            if not count:
                return


async def count(client: HttpCluster, place: RealPlace) -> int:
    options = ListOptions(label_selector=f"{places.LABEL}=one")
    return len((await client.list(CONFIG_MAPS, namespace=place.namespace, options=options)).items)


def is_troubled(item: DeployItem) -> bool:
    """Whether the item says that its cluster cannot be reached."""
    return bool(places.error(item)) or "cannot be watched now" in places.waits_for(item)


async def check_nothing_is_left_open(place: RealPlace) -> None:
    async with asyncio.timeout(5):
        while place.controller._runs:  # noqa: ASYNC110 - the last one ends just after what it wrote was seen
            await asyncio.sleep(0.01)
    assert len(place.deployer._watches) == 0
    entries = place.controller._place.clusters._entries.values()
    assert [entry.users for entry in entries] == [0] * len(entries)


async def test_a_target_that_stops_in_the_middle_of_applying_gets_everything_later(fragile: Fragile) -> None:
    async with real_place() as place, observed(place, fragile.kubeconfig) as client:
        begun = asyncio.create_task(seen(client, place, EventType.ADDED, 20))
        await place.create(*(place.config_map(f"m{number}") for number in range(MANY)))
        await begun
        await fragile.stop()
        item = await place.until(is_troubled)
        assert item.status.phase == Phase.PROGRESSING
        assert len(places.managed(item)) == MANY, "nothing is forgotten, be it created or not"
        await fragile.start()
        item = await place.finished()
        assert (item.status.phase, places.error(item), len(places.managed(item))) == (Phase.SUCCEEDED, "", MANY)
        assert await count(client, place) == MANY
        await check_nothing_is_left_open(place)


async def test_a_target_that_stops_while_it_is_waited_for_is_taken_up_again(fragile: Fragile) -> None:
    async with real_place() as place, observed(place, fragile.kubeconfig) as client:
        reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "one", "namespace": place.namespace}
        custom = {"name": "token", "resourceSelector": [reference], "requirements": [CHECK]}
        await place.create(place.config_map(), readinessChecks={"custom": [custom]})
        await place.until(lambda item: "check token" in places.waits_for(item))
        await fragile.stop()
        await place.until(is_troubled)
        await fragile.start()
        await client.patch(CONFIG_MAPS, "one", {"data": {"token": "t"}}, namespace=place.namespace)
        item = await place.finished()
        assert (item.status.phase, places.error(item)) == (Phase.SUCCEEDED, "")
        await check_nothing_is_left_open(place)


async def test_a_target_that_stops_in_the_middle_of_deleting_loses_everything_later(fragile: Fragile) -> None:
    async with real_place() as place, observed(place, fragile.kubeconfig) as client:
        held = place.config_map("held", finalizers=["example.org/hold"])
        await place.create(held, *(place.config_map(f"m{number}") for number in range(MANY)))
        await place.finished()
        begun = asyncio.create_task(seen(client, place, EventType.DELETED, 20))
        await place.delete()
        await begun
        await fragile.stop()
        item = await place.until(is_troubled)
        assert item.status.phase == Phase.DELETING
        assert len(places.managed(item)) == MANY + 1
        await fragile.start()
        await place.until(lambda item: "held by the finalizer example.org/hold" in places.waits_for(item))
        assert await count(client, place) == 1
        await client.patch(CONFIG_MAPS, "held", {"metadata": {"finalizers": None}}, namespace=place.namespace)
        await place.gone()
        assert await count(client, place) == 0
        await check_nothing_is_left_open(place)


async def test_another_writer_who_never_rests_does_not_win(fragile: Fragile) -> None:
    async with real_place() as place, observed(place, fragile.kubeconfig) as client:
        await place.create(place.config_map(data={"a": "0"}))
        await place.finished()
        writing = asyncio.create_task(write_for_ever(client, place))
        try:
            for number in range(1, 4):
                await place.change(place.config_map(data={"a": str(number)}))
                item = await place.finished()
                assert (item.status.phase, item.status.first_error) == (Phase.SUCCEEDED, None)
                live = await client.get(CONFIG_MAPS, "one", namespace=place.namespace)
                assert live["data"]["a"] == str(number)
        finally:
            writing.cancel()
            await asyncio.wait([writing])


async def write_for_ever(client: Cluster, place: RealPlace) -> None:
    number = 0
    while True:
        number += 1
        change = {"metadata": {"annotations": {"written": str(number)}}}
        await client.patch(CONFIG_MAPS, "one", change, namespace=place.namespace)


if fixtures.wanted():

    @asynccontextmanager
    async def at_home_on(plane: ControlPlane) -> AsyncIterator[tuple[RealPlace, HttpCluster]]:
        """A place whose home is a control plane, in a fresh namespace."""
        async with HttpCluster(kubeconfig.parse(realplaces.kubeconfig_of_plane(plane))) as home:
            made: dict[str, Any] = await home.create(NAMESPACES, {"metadata": {"generateName": "home-"}})
            async with real_place(home, at=made["metadata"]["name"]) as place:
                yield place, home

    @pytest.mark.cluster
    @pytest.mark.timeout(300)
    async def test_home_and_target_are_real_and_the_target_dies_at_each_step(
        control_plane: ControlPlane, own_plane: ControlPlane
    ) -> None:
        realplaces.install_kinds(control_plane)
        target = FragilePlane(own_plane)
        async with at_home_on(control_plane) as (place, _), observed(place, target.kubeconfig) as client:
            reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "m0", "namespace": place.namespace}
            custom = {"name": "token", "resourceSelector": [reference], "requirements": [CHECK]}
            begun = asyncio.create_task(seen(client, place, EventType.ADDED, 5))
            objs = [place.config_map(f"m{number}", finalizers=["example.org/hold"]) for number in range(50)]
            await place.create(*objs, readinessChecks={"custom": [custom]})
            await begun
            await outage(target, place)
            await place.until(lambda item: "check token" in places.waits_for(item))
            await outage(target, place)
            await client.patch(CONFIG_MAPS, "m0", {"data": {"token": "t"}}, namespace=place.namespace)
            item = await place.finished()
            assert (item.status.phase, len(places.managed(item))) == (Phase.SUCCEEDED, 50)
            await place.delete()
            await place.until(lambda item: "held by the finalizer" in places.waits_for(item))
            await outage(target, place)
            for number in range(50):
                change = {"metadata": {"finalizers": None}}
                await client.patch(CONFIG_MAPS, f"m{number}", change, namespace=place.namespace)
            await place.gone()
            assert await count(client, place) == 0
            await check_nothing_is_left_open(place)

    async def outage(target: Fragile, place: RealPlace) -> None:
        """Stop the target, let the item notice, and start it again."""
        await target.stop()
        await place.until(is_troubled)
        await target.start()

    @pytest.mark.cluster
    @pytest.mark.timeout(300)
    async def test_a_cluster_that_is_home_and_target_may_die_too(own_plane: ControlPlane) -> None:
        server = FragilePlane(own_plane)
        async with at_home_on(own_plane) as (place, _), observed(place, server.kubeconfig) as client:
            begun = asyncio.create_task(seen(client, place, EventType.ADDED, 20))
            await place.create(*(place.config_map(f"m{number}") for number in range(MANY)))
            await begun
            await server.stop()
            await asyncio.sleep(1)
            await server.start()
            item = await place.finished()
            assert (item.status.phase, len(places.managed(item))) == (Phase.SUCCEEDED, MANY)
            assert await count(client, place) == MANY
            await check_nothing_is_left_open(place)
