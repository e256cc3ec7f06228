"""The real cluster with a node, for the tests that need one."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.cluster.node import fixtures as node_fixtures
from tests.deployers.programs.pods.clusters import DEPLOYER, Host

from landform.cluster import kubeconfig
from landform.cluster.http import HttpCluster

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.cluster.node.nodes import Node

collect_ignore_glob = [] if node_fixtures.wanted() else ["test_real_*"]


def pytest_configure(config: pytest.Config) -> None:
    node_fixtures.install(config)


@pytest.fixture
async def host(node: Node) -> AsyncIterator[Host]:
    """A namespace of a cluster with a node, which takes only pods of the level *restricted*."""
    namespace = f"host-{uuid.uuid4().hex[:10]}"
    node.plane.kubectl("create", "namespace", namespace)
    node.plane.kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted")
    role = Path(__file__).with_name("host-role.yaml")
    node.plane.kubectl("create", "-f", str(role), f"--namespace={namespace}")
    rights = ("--role=landform-programs", f"--user={DEPLOYER}", f"--namespace={namespace}")
    node.plane.kubectl("create", "rolebinding", "deployer", *rights)
    cluster = HttpCluster(kubeconfig.load(node.plane.kubeconfig))
    try:
        yield Host(cluster, namespace, node.plane)
    finally:
        await cluster.close()
        node.plane.kubectl("delete", "namespace", namespace, "--wait=false")
