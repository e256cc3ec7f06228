"""The contract is the same in all places: every test runs in each of them, where there is the machinery for it."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.cluster.node import fixtures as node_fixtures
from tests.cluster.node import images
from tests.deployers.programs.contract import sites
from tests.deployers.programs.contract.sites import Place, User

from landform.deployers.programs.contract.sandboxes import SandboxName

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from tests.cluster.node.nodes import Node
    from tests.cluster.node.podman import Podman

_REAL = (SandboxName.ENGINE, SandboxName.KUBERNETES) if node_fixtures.wanted() else ()


collect_ignore = [] if _REAL else ["test_images.py"]
"""Images need a place for them."""


def pytest_configure(config: pytest.Config) -> None:
    node_fixtures.install(config)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """All places that there are; those with images for tests about images."""
    names = [pytest.param(name, marks=node_fixtures.MARKS, id=str(name)) for name in _REAL]
    if "place" in metafunc.fixturenames:
        metafunc.parametrize("place", [pytest.param(SandboxName.PROCESS, id="process"), *names], indirect=True)
    elif "image_place" in metafunc.fixturenames:
        metafunc.parametrize("image_place", names, indirect=True)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the programs' user can get to."""
    path = Path(tempfile.mkdtemp(prefix="landform-contract-"))
    os.chmod(path, 0o711)
    yield path / "programs"
    shutil.rmtree(path)


@pytest.fixture
def place(request: pytest.FixtureRequest, folder: Path) -> Iterator[Place]:
    """A place where programs run."""
    yield from _place(request, folder)


@pytest.fixture
def image_place(request: pytest.FixtureRequest, folder: Path) -> Iterator[Place]:
    """A place where images run."""
    yield from _place(request, folder)


@pytest.fixture
async def user(place: Place) -> AsyncIterator[User]:
    """Somebody with a home and a deployer in that place."""
    async with sites.user(place) as opened:
        yield opened


def _place(request: pytest.FixtureRequest, folder: Path) -> Iterator[Place]:
    if request.param is SandboxName.PROCESS:
        yield Place(request.param, folder)
    elif request.param is SandboxName.ENGINE:
        podman: Podman = request.getfixturevalue("podman")
        config = {"engine": {"socket": str(podman.socket)}}
        yield Place(request.param, folder, config, images.SHELL, moment=8.0, patience=90.0)
    else:
        node: Node = request.getfixturevalue("node")
        yield from _host(node, folder)


def _host(node: Node, folder: Path) -> Iterator[Place]:
    """A namespace of a cluster with a node, which takes only pods of the level *restricted*."""
    namespace = f"contract-{uuid.uuid4().hex[:10]}"
    node.plane.kubectl("create", "namespace", namespace)
    node.plane.kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted")
    own = {"image": images.LANDFORM, "imagePullPolicy": "Never"}
    config = {
        "namespace": namespace,
        "host": {"kubeconfig": str(node.plane.kubeconfig)},
        "initContainer": own,
        "waitContainer": own,
    }
    yield Place(SandboxName.KUBERNETES, folder, config, images.SHELL, moment=15.0, patience=120.0)
    node.plane.kubectl("delete", "namespace", namespace, "--wait=false")
