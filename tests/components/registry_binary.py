"""Debian's docker-registry, without installing it: its package is unpacked into the cache folder, once."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from tests.cluster.controlplane.build import cache_folder

_PACKAGE = "docker-registry"
_PLACE = Path("usr/bin/docker-registry")


@cache
def find() -> Path | None:
    """Where it is: named by LANDFORM_TEST_REGISTRY, on the path, in the cache, or fetched; None if it cannot be had."""
    known = os.environ.get("LANDFORM_TEST_REGISTRY") or shutil.which(_PACKAGE)
    if known:
        return Path(known)
    folder = cache_folder(os.environ).parent.parent / _PACKAGE
    return folder / _PLACE if (folder / _PLACE).exists() or _fetch(folder) else None


def _fetch(folder: Path) -> bool:
    if not shutil.which("apt-get") or not shutil.which("dpkg"):
        return False
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as work:
        # The lists of packages may be missing on a machine that has only the base image.
        if not _downloaded(work) and not (_ran(work, "apt-get", "update") and _downloaded(work)):
            return False
        [package] = Path(work).glob("*.deb")
        unpacked = Path(work) / "unpacked"
        if not _ran(work, "dpkg", "-x", str(package), str(unpacked)):
            return False
        unpacked.rename(folder)
    return True


def _downloaded(folder: str) -> bool:
    return _ran(folder, "apt-get", "download", _PACKAGE)


def _ran(folder: str, *command: str) -> bool:
    return subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=False).returncode == 0
