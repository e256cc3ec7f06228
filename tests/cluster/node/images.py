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
    from collections.abc import Callable

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
KEPT_SECONDS = 3600.0
"""How long a file that is no longer asked for is kept: another run may be about to load it."""

_PATH = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
_TEMPORARY: Layer = {"tmp/": Entry(mode=0o1777)}
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
    return _archive(PAUSE, [_shell()], Settings(entrypoint=["/bin/sleep", "2147483647"]))


@functools.cache
def shell() -> Path:
    """The archive of SHELL."""
    return _archive(SHELL, [_shell()], Settings(command=["/bin/sh"], environment=_PATH))


@functools.cache
def python() -> Path:
    """The archive of PYTHON."""
    return _archive(PYTHON, [_python()], Settings(command=["python"], environment=_PATH))


@functools.cache
def landform_image() -> Path:
    """The archive of LANDFORM, of the sources as they are at the first call."""
    needed = pythonfiles.distributions("landform", ["fast"])
    versions = [f"{each.name} {each.version}" for each in needed]
    own = pythonfiles.source_tree(Path(landform.__file__).parent, "landform")
    own["usr/local/bin/landform"] = Entry(_COMMAND, 0o755)

    def dependencies() -> Layer:
        base = pythonfiles.interpreter()
        added = {path: entry for path, entry in pythonfiles.packages(needed).items() if path not in base}
        return pythonfiles.with_bytecode(added)

    layers = [
        _python(),
        _layer("dependencies", _digest({}, _python_key(), *versions), dependencies),
        _layer("sources", _digest(own), lambda: pythonfiles.with_bytecode(own)),
    ]
    settings = Settings(entrypoint=["landform"], user=USER, environment=_PATH | {"PYTHONUNBUFFERED": "1"})
    return _archive(LANDFORM, layers, settings)


@functools.cache
def build_base() -> Path:
    """The archive of BUILD_BASE."""
    pip = importlib.metadata.distribution("pip")
    installer = _layer("pip", _digest({}, pip.version), lambda: pythonfiles.packages([pip]))
    settings = Settings(environment=_PATH | {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": WHEELS})
    return _archive(BUILD_BASE, [_python(), installer], settings)


def of_program(name: str, source: Path) -> Path:
    """The archive of an image that runs one file of Python, as a user would build it."""
    layer: Layer = {source.name: Entry(source.read_bytes())}
    settings = Settings(entrypoint=["python", f"/{source.name}"], user=USER, environment=_PATH)
    return _archive(name, [_python(), _layer(source.stem, _digest(layer), lambda: layer)], settings)


def everything() -> list[Path]:
    """The archives of all images that a test can ask for by name."""
    return [shell(), python(), landform_image()]


def _shell() -> Path:
    layer = _busybox() | _USERS | _TEMPORARY
    return _layer("shell", _digest(layer), lambda: layer)


def _python() -> Path:
    def interpreter() -> Layer:
        return pythonfiles.with_bytecode(pythonfiles.interpreter()) | _USERS | _TEMPORARY

    return _layer("interpreter", _digest({}, _python_key()), interpreter)


def _python_key() -> str:
    return f"{sys.version} {Path(sys.executable).resolve()}"


def _busybox() -> Layer:
    program = packages.program("busybox")
    names = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout.split()
    applets = {f"bin/{name}": Entry(link="busybox") for name in names if name != "busybox"}
    return {"bin/busybox": Entry(program.read_bytes(), 0o755)} | applets


def _layer(stem: str, key: str, make: Callable[[], Layer]) -> Path:
    """A packed layer; `key` changes with the content, which is made only when it is not there yet."""
    return _kept(f"layer-{stem}", key, lambda place: place.write_bytes(archives.pack(make())))


def _archive(name: str, layers: list[Path], settings: Settings) -> Path:
    """The archive of an image of packed layers."""
    stem = name.removeprefix("localhost/").partition(":")[0]
    key = _digest({}, repr(settings), *(layer.name for layer in layers))
    return _kept(
        stem, key, lambda place: archives.write(place, name, [layer.read_bytes() for layer in layers], settings)
    )


def _kept(stem: str, key: str, make: Callable[[Path], object]) -> Path:
    """A file of the cache, made if it is not there; those of its stem that nobody asks for any more are removed."""
    folder = cache_folder(os.environ).parent.parent / "images"
    kept = folder / f"{stem}-{key}.tar"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f".{stem}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            unfinished = folder / f".{stem}.unfinished"
            make(unfinished)
            unfinished.rename(kept)
        os.utime(kept)
        for other in folder.glob(f"{stem}-{'?' * len(key)}.tar"):
            if other.stat().st_mtime < time.time() - KEPT_SECONDS:
                other.unlink()
    return kept


@functools.cache
def _builders() -> str:
    """What makes the images, so that they are made anew when it changes."""
    return "".join(Path(module).read_text() for module in (__file__, archives.__file__, pythonfiles.__file__))


def _digest(layer: Layer, *more: str) -> str:
    digest = hashlib.sha256("\0".join([_builders(), *more]).encode())
    for path, entry in sorted(layer.items()):
        digest.update(f"\0{path}\0{entry.mode}\0{entry.link}\0{len(entry.content)}\0".encode())
        digest.update(entry.content)
    return digest.hexdigest()[:16]
