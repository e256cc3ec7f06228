"""Collects this folder only in a run with a control plane, and gives each test a namespace of its own."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.cluster.controlplane import fixtures
from tests.cluster.node import fixtures as node_fixtures

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cluster.controlplane.plane import ControlPlane

collect_ignore_glob = [] if fixtures.wanted() else ["*"]


def pytest_configure(config: pytest.Config) -> None:
    node_fixtures.install(config)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            for mark in fixtures.MARKS:
                item.add_marker(mark)


@pytest.fixture
def namespace(control_plane: ControlPlane) -> Iterator[str]:
    """A fresh namespace; what is left in it goes away in the background."""
    name = f"test-{uuid.uuid4().hex[:10]}"
    control_plane.kubectl("create", "namespace", name)
    yield name
    control_plane.kubectl("delete", "namespace", name, "--wait=false", "--ignore-not-found")
