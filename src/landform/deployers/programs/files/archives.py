"""Folders as archives: tar, compressed with gzip, and back, byte for byte.

Names, permissions, times (whole seconds), empty files and empty folders are kept. Owners are not: whoever unpacks owns
the files. Links, devices, pipes and sockets are refused by name. The same folder gives the same archive.

Everything here blocks: it belongs into a thread.
"""

from __future__ import annotations

import io
import os
import stat
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from landform.deployers.programs.contract.faults import Damaged, Refused, TooLarge
from landform.deployers.programs.files import tars
from landform.deployers.programs.files.gzips import Compressor, Decompressor
from landform.deployers.programs.files.tars import Member, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from landform.deployers.programs.contract.contract import Owner
    from landform.deployers.programs.files.gzips import Readable, Writable

_READ: Final = 1 << 20
_OPEN_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_OPEN_FOLDER: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True)
class Limits:
    """How much an archive may hold."""

    entries: int = 500_000
    """Most files and folders."""

    size: int = 2 << 30
    """Most bytes of all files together."""


PLENTY: Final = Limits()


@dataclass(frozen=True)
class Summary:
    """What an archive holds."""

    entries: int
    size: int
    """Bytes of all files together."""

    digest: str
    """SHA-256 of the archive before it is compressed: the same for the same folder."""


def pack(folder: Path, out: Writable, *, limits: Limits = PLENTY) -> Summary:
    """Write all that is in a folder to an archive; Refused or TooLarge if not all of it can be kept."""
    writer = _Writer(out, limits)
    found = os.stat(folder, follow_symlinks=False)
    if not stat.S_ISDIR(found.st_mode):
        raise Refused(f"{folder.name} is no folder any more; leave the folder in its place")
    with _opened(str(folder), None, "", found) as top:
        _pack_folder(writer, top, "", 1)
    return writer.finish()


def pack_files(files: Mapping[str, bytes]) -> bytes:
    """An archive of files by their paths, readable for all; the folders that the paths name are made on unpacking."""
    out = io.BytesIO()
    writer = _Writer(out, PLENTY)
    for path in sorted(files):
        writer.begin(Member(path, 0o644, 0, len(files[path])))
        writer.write(files[path])
        writer.end(len(files[path]))
    writer.finish()
    return out.getvalue()


def unpack(source: Readable, folder: Path, *, limits: Limits = PLENTY, owner: Owner | None = None) -> Summary:
    """Write all that is in an archive into an empty folder. What follows the archive in the stream is ignored.

    Nothing outside of the folder is touched, whatever the archive holds: Refused, Damaged or TooLarge instead.
    """
    stream = Decompressor(source)
    unpacking = _Unpacking(str(folder), stream, owner)
    entries = size = 0
    for member in tars.members(stream):
        entries, size = entries + 1, size + member.size
        _check(limits, entries, size)
        unpacking.take(member)
    unpacking.finish()
    return Summary(entries, size, stream.digest)


def _check(limits: Limits, entries: int, size: int) -> None:
    if entries > limits.entries:
        raise TooLarge(f"there are more than {limits.entries} files and folders; keep fewer")
    if size > limits.size:
        raise TooLarge(f"the files have more than {limits.size} bytes together; keep less")


class _Writer:
    """Writes members, and counts them."""

    def __init__(self, out: Writable, limits: Limits) -> None:
        self._limits = limits
        self._stream = Compressor(out)
        self._entries = 0
        self._size = 0
        self.write = self._stream.write

    def begin(self, member: Member) -> None:
        """Announce a member; its content follows."""
        self._entries, self._size = self._entries + 1, self._size + member.size
        _check(self._limits, self._entries, self._size)
        self.write(tars.header(member))

    def end(self, size: int) -> None:
        """End a file of that size."""
        self.write(tars.padding(size))

    def finish(self) -> Summary:
        """Write the end."""
        self.write(tars.END)
        self._stream.finish()
        return Summary(self._entries, self._size, self._stream.digest)


def _pack_folder(writer: _Writer, folder: int, prefix: str, depth: int) -> None:
    """Everything below a folder, sorted; the order and the bytes do not depend on the system.

    Every step goes from the folder that is open to a name in it, and follows no link: a program that still runs cannot
    have files read that are not its own.
    """
    if depth > tars.DEEPEST:
        raise Refused(f"{printable(prefix)} is more than {tars.DEEPEST} folders deep; keep fewer levels")
    for name in sorted(os.listdir(folder), key=os.fsencode):
        path = prefix + name
        if len(os.fsencode(path)) > tars.LONGEST_PATH:
            raise Refused(f"a path in {printable(prefix[:80])} has over {tars.LONGEST_PATH} bytes; use shorter names")
        found = _status(name, folder, path)
        if stat.S_ISDIR(found.st_mode):
            writer.begin(Member(path, stat.S_IMODE(found.st_mode), int(found.st_mtime), is_folder=True))
            with _opened(name, folder, path, found) as inner:
                _pack_folder(writer, inner, path + "/", depth + 1)
        elif stat.S_ISREG(found.st_mode):
            with _opened(name, folder, path, found) as file:
                _pack_file(writer, file, path, stat.S_IMODE(found.st_mode))
        else:
            raise _refusal(path, found.st_mode)


def _status(name: str, folder: int, path: str) -> os.stat_result:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError as error:
        raise Refused(
            f"{printable(path)} vanished while the folder was read; let nothing write it after the program"
        ) from error


def _pack_file(writer: _Writer, file: int, path: str, mode: int) -> None:
    found = os.fstat(file)
    if not stat.S_ISREG(found.st_mode):
        raise _refusal(path, found.st_mode)
    writer.begin(Member(path, mode, int(found.st_mtime), found.st_size))
    left = found.st_size
    while left:
        piece = os.read(file, min(left, _READ))
        if not piece:
            raise Refused(f"{printable(path)} became shorter while it was read; let nothing write it after the program")
        writer.write(piece)
        left -= len(piece)
    writer.end(found.st_size)


def _refusal(path: str, mode: int) -> Refused:
    kinds = {stat.S_IFLNK: "a symbolic link", stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket"}
    kind = kinds.get(stat.S_IFMT(mode), "a device")
    instead = "a copy of what it points to" if stat.S_ISLNK(mode) else "a file"
    return Refused(
        f"{printable(path)} is {kind}; only files and folders can be kept: leave {instead} in its place, or remove it"
    )


@contextmanager
def _opened(name: str, folder: int | None, path: str, found: os.stat_result) -> Iterator[int]:
    """Open a file or a folder for reading, also one that its owner, which we may be, took the permission from."""
    is_folder = stat.S_ISDIR(found.st_mode)
    mode, needed = stat.S_IMODE(found.st_mode), 0o500 if is_folder else 0o400
    try:
        if mode & needed != needed:
            os.chmod(name, mode | needed, dir_fd=folder)
        opened = os.open(name, _OPEN_FOLDER if is_folder else _OPEN_FILE, dir_fd=folder)
    except OSError as error:
        raise Refused(
            f"{printable(path) or 'the folder'} cannot be read: {error.strerror}; let the program's user read it"
        ) from error
    try:
        yield opened
    finally:
        if mode & needed != needed:
            os.fchmod(opened, mode)
        os.close(opened)


class _Unpacking:
    """Writes members into a folder.

    Folders get their permissions and times last, because one that may not be written takes no files.
    """

    def __init__(self, folder: str, stream: Decompressor, owner: Owner | None) -> None:
        self._folder = folder
        self._stream = stream
        self._owner = owner
        self._known = {""}
        self._folders: dict[str, Member] = {}

    def take(self, member: Member) -> None:
        """Write the next member; the stream stands at its content."""
        try:
            self._ensure(member.path.rpartition("/")[0])
            if member.is_folder:
                self._ensure(member.path)
                if member.path:
                    self._folders[member.path] = member
            else:
                self._write(member)
        except FileExistsError as error:
            raise Damaged(f"it holds {printable(member.path)} twice, or as file and folder") from error
        except OSError as error:
            raise Refused(f"{printable(member.path)} cannot be written: {error.strerror}") from error

    def finish(self) -> None:
        """Give the folders their permissions and times."""
        for path in sorted(self._folders, reverse=True):
            member, place = self._folders[path], self._place(path)
            os.chmod(place, member.mode)
            os.utime(place, (member.mtime, member.mtime))

    def _ensure(self, path: str) -> None:
        """Make a folder, and those that it is in."""
        if path in self._known:
            return
        self._ensure(path.rpartition("/")[0])
        place = self._place(path)
        os.mkdir(place)
        os.chmod(place, 0o755)  # mkdir itself would heed the umask
        if self._owner is not None:
            os.chown(place, self._owner.user, self._owner.group, follow_symlinks=False)
        self._known.add(path)

    def _write(self, member: Member) -> None:
        file = os.open(self._place(member.path), _CREATE, 0o600)
        try:
            left = member.size
            while left:
                piece = self._stream.some(left)
                if not piece:
                    raise Damaged(f"it ends within {printable(member.path)}")
                os.write(file, piece)
                left -= len(piece)
            if self._owner is not None:
                os.fchown(file, self._owner.user, self._owner.group)
            os.fchmod(file, member.mode)
            os.utime(file, (member.mtime, member.mtime))
        finally:
            os.close(file)
        self._stream.exactly(len(tars.padding(member.size)))

    def _place(self, path: str) -> str:
        return f"{self._folder}/{path}"
