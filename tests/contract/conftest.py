"""The homes that the contract suite runs on, and fresh namespaces in them."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

import pytest
from tests.cluster.controlplane import fixtures
from tests.contract import objects

from landform.cluster import kubeconfig, resources
from landform.cluster.http import HttpCluster, Limits
from landform.testing import homes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from landform.cluster.interface import Cluster
    from landform.cluster.resources import Resource, Unstructured

HOMES = ["in-process", "https", *([pytest.param("kubernetes", marks=fixtures.MARKS)] if fixtures.wanted() else [])]


def pytest_configure(config: pytest.Config) -> None:
    fixtures.install(config)


@pytest.fixture(params=HOMES)
async def cluster(request: pytest.FixtureRequest) -> AsyncIterator[Cluster]:
    """A cluster with nothing in it but what every cluster has; the real one is shared by the whole run."""
    if request.param == "in-process":
        async with homes.in_process() as home:
            yield home
    elif request.param == "https":
        async with homes.over_https() as home:
            yield home
    else:
        plane = request.getfixturevalue("control_plane")
        # A definition that has just changed makes the API server turn requests away with 503 and Retry-After for a
        # moment; that is no answer to what a test asks.
        async with HttpCluster(kubeconfig.load(plane.kubeconfig), limits=Limits(retry_seconds=10)) as client:
            yield client


@pytest.fixture
async def namespace(cluster: Cluster) -> AsyncIterator[str]:
    """A fresh namespace; what is left in it goes away in the background."""
    name = f"contract-{uuid.uuid4().hex[:10]}"
    await cluster.create(resources.NAMESPACES, {"metadata": {"name": name}})
    yield name
    await cluster.delete(resources.NAMESPACES, name)


@pytest.fixture
async def widgets(cluster: Cluster) -> Resource[Unstructured]:
    """A custom resource with a schema, served and ready."""
    await objects.ensure_served(cluster, objects.definition("Widget", schema=objects.WIDGET_SCHEMA))
    return objects.WIDGETS
