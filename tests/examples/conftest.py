"""Places for the programs of examples: a folder, and in the run on a real cluster a real podman."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.cluster.node import fixtures

if TYPE_CHECKING:
    from collections.abc import Iterator

collect_ignore = [] if fixtures.wanted() else ["test_image_examples.py"]


def pytest_configure(config: pytest.Config) -> None:
    fixtures.install(config)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the user of programs can get to, whoever runs the tests."""
    path = Path(tempfile.mkdtemp(prefix="landform-examples-"))
    os.chmod(path, 0o711)
    yield path
    shutil.rmtree(path)
