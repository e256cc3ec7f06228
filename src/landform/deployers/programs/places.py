"""The folder of one run on this machine: what lies where in it, and what is written down in it.

    ROOT/ITEM/RUN/run.json      which run it is; so everything is found again after a restart
                  files/        what the program sees of Landform: `Layout`
                  work/         the program's working directory and home, if it is a process
                  ...           what the launcher keeps; no program of another user sees it
                  without-state there if the item had no state before the run
                  result.json   all that is left of the run; there once it is collected

A run's folder appears at once, complete: it is staged under another name. Nothing in it is forced to disk, for it is
read only while the same machine runs; what a crash of the machine leaves half written counts as lost.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

import msgspec

from landform.deployers.programs.contract import Operation
from landform.deployers.programs.identities import ItemId, RunId
from landform.deployers.programs.outcomes import End, Outcome, Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from landform.deployers.programs.archives import Owner

_STAGED: Final = ".staged-"
_REMOVED: Final = ".removed-"
"""How the names of folders begin that are not there yet, or not any more."""


@dataclass(frozen=True)
class Place:
    """The folder of one run."""

    run: RunId
    folder: Path

    @property
    def files(self) -> Path:
        """What the program sees of Landform."""
        return self.folder / "files"

    @property
    def work(self) -> Path:
        """The working directory and home of a process."""
        return self.folder / "work"

    @property
    def keep(self) -> Path:
        """Where the launcher keeps what it needs."""
        return self.folder

    @property
    def without_state(self) -> Path:
        """There if the item had no state before the run."""
        return self.folder / "without-state"

    def is_there(self) -> bool:
        """Whether the run was staged and not removed."""
        return self.folder.exists()

    def result(self) -> Result | None:
        """What was collected; None if that has not happened."""
        try:
            said = msgspec.json.decode((self.folder / "result.json").read_bytes())
            return _result(said)
        except (FileNotFoundError, msgspec.DecodeError):
            return None

    def keep_result(self, result: Result) -> None:
        """Write down what was collected: from now on this is what became of the run."""
        write(self.folder / "result.json", msgspec.json.encode(result))


@dataclass(frozen=True)
class Places:
    """All runs below one root."""

    root: Path

    def of(self, run: RunId) -> Place:
        """Where a run is, or would be."""
        return Place(run, self.root / run.item.token / run.token)

    def all(self) -> Iterator[Place]:
        """All that were staged and not removed."""
        for folder in self.root.glob("*/*/run.json"):
            run = _run(folder)
            if run is not None and not folder.parent.name.startswith((_STAGED, _REMOVED)):
                yield Place(run, folder.parent)

    def prepare(self, run: RunId, owner: Owner | None) -> Place:
        """Make the folder of a run under a name by which it is not found yet; what was cut short there is gone."""
        folder = self.of(run).folder.with_name(_STAGED + run.token)
        self.remove(folder)
        # Programs of another user must be able to go through, and to see nothing on their way.
        _make_passable(self.root)
        for part in (folder.parent, folder):
            part.mkdir(exist_ok=True)
            part.chmod(0o711)
        place = Place(run, folder)
        for part in (place.files, place.work):
            part.mkdir(mode=0o700)
            if owner is not None:
                os.chown(part, owner.user, owner.group)
                part.chmod(0o2770)  # what is made in it has the group too
        (folder / "run.json").write_bytes(msgspec.json.encode(run))
        return place

    def settle(self, place: Place) -> None:
        """Let a folder that was prepared be found; one of the same run that is there already is replaced."""
        final = self.of(place.run).folder
        self.remove(final)
        place.folder.rename(final)

    def remove(self, folder: Path) -> None:
        """Remove a run's folder, at once for everybody who looks, with all that programs may have left in it."""
        gone = folder.with_name(_REMOVED + folder.name)
        _clear(gone)
        if folder.exists():
            folder.rename(gone)
            _clear(gone)
        with contextlib.suppress(OSError):
            folder.parent.rmdir()  # the item's, unless another run is in it

    def sweep(self) -> None:
        """Remove what processes left that were killed while they staged or removed; nobody may do so meanwhile."""
        for prefix in (_STAGED, _REMOVED):
            for folder in self.root.glob(f"*/{prefix}*"):
                _clear(folder)

    def forget(self, item: ItemId) -> None:
        """Remove everything of an item."""
        _clear(self.root / item.token)


def _make_passable(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for everybody to go through, whatever the umask is."""
    for each in reversed([each for each in (folder, *folder.parents) if not each.exists()]):
        each.mkdir(exist_ok=True)
        each.chmod(0o711)


def write(path: Path, data: bytes) -> None:
    """Write a file at once, for this user alone: whoever looks finds the old or the new, whoever is killed."""
    new = path.with_name(path.name + ".new")
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(data)
    new.replace(path)


def _clear(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder, onerror=_unlock)


def _run(path: Path) -> RunId | None:
    try:
        said = msgspec.json.decode(path.read_bytes())
    except (FileNotFoundError, msgspec.DecodeError):
        return None
    return RunId(ItemId(**said["item"]), said["job"], Operation(said["operation"]))


def _result(said: dict[str, Any]) -> Result:
    outcome = said["outcome"]
    moments = {name: outcome[name] and datetime.fromisoformat(outcome[name]) for name in ("started", "finished")}
    exports = said["exports"]
    return Result(
        Outcome(**{**outcome, **moments, "end": End(outcome["end"])}),
        exports=None if exports is None else msgspec.convert(exports, bytes),
        fault=said["fault"],
    )


def _unlock(function: Callable[..., Any], path: str, error: tuple[type[BaseException], BaseException, Any]) -> None:
    """Go on where a program left folders that may not be written to, or where somebody else removes too."""
    if isinstance(error[1], FileNotFoundError):
        return
    if not isinstance(error[1], PermissionError):
        raise error[1]
    for locked in (os.path.dirname(path), path):
        if os.path.isdir(locked) and not os.path.islink(locked):
            os.chmod(locked, 0o700)
    if function in (os.unlink, os.rmdir):
        function(path)
    else:
        shutil.rmtree(path, onerror=_unlock)
