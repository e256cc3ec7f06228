"""A folder comes back from its archive byte for byte; what cannot is refused by name."""

from __future__ import annotations

import gzip
import io
import os
import socket
import stat
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from tests.deployers.programs.trees import Node, Tree, describe, make, trees

from landform.deployers.programs.contract.contract import Owner
from landform.deployers.programs.contract.faults import Refused, TooLarge
from landform.deployers.programs.files import archives
from landform.deployers.programs.files.archives import Limits, Summary

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = os.geteuid() == 0


def packed(folder: Path) -> bytes:
    out = io.BytesIO()
    archives.pack(folder, out)
    return out.getvalue()


def there_and_back(tree: Tree) -> tuple[Tree, bytes, bytes, Summary, Summary]:
    """The tree after packing and unpacking, its archive, that of the copy, and what was said of both."""
    with tempfile.TemporaryDirectory() as place:
        folder, copy = make(Path(place, "folder"), tree), Path(place, "copy")
        copy.mkdir()
        out = io.BytesIO()
        before = archives.pack(folder, out)
        after = archives.unpack(io.BytesIO(out.getvalue()), copy)
        return describe(copy), out.getvalue(), packed(copy), before, after


@given(trees)
@settings(max_examples=60)
def test_any_folder_comes_back_as_it_was(tree: Tree) -> None:
    found, archive, again, before, after = there_and_back(tree)
    assert found == tree
    assert again == archive
    assert before == after
    assert before.entries == len(tree)
    assert before.size == sum(len(node.content or b"") for node in tree.values())


@given(trees)
@settings(max_examples=20)
def test_python_and_everyone_else_can_read_an_archive(tree: Tree) -> None:
    _, archive, *_ = there_and_back(tree)
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(archive)), errors="surrogateescape") as read:
        assert {os.fsencode(name) for name in read.getnames()} == set(tree)


def test_an_archive_depends_only_on_what_is_in_the_folder(tmp_path: Path) -> None:
    tree = {name: Node(name * 3, 0o644) for name in (b"c", b"a", b"b")}
    one, other = make(tmp_path / "one", tree), make(tmp_path / "other", {})
    for name in (b"b", b"c", b"a"):
        (other / os.fsdecode(name)).write_bytes(name * 3)
        os.utime(other / os.fsdecode(name), (1_700_000_000, 1_700_000_000))
        (other / os.fsdecode(name)).chmod(0o644)
    assert packed(one) == packed(other)


def test_large_files_that_shrink_and_that_do_not_come_back(tmp_path: Path) -> None:
    noise = os.urandom(1_300_000)
    tree = {
        b"noise": Node(noise, 0o600),
        b"text": Node(b"all work and no play\n" * 100_000, 0o600),
        b"zeros": Node(bytes(3_000_001), 0o600),
        b"both": Node(noise[:700_000] + bytes(900_000) + noise[700_000:], 0o600),
    }
    found, archive, *_ = there_and_back(tree)
    assert found == tree
    assert len(archive) < 2 * len(noise) + 400_000


def test_files_without_any_permission_are_kept_with_none() -> None:
    tree = {
        b"closed": Node(None, 0o000),
        b"closed/file": Node(b"x", 0o000),
        b"readonly": Node(None, 0o555),
        b"readonly/inner": Node(None, 0o500),
        b"readonly/inner/file": Node(b"y", 0o444),
    }
    found, *_ = there_and_back(tree)
    assert found == tree


def test_a_long_chain_of_long_names_comes_back() -> None:
    tree: Tree = {}
    path = b""
    for number in range(12):
        path += (b"/" if path else b"") + b"%02d-" % number + b"n" * 200
        tree[path] = Node(None, 0o755)
    tree[path + b"/file"] = Node(b"deep", 0o644)
    assert there_and_back(tree)[0] == tree


def test_hard_links_become_files_of_their_own(tmp_path: Path) -> None:
    folder = make(tmp_path / "folder", {b"a": Node(b"same", 0o640)})
    os.link(folder / "a", folder / "b")
    copy = make(tmp_path / "copy", {})
    archives.unpack(io.BytesIO(packed(folder)), copy)
    assert {name: node.content for name, node in describe(copy).items()} == {b"a": b"same", b"b": b"same"}
    assert (copy / "a").stat().st_nlink == 1


def test_only_who_may_read_write_and_execute_is_kept_of_a_mode(tmp_path: Path) -> None:
    folder = make(tmp_path / "folder", {b"tool": Node(b"#!", 0o755)})
    (folder / "tool").chmod(0o4755)
    copy = make(tmp_path / "copy", {})
    archives.unpack(io.BytesIO(packed(folder)), copy)
    assert stat.S_IMODE((copy / "tool").stat().st_mode) == 0o755


def _pipe(place: Path) -> None:
    os.mkfifo(place)


def _link(place: Path) -> None:
    place.symlink_to("/etc/hostname")


def _dangling(place: Path) -> None:
    place.symlink_to("nowhere")


def _socket(place: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(place))


def _device(place: Path) -> None:
    try:
        os.mknod(place, 0o600 | stat.S_IFCHR, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("only root makes devices")


@pytest.mark.parametrize(
    ("put", "said"),
    [
        (_pipe, "a named pipe"),
        (_link, "a symbolic link"),
        (_dangling, "a symbolic link"),
        (_socket, "a socket"),
        (_device, "a device"),
    ],
)
def test_what_is_neither_file_nor_folder_is_refused_by_name(
    tmp_path: Path, put: Callable[[Path], None], said: str
) -> None:
    folder = make(tmp_path / "folder", {b"ok": Node(b"", 0o644), b"sub": Node(None, 0o755)})
    put(folder / "sub" / "odd")
    with pytest.raises(Refused, match=f"sub/odd is {said}; only files and folders can be kept: leave .* in its place"):
        packed(folder)


def test_a_name_that_is_no_text_is_told_as_text(tmp_path: Path) -> None:
    folder = make(tmp_path / "folder", {})
    os.symlink("x", os.fsencode(folder) + b"/\xff\xe4")
    with pytest.raises(Refused) as caught:
        packed(folder)
    assert r"\xff\xe4 is a symbolic link" in str(caught.value)
    str(caught.value).encode()


@pytest.mark.parametrize("put", [_link, _pipe, Path.touch])
def test_something_else_in_place_of_the_folder_is_refused(tmp_path: Path, put: Callable[[Path], None]) -> None:
    put(tmp_path / "state")
    with pytest.raises(Refused, match="state is no folder any more"):
        packed(tmp_path / "state")


@pytest.mark.parametrize(("change", "said"), [(Path.unlink, "vanished while"), (Path.touch, None)])
def test_a_file_that_vanishes_while_the_folder_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None], said: str | None
) -> None:
    folder = make(tmp_path / "folder", {b"a": Node(b"1", 0o644)})
    listed = os.listdir

    def list_and_change(place: int) -> list[str]:
        found = listed(place)
        change(folder / "a")
        return found

    monkeypatch.setattr(os, "listdir", list_and_change)
    if said is None:
        assert packed(folder)
    else:
        with pytest.raises(Refused, match=f"a {said}"):
            packed(folder)


def test_folders_in_folders_without_end_are_refused(tmp_path: Path) -> None:
    deep = tmp_path / "folder"
    for _ in range(140):
        deep /= "d"
    deep.mkdir(parents=True)
    with pytest.raises(Refused, match="more than 128 folders deep"):
        packed(tmp_path / "folder")


def test_more_than_is_allowed_is_refused(tmp_path: Path) -> None:
    folder = make(tmp_path / "folder", {b"a": Node(b"1234", 0o644), b"b": Node(b"5678", 0o644)})
    with pytest.raises(TooLarge, match="more than 1 files and folders"):
        archives.pack(folder, io.BytesIO(), limits=Limits(entries=1))
    with pytest.raises(TooLarge, match="more than 7 bytes"):
        archives.pack(folder, io.BytesIO(), limits=Limits(size=7))
    archives.pack(folder, io.BytesIO(), limits=Limits(entries=2, size=8))


@pytest.mark.skipif(not ROOT, reason="only root gives files away")
def test_unpacked_files_and_folders_belong_to_whom_they_should(tmp_path: Path) -> None:
    folder = make(tmp_path / "folder", {b"sub": Node(None, 0o700), b"sub/file": Node(b"x", 0o600)})
    copy = make(tmp_path / "copy", {})
    archives.unpack(io.BytesIO(packed(folder)), copy, owner=Owner(1000, 2000))
    for path in ("sub", "sub/file"):
        said = (copy / path).stat()
        assert (said.st_uid, said.st_gid) == (1000, 2000)
    assert describe(copy) == describe(folder)


@pytest.mark.skipif(not ROOT, reason="only root becomes another user")
def test_a_user_packs_what_it_took_its_own_permissions_from(tmp_path: Path) -> None:
    tree = {b"closed": Node(None, 0o000), b"closed/file": Node(b"x", 0o000)}
    folder = make(tmp_path / "folder", tree)
    for path in (folder, folder / "closed", folder / "closed" / "file"):
        os.chown(path, 1000, 1000)
    archive = _packed_by_user_1000(folder)
    copy = make(tmp_path / "copy", {})
    archives.unpack(io.BytesIO(archive), copy)
    assert describe(copy) == describe(folder) == tree


def _packed_by_user_1000(folder: Path) -> bytes:
    """Packed in a process that becomes that user once it has loaded what it needs, in a folder that it got open."""
    code = (
        "import os, sys; from pathlib import Path; from landform.deployers.programs.files import archives;"
        "os.setgroups([]); os.setresgid(1000, 1000, 1000); os.setresuid(1000, 1000, 1000);"
        "archives.pack(Path('.'), sys.stdout.buffer)"
    )
    return subprocess.run([sys.executable, "-c", code], cwd=folder, check=True, capture_output=True).stdout


def test_the_command_tar_reads_an_archive_and_we_read_its_archives(tmp_path: Path) -> None:
    tree = {
        b"sub": Node(None, 0o750),
        b"sub/" + b"long" * 40: Node(b"content", 0o640),
        "sub/ä漢".encode(): Node(os.urandom(3000), 0o600),
        b"sub/\xff": Node(b"", 0o644),
    }
    folder = make(tmp_path / "folder", tree)
    (tmp_path / "ours.tgz").write_bytes(packed(folder))
    one, other = make(tmp_path / "one", {}), make(tmp_path / "other", {})
    subprocess.run(["tar", "xpzf", tmp_path / "ours.tgz", "-C", one], check=True)
    assert describe(one) == tree
    for form in ("gnu", "posix"):
        subprocess.run(["tar", f"--format={form}", "-czf", tmp_path / "theirs.tgz", "-C", folder, "."], check=True)
        with open(tmp_path / "theirs.tgz", "rb") as file:
            archives.unpack(file, make(other / form, {}))
        assert describe(other / form) == tree


def test_files_of_a_blueprint_are_packed_with_the_folders_on_their_way(tmp_path: Path) -> None:
    archive = archives.pack_files({"blueprint.yaml": b"a: 1", "charts/x/values.yaml": b""})
    archives.unpack(io.BytesIO(archive), tmp_path)
    assert (tmp_path / "blueprint.yaml").read_bytes() == b"a: 1"
    assert (tmp_path / "charts" / "x" / "values.yaml").read_bytes() == b""
    assert stat.S_IMODE((tmp_path / "charts").stat().st_mode) == 0o755
    assert stat.S_IMODE((tmp_path / "blueprint.yaml").stat().st_mode) == 0o644


def test_the_modules_that_containers_start_with_load_nothing_heavy() -> None:
    rooms = {
        "files": "archives, staging, collecting",
        "states": "statefiles, statewriting, slots",
        "tasks": "threads",
        "contract": "faults",
    }
    code = "".join(f"from landform.deployers.programs.{room} import {names}; " for room, names in rooms.items())
    code += "import sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not {"aiohttp", "msgspec", "yaml", "cryptography", "multidict"} & set(loaded)
