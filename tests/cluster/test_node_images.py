"""Archives of images: the same bytes each time, and Python whose bytecode is taken as it is."""

from __future__ import annotations

import importlib.util
import json
import sys
import tarfile
from typing import TYPE_CHECKING

from tests.cluster.node import archives, images, pythonfiles
from tests.cluster.node.archives import Entry, Settings

if TYPE_CHECKING:
    from pathlib import Path

LAYER = {"bin/sh": Entry(b"#!", 0o755), "bin/cat": Entry(link="sh"), "tmp/": Entry(mode=0o1777)}


def test_an_archive_has_the_same_bytes_each_time(tmp_path: Path) -> None:
    for name in ("first", "second"):
        archives.write(tmp_path / name, "localhost/small:1", [LAYER], Settings(command=["sh"]))
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()


def test_a_layer_has_folders_links_and_modes_and_belongs_to_root(tmp_path: Path) -> None:
    archives.write(tmp_path / "image", "localhost/small:1", [LAYER], Settings(user="1000:3000"))
    with tarfile.open(tmp_path / "image") as outer:
        [described] = json.load(outer.extractfile("manifest.json") or sys.stdin)
        config = json.load(outer.extractfile(described["Config"]) or sys.stdin)
        with tarfile.open(fileobj=outer.extractfile(described["Layers"][0])) as layer:
            members = {member.name: member for member in layer}
    assert described["RepoTags"] == ["localhost/small:1"]
    assert config["config"]["User"] == "1000:3000"
    assert list(members) == ["bin", "bin/cat", "bin/sh", "tmp"]
    assert members["bin"].isdir()
    assert members["bin/cat"].linkname == "sh"
    assert [members[name].mode for name in ("bin", "bin/sh", "tmp")] == [0o755, 0o755, 0o1777]
    assert {(member.uid, member.gid, member.mtime) for member in members.values()} == {(0, 0, 0)}


def test_bytecode_lies_where_python_looks_and_is_not_compared_with_its_source() -> None:
    layer = pythonfiles.with_bytecode({"lib/one.py": Entry(b"x = 1"), "lib/broken.py": Entry(b"x ="), "data": Entry()})
    [compiled] = sorted(set(layer) - {"lib/one.py", "lib/broken.py", "data"})
    assert compiled == importlib.util.cache_from_source("lib/one.py")
    flags = int.from_bytes(layer[compiled].content[4:8], "little")
    assert flags == 0b01  # by hash, unchecked


def test_landforms_image_has_what_it_needs_and_nothing_for_development() -> None:
    names = {distribution.name.lower() for distribution in pythonfiles.distributions("landform", ["fast"])}
    assert {"aiohttp", "yarl", "uvloop", "pyyaml"} <= names
    assert not {"landform", "pytest", "mypy", "ruff", "hypothesis"} & names


def test_an_image_is_made_once_for_the_same_content() -> None:
    before = images.shell().stat().st_ino
    images.shell.cache_clear()
    assert images.shell().stat().st_ino == before
