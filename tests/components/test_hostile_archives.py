"""Archives from strangers: whatever is in them, the answer comes within limits and nothing is written."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zlib
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landform.components import archives, artifacts
from landform.components.errors import ComponentError, Corrupt, TooLarge
from landform.components.limits import DEFAULT, Limits

if TYPE_CHECKING:
    from collections.abc import Callable

LIMITS = Limits(unpacked=1_000_000, entries=100, descriptor=10_000)


def tar(*members: tuple[str, bytes | Callable[[tarfile.TarInfo], None]]) -> bytes:
    """An archive of files, and of what is no file."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        for name, content in members:
            member = tarfile.TarInfo(name)
            if isinstance(content, bytes):
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
            else:
                content(member)
                archive.addfile(member)
    return target.getvalue()


def kind(code: bytes, target: str = "") -> Callable[[tarfile.TarInfo], None]:
    """A member that is no plain file."""

    def change(member: tarfile.TarInfo) -> None:
        member.type, member.linkname = code, target

    return change


def test_files_are_read_whether_compressed_or_not() -> None:
    content = tar(("./blueprint.yaml", b"a"), ("./docs", kind(tarfile.DIRTYPE)), ("docs//x.txt", b"b"))
    assert archives.files(content, LIMITS, "it") == {"blueprint.yaml": b"a", "docs/x.txt": b"b"}
    for compress in (gzip.compress, bz2.compress, lzma.compress):
        assert archives.files(compress(content), LIMITS, "it") == {"blueprint.yaml": b"a", "docs/x.txt": b"b"}


@pytest.mark.parametrize("compress", [bz2.compress, lzma.compress])
def test_other_compressions_have_the_same_limits(compress: Callable[[bytes], bytes]) -> None:
    several = compress(b"one") + compress(b"two") + b"\0\0\0\0"
    assert archives.decompressed(several, 10, "it") == b"onetwo"
    with pytest.raises(TooLarge):
        archives.decompressed(compress(bytes(2_000_000)), 1_000_000, "it")
    with pytest.raises(Corrupt, match="its end is missing"):
        archives.decompressed(compress(b"content")[:-3], 100, "it")
    with pytest.raises(Corrupt, match="it is compressed with"):
        archives.decompressed(compress(b"content") + b"more", 100, "it")


def test_an_archive_may_begin_with_the_name_of_a_compression() -> None:
    assert archives.files(tar(("BZh9.txt", b"a")), LIMITS, "it") == {"BZh9.txt": b"a"}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("/etc/passwd", b"x"),
        ("../outside", b"x"),
        ("a/../../outside", b"x"),
        ("link", kind(tarfile.SYMTYPE, "/etc/passwd")),
        ("hard", kind(tarfile.LNKTYPE, "a")),
        ("device", kind(tarfile.CHRTYPE)),
        ("block", kind(tarfile.BLKTYPE)),
        ("pipe", kind(tarfile.FIFOTYPE)),
        ("/".join(["d"] * 3000), b"x"),
    ],
    ids=["absolute", "parent", "parent inside", "symlink", "hard link", "device", "block device", "pipe", "long path"],
)
def test_what_has_no_place_in_an_archive_is_refused(name: str, content: Any) -> None:
    with pytest.raises(Corrupt, match="it has"):
        archives.files(tar(("a", b"a"), (name, content)), LIMITS, "it")


def test_a_gzip_bomb_ends_at_the_limit() -> None:
    compressor = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    bomb = b"".join(compressor.compress(b"\0" * 1_000_000) for _ in range(200)) + compressor.flush()
    assert len(bomb) < 300_000
    with pytest.raises(TooLarge, match="1000000 bytes"):
        archives.files(bomb, LIMITS, "it")
    nested = gzip.compress(bomb)
    with pytest.raises(ComponentError):
        archives.files(nested, LIMITS, "it")


def test_many_members_of_gzip_count_together() -> None:
    with pytest.raises(TooLarge):
        archives.decompressed(gzip.compress(b"x" * 400_000) * 3, 1_000_000, "it")


def test_too_many_entries_are_refused() -> None:
    with pytest.raises(TooLarge, match="more than the 100 files"):
        archives.files(tar(*((f"f{number}", b"") for number in range(101))), LIMITS, "it")


def test_the_usual_limit_ends_an_archive_of_many_empty_files_early() -> None:
    """A million of them take half a gigabyte unpacked, and next to nothing packed."""
    packed = gzip.compress(tar(("f", b""))[:512] * (DEFAULT.entries + 1), 1)
    assert len(packed) < 200_000
    with pytest.raises(TooLarge, match="more than the 20000 files"):
        archives.files(packed, DEFAULT, "it")


@pytest.mark.parametrize("size", [b"77777777777\0", b"00000000144\0"], ids=["vast", "small"])
def test_a_file_with_holes_is_refused(size: bytes) -> None:
    header = bytearray(tar(("sparse", b"x")))
    header[156:157] = tarfile.GNUTYPE_SPARSE
    header[257:265] = b"ustar  \0"
    header[386:410] = b"00000000000\0" + b"00000000001\0"
    header[483:495] = size
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header[:512])
    with pytest.raises(ComponentError):
        archives.files(bytes(header), LIMITS, "it")


@pytest.mark.parametrize(
    "content", [b"", b"no archive at all" * 100, gzip.compress(b"x")[:-9], b"\x1f\x8b", b"\x1f\x8bxxxx"]
)
def test_what_is_no_archive_is_refused(content: bytes) -> None:
    with pytest.raises(Corrupt):
        archives.files(content, LIMITS, "it")


def test_a_truncated_archive_is_refused() -> None:
    content = tar(("a", b"x" * 5000))
    with pytest.raises(Corrupt):
        archives.files(content[:3000], LIMITS, "it")


def test_a_descriptor_over_the_limit_is_refused_before_it_is_read() -> None:
    content = tar(("component-descriptor.yaml", b"x" * 20_000))
    with pytest.raises(TooLarge, match="20000 bytes"):
        archives.file_named(content, "component-descriptor.yaml", LIMITS, "it")


@given(st.binary(max_size=2000), st.booleans())
def test_any_bytes_are_files_or_an_error(content: bytes, compressed: bool) -> None:
    try:
        archives.files(gzip.compress(content) if compressed else content, LIMITS, "it")
    except ComponentError as error:
        assert str(error).startswith("it ")  # noqa: PT017 - most bytes are no archive, some are


@given(st.integers(0, 1535), st.integers(0, 255))
def test_a_flipped_byte_is_files_or_an_error(place: int, value: int) -> None:
    content = bytearray(tar(("blueprint.yaml", b"imports: []\n")))
    content[place] = value
    try:
        archives.files(bytes(content), LIMITS, "it")
    except ComponentError as error:
        assert str(error).startswith("it ")  # noqa: PT017


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"index.json": b"[]"},
        {"index.json": b"{}"},
        {"index.json": b'{"manifests": [{"digest": "../../etc/passwd"}]}'},
        {"index.json": b'{"manifests": [{"digest": "sha256:%s"}]}' % (b"0" * 64)},
        {"index.json": b'{"manifests": 7}'},
        {"index.json": b"[" * 100_000},
    ],
)
def test_a_broken_artifact_set_is_refused(files: dict[str, bytes]) -> None:
    with pytest.raises(ComponentError):
        artifacts.unpack(archives.pack(files), LIMITS, "it")
