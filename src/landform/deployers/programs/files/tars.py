"""The members of a tar archive: files and folders only, under names that stay inside."""

from __future__ import annotations

import tarfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from landform.deployers.programs.contract.faults import Damaged, Refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from landform.deployers.programs.files.gzips import Decompressor

BLOCK: Final = 512
"""Every member begins at a multiple of it."""

END: Final = bytes(2 * BLOCK)
"""What an archive ends with."""

LONGEST_PATH: Final = 3072
"""Most bytes of a path: with the folder before it, it must not be longer than the system takes."""

DEEPEST: Final = 128
"""Most parts of a path."""

_LATEST: Final = 1 << 40
_LONGEST_EXTENSION: Final = 1 << 20
_EMPTY: Final = bytes(BLOCK)
_PERMISSIONS: Final = 0o777
_KINDS: Final = {
    tarfile.SYMTYPE: "a symbolic link",
    tarfile.LNKTYPE: "a hard link",
    tarfile.CHRTYPE: "a device",
    tarfile.BLKTYPE: "a device",
    tarfile.FIFOTYPE: "a named pipe",
    tarfile.GNUTYPE_SPARSE: "a file with holes",
}


@dataclass(frozen=True)
class Member:
    """A file, or a folder, as an archive tells of it."""

    path: str
    """Relative, with single slashes; bytes that are no UTF-8 are kept as Python keeps them (surrogateescape)."""

    mode: int
    """Who may read, write and execute it; nothing else."""

    mtime: int
    """When it was changed last, in whole seconds since 1970."""

    size: int = 0
    is_folder: bool = False


def header(member: Member) -> bytes:
    """What stands before the content of a member."""
    info = tarfile.TarInfo(member.path)
    info.mode, info.mtime, info.size = member.mode & _PERMISSIONS, member.mtime, member.size
    if member.is_folder:
        info.type = tarfile.DIRTYPE
    return info.tobuf(tarfile.PAX_FORMAT, "utf-8", "surrogateescape")


def padding(size: int) -> bytes:
    """What stands after a content of that size."""
    return bytes(-size % BLOCK)


def printable(path: str) -> str:
    """A path as a message may show it: bytes that are no text are written as numbers."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def members(stream: Decompressor) -> Iterator[Member]:
    """The members in order. The content of each must have been read, with its padding, before the next is asked for.

    What is after the end of the archive is read too, because only then the stream has shown that it is whole.
    """
    extension: dict[str, str] = {}
    while (block := stream.exactly(BLOCK)) != _EMPTY:
        info = _parse(block)
        if info.type in (tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE):
            extension |= _extension(_extra(stream, info))
        elif info.type == tarfile.GNUTYPE_LONGNAME:
            extension["path"] = _text(_extra(stream, info).split(b"\0", 1)[0])
        elif info.type in (tarfile.XGLTYPE, tarfile.GNUTYPE_LONGLINK):
            _extra(stream, info)
        else:
            yield _member(info, extension)
            extension = {}
    while stream.some(1 << 20):
        pass


def _parse(block: bytes) -> tarfile.TarInfo:
    try:
        return tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except tarfile.HeaderError as error:
        raise Damaged(f"it is no tar archive: {error}") from error


def _extra(stream: Decompressor, info: tarfile.TarInfo) -> bytes:
    if not 0 <= info.size <= _LONGEST_EXTENSION:
        raise Damaged(f"it has a header of {info.size} bytes; {_LONGEST_EXTENSION} are allowed")
    content = stream.exactly(info.size)
    stream.exactly(len(padding(info.size)))
    return content


def _extension(records: bytes) -> dict[str, str]:
    """The records of an extended header: each is its length, a name and a value."""
    found = {}
    while records.strip(b"\0"):
        length, space, _ = records.partition(b" ")
        size = int(length) if space and length.isdigit() and len(length) < len(str(_LONGEST_EXTENSION)) + 1 else 0
        name, equals, value = records[len(length) + 1 : size - 1].partition(b"=")
        if not equals or records[size - 1 : size] != b"\n":
            raise Damaged("it has an extended header that cannot be read")
        found[_text(name)] = _text(value)
        records = records[size:]
    return found


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _member(info: tarfile.TarInfo, extension: dict[str, str]) -> Member:
    name = extension.get("path", info.name)
    if any(key.startswith("GNU.sparse.") for key in extension):
        info.type = tarfile.GNUTYPE_SPARSE
    if info.type not in (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE, tarfile.DIRTYPE):
        raise Refused(
            f"{printable(name)} is {_KINDS.get(info.type, 'of an unknown kind')}; only files and folders are taken"
        )
    is_folder = info.type == tarfile.DIRTYPE
    try:
        size = int(extension.get("size", info.size))
        mtime = int(float(extension.get("mtime", info.mtime)))
    except (ValueError, OverflowError) as error:
        raise Damaged("it has an extended header that cannot be read") from error
    if size < 0 or (is_folder and size) or abs(mtime) > _LATEST:
        raise Damaged(f"it says that {printable(name)} has {size} bytes, and was changed {mtime} seconds after 1970")
    return Member(_inside(name), info.mode & _PERMISSIONS, mtime, size, is_folder)


def _inside(name: str) -> str:
    """The path of a member, without empty parts; refused if it leads outside."""
    parts = name.split("/")
    if name.startswith("/") or ".." in parts or "\0" in name:
        raise Refused(f"{printable(name)} leads outside of the folder")
    parts = [part for part in parts if part not in ("", ".")]
    path = "/".join(parts)
    if len(parts) > DEEPEST:
        raise Refused(f"{printable(path[:80])}... is more than {DEEPEST} folders deep")
    if len(path.encode("utf-8", "surrogateescape")) > LONGEST_PATH:
        raise Refused(f"{printable(path[:80])}... has a path of more than {LONGEST_PATH} bytes")
    return path
