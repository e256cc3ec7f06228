"""The images that tests run, made from files of this machine and of Debian's packages, kept outside the repository."""

from __future__ import annotations

import fcntl
import functools
import hashlib
import importlib.metadata
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.cluster.controlplane.build import cache_folder
from tests.cluster.node import archives, packages, pythonfiles
from tests.cluster.node.archives import Entry, Settings

import landform

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.cluster.node.archives import Layer

PAUSE = "localhost/pause:1"
"""What holds a pod's namespaces."""
SHELL = "localhost/sh:test"
"""A shell and the usual small programs, as root unless told otherwise."""
PYTHON = "localhost/python:test"
"""Python and its standard library; no shell."""
LANDFORM = "localhost/landform:test"
"""What `images/Containerfile` builds: Landform and all it needs; no shell."""
BUILD_BASE = "localhost/build-base:test"
"""Stands in for the base of `images/Containerfile`: Python, and a pip that takes packages from WHEELS only."""
WHEELS = "/wheels"

USER = "1000:3000"
KEPT_SECONDS = 86400.0
"""How long an archive that is no longer asked for is kept: another run may be about to load it."""

_PATH = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
_ROOMS: Layer = {"tmp/": Entry(mode=0o1777)}
_USERS: Layer = {
    "etc/passwd": Entry(b"root:x:0:0:root:/:/bin/sh\nlandform:x:1000:3000:landform:/tmp:/bin/sh\n"),
    "etc/group": Entry(b"root:x:0:\nlandform:x:3000:\n"),
}
_COMMAND = b"""\
#!/usr/local/bin/python
import sys
from landform.cli.main import main
sys.exit(main())
"""


@functools.cache
def pause() -> Path:
    """The archive of PAUSE."""
    command = Settings(entrypoint=["/bin/busybox", "sleep", "2147483647"])
    return _archive(PAUSE, lambda: [_busybox()], command, _digest([_busybox()]))


@functools.cache
def shell() -> Path:
    """The archive of SHELL."""
    layers: list[Layer] = [_busybox() | _applets() | _USERS | _ROOMS]
    return _archive(SHELL, lambda: layers, Settings(command=["/bin/sh"], environment=_PATH), _digest(layers))


@functools.cache
def python() -> Path:
    """The archive of PYTHON."""
    return _archive(PYTHON, lambda: [_python()], Settings(command=["python"], environment=_PATH), _python_key())


@functools.cache
def landform_image() -> Path:
    """The archive of LANDFORM, of the sources as they are at the first call."""
    needed = pythonfiles.distributions("landform", ["fast"])
    own = pythonfiles.source_tree(Path(landform.__file__).parent, "landform")
    own["usr/local/bin/landform"] = Entry(_COMMAND, 0o755)
    versions = [f"{each.name} {each.version}" for each in needed]

    def layers() -> list[Layer]:
        base, dependencies = _python(), pythonfiles.with_bytecode(pythonfiles.packages(needed))
        added = {path: entry for path, entry in dependencies.items() if path not in base}
        return [base, added, pythonfiles.with_bytecode(own)]

    settings = Settings(entrypoint=["landform"], user=USER, environment=_PATH | {"PYTHONUNBUFFERED": "1"})
    return _archive(LANDFORM, layers, settings, _digest([own], _python_key(), *versions))


@functools.cache
def build_base() -> Path:
    """The archive of BUILD_BASE."""
    pip = importlib.metadata.distribution("pip")
    settings = Settings(environment=_PATH | {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": WHEELS})
    key = f"{_python_key()} {pip.version}"
    return _archive(BUILD_BASE, lambda: [_python(), pythonfiles.packages([pip])], settings, key)


def everything() -> list[Path]:
    """The archives of all images that a test can ask for by name."""
    return [shell(), python(), landform_image()]


def _busybox() -> Layer:
    return {"bin/busybox": Entry(packages.program("busybox").read_bytes(), 0o755)}


def _applets() -> Layer:
    names = subprocess.run([packages.program("busybox"), "--list"], capture_output=True, text=True, check=True).stdout
    return {f"bin/{name}": Entry(link="busybox") for name in names.split() if name != "busybox"}


@functools.cache
def _python() -> Layer:
    return pythonfiles.with_bytecode(pythonfiles.interpreter()) | _USERS | _ROOMS


def _python_key() -> str:
    return f"{sys.version} {Path(sys.executable).resolve()}"


def _archive(name: str, layers: Callable[[], list[Layer]], settings: Settings, key: str) -> Path:
    """The archive of an image; `key` changes with the content, which is made only when it is not there yet."""
    stem = name.removeprefix("localhost/").partition(":")[0]
    folder = cache_folder(os.environ).parent.parent / "images"
    archive = folder / f"{stem}-{_digest([], key, _builders())}.tar"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f".{stem}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not archive.exists():
            archives.write(archive, name, layers(), settings)
        os.utime(archive)
        for other in folder.glob(f"{stem}-*.tar"):
            if other.stat().st_mtime < time.time() - KEPT_SECONDS:
                other.unlink()
    return archive


def _builders() -> str:
    """What makes the images, so that they are made anew when it changes."""
    return "".join(Path(module).read_text() for module in (__file__, archives.__file__, pythonfiles.__file__))


def _digest(layers: Iterable[Layer], *more: str) -> str:
    digest = hashlib.sha256("\0".join(more).encode())
    for layer in layers:
        for path, entry in sorted(layer.items()):
            digest.update(f"\0{path}\0{entry.mode}\0{entry.link}\0{len(entry.content)}\0".encode())
            digest.update(entry.content)
    return digest.hexdigest()[:16]
