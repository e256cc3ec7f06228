"""The node and the podman that all tests of a run share, as a pytest plugin beside the control plane's."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest
from tests.cluster.controlplane import build
from tests.cluster.controlplane import fixtures as controlplane
from tests.cluster.node import images, packages
from tests.cluster.node.nodes import Node
from tests.cluster.node.podman import Podman

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from tests.cluster.controlplane.plane import ControlPlane

MARKS = (*controlplane.MARKS, pytest.mark.node)
"""For every test that uses the node or podman."""

wanted = controlplane.wanted
LOG_LINES = 40


def install(config: pytest.Config) -> None:
    """Make this module and the control plane's plugins of the run, once, whichever folder comes first."""
    controlplane.install(config)
    if not config.pluginmanager.has_plugin(__name__):
        config.pluginmanager.register(sys.modules[__name__], __name__)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out what needs namespaces when nobody may make them."""
    if os.geteuid() != 0:
        for item in items:
            if item.get_closest_marker("node"):
                item.add_marker(pytest.mark.skip(reason="a node and podman need root"))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Fetch and make what is missing before the first test, whose time limit it would break."""
    if os.geteuid() != 0 or not any(item.get_closest_marker("node") for item in session.items):
        return
    capture = session.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        try:
            build.binaries(build.NODE)
            images.everything()
        except (build.BuildError, packages.PackageError) as error:
            pytest.exit(f"no node: {error}", returncode=pytest.ExitCode.TESTS_FAILED)


@pytest.fixture(scope="session")
def node(control_plane: ControlPlane) -> Iterator[Node]:
    """A node of the control plane, Ready and with all images, shared by the whole run."""
    with Node(control_plane) as running:
        for archive in images.everything():
            running.load(archive)
        yield running


@pytest.fixture(scope="session")
def podman() -> Iterator[Podman]:
    """A podman with all images, shared by the whole run."""
    with Podman() as running:
        for archive in images.everything():
            running.load(archive)
        yield running


@pytest.fixture(scope="session")
def podman_socket(podman: Podman) -> Path:
    """Where that podman listens."""
    return podman.socket


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show what node and podman last said when a test that uses them fails."""
    report = yield
    if report.failed:
        for user in getattr(item, "funcargs", {}).values():
            if isinstance(user, Node | Podman):
                report.sections.extend(_ends(user.logs))
    return report


def _ends(logs: list[Path]) -> list[tuple[str, str]]:
    """Title and last lines of each log."""
    return [
        (f"last lines of {log.name}", "\n".join(log.read_text(errors="replace").splitlines()[-LOG_LINES:]))
        for log in logs
        if log.exists()
    ]
