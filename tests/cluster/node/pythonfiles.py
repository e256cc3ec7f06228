"""The files of a Python program as a layer of an image: interpreter, libraries, packages, with their bytecode."""

from __future__ import annotations

import importlib.metadata
import os
import py_compile
import re
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tests.cluster.node.archives import Entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.cluster.node.archives import Layer

VERSION = f"python{sys.version_info.major}.{sys.version_info.minor}"
LIBRARY = f"usr/local/lib/{VERSION}"
PACKAGES = f"{LIBRARY}/site-packages"

_LEFT_OUT = frozenset(
    {"__pycache__", "ensurepip", "idlelib", "lib2to3", "pydoc_data", "site-packages", "test", "tkinter", "turtledemo"}
)
_LEFT_OUT_PREFIXES = ("_ctypes_test.", "_test", "_tkinter.", "_xxtestfuzz.", "config-")
"""What is left out of the standard library: no program needs it, and it is half of the size."""

_LOADED = re.compile(r"^\s*(?:(?P<name>\S+) => )?(?P<path>/\S+) \(0x", re.MULTILINE)
"""A line of ldd: a library's name and where it is, or the loader by its path alone."""


def interpreter() -> Layer:
    """This machine's Python with its standard library and every shared library that they load."""
    program = Path(sys.executable).resolve()
    library = Path(sysconfig.get_path("stdlib"))
    layer = {
        f"usr/local/bin/{VERSION}": Entry(program.read_bytes(), 0o755),
        "usr/local/bin/python3": Entry(link=VERSION),
        "usr/local/bin/python": Entry(link=VERSION),
    }
    sources = list(_walk(library))
    layer |= {f"{LIBRARY}/{path.relative_to(library)}": _entry(path) for path in sources}
    return layer | shared_libraries([program, *sources])


def distributions(name: str, extras: Iterable[str] = ()) -> list[importlib.metadata.Distribution]:
    """What a distribution needs, without itself, as it is installed in this environment."""
    found: dict[str, importlib.metadata.Distribution] = {}
    open_names = [(canonicalize_name(name), frozenset(extras))]
    while open_names:
        distribution_name, wanted = open_names.pop()
        for text in importlib.metadata.distribution(distribution_name).requires or ():
            requirement = Requirement(text)
            marker = requirement.marker
            if marker and not any(marker.evaluate({"extra": extra}) for extra in {"", *wanted}):
                continue
            needed = canonicalize_name(requirement.name)
            if needed not in found:
                found[needed] = importlib.metadata.distribution(needed)
                open_names.append((needed, frozenset(requirement.extras)))
    return [found[key] for key in sorted(found)]


def packages(needed: Iterable[importlib.metadata.Distribution]) -> Layer:
    """The files of installed distributions, and the shared libraries that they load."""
    places = {
        str(file): Path(str(file.locate()))
        for distribution in needed
        for file in distribution.files or ()
        if "__pycache__" not in file.parts and ".." not in file.parts
    }
    layer = {f"{PACKAGES}/{name}": _entry(path) for name, path in places.items()}
    return layer | shared_libraries(places.values())


def source_tree(package: Path, name: str) -> Layer:
    """The sources of a package as an installed distribution."""
    distribution = importlib.metadata.distribution(name)
    layer = {f"{PACKAGES}/{package.name}/{path.relative_to(package)}": _entry(path) for path in _walk(package)}
    described = Entry((distribution.read_text("METADATA") or "").encode())
    return layer | {f"{PACKAGES}/{name}-{distribution.version}.dist-info/METADATA": described}


def with_bytecode(layer: Layer) -> Layer:
    """The layer and the bytecode of its sources, which is taken as it is: nobody changes an image's files."""
    compiled: Layer = {}
    with tempfile.TemporaryDirectory() as scratch:
        source, target = Path(scratch) / "source.py", Path(scratch) / "target.pyc"
        for path, entry in layer.items():
            if not path.endswith(".py"):
                continue
            source.write_bytes(entry.content)
            mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
            if py_compile.compile(str(source), str(target), dfile=f"/{path}", invalidation_mode=mode, quiet=2):
                folder, name = os.path.split(path)
                cached = f"{folder}/__pycache__/{name.removesuffix('.py')}.{sys.implementation.cache_tag}.pyc"
                compiled[cached] = Entry(target.read_bytes())
    return layer | compiled


def shared_libraries(programs: Iterable[Path]) -> Layer:
    """What the loader needs for these programs and modules, where it looks without being told."""
    loaded = [str(path) for path in programs if path.suffix == ".so" or os.access(path, os.X_OK)]
    # Scripts among them make ldd fail, and say nothing of the others.
    answer = subprocess.run(["ldd", *loaded], capture_output=True, text=True, check=False).stdout
    found = {match["name"] or match["path"]: Path(match["path"]) for match in _LOADED.finditer(answer)}
    place = str(found["libc.so.6"].parent).lstrip("/") if "libc.so.6" in found else "lib"
    return {
        name.lstrip("/") if name.startswith("/") else f"{place}/{name}": Entry(path.read_bytes(), 0o755)
        for name, path in found.items()
    }


def _walk(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if _is_needed(name))
        yield from (Path(place) / name for name in sorted(names) if _is_needed(name))


def _is_needed(name: str) -> bool:
    return name not in _LEFT_OUT and not name.startswith(_LEFT_OUT_PREFIXES)


def _entry(path: Path) -> Entry:
    return Entry(path.read_bytes(), 0o755 if os.access(path, os.X_OK) else 0o644)
