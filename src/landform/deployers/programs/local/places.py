"""The folder of one run on this machine: what lies where in it, and what is written down in it.

    ROOT/ITEM-RUN/run.json      which run it is; so everything is found again after a restart
                  files/        what the program sees of Landform: `Layout`
                  work/         the program's working directory and home, if it is a process
                  ...           what the launcher keeps; no program of another user sees it
                  without-state there if the item had no state before the run
                  result.json   all that is left of the run; there once it is collected

A run's folder appears at once, complete: it is staged under another name; and it is gone at once, by getting another
name under which it is cleared later. Nothing in it is forced to disk, for it is read only while the same machine runs;
what a crash of the machine leaves half written counts as lost.

As few files and folders as possible are made, and as few questions asked of the file system: each new one may take it a
millisecond, and each call costs a thread its turn, for which it waits behind the event loop.
"""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

import msgspec

from landform.deployers.programs.contract.contract import Operation
from landform.deployers.programs.contract.identities import ItemId, RunId
from landform.deployers.programs.contract.outcomes import End, Outcome, Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from landform.deployers.programs.contract.contract import Owner

log = logging.getLogger(__name__)

_STAGED: Final = ".staged-"
_REMOVED: Final = ".removed-"
"""How the names of folders begin that are not there yet, or not any more."""

_PASSABLE: Final = 0o711

_CLEAR_SECONDS: Final = 10.0
"""How long after its removal a folder is cleared. That takes more calls than all that the run itself needed, and when
many runs end there is more urgent work to do."""


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


class Places:
    """All runs below one root."""

    def __init__(self, root: Path) -> None:
        self.root = root
        # In a thread of its own: nobody waits for it, so it must not stand in the way of what somebody waits for.
        self._clearing = ThreadPoolExecutor(1, thread_name_prefix="removed runs")
        self._closing = threading.Event()

    def of(self, run: RunId) -> Place:
        """Where a run is, or would be."""
        return Place(run, self.root / f"{run.item.token}-{run.token}")

    def all(self) -> Iterator[Place]:
        """All that were staged and not removed."""
        for path in self.root.glob("[!.]*/run.json"):
            run = _run(path)
            if run is not None:
                yield Place(run, path.parent)

    def prepare(self, run: RunId, owner: Owner | None) -> Place:
        """Make the folder of a run under a name by which it is not found yet; what was cut short there is gone."""
        final = self.of(run).folder
        place = Place(run, final.with_name(_STAGED + final.name))
        self._make(place.folder)
        os.chmod(place.folder, _PASSABLE)
        for part in (place.files, place.work):
            os.mkdir(part, 0o700)
            if owner is not None:
                os.chown(part, owner.user, owner.group)
                os.chmod(part, 0o2770)  # what is made in it has the group too
        (place.folder / "run.json").write_bytes(msgspec.json.encode(run))
        return place

    def settle(self, place: Place) -> None:
        """Let a folder that was prepared be found; one of the same run that is there already is replaced."""
        final = self.of(place.run).folder
        try:
            place.folder.rename(final)
        except OSError:  # it is there, and not empty
            self.remove(final)
            place.folder.rename(final)

    def remove(self, folder: Path) -> None:
        """Remove a run's folder, at once for everybody who looks, with all that programs may have left in it."""
        gone = folder.with_name(f"{_REMOVED}{folder.name}-{secrets.token_hex(4)}")
        try:
            folder.rename(gone)
        except FileNotFoundError:
            return
        self._clearing.submit(self._clear_at, time.monotonic() + _CLEAR_SECONDS, gone)

    def sweep(self) -> None:
        """Remove what processes left that were killed while they staged or removed; nobody may do so meanwhile."""
        for folder in self._hidden():
            _clear(folder)

    def forget(self, item: ItemId) -> None:
        """Remove everything of an item."""
        for folder in (*self._hidden(item.token), *self.root.glob(f"{item.token}-*")):
            _clear(folder)

    def close(self) -> None:
        """Return when everything is cleared that was removed."""
        self._closing.set()
        self._clearing.shutdown()

    def _clear_at(self, moment: float, folder: Path) -> None:
        self._closing.wait(max(0.0, moment - time.monotonic()))
        try:
            _clear(folder)
        except OSError as error:  # the run is gone all the same, and the next process sweeps
            log.warning("what is left of a removed run in %s cannot be cleared: %s", folder, error)

    def _make(self, folder: Path) -> None:
        try:
            os.mkdir(folder)
        except FileExistsError:
            _clear(folder)
            os.mkdir(folder)
        except FileNotFoundError:
            # Programs of another user must be able to go through, and to see nothing on their way.
            _make_passable(self.root)
            os.mkdir(folder)

    def _hidden(self, token: str = "") -> Iterator[Path]:
        """What is not there yet, or not any more."""
        for prefix in (_STAGED, _REMOVED):
            yield from self.root.glob(f"{prefix}{token}*")


def _make_passable(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for everybody to go through, whatever the umask is."""
    for each in reversed([each for each in (folder, *folder.parents) if not each.exists()]):
        each.mkdir(exist_ok=True)
        each.chmod(_PASSABLE)


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
