"""Debian's packages without installing them: fetched and unpacked into the cache folder, once per list of packages."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.cluster.controlplane.build import cache_folder

NODE = ("containerd", "runc", "containernetworking-plugins", "iptables")
ENGINE = ("podman", "runc", "containernetworking-plugins", "iptables")
SHELL = ("busybox-static",)
ALL = tuple(sorted({*NODE, *ENGINE, *SHELL}))

_MERGED = ("bin", "lib", "lib64", "sbin")
"""Folders that packages may still name at the root, and that are links into /usr on every machine."""

_ALTERNATIVES = {"usr/sbin/iptables": "iptables-nft", "usr/sbin/ip6tables": "ip6tables-nft"}
"""Links that only the installation of a package makes."""


class PackageError(Exception):
    """Packages cannot be fetched; the text has apt's words."""


def unpacked(packages: tuple[str, ...] = ALL) -> Path:
    """A folder with the files of these packages and of what they need and this machine lacks, laid out as from /."""
    digest = hashlib.sha256(" ".join(packages).encode()).hexdigest()[:12]
    folder = cache_folder(os.environ).parent.parent / "packages" / digest
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with (folder.parent / f".{digest}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.exists():
                _fetch(packages, folder)
    return folder


def program(name: str) -> Path:
    """Where a program of these packages is, for use outside a room: unpacked, or installed on this machine."""
    here = unpacked() / "usr" / "bin" / name
    found = here if here.exists() else shutil.which(name)
    if found is None:
        raise PackageError(f"Debian's packages {', '.join(ALL)} have brought no program {name}")
    return Path(found)


def _fetch(packages: tuple[str, ...], folder: Path) -> None:
    with tempfile.TemporaryDirectory(prefix=".fetching-", dir=folder.parent) as work:
        archives, files = Path(work) / "archives", Path(work) / "files"
        (archives / "partial").mkdir(parents=True)
        try:
            _download(packages, archives)
        except PackageError:
            _run("apt-get", "update")  # a machine that has only the base image has no lists of packages
            _download(packages, archives)
        _unpack(archives, files)
        files.rename(folder)


def _download(packages: tuple[str, ...], archives: Path) -> None:
    options = ("--yes", "--download-only", "--no-install-recommends", f"--option=Dir::Cache::archives={archives}")
    _run("apt-get", "install", *options, *packages)


def _unpack(archives: Path, files: Path) -> None:
    for name in _MERGED:
        (files / "usr" / name).mkdir(parents=True)
        (files / name).symlink_to(f"usr/{name}")
    for package in sorted(archives.glob("*.deb")):
        # dpkg's own unpacking would replace the links by folders.
        content = subprocess.run(["dpkg-deb", "--fsys-tarfile", package], capture_output=True, check=True).stdout
        subprocess.run(["tar", "-x", "--keep-directory-symlink", f"--directory={files}"], input=content, check=True)
    for link, target in _ALTERNATIVES.items():
        if (files / link).with_name(target).exists():
            with contextlib.suppress(FileExistsError):
                (files / link).symlink_to(target)


def _run(*command: str) -> None:
    if shutil.which(command[0]) is None:
        raise PackageError(f"no `{command[0]}` on the PATH; the node's programs come from Debian's packages")
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        raise PackageError(f"`{' '.join(command)}` failed with exit code {done.returncode}:\n{done.stderr.strip()}")
