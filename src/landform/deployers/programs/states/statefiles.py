"""A state that lies in a folder as files, one for each piece: this is how it reaches the init container.

It is mounted there, so that nothing in the container needs a right to read Secrets. Blocks; needs nothing but the
standard library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.deployers.programs.contract.faults import Damaged
from landform.deployers.programs.files import archives

if TYPE_CHECKING:
    from pathlib import Path

    from landform.deployers.programs.contract.contract import Owner


def file_name(number: int) -> str:
    """The name of the file with a piece."""
    return f"{number:06}"


def restore(pieces: Path, folder: Path, *, count: int, digest: str = "", owner: Owner | None = None) -> None:
    """Unpack the state of which so many pieces lie in one folder into another one, which is there and empty.

    With a digest it must be that state; one of the original has none.
    """
    if count == 0:
        return
    found = archives.unpack(_Pieces(pieces, count), folder, owner=owner)
    if digest and found.digest != digest:
        raise Damaged("the state is not the one that was saved")


class _Pieces:
    """The pieces in order, one after another, as one stream."""

    def __init__(self, folder: Path, count: int) -> None:
        self._left = iter([folder / file_name(number) for number in range(count)])

    def read(self, _size: int, /) -> bytes:
        """The next piece as a whole: none is large."""
        place = next(self._left, None)
        if place is None:
            return b""
        try:
            return place.read_bytes()
        except FileNotFoundError as error:
            raise Damaged(f"piece {place.name} of the state is missing") from error
