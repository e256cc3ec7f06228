"""The clusters that manifests are deployed to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.cluster.controlplane import fixtures
from tests.deployers.manifest import realplaces

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

TARGETS = ["embedded", *([pytest.param("kubernetes", marks=fixtures.MARKS)] if fixtures.wanted() else [])]


def pytest_configure(config: pytest.Config) -> None:
    fixtures.install(config)


@pytest.fixture(params=TARGETS)
async def target(request: pytest.FixtureRequest) -> AsyncIterator[str]:
    """The kubeconfig of a cluster; the real one is shared by the whole run."""
    if request.param == "embedded":
        async with realplaces.embedded_target() as text:
            yield text
    else:
        yield realplaces.kubeconfig_of_plane(request.getfixturevalue("control_plane"))
