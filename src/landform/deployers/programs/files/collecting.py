"""What a program leaves as its exports: one file, read with care, because a program may leave anything there.

Blocks, and belongs into a thread. The wait container loads it, so it needs nothing but the standard library.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from landform.deployers.programs.contract.contract import Layout
from landform.deployers.programs.contract.faults import Refused, TooLarge

if TYPE_CHECKING:
    from pathlib import Path

LARGEST_EXPORTS: Final = 1 << 20
"""Most bytes that exports may have: they are kept in a Secret, and it takes no more."""

_NO_FILE: Final = "the exports are no file; write them as a plain file to the path in EXPORTS_PATH"
_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def read_exports(folder: Path) -> bytes | None:
    """What the program wrote as its exports; None if it wrote none, or an empty file.

    Refused if something else than a file is in the place, TooLarge if it is over the limit.
    """
    place = Layout(PurePosixPath(folder)).exports
    try:
        parent = os.open(place.parent, _FLAGS | os.O_DIRECTORY)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Refused("the folder of the exports is no folder any more; leave it in its place") from error
    try:
        return _read(place.name, parent)
    finally:
        os.close(parent)


def _read(name: str, parent: int) -> bytes | None:
    try:
        file = os.open(name, _FLAGS, dir_fd=parent)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:  # a symbolic link, in the words of the system
            raise Refused(_NO_FILE) from error
        raise Refused(
            f"the exports cannot be read: {error.strerror}; write them as a plain file to the path in EXPORTS_PATH"
        ) from error
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode):
            raise Refused(_NO_FILE)
        if found.st_size > LARGEST_EXPORTS:
            raise TooLarge(
                f"the exports have {found.st_size} bytes, but at most {LARGEST_EXPORTS} can be kept in a Secret;"
                " export less, for example where the rest is to be found"
            )
        return _content(file, found.st_size) or None
    finally:
        os.close(file)


def _content(file: int, size: int) -> bytes:
    with os.fdopen(os.dup(file), "rb") as opened:
        return opened.read(size)
