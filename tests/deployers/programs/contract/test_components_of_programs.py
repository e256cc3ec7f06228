"""A program by reference gets the descriptors of its component, and the blueprint's files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.deployers.programs.contract import sites
from tests.deployers.programs.contract.sites import error_of

from landform.components.settings import Repositories
from landform.deployers.programs.setup.building import Site
from landform.deployers.script import ScriptDeployer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.deployers.programs.contract.sites import Place, User

COMPONENTS = Path(__file__).parents[4] / "examples" / "component-archive" / "components"
SHOP = {
    "componentName": "example.com/shop",
    "version": "1.0.0",
    "repositoryContext": {"type": "local", "filePath": "/"},
}
LOOK = """
cat "$COMPONENT_DESCRIPTOR_PATH"
echo "files: [$(ls "$CONTENT_PATH" | tr '\\n' ',')]" > "$EXPORTS_PATH"
"""


@pytest.fixture
async def user(place: Place, folder: Path, tmp_path: Path) -> AsyncIterator[User]:
    """Somebody whose deployer reads the components of an example."""
    site = Site(folder, Repositories(tmp_path / "cache", root=COMPONENTS), environ={"PATH": "/usr/bin:/bin"})
    deployer = ScriptDeployer.configured({"sandbox": str(place.name), **place.config}, site)
    async with sites.user(place, deployer) as opened:
        yield opened


async def test_descriptors_and_files_of_a_component_reach_the_program(user: User) -> None:
    config = {"componentDescriptor": {"ref": SHOP}, "blueprint": {"ref": {"resourceName": "blueprint"}}}
    item = await user.run(LOOK, config=config)
    assert item.status.phase == "Succeeded", error_of(item)
    assert await user.exported() == {"files": ["blueprint.yaml", "website.yaml"]}
    listed = json.loads(await user.printed())
    assert listed["meta"] == {"schemaVersion": "v2"}
    assert [each["component"]["name"] for each in listed["components"]] == ["example.com/shop", "example.com/database"]


async def test_a_script_may_be_a_file_of_the_blueprint_by_reference(user: User) -> None:
    config = {
        "script": None,
        "file": "website.yaml",
        "interpreter": "cat",
        "componentDescriptor": {"ref": SHOP},
        "blueprint": {"ref": {"resourceName": "blueprint"}},
    }
    await user.run("", config=config)
    assert (await user.printed()).encode() == (COMPONENTS / "blobs" / "shop" / "website.yaml").read_bytes()


async def test_a_component_that_is_not_there_is_named(user: User) -> None:
    config = {"componentDescriptor": {"ref": {**SHOP, "version": "9.9.9"}}}
    await user.create(LOOK, config=config, timeout="3s")
    await user.world.trigger()
    item = await user.done()
    assert item.status.phase == "Failed"
    assert "example.com/shop" in error_of(item)
    assert "9.9.9" in error_of(item)
