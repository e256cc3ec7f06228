"""What a program finds when it starts: the files of the contract, below one folder.

Blocks, and belongs into a thread. The init container loads it, so it needs nothing but the standard library.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from landform.deployers.programs.contract.contract import Layout
from landform.deployers.programs.contract.faults import ProgramDataError
from landform.deployers.programs.files import archives

if TYPE_CHECKING:
    from landform.deployers.programs.contract.contract import Owner
    from landform.deployers.programs.contract.sandboxes import Inputs

Restore = Callable[[Path], object]
"""Fills the state's folder, which is there and empty."""

_SHARED: Final = 0o777
"""Folders: which user the program is differs from place to place."""

_READABLE: Final = 0o644
_EXECUTABLE: Final = 0o755


def stage(folder: Path, inputs: Inputs, *, restore: Restore | None = None, owner: Owner | None = None) -> None:
    """Write the files of a run into a folder that is there and empty.

    Without `restore` the state's folder stays empty. All belongs to `owner`, or to the caller if none is named; the
    folder itself is left as it is.
    """
    layout = Layout(PurePosixPath(folder))
    for place in (layout.imports.parent, layout.exports.parent, layout.target.parent, layout.content, layout.state):
        _folder(place, owner)
    _file(layout.imports, inputs.imports, _READABLE, owner)
    _file(layout.target, inputs.target, _READABLE, owner)
    _file(layout.component_descriptors, inputs.component_descriptors, _READABLE, owner)
    if inputs.content is not None:
        _content(layout.content, inputs.content, owner)
    if inputs.script is not None:
        _folder(layout.script.parent, owner)
        _file(layout.script, inputs.script, _EXECUTABLE, owner)
    if restore is not None:
        restore(Path(layout.state))


def _folder(place: PurePosixPath, owner: Owner | None) -> None:
    os.mkdir(place)
    os.chmod(place, _SHARED)  # mkdir itself would heed the umask
    if owner is not None:
        os.chown(place, owner.user, owner.group)


def _content(place: PurePosixPath, content: bytes, owner: Owner | None) -> None:
    try:
        archives.unpack(io.BytesIO(content), Path(place), owner=owner)
    except ProgramDataError as error:
        raise type(error)(f"the files of the blueprint cannot be staged: {error}") from error


def _file(place: PurePosixPath, content: bytes | None, mode: int, owner: Owner | None) -> None:
    if content is None:
        return
    with open(place, "xb") as file:
        file.write(content)
        os.fchmod(file.fileno(), mode)
        if owner is not None:
            os.fchown(file.fileno(), owner.user, owner.group)
