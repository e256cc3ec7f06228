"""The Containerfile builds, without any registry: on a base made here, with wheels fetched beforehand."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.cluster.controlplane.build import cache_folder
from tests.cluster.node import fixtures, images

if TYPE_CHECKING:
    from tests.cluster.node.podman import Podman

pytestmark = [*fixtures.MARKS]

REPOSITORY = Path(__file__).parents[2]
CONSTRAINTS = REPOSITORY / "constraints.txt"


@pytest.fixture(scope="module")
def wheels() -> Path:
    """Everything that building needs from the package index, fetched once for the same constraints."""
    digest = hashlib.sha256(CONSTRAINTS.read_bytes() + (REPOSITORY / "pyproject.toml").read_bytes()).hexdigest()[:16]
    folder = cache_folder(os.environ).parent.parent / "wheels" / digest
    fetched = folder / ".complete"
    if not fetched.exists():
        pip = [sys.executable, "-m", "pip", "download", "--quiet", f"--constraint={CONSTRAINTS}", f"--dest={folder}"]
        subprocess.run([*pip, f"{REPOSITORY}[fast]", "setuptools>=77"], check=True)
        fetched.touch()
    return folder


def test_it_builds_an_image_that_runs_as_an_ordinary_user_with_a_read_only_root(podman: Podman, wheels: Path) -> None:
    podman.load(images.build_base())
    podman.run(
        "build",
        f"--file={REPOSITORY}/images/Containerfile",
        f"--ignorefile={REPOSITORY}/images/Containerfile.dockerignore",
        f"--build-arg=PYTHON={images.BUILD_BASE}",
        f"--volume={wheels}:{images.WHEELS}:ro",
        "--layers=false",
        "--pull-never",
        "--network=none",
        "--tag=localhost/built:1",
        str(REPOSITORY),
    )
    hardened = ("run", "--rm", "--read-only", "--cap-drop=all", "--network=none")
    assert podman.run(*hardened, "localhost/built:1", "--version").startswith("landform")
    question = (
        "import json, os, click, landform.cli.main as main;"
        "print(os.getuid(), os.getgid(), *(os.path.exists(module.__cached__) for module in (json, click, main)))"
    )
    answer = podman.run(*hardened, "--entrypoint=python", "localhost/built:1", "-c", question)
    assert answer == "1000 3000 True True True\n"
