"""Scenarios: what runs, what people do meanwhile, and what must be true."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from landform.testing.simulation.faults import STORM_SECONDS, Kind

if TYPE_CHECKING:
    import random
    from collections.abc import Awaitable

    from landform.cluster.interface import Cluster
    from landform.testing.simulation.history import History
    from landform.testing.simulation.processes import Program, Supervisor


@dataclass(frozen=True)
class Violation:
    """Something that must be true and is not."""

    invariant: str
    """Name of what was broken."""

    text: str
    """What was found, in words."""

    at: float = 0.0
    """When it was found."""

    def __str__(self) -> str:
        return f"{self.invariant}: {self.text}"


Finding: TypeAlias = "Violation | str"
Invariant: TypeAlias = Callable[["History"], Iterable[Finding] | None]
"""A function over the history: it yields or returns what is wrong, as texts or Violations, or raises AssertionError."""


@dataclass(frozen=True)
class World:
    """What set-up and workload see."""

    cluster: Cluster
    """The cluster as people reach it: nothing goes wrong."""

    history: History
    chance: random.Random
    """A source of chance that follows from the seed."""

    processes: Mapping[str, Supervisor]
    """By name; empty during set-up."""


async def nothing(world: World) -> None:
    """A set-up or workload that does nothing."""


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A system under test: whatever goes wrong until `storm_seconds`, the invariants hold.

    A run goes through four parts: `setup`, with nobody there; the storm, in which the processes run, `workload` acts
    and faults are injected; the calm, in which all must come right within `converge_seconds` after both have ended;
    and the rest of `quiet_seconds`, in which it must stay right.
    """

    name: str
    processes: Mapping[str, Program]
    """Programs by the names of their processes; several replicas are several names with the same program."""

    setup: Callable[[World], Awaitable[None]] = nothing
    workload: Callable[[World], Awaitable[None]] = nothing
    always: Sequence[Invariant] = ()
    """Checked after each write."""

    eventually: Sequence[Invariant] = ()
    """Must all hold at one moment of the calm, and then again at the end of the run."""

    storm_seconds: float = STORM_SECONDS
    converge_seconds: float = 400.0
    """More than the longest that the runtime waits before it tries again what failed many times."""

    quiet_seconds: float = 40.0
    most_writes: int = 5000
    """More writes than that are a process that never rests."""

    without: Collection[Kind] = field(default_factory=frozenset)
    """Kinds of faults that the system is not made for."""

    exhaustive: bool = False
    """Whether it is small enough for a crash before and after each single write."""


def check(invariants: Iterable[Invariant], history: History) -> list[Violation]:
    """What the invariants find."""
    found: list[Violation] = []
    for invariant in invariants:
        name = name_of(invariant)
        try:
            found.extend(_violation(name, finding, history.now) for finding in invariant(history) or ())
        except AssertionError as error:
            found.append(Violation(name, str(error) or "does not hold", history.now))
    return found


def name_of(invariant: Invariant) -> str:
    """What an invariant is called."""
    return str(getattr(invariant, "__name__", invariant)).replace("_", " ")


def _violation(name: str, finding: Finding, now: float) -> Violation:
    return finding if isinstance(finding, Violation) else Violation(name, finding, now)
