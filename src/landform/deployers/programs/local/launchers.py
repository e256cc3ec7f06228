"""What starts programs whose files lie in a folder of this machine: the one interface of processes and engines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from datetime import timedelta

    from landform.deployers.programs.contract.contract import Layout, Owner
    from landform.deployers.programs.contract.identities import RunId
    from landform.deployers.programs.contract.outcomes import Outcome
    from landform.deployers.programs.contract.sandboxes import Program, Report, SandboxName
    from landform.deployers.programs.local.places import Place


STOPPED: Final = "Stopped"
"""The reason in the outcome of a program that was asked to end: its exports do not count."""


class Launcher(Protocol):
    """Starts programs, follows them and ends them; what they get and leave is not its business.

    Invariants:
    - a program is started at most once for each place, whoever is killed in between;
    - it goes on when this process is killed, and whoever comes next finds it by its place.
    """

    name: SandboxName

    owner: Owner | None
    """To whom the files of programs must belong; None: to the user that this process runs as."""

    def layout(self, place: Place) -> Layout:
        """Where a program sees its files."""

    async def adopt(self, places: Sequence[Place]) -> None:
        """Take over what runs already, once, before anything is started."""

    async def is_ready(self, program: Program) -> bool:
        """Whether a program can be started without waiting for anything."""

    async def start(self, place: Place, program: Program, report: Report) -> Outcome | None:
        """Start a program, when there is room and all that it needs; its outcome if it can never be started."""

    async def has_started(self, place: Place) -> bool:
        """Whether the program of a place was started, also if it has ended meanwhile."""

    async def wait(self, place: Place, report: Report) -> Outcome:
        """Wait for the end of a program that was started, and of all that it started."""

    def output(self, place: Place) -> AsyncIterator[bytes]:
        """What the program prints, as much of it as is kept, until its end."""

    async def stop(self, place: Place, grace: timedelta) -> None:
        """Ask the program to end (TERM), and after the grace end it (KILL) with all that it started."""

    async def remove(self, place: Place) -> None:
        """Remove what is left of a program that does not run, outside its place."""

    async def left(self) -> Sequence[RunId]:
        """The runs of which anything is left outside their places, also if those are gone."""

    async def close(self) -> None:
        """Let go; running programs go on."""
