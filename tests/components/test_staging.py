"""What programs are given: component descriptors and the files of a blueprint, by reference and in place."""

from __future__ import annotations

import base64
import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from tests.components.landscapes.component_worlds import HTTP, NAMESPACE, Authored, descriptor, mock_blueprint
from tests.components.static_registry import StaticRegistry

from landform.api.contexts import Context
from landform.blueprints import staging
from landform.blueprints.errors import BlueprintError
from landform.blueprints.staging import Order
from landform.cluster.kinds import CONTEXTS
from landform.cluster.resources import CONFIG_MAPS, SECRETS, ObjectKey
from landform.components.contextobjects import ObjectMissing
from landform.components.errors import AccessDenied, ConfigurationError, NotFound
from landform.components.resolving import RepositoryContextMissing
from landform.components.settings import Repositories
from landform.testing import homes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from landform.blueprints.staging import Staged
    from landform.cluster.interface import Cluster
    from landform.components.resolving import Resolver

SHOP = {"ref": {"componentName": "example.com/shop", "version": "1.0.0", "repositoryContext": {"type": "local"}}}
BLUEPRINT = {"ref": {"resourceName": "blueprint"}}


class Stage:
    """A home with a Context, and access to repositories."""

    def __init__(self, cluster: Cluster, resolver: Resolver) -> None:
        self.cluster, self.resolver = cluster, resolver

    async def stage(self, order: Order, **context: Any) -> Staged:
        made: Context = await self.cluster.create(
            CONTEXTS, {"metadata": {"name": "here"}, **context}, namespace=NAMESPACE
        )
        return await staging.stage(self.resolver, self.cluster, made, order)


@asynccontextmanager
async def at_work(folder: Path, root: Path | None = None) -> AsyncIterator[Stage]:
    settings = Repositories(folder / "cache", root=root, http=HTTP)
    async with homes.in_process() as cluster, settings.resolver() as resolver:
        yield Stage(cluster, resolver)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A component with a blueprint that refers to another one."""
    authored = Authored(tmp_path / "repository")
    authored.component("example.com/database")
    authored.component("example.com/shop", blueprint=mock_blueprint(), references={"db": "example.com/database"})
    return authored.folder


async def test_a_reference_gives_all_descriptors_and_the_files(tmp_path: Path, shop: Path) -> None:
    async with at_work(tmp_path, shop) as it:
        staged = await it.stage(Order(SHOP, BLUEPRINT))
    assert staged.descriptors is not None
    assert staged.descriptors["meta"] == {"schemaVersion": "v2"}
    assert [each["component"]["name"] for each in staged.descriptors["components"]] == [
        "example.com/shop",
        "example.com/database",
    ]
    assert json.dumps(staged.descriptors)
    assert staged.files is not None
    assert list(staged.files) == ["blueprint.yaml"]


async def test_a_reference_without_a_repository_uses_that_of_the_context(tmp_path: Path, shop: Path) -> None:
    plain = {"ref": {"componentName": "example.com/shop", "version": "1.0.0"}}
    async with at_work(tmp_path, shop) as it:
        staged = await it.stage(Order(plain), repositoryContext={"type": "local"})
        assert staged.descriptors is not None
        assert staged.files is None


async def test_the_configuration_of_the_context_is_followed(tmp_path: Path, shop: Path) -> None:
    plain = {"ref": {"componentName": "example.com/shop", "version": "1.0.0"}}
    config = {"type": "ocm.config.ocm.software", "resolvers": [{"repository": {"type": "local"}}]}
    async with at_work(tmp_path, shop) as it:
        data = {"metadata": {"name": "config"}, "data": {".ocmconfig": json.dumps(config)}}
        await it.cluster.create(CONFIG_MAPS, data, namespace=NAMESPACE)
        staged = await it.stage(Order(plain), ocmConfig={"name": "config"})
    assert staged.descriptors is not None


async def test_a_descriptor_in_place_brings_what_it_nests(tmp_path: Path) -> None:
    inner = descriptor("example.com/database", [])
    outer = descriptor("example.com/shop", [], references={"db": "example.com/database"})
    label = {"name": "landscaper.gardener.cloud/component-descriptor", "value": inner}
    outer["component"]["componentReferences"][0]["labels"] = [label]
    async with at_work(tmp_path) as it:
        staged = await it.stage(Order({"inline": outer}))
    assert staged.descriptors is not None
    names = [each["component"]["name"] for each in staged.descriptors["components"]]
    assert names == ["example.com/shop", "example.com/database"]


async def test_a_blueprint_in_place_needs_no_component(tmp_path: Path) -> None:
    tree = {
        "blueprint.yaml": "imports: []",
        "bin": {"run.sh": "#!/bin/sh"},
        "link": {"$type": "symlink", "value": "bin"},
    }
    async with at_work(tmp_path) as it:
        staged = await it.stage(Order(blueprint={"inline": {"filesystem": tree}}))
    assert staged.descriptors is None
    assert staged.files == {
        "bin/run.sh": b"#!/bin/sh", "blueprint.yaml": b"imports: []", "link/run.sh": b"#!/bin/sh"
    }  # fmt: skip


async def test_nothing_is_staged_for_a_program_that_asks_for_nothing(tmp_path: Path) -> None:
    async with at_work(tmp_path) as it:
        assert await it.stage(Order()) == staging.Staged()


async def test_further_pull_secrets_open_a_registry(tmp_path: Path) -> None:
    """The password is in a Secret that only the program names; one that does not exist is passed over."""
    registry = StaticRegistry(password="reader:open-sesame").load("plain")
    async with registry.serve(), at_work(tmp_path) as it:
        host = registry.url.removeprefix("http://")
        known = {"auths": {host: {"username": "reader", "password": "open-sesame"}}}
        data = {".dockerconfigjson": base64.b64encode(json.dumps(known).encode()).decode()}
        await it.cluster.create(SECRETS, {"metadata": {"name": "pull"}, "data": data}, namespace=NAMESPACE)
        where = {"type": "OCIRegistry", "baseUrl": registry.url, "subPath": "team/a"}
        reference = {"componentName": "example.com/golden/leaf-a", "version": "1.0.0", "repositoryContext": where}
        keys = (ObjectKey(NAMESPACE, "pull"), ObjectKey(NAMESPACE, "missing"))
        staged = await it.stage(Order({"ref": reference}, pull_secrets=keys))
        assert staged.descriptors is not None
        with pytest.raises(AccessDenied, match="basic credential not found"):
            await staging.stage(it.resolver, it.cluster, Context(), Order({"ref": reference}))


@pytest.mark.parametrize(
    ("order", "context", "error", "words"),
    [
        pytest.param(Order(SHOP), {"ocmConfig": {"name": "no"}}, ObjectMissing, "names the ConfigMap no", id="missing"),
        pytest.param(Order({"ref": {}}), {}, ConfigurationError, "componentName and version, or inline", id="empty"),
        pytest.param(
            Order({"ref": {"componentName": "example.com/shop", "version": "1.0.0"}}),
            {},
            RepositoryContextMissing,
            "no repository or ocm resolvers",
            id="nowhere",
        ),
        pytest.param(Order(SHOP, {"ref": {"resourceName": "no"}}), {}, NotFound, "no", id="no such resource"),
        pytest.param(Order(SHOP, {}), {}, None, "", id="no blueprint"),
        pytest.param(Order(None, BLUEPRINT), {}, ConfigurationError, "set componentDescriptor", id="no component"),
        pytest.param(Order(SHOP, {"ref": {}}), {}, ConfigurationError, "resourceName, or inline", id="no name"),
        pytest.param(
            Order(None, {"inline": {"filesystem": {"..": "x"}}}), {}, BlueprintError, "cannot be the name", id="outside"
        ),
    ],
)
async def test_what_cannot_be_had_is_told(
    tmp_path: Path, shop: Path, order: Order, context: dict[str, Any], error: type[Exception] | None, words: str
) -> None:
    async with at_work(tmp_path, shop) as it:
        if error is None:
            assert (await it.stage(order, **context)).files is None
            return
        with pytest.raises(error, match=words):
            await it.stage(order, **context)
