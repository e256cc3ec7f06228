"""Installations whose component and blueprint are named: from folders, archives and registries."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.components.landscapes.component_worlds import (
    GREETED,
    Authored,
    by_name,
    descriptor,
    failure,
    mock_blueprint,
    resource,
    world,
)
from tests.components.static_registry import GOLDEN, StaticRegistry

from landform.api import anyjson, conditions
from landform.components.versions import NESTED_LABEL

if TYPE_CHECKING:
    from pathlib import Path

STORAGE = GOLDEN / "storage"
BLUEPRINT = {"ref": {"resourceName": "blueprint"}}


@pytest.mark.parametrize(
    ("where", "name"),
    [
        ({"type": "CommonTransportFormat", "filePath": "ctf"}, "single"),
        ({"type": "CommonTransportFormat", "filePath": "ctf.tgz", "fileFormat": "tgz"}, "leaf-a"),
    ],
    ids=["folder", "tgz"],
)
async def test_a_transport_archive_gives_component_and_blueprint(
    where: dict[str, Any], name: str, tmp_path: Path
) -> None:
    async with world(tmp_path, root=STORAGE) as it:
        await it.greeting()
        spec = {"componentDescriptor": by_name(f"example.com/golden/{name}", where=where), "blueprint": BLUEPRINT}
        assert (await it.run("a", **spec, **GREETED)).status.phase == "Succeeded"
        assert await it.exported("result") == "hi from golden"


async def test_a_registry_gives_component_and_blueprint_by_the_repository_of_the_context(tmp_path: Path) -> None:
    async with StaticRegistry().load("plain").serve() as registry, world(tmp_path) as it:
        await it.context(repositoryContext={"type": "OCIRegistry", "baseUrl": registry.url, "subPath": "team/a"})
        await it.greeting()
        spec = {"componentDescriptor": by_name("example.com/golden/single"), "blueprint": BLUEPRINT}
        assert (await it.run("a", **spec, **GREETED)).status.phase == "Succeeded"
        assert await it.exported("result") == "hi from golden"


async def test_many_installations_of_one_component_fetch_each_blob_once(tmp_path: Path) -> None:
    async with StaticRegistry().load("plain").serve() as registry, world(tmp_path) as it:
        await it.context(repositoryContext={"type": "OCIRegistry", "baseUrl": registry.url, "subPath": "team/a"})
        await it.greeting()
        spec = {"componentDescriptor": by_name("example.com/golden/single"), "blueprint": BLUEPRINT}
        for number in range(10):
            await it.create(f"a{number}", **spec, imports=GREETED["imports"])
        for number in range(10):
            assert (await it.ended(f"a{number}")).status.phase == "Succeeded"
        blobs = {path: count for path, count in registry.asked.items() if "/blobs/" in path}
        assert blobs
        assert set(blobs.values()) == {1}


async def test_sub_installations_get_the_component_that_their_blueprint_is_in(tmp_path: Path) -> None:
    authored = Authored(tmp_path / "components")
    template = {"name": "db", "blueprint": {"ref": "cd://componentReferences/database/resources/blueprint"}}
    authored.component("example.com/db", blueprint=mock_blueprint('"{{ .cd.component.name }}"'))
    authored.component(
        "example.com/shop",
        blueprint={"subinstallations": [template]},
        references={"database": "example.com/db"},
    )
    async with world(tmp_path, root=authored.folder) as it:
        await it.context(repositoryContext=authored.spec)
        ended = await it.run("shop", componentDescriptor=by_name("example.com/shop"), blueprint=BLUEPRINT)
        assert ended.status.phase == "Succeeded"
        child = await it.child("db")
        assert child.spec.component_descriptor is not None
        assert child.spec.component_descriptor.ref is not None
        assert child.spec.component_descriptor.ref.component_name == "example.com/db"
        assert anyjson.value(child.spec.component_descriptor.ref.repository_context) == authored.spec
        assert [item["export"]["value"] for item in await it.items()] == ["example.com/db"]


async def test_templates_read_the_content_of_resources_of_referenced_components(tmp_path: Path) -> None:
    authored = Authored(tmp_path / "components")
    (authored.folder / "blobs").mkdir(parents=True)
    (authored.folder / "blobs" / "motd").write_text("welcome")
    motd = resource("motd", "text", {"type": "localFilesystemBlob", "fileName": "motd", "mediaType": "text/plain"})
    authored.write(descriptor("example.com/texts", [motd]))
    uri = "cd://componentReferences/texts/resources/motd"
    authored.component(
        "example.com/shop",
        blueprint=mock_blueprint(f'"{{{{ getResourceContent "{uri}" }}}}"'),
        references={"texts": "example.com/texts"},
    )
    async with world(tmp_path, root=authored.folder) as it:
        await it.context(repositoryContext=authored.spec)
        ended = await it.run("shop", componentDescriptor=by_name("example.com/shop"), blueprint=BLUEPRINT)
        assert ended.status.phase == "Succeeded"
        assert [item["export"]["value"] for item in await it.items()] == ["welcome"]


async def test_schemas_of_imports_may_be_resources(tmp_path: Path) -> None:
    authored = Authored(tmp_path / "components")
    made = authored.component(
        "example.com/shop",
        blueprint=mock_blueprint(
            imports=[{"name": "greeting", "type": "data", "schema": {"$ref": "cd://resources/number"}}]
        ),
    )
    (authored.folder / "blobs" / "number").write_text(json.dumps({"type": "number"}))
    access = {"type": "localFilesystemBlob", "fileName": "number", "mediaType": "application/json"}
    made["component"]["resources"].append(resource("number", "landscaper.gardener.cloud/jsonschema", access))
    authored.write(made)
    async with world(tmp_path, root=authored.folder) as it:
        await it.context(repositoryContext=authored.spec)
        await it.greeting()
        imports = {"data": [{"name": "greeting", "dataRef": "greeting"}]}
        spec = {"componentDescriptor": by_name("example.com/shop"), "blueprint": BLUEPRINT, "imports": imports}
        assert "number" in failure(await it.run("shop", **spec))


async def test_an_inline_descriptor_carries_nested_ones_to_its_sub_installations(tmp_path: Path) -> None:
    authored = Authored(tmp_path / "components")
    nested = authored.component("example.com/db", blueprint=mock_blueprint('"{{ .cd.component.name }}"'))
    nested = {**nested, "component": {**nested["component"], "repositoryContexts": [authored.spec]}}
    own = descriptor("example.com/shop", [], references={"database": "example.com/db"})
    own["component"]["componentReferences"][0]["labels"] = [{"name": NESTED_LABEL, "value": nested}]
    template = {"name": "db", "blueprint": {"ref": "cd://componentReferences/database/resources/blueprint"}}
    files = {"blueprint.yaml": json.dumps({"subinstallations": [template]})}
    async with world(tmp_path, root=authored.folder) as it:
        spec = {"componentDescriptor": {"inline": own}, "blueprint": {"inline": {"filesystem": files}}}
        ended = await it.run("shop", **spec)
        child = await it.child("db")
        assert child.spec.component_descriptor is not None
        assert child.spec.component_descriptor.inline
        assert ended.status.phase == "Succeeded"
        assert [item["export"]["value"] for item in await it.items()] == ["example.com/db"]


async def test_references_of_an_inline_descriptor_are_looked_up_where_it_says(tmp_path: Path) -> None:
    authored = Authored(tmp_path / "components")
    authored.component("example.com/db")
    own = descriptor("example.com/shop", [], references={"database": "example.com/db"})
    own["component"]["repositoryContexts"] = [authored.spec]
    template = '"{{ (getComponent "name" "database").component.name }}"'
    files = {"blueprint.yaml": json.dumps(mock_blueprint(template))}
    async with world(tmp_path, root=authored.folder) as it:
        spec = {"componentDescriptor": {"inline": own}, "blueprint": {"inline": {"filesystem": files}}}
        assert (await it.run("shop", **spec)).status.phase == "Succeeded"
        assert [item["export"]["value"] for item in await it.items()] == ["example.com/db"]


async def test_an_overwrite_takes_the_place_and_says_so(tmp_path: Path) -> None:
    authored = Authored(tmp_path / "components")
    for version in ("1.0.0", "2.0.0"):
        authored.component(
            "example.com/shop", blueprint=mock_blueprint('"{{ .cd.component.version }}"'), version=version
        )
    overwrites = [{"source": {"componentName": "example.com/shop"}, "substitution": {"version": "2.0.0"}}]
    async with world(tmp_path, root=authored.folder) as it:
        spec = {"componentDescriptor": by_name("example.com/shop"), "blueprint": BLUEPRINT}
        await it.context(repositoryContext=authored.spec, componentVersionOverwrites="newer")
        assert "names the ComponentVersionOverwrites newer, which does not exist" in failure(await it.run("a", **spec))
        await it.overwrites("newer", overwrites)
        ended = await it.run("b", **spec)
        assert [item["export"]["value"] for item in await it.items()] == ["2.0.0"]
        said = conditions.find(ended.status.conditions, "ComponentReferenceOverwrite")
        assert said is not None
        assert (said.status, said.reason, said.message) == ("True", "FoundOverwrite", "version: 1.0.0 -> 2.0.0")
        await it.context(componentVersionOverwrites=None)
        said = conditions.find((await it.run("c", **spec)).status.conditions, "ComponentReferenceOverwrite")
        assert said is not None
        assert (said.status, said.reason) == ("False", "No overwrite defined")


async def test_without_any_repository_it_is_said_what_to_set(tmp_path: Path) -> None:
    async with world(tmp_path) as it:
        spec = {"componentDescriptor": by_name("example.com/shop"), "blueprint": BLUEPRINT}
        why = failure(await it.run("a", **spec))
        assert "RepositoryContextMissing" in why
        assert "give the reference or the Context a repositoryContext" in why


async def test_a_path_outside_of_the_root_folder_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "link").symlink_to(STORAGE.absolute())
    async with world(tmp_path, root=tmp_path / "root") as it:
        for number, path in enumerate(("../../../../ctf", "/etc", "link/ctf")):
            where = {"type": "CommonTransportFormat", "filePath": path}
            component = by_name("example.com/golden/single", where=where)
            ended = await it.run(f"a{number}", componentDescriptor=component, blueprint=BLUEPRINT)
            assert "GetComponentVersion" in failure(ended)
