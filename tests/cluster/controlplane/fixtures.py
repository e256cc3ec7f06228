"""The control plane that all tests of a run share, as a pytest plugin.

A plugin and not part of a conftest, because tests/cluster and tests/contract both use it and only one may start.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest
from tests.cluster.controlplane import build
from tests.cluster.controlplane.plane import ControlPlane

if TYPE_CHECKING:
    from collections.abc import Iterator

MARKS = (pytest.mark.cluster, pytest.mark.timeout(300))
"""For every test that uses the control plane; the first one waits for its start, which a busy machine makes slow."""


def wanted() -> bool:
    """Whether this run is one with a control plane."""
    return os.environ.get("LANDFORM_CLUSTER_TESTS", "") not in ("", "0")


def install(config: pytest.Config) -> None:
    """Make this module a plugin of the run, once, whichever folder comes first."""
    if not config.pluginmanager.has_plugin(__name__):
        config.pluginmanager.register(sys.modules[__name__], __name__)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Build the binaries before the first test, whose time limit a cold build would break."""
    if not (wanted() and any(item.get_closest_marker("cluster") for item in session.items)):
        return
    capture = session.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        try:
            build.binaries()
        except build.BuildError as error:
            pytest.exit(f"no control plane: {error}", returncode=pytest.ExitCode.TESTS_FAILED)


@pytest.fixture(scope="session")
def control_plane() -> Iterator[ControlPlane]:
    """A running control plane, shared by the whole run."""
    with ControlPlane() as plane:
        yield plane
