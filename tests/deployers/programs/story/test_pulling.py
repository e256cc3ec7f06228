"""Which credentials belong to an image."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import TYPE_CHECKING

import pytest
from tests.deployers.library.worlds import World, in_a_world

from landform.cluster.kinds import CONTEXTS
from landform.cluster.resources import SECRETS, ObjectKey
from landform.deployers.programs.orders import pulling

if TYPE_CHECKING:
    from pathlib import Path

    from landform.deployers.library import Item


@pytest.mark.parametrize(
    ("image", "registry"),
    [
        ("ubuntu", ("docker.io", "ubuntu")),
        ("me/app:1", ("docker.io", "me/app")),
        ("index.docker.io/me/app", ("docker.io", "me/app")),
        ("localhost/app:1", ("localhost", "app")),
        ("registry.example:5000/a/b:1", ("registry.example:5000", "a/b")),
        ("registry.example/a@sha256:00", ("registry.example", "a")),
    ],
)
def test_an_image_names_its_registry(image: str, registry: tuple[str, str]) -> None:
    assert pulling.registry_of(image) == registry


def docker(host: str, user: str) -> str:
    return json.dumps({"auths": {host: {"auth": base64.b64encode(f"{user}:pw".encode()).decode()}}})


async def store(world: World, name: str, text: str) -> None:
    data = {".dockerconfigjson": base64.b64encode(text.encode()).decode()}
    await world.cluster.create(SECRETS, {"metadata": {"name": name}, "data": data}, namespace="default")


def chosen(config: bytes | None) -> dict[str, str]:
    """The users by registry."""
    return {} if config is None else {key: entry["username"] for key, entry in json.loads(config)["auths"].items()}


def test_credentials_come_from_files_the_context_and_the_item(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text(docker("docker.io", "of-file"))
    found: dict[str, dict[str, str]] = {}

    async def scenario(world: World) -> None:
        async def work(item: Item) -> None:
            keys = (ObjectKey("default", "of-item"), ObjectKey("default", "missing"), ObjectKey("default", "broken"))
            for image in ("ubuntu:1", "context.example/x:1", "item.example:5000/x", "other.example/x"):
                files = (file, tmp_path / "missing.json")
                found[image] = chosen(await pulling.pull_credentials(item, image, keys, files))

        await store(world, "of-context", docker("context.example", "of-context"))
        await store(world, "of-item", docker("item.example:5000", "of-item"))
        await store(world, "broken", "{")
        body = {"metadata": {"name": "mine"}, "registryPullSecrets": [{"name": "of-context"}, {"name": "missing"}]}
        await world.cluster.create(CONTEXTS, body, namespace="default")
        world.sample.on_reconcile = work
        await world.run_job(context="mine")
        await asyncio.sleep(1)

    in_a_world(scenario)
    assert found == {
        "ubuntu:1": {"index.docker.io": "of-file"},
        "context.example/x:1": {"context.example": "of-context"},
        "item.example:5000/x": {"item.example:5000": "of-item"},
        "other.example/x": {},
    }
