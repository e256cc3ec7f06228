"""One home for all tests of a module; each test has a namespace and a client of its own."""

from __future__ import annotations

import itertools
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.cluster.controlplane.build import cache_folder
from tests.embedded.clients.homes import Client, Home, running

if TYPE_CHECKING:
    from collections.abc import Iterator

_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    with running(tmp_path_factory.mktemp("home")) as home:
        yield home


@pytest.fixture(scope="module")
def kubectl_binary() -> str:
    """The machine's own kubectl, else the one built for the control plane."""
    built = cache_folder(os.environ) / "kubectl"
    binary = shutil.which("kubectl") or shutil.which(built)
    if binary is None:
        pytest.skip("no kubectl on the PATH nor in the control plane's cache")
    return binary


@pytest.fixture
def kubectl(kubectl_binary: str, home: Home) -> Client:
    """kubectl as the admin, in a fresh namespace."""
    client = Client(kubectl_binary, home, f"test-{next(_numbers)}")
    client("create", "namespace", client.namespace)
    return client


@pytest.fixture
def helm(home: Home) -> Client:
    """helm as the admin; it works in a namespace that is not there yet."""
    binary = shutil.which("helm", path=str(Path(sys.executable).parent)) or shutil.which("helm")
    if binary is None:
        pytest.skip("no helm beside this Python nor on the PATH")
    return Client(binary, home, f"test-{next(_numbers)}")
