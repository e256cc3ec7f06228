"""Archives from strangers: decompressed and unpacked in memory, within limits, with nothing but files in them."""

from __future__ import annotations

import bz2
import io
import lzma
import re
import tarfile
import zlib
from functools import partial
from typing import TYPE_CHECKING

from landform.components.errors import Corrupt, TooLarge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from landform.components.limits import Limits

_GZIP, _XZ = b"\x1f\x8b", b"\xfd7zXZ\x00"
_BZIP2 = re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")
_MOST_XZ_MEMORY = 128 * 1024 * 1024
_CHUNK = 1024 * 1024
_LONGEST_NAME = 4096


def decompressed(content: bytes, limit: int, what: str) -> bytes:
    """The content, unpacked if it is compressed with gzip, bzip2 or xz: its bytes tell, not its media type."""
    found = _compression(content)
    if found is None:
        return content
    name, unpack = found
    parts, total = [], 0
    try:
        for part in unpack(content):
            total += len(part)
            if total > limit:
                raise TooLarge(f"{what} has more than the {limit} bytes that are allowed, once it is unpacked")
            parts.append(part)
    except (zlib.error, lzma.LZMAError, OSError, EOFError) as error:
        raise Corrupt(f"{what} is damaged: it is compressed with {name}, but {error}") from error
    return b"".join(parts)


def files(content: bytes, limits: Limits, what: str) -> dict[str, bytes]:
    """The files of a tar archive, compressed or not, by their path.

    Links, devices and paths that lead out of the archive are refused: nobody can say what they would mean here.
    """
    found: dict[str, bytes] = {}
    total = 0
    for archive, member in _members(decompressed(content, limits.unpacked, what), limits, what):
        if member.isdir():
            continue
        if not member.isreg():
            raise Corrupt(f"{what} has {_kind(member)} at {member.name!r}; only files and folders are allowed")
        total += member.size
        if total > limits.unpacked:
            raise TooLarge(f"{what} has more than the {limits.unpacked} bytes that are allowed, once it is unpacked")
        found[_path(member.name, what)] = _content(archive, member, what)
    return found


def file_named(content: bytes, name: str, limits: Limits, what: str) -> bytes | None:
    """The first file of an uncompressed tar archive with that name, leading slashes aside; None if there is none."""
    for archive, member in _members(content, limits, what):
        if member.name.lstrip("/") == name and member.isreg():
            if member.size > limits.descriptor:
                raise TooLarge(f"{name} in {what} has {member.size} bytes; {limits.descriptor} are allowed")
            return _content(archive, member, what)
    return None


def pack(entries: Mapping[str, bytes]) -> bytes:
    """An uncompressed tar archive of files, the same bytes each time for the same files."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in entries.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(content), 0o644
            archive.addfile(member, io.BytesIO(content))
    return target.getvalue()


def _compression(content: bytes) -> tuple[str, Callable[[bytes], Iterator[bytes]]] | None:
    """What a content is compressed with, and how to unpack it."""
    if content.startswith(_GZIP):
        return "gzip", _gunzip
    if content.startswith(_XZ):
        return "xz", lambda packed: _unpack(packed, partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, _MOST_XZ_MEMORY))
    return ("bzip2", lambda packed: _unpack(packed, bz2.BZ2Decompressor)) if _BZIP2.match(content) else None


def _unpack(content: bytes, start: Callable[[], bz2.BZ2Decompressor | lzma.LZMADecompressor]) -> Iterator[bytes]:
    """What one or several streams hold, one after the other, piece by piece."""
    rest = content
    while rest:
        stream = start()
        yield stream.decompress(rest, _CHUNK)
        while not stream.eof:
            if stream.needs_input:
                raise EOFError("its end is missing")
            yield stream.decompress(b"", _CHUNK)
        rest = stream.unused_data.lstrip(b"\0")  # what xz fills up with


def _gunzip(content: bytes) -> Iterator[bytes]:
    """What one or several gzip members hold, piece by piece."""
    rest = content
    while rest.startswith(_GZIP):
        stream = zlib.decompressobj(zlib.MAX_WBITS | 16)
        while not stream.eof:
            part = stream.decompress(rest, _CHUNK)
            rest = stream.unconsumed_tail
            if not part and not rest and not stream.eof:
                raise EOFError("its end is missing")
            yield part
        rest = stream.unused_data


def _members(content: bytes, limits: Limits, what: str) -> Iterator[tuple[tarfile.TarFile, tarfile.TarInfo]]:
    try:
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
            count = 0
            while (member := archive.next()) is not None:
                count += 1
                if count > limits.entries:
                    raise TooLarge(f"{what} has more than the {limits.entries} files and folders that are allowed")
                yield archive, member
    except (tarfile.TarError, EOFError, ValueError, OverflowError, RecursionError) as error:
        raise Corrupt(f"{what} is not a readable tar archive: {error}") from error


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo, what: str) -> bytes:
    if member.issparse():  # Python's reader never ends on a map of holes that does not cover the file
        raise Corrupt(f"{what} has a file with holes at {member.name!r}; only plain files are allowed")
    try:
        file = archive.extractfile(member)
        return file.read() if file else b""
    except tarfile.TarError as error:
        raise Corrupt(f"{what} is damaged: {member.name!r} ends too early") from error


def _path(name: str, what: str) -> str:
    """The path of a member, without empty parts; what would lie outside of the archive has none."""
    if len(name) > _LONGEST_NAME:
        raise Corrupt(f"{what} has a path of {len(name)} characters; {_LONGEST_NAME} are allowed")
    parts = name.split("/")
    if name.startswith("/") or ".." in parts or "\0" in name:
        raise Corrupt(f"{what} has a file outside of itself: {name!r}")
    return "/".join(part for part in parts if part not in ("", "."))


def _kind(member: tarfile.TarInfo) -> str:
    if member.issym() or member.islnk():
        return "a link"
    return "a device" if member.isdev() else "something that is no file"
