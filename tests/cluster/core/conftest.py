"""A control plane with the definitions of `landform crds`, controllers on it, and a user."""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING

import pytest
from tests.cli import processes
from tests.cluster.controlplane.plane import ControlPlane
from tests.cluster.core.replicas import replica
from tests.cluster.core.users import User

from landform.api.catalog import KINDS
from landform.cluster import kubeconfig
from landform.cluster.http import HttpCluster

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator


@pytest.fixture(scope="session")
def plane() -> Iterator[ControlPlane]:
    """A plane of this folder's own: controllers would get in the way of other tests."""
    with ControlPlane() as plane:
        code, definitions, complaints = processes.run("crds")
        assert code == 0, complaints
        plane.kubectl("apply", "--server-side", "--filename=-", input=definitions)
        names = [f"crd/{info.plural}.{info.group}" for info in KINDS]
        plane.kubectl("wait", "--for=condition=Established", "--timeout=60s", *names)
        yield plane


@pytest.fixture(scope="session")
def controller(plane: ControlPlane) -> Iterator[None]:
    """One replica, which works from the first test that needs it to the last."""
    with replica(plane, "alone"):
        yield


@pytest.fixture
async def user(plane: ControlPlane) -> AsyncIterator[User]:
    """A user with a fresh namespace, which has its default Context as soon as a controller runs."""
    name = f"core-{uuid.uuid4().hex[:10]}"
    context = {"apiVersion": "landscaper.gardener.cloud/v1alpha1", "kind": "Context", "metadata": {"name": "default"}}
    plane.kubectl("create", "namespace", name)
    plane.kubectl(f"--namespace={name}", "apply", "--filename=-", input=json.dumps(context))
    async with HttpCluster(kubeconfig.load(plane.kubeconfig)) as cluster:
        yield User(plane, cluster, name)
