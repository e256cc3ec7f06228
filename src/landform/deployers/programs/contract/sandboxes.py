"""What a place is where programs run: the one interface of pods, container engines and local processes."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from datetime import timedelta
    from pathlib import Path

    from landform.deployers.programs.contract.contract import Owner
    from landform.deployers.programs.contract.identities import ItemId, RunId
    from landform.deployers.programs.contract.outcomes import Result


class SandboxName(enum.StrEnum):
    """The places that there are."""

    KUBERNETES = "kubernetes"
    ENGINE = "engine"
    PROCESS = "process"


@dataclass(frozen=True)
class Inputs:
    """What is staged for a program, besides its state."""

    imports: bytes | None = field(default=None, repr=False)
    """JSON text; None: no file at all."""

    target: bytes = field(default=b"null", repr=False)
    """JSON text of the target and its content."""

    component_descriptors: bytes | None = field(default=None, repr=False)
    """JSON text of the list; None: no file at all."""

    content: bytes | None = field(default=None, repr=False)
    """The blueprint's files as tar, gzip-compressed; None: an empty folder."""

    script: bytes | None = field(default=None, repr=False)
    """The text of a script item, staged as an executable file."""


@dataclass(frozen=True)
class Program:
    """What is run. Where a program comes from (image, command) is up to the sandbox if nothing is said."""

    image: str | None = None
    command: tuple[str, ...] = ()
    """Instead of the image's entry point. For script items the interpreter, followed by `Layout.script` as the sandbox
    sees it, see `is_script`."""

    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    """Besides those of the contract, which win."""

    is_script: bool = False
    """Whether the path of the staged script comes between `command` and `args`."""

    settings: Mapping[str, object] = field(default_factory=dict)
    """Optional settings of the item for its sandbox, checked already: resources, nodeSelector, tolerations, network,
    readOnlyRoot; each sandbox takes those that it knows."""

    pull_credentials: bytes | None = field(default=None, repr=False)
    """The docker configuration (JSON text) with which the image is pulled; None: none is needed."""


@dataclass(frozen=True)
class Order:
    """One run that a sandbox is asked for."""

    run: RunId
    program: Program
    inputs: Inputs
    generation: int = 0
    """That of the item, for people who look at what was made for it."""

    adopts: bool = False
    """Whether the last run was the original Landscaper's, so that the state which it kept counts."""


class Step(enum.StrEnum):
    """How far a run is."""

    STAGING = "Staging"
    RUNNING = "Running"
    COLLECTING = "Collecting"


@dataclass(frozen=True)
class Progress:
    """What is known of a run that has not ended."""

    step: Step
    message: str = ""
    """For people: what is waited for, such as ``image example/x is being pulled``."""

    status: Mapping[str, object] = field(default_factory=dict)
    """Fields for the provider status: podName, containerStatus, initContainerStatus, waitContainerStatus."""


Report = Callable[[Progress], None]


class State(Protocol):
    """Where the state of one item is kept."""

    async def restore(self, folder: Path, *, owner: Owner | None = None, adopts: bool = False) -> object:
        """Write the last state into an empty folder; None, and nothing is written, if there is none.

        `adopts`: the last run was the original's, so what it kept counts.
        """

    async def save(self, folder: Path, run: str) -> object:
        """Keep what a folder holds as the state after a run."""

    async def remove(self) -> None:
        """Remove the state."""


class Sandbox(Protocol):
    """A place where programs run.

    Invariants:
    - a run that has begun goes on when the deployer is killed, and is found again by its `RunId`;
    - `begin` of a run that has begun changes nothing, and one that was cut short is begun anew;
    - what `finished` has returned once it returns again, until `remove`;
    - the state of an item is saved before `finished` returns, whatever the outcome, and is either the old or the new.
    """

    name: SandboxName

    async def begin(self, order: Order) -> None:
        """Stage the inputs with the item's last state, and start the program; OperationFailed if that cannot be."""

    async def has(self, run: RunId) -> bool:
        """Whether the run has begun and was not removed."""

    async def finished(self, run: RunId, report: Report) -> Result:
        """Wait until the program has ended and what it left is collected; `report` is told of each step."""

    def output(self, run: RunId) -> AsyncIterator[bytes]:
        """What the program prints, stdout and stderr in one, from its beginning until its end."""

    async def stop(self, run: RunId, grace: timedelta) -> None:
        """End the program: ask it (TERM), and after the grace force it (KILL), with all that it started.

        It returns when nothing of it runs any more. `finished` then keeps the state that it left: what it has done in
        the world it has done, and the next run must know of it.
        """

    async def remove(self, run: RunId) -> None:
        """Remove what is left of a run that does not run; the item's state stays."""

    async def runs(self) -> Sequence[RunId]:
        """All runs that were begun and not removed, of all items."""

    async def items(self) -> Sequence[ItemId]:
        """All items of which anything is left: runs, state, or objects made for them."""

    async def forget(self, item: ItemId) -> None:
        """Remove everything of an item, its state too; none of its programs runs."""

    def state(self, item: ItemId) -> State:
        """The state of an item that does not run."""

    async def close(self) -> None:
        """Let go of connections; running programs go on."""
