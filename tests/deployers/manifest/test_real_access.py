"""Every way to a target, through a home that is served: embedded and real."""

from __future__ import annotations

import asyncio
import base64
import socket
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from tests.cluster.controlplane import fixtures
from tests.deployers.manifest import places, realplaces
from tests.deployers.manifest.realplaces import RealPlace, real_place

from landform.api.errors import ErrorCode
from landform.api.names import Annotation
from landform.api.phases import Phase
from landform.cluster import kubeconfig
from landform.cluster.http import HttpCluster
from landform.cluster.kinds import DEPLOY_ITEMS
from landform.cluster.resources import CONFIG_MAPS, NAMESPACES, SECRETS, SERVICE_ACCOUNTS, untyped
from landform.embedded.access.certificates import admin_kubeconfig
from landform.embedded.serving.server import Address, serve
from landform.kit import yamls
from landform.testing import homes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.cluster.controlplane.plane import ControlPlane

BINDINGS = untyped("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "clusterrolebindings", namespaced=False)
WAYS = ["inline", "whole", "secret", "secret-key", "oidc", "self"]


class Town(NamedTuple):
    """A place whose home is its target too, and how to get there."""

    place: RealPlace
    kubeconfig: str
    url: str
    ca: str

    async def keep(self, text: str, *, name: str = "access") -> None:
        """A Secret with a kubeconfig."""
        body = {"metadata": {"name": name}, "stringData": {"kubeconfig": text}}
        await self.place.home.create(SECRETS, body, namespace=self.place.at)

    async def replace(self, text: str) -> None:
        """Another kubeconfig in the Secret."""
        change = {"stringData": {"kubeconfig": text}}
        await self.place.home.patch(SECRETS, "access", change, namespace=self.place.at)

    async def hire(self, *, admin: bool) -> None:
        """A ServiceAccount."""
        place = self.place
        await place.home.create(SERVICE_ACCOUNTS, {"metadata": {"name": "robot"}}, namespace=place.at)
        if admin:
            subject = {"kind": "ServiceAccount", "name": "robot", "namespace": place.at}
            role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"}
            body = {"metadata": {"name": place.namespace}, "subjects": [subject], "roleRef": role}
            await place.home.create(BINDINGS, body)

    async def add_target(self, way: str) -> None:
        """A Target that says the way in its own words."""
        account = {"name": "robot"}
        ca = base64.b64encode(self.ca.encode()).decode()
        spec: dict[str, Any] = {
            "inline": {"config": {"kubeconfig": self.kubeconfig}},
            "whole": {"config": yamls.load(self.kubeconfig)},
            "secret": {"secretRef": {"name": "access"}},
            "secret-key": {"secretRef": {"name": "access", "key": "kubeconfig"}},
            "oidc": {"config": {"oidcConfig": {"server": self.url, "caData": ca, "serviceAccount": account}}},
            "self": {"config": {"selfConfig": {"serviceAccount": account}}},
        }[way]
        await self.place.create_target(**spec)


@asynccontextmanager
async def _embedded() -> AsyncIterator[Town]:
    async with homes.home() as home, serve(home, Address()) as url:
        text = realplaces.kubeconfig_of_home(home, url)
        async with _settled(home.cluster, text, url, home.authority.ca) as town:
            yield town


@asynccontextmanager
async def _on(plane: ControlPlane) -> AsyncIterator[Town]:
    realplaces.install_kinds(plane)
    text = realplaces.kubeconfig_of_plane(plane)
    async with (
        HttpCluster(kubeconfig.parse(text)) as home,
        _settled(home, text, plane.url, plane.ca.read_text()) as town,
    ):
        yield town


@asynccontextmanager
async def _settled(home: Any, text: str, url: str, ca: str) -> AsyncIterator[Town]:
    made = await home.create(NAMESPACES, {"metadata": {"generateName": "home-"}})
    async with real_place(home, at=made["metadata"]["name"], connection=kubeconfig.parse(text)) as place:
        await home.create(NAMESPACES, {"metadata": {"name": place.namespace}})
        yield Town(place, text, url, ca)
        await _forget_items(place)


async def _forget_items(place: RealPlace) -> None:
    """Leave no item behind on a cluster that others use after us."""
    for item in (await place.home.list(DEPLOY_ITEMS, namespace=place.at)).items:
        name = item.metadata.name or ""
        change = {"metadata": {"annotations": {Annotation.DELETE_WITHOUT_UNINSTALL: "true"}}}
        await place.home.patch(DEPLOY_ITEMS, name, change, namespace=place.at)
        await place.delete(name)
        await place.gone(name)


@pytest.fixture(params=["embedded", *([pytest.param("kubernetes", marks=fixtures.MARKS)] if fixtures.wanted() else [])])
async def town(request: pytest.FixtureRequest) -> AsyncIterator[Town]:
    """A home that is served."""
    opened = _on(request.getfixturevalue("control_plane")) if request.param == "kubernetes" else _embedded()
    async with opened as found:
        yield found


def nowhere(town: Town) -> str:
    """A kubeconfig for a port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    return admin_kubeconfig(f"https://127.0.0.1:{port}", town.ca, "t" * 40)


@pytest.mark.parametrize("way", WAYS)
async def test_each_way_leads_there(town: Town, way: str) -> None:
    place = town.place
    await town.keep(town.kubeconfig)
    await town.hire(admin=True)
    await town.add_target(way)
    await place.create(place.config_map(data={"a": "1"}))
    item = await place.finished()
    assert (item.status.phase, places.error(item)) == (Phase.SUCCEEDED, "")
    assert (await place.home.get(CONFIG_MAPS, "one", namespace=place.namespace))["data"] == {"a": "1"}
    await place.delete()
    await place.gone()
    assert not await place.exists(place.home, "one")


@pytest.mark.parametrize("way", ["oidc", "self"])
async def test_an_account_has_its_own_rights_and_no_others(town: Town, way: str) -> None:
    place = town.place
    await town.hire(admin=False)
    await town.add_target(way)
    await place.create(place.config_map())
    item = await place.until(lambda item: bool(places.error(item)))
    assert f"system:serviceaccount:{place.at}:robot" in places.error(item)
    assert not await place.exists(place.home, "one")


@pytest.mark.parametrize("way", ["oidc", "self"])
async def test_an_account_that_does_not_exist_fails_the_item_at_once(town: Town, way: str) -> None:
    place = town.place
    await town.add_target(way)
    await place.create(place.config_map())
    item = await place.finished()
    assert item.status.phase == Phase.FAILED
    assert f"service account {place.at}/robot" in places.error(item)


async def test_a_changed_secret_is_another_connection_at_once(town: Town) -> None:
    place = town.place
    await town.keep(nowhere(town))
    await town.add_target("secret-key")
    await place.create(place.config_map())
    item = await place.until(lambda item: bool(places.error(item)))
    assert item.status.phase == Phase.PROGRESSING
    await town.replace(town.kubeconfig)
    assert (await place.finished()).status.phase == Phase.SUCCEEDED


async def test_a_cluster_that_is_not_there_is_tried_until_time_is_over(town: Town) -> None:
    place = town.place
    await town.keep(nowhere(town))
    await town.add_target("secret")
    started = asyncio.get_running_loop().time()
    await place.create(place.config_map(), timeout="6s")
    item = await place.finished()
    assert asyncio.get_running_loop().time() - started >= 5
    assert item.status.phase == Phase.FAILED
    assert item.status.last_error is not None
    assert item.status.last_error.reason == "ProgressingTimeout"
    assert ErrorCode.TIMEOUT in (item.status.last_error.codes or ())
    assert "https://127.0.0.1:" in places.error(item)


async def test_who_is_not_let_in_fails_at_once_and_says_so(town: Town) -> None:
    place, wrong = town.place, "w" * 40
    await town.keep(admin_kubeconfig(town.url, town.ca, wrong))
    await town.add_target("secret")
    await place.create(place.config_map())
    item = await place.finished()
    assert item.status.phase == Phase.FAILED
    assert item.status.last_error is not None
    assert item.status.last_error.codes == (ErrorCode.UNAUTHORIZED,)
    assert wrong not in str(item.status)
    await town.replace(town.kubeconfig)
    await place.trigger()
    item = await place.finished()
    assert (item.status.phase, places.error(item)) == (Phase.SUCCEEDED, "")


async def test_items_of_one_target_share_a_client(town: Town) -> None:
    place = town.place
    await town.keep(town.kubeconfig)
    await town.add_target("secret")
    for number in range(5):
        await place.create(place.config_map(f"m{number}"), name=f"item-{number}")
    for number in range(5):
        assert (await place.finished(f"item-{number}")).status.phase == Phase.SUCCEEDED
    assert len(place.controller._place.clusters._entries) == 1
