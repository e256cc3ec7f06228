"""Whatever an archive holds, nothing outside of the folder is touched, and what is wrong is said."""

from __future__ import annotations

import gzip
import io
import tarfile
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.deployers.programs.trees import Node, describe, make

from landform.deployers.programs.contract.faults import Damaged, ProgramDataError, Refused, TooLarge
from landform.deployers.programs.files import archives
from landform.deployers.programs.files.archives import Limits

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def inside(tmp_path: Path) -> Iterator[Path]:
    """A folder to unpack into, with something beside it that must stay as it is."""
    around = make(tmp_path / "around", {b"precious": Node(b"gold", 0o600), b"folder": Node(None, 0o755)})
    yield around / "folder"
    assert (around / "precious").read_bytes() == b"gold"
    assert sorted(path.name for path in around.iterdir()) == ["folder", "precious"]


def archive_of(*members: tarfile.TarInfo, content: bytes = b"evil", format: int = tarfile.PAX_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=format) as archive:
        for member in members:
            if member.isreg():
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
            else:
                archive.addfile(member)
    return out.getvalue()


def member(name: str, type: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.mode = type, link, 0o755
    return info


def unpack(content: bytes, folder: Path, **limits: int) -> None:
    archives.unpack(io.BytesIO(gzip.compress(content)), folder, limits=Limits(**limits))


@pytest.mark.parametrize(
    "name", ["/precious", "../precious", "a/../../precious", "..", "/../precious", "a/..", "//precious"]
)
def test_a_path_that_leads_outside_is_refused(inside: Path, name: str) -> None:
    with pytest.raises(Refused, match="leads outside of the folder"):
        unpack(archive_of(member(name)), inside)


@pytest.mark.parametrize(
    ("type", "said"),
    [
        (tarfile.SYMTYPE, "a symbolic link"),
        (tarfile.LNKTYPE, "a hard link"),
        (tarfile.CHRTYPE, "a device"),
        (tarfile.BLKTYPE, "a device"),
        (tarfile.FIFOTYPE, "a named pipe"),
        (b"Z", "of an unknown kind"),
    ],
)
def test_what_is_neither_file_nor_folder_is_not_unpacked(inside: Path, type: bytes, said: str) -> None:
    with pytest.raises(Refused, match=f"odd is {said}; only files and folders are taken"):
        unpack(archive_of(member("odd", type, "../precious"), member("odd/file")), inside)
    assert describe(inside) == {}


def test_a_file_with_holes_is_not_unpacked(inside: Path) -> None:
    info = member("holes")
    info.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0"}
    with pytest.raises(Refused, match="a file with holes"):
        unpack(archive_of(info), inside)


@pytest.mark.parametrize(
    "names", [("a", "a"), ("a", "a/b"), ("a/b", "a"), ("a", "./a"), ("", "b"), (".", "b")], ids=" then ".join
)
def test_one_path_for_two_things_is_damage(inside: Path, names: tuple[str, str]) -> None:
    with pytest.raises(ProgramDataError):
        unpack(archive_of(*map(member, names)), inside)


def test_a_folder_may_be_named_twice_and_the_top_folder_too(inside: Path) -> None:
    folders = [member(name, tarfile.DIRTYPE) for name in ("./", "a/", "./a", "a/b")]
    unpack(archive_of(*folders), inside)
    assert set(describe(inside)) == {b"a", b"a/b"}


def test_limits_hold_before_anything_is_written(inside: Path) -> None:
    with pytest.raises(TooLarge, match="more than 3 bytes"):
        unpack(archive_of(member("a")), inside, size=3)
    assert describe(inside) == {}
    with pytest.raises(TooLarge, match="more than 1 files and folders"):
        unpack(archive_of(member("b", tarfile.DIRTYPE), member("c")), inside, entries=1)
    assert set(describe(inside)) == {b"b"}


def test_a_header_without_end_is_not_read_into_memory(inside: Path) -> None:
    for type in (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK):
        info = member("header", type)
        info.size = 1 << 33
        with pytest.raises(Damaged, match="has a header of 8589934592 bytes"):
            unpack(info.tobuf(tarfile.GNU_FORMAT), inside)


def test_a_path_that_no_system_takes_is_refused(inside: Path) -> None:
    with pytest.raises(Refused, match="more than 3072 bytes"):
        unpack(archive_of(member("x" * 200 + ("/" + "x" * 200) * 20)), inside)
    with pytest.raises(Refused, match="more than 128 folders deep"):
        unpack(archive_of(member("x/" * 1500 + "x")), inside)
    with pytest.raises(Refused, match="cannot be written: File name too long"):
        unpack(archive_of(member("x" * 300)), inside)


@pytest.mark.parametrize("mtime", ["1e300", "-1e300", str(1 << 70)])
def test_a_time_that_no_system_takes_is_damage(inside: Path, mtime: str) -> None:
    info = member("a")
    info.pax_headers = {"mtime": mtime}
    with pytest.raises(Damaged, match="seconds after 1970"):
        unpack(archive_of(info), inside)


@pytest.mark.parametrize("records", [b"x", b"0 a=b\n", b"7 path\n", b"99 path=a\n", b"9 path=ab", b"8 size=x\n"])
def test_an_extended_header_that_cannot_be_read_is_damage(inside: Path, records: bytes) -> None:
    info = member("header", tarfile.XHDTYPE)
    info.size = len(records)
    content = info.tobuf(tarfile.USTAR_FORMAT) + records.ljust(512, b"\0") + archive_of(member("a"))
    with pytest.raises(Damaged, match="extended header that cannot be read"):
        unpack(content, inside)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "its end is missing"),
        (b"no gzip at all", "it cannot be decompressed"),
        (gzip.compress(b""), "it ends too early"),
        (gzip.compress(b"no tar at all" * 100), "it is no tar archive"),
        (gzip.compress(archive_of(member("a")))[:-9], "its end is missing"),
        (gzip.compress(archive_of(member("a")))[:-8] + bytes(8), "it cannot be decompressed"),
        (gzip.compress(archive_of(member("a"))[:512]), "it ends within a"),
        (gzip.compress(archive_of(member("a"))[:600]), "it ends too early"),
    ],
)
def test_what_is_no_whole_archive_is_damage(inside: Path, content: bytes, said: str) -> None:
    with pytest.raises(Damaged, match=said):
        archives.unpack(io.BytesIO(content), inside)


@pytest.mark.parametrize("tail", [bytes(1000), b"\x1f\x8bstale", b"\0\0stale", gzip.compress(b"another")])
def test_what_follows_an_archive_is_ignored(inside: Path, tail: bytes) -> None:
    archives.unpack(io.BytesIO(gzip.compress(archive_of(member("a"))) + tail), inside)
    assert set(describe(inside)) == {b"a"}


@given(st.data())
@settings(max_examples=150)
def test_a_changed_archive_is_read_or_refused_and_never_worse(data: st.DataObject) -> None:
    members = [member("folder/", tarfile.DIRTYPE), member("folder/ä" + "n" * 120), member("b")]
    form = data.draw(st.sampled_from([tarfile.PAX_FORMAT, tarfile.GNU_FORMAT]))
    content = bytearray(archive_of(*members, format=form))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.sampled_from(b"\0 0179xLK5./=\xff\x80"))
    if data.draw(st.booleans()):
        _repair_checksums(content)
    with tempfile.TemporaryDirectory() as place:
        folder = make(Path(place, "around", "folder"), {})
        with suppress(ProgramDataError):
            unpack(bytes(content), folder, size=10_000, entries=10)
        assert [path.name for path in folder.parent.iterdir()] == ["folder"]


def _repair_checksums(content: bytearray) -> None:
    for start in range(0, len(content), 512):
        if content[start + 257 : start + 262] == b"ustar":
            total = sum(content[start : start + 148]) + 8 * 32 + sum(content[start + 156 : start + 512])
            content[start + 148 : start + 156] = b"%06o\0 " % total
