"""Processes as tasks: each can be killed at any await, stopped for a while, and is started again when it has ended."""

from __future__ import annotations

import asyncio
import contextvars
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVarTuple

from landform.kit.ids import RandomIds
from landform.kit.surroundings import Surroundings
from landform.testing.simulation.clusters import Connection, FaultyCluster
from landform.testing.simulation.faults import Kind
from landform.testing.simulation.loops import Gate
from landform.testing.time import VirtualClock

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from landform.cluster.interface import Cluster
    from landform.testing.simulation.history import History
    from landform.testing.simulation.injecting import Episode, Injector

Ts = TypeVarTuple("Ts")

RESTART_SECONDS = 1.0
"""After how long a process that ended by itself, or that a write killed, is there again."""

_STEPS_BEFORE_CRASH = 30
_LONGEST_WAIT_FOR_CRASH = 0.5


@dataclass(frozen=True)
class Process:
    """One life of a process, as its program sees it."""

    name: str
    life: int
    """1 for the first."""

    cluster: Cluster
    """The cluster, with everything that can go wrong on the way."""

    surroundings: Surroundings
    """A clock, ids and chance of its own."""

    connection: Connection


Program: TypeAlias = "Callable[[Process], Awaitable[None]]"
"""What a process runs: it builds everything it needs anew, and returns or raises only when the process ends."""


class Supervisor:
    """Keeps one process running, and does to it what the injector says.

    Invariant: from the moment of a crash no code of that life runs until the run is over, so nothing of it cleans up.
    """

    def __init__(self, name: str, program: Program, cluster: Cluster, injector: Injector, history: History) -> None:
        self.name = name
        self.lives = 0
        self.gates: list[Gate] = []
        self.connections: list[Connection] = []
        self.spinning: Callable[[str], None] = lambda name: None
        """Told when the process works for ever without waiting for anything."""

        self._program = program
        self._cluster = cluster
        self._injector = injector
        self._history = history
        self._seed = f"{injector.seed}/{name}"
        self._clock = VirtualClock(skew=injector.skew(name))
        self._episodes = injector.episodes(name)
        self._alive = False
        self._frozen_until = 0.0
        # A crash may come from within the process; what follows must not wait at its gate.
        self._context = contextvars.copy_context()

    def start(self) -> None:
        """Begin the first life, and have all happen to the process that is to happen."""
        for episode in self._episodes:
            self._call_later(episode.start - self._injector.now(), self._begin, episode)
        self._live()

    def crash(self, why: str, restart_after: float = RESTART_SECONDS) -> None:
        """End this life without a word."""
        if self._alive:
            self._history.note(self.name, f"crashes {why}")
            self._end(restart_after)

    def freeze(self, seconds: float) -> None:
        """Stop the process for a while."""
        if not self._alive:
            return
        self._history.note(self.name, f"freezes for {seconds:.1f} s")
        self._frozen_until = max(self._frozen_until, self._injector.now() + seconds)
        self.gates[-1].shut()
        self._call_later(seconds, self._thaw, self.lives)

    def bury(self) -> None:
        """Let nothing more of any life take effect."""
        self._alive = False
        for connection in self.connections:
            connection.dead = True

    def _live(self) -> None:
        self.lives += 1
        life = self.lives
        chance = random.Random(f"{self._seed}/{life}")
        connection = Connection(
            self.name, self._injector, self._episodes, crash=self.crash, context=self._context.copy()
        )
        surroundings = Surroundings(clock=self._clock, ids=RandomIds(chance), random=chance)
        process = Process(self.name, life, FaultyCluster(self._cluster, connection), surroundings, connection)
        gate = Gate(lambda: self.spinning(self.name))
        self.gates.append(gate)
        self.connections.append(connection)
        self._alive = True
        self._frozen_until = 0.0
        self._history.note(self.name, "starts" if life == 1 else "starts again")
        task = asyncio.get_running_loop().create_task(self._run(process), name=self.name, context=gate.context())
        task.add_done_callback(lambda done: self._ended(done, life))

    async def _run(self, process: Process) -> None:
        await self._program(process)

    def _end(self, restart_after: float) -> None:
        self._alive = False
        self.gates[-1].shut()
        self.connections[-1].dead = True
        self._call_later(restart_after, self._live)

    def _ended(self, task: asyncio.Task[Any], life: int) -> None:
        """The program returned or raised."""
        if not self._alive or life != self.lives:
            return
        error = None if task.cancelled() else task.exception()
        self._history.note(self.name, f"ends by itself: {error!r}" if error else "ends by itself")
        self._end(RESTART_SECONDS)

    def _begin(self, episode: Episode) -> None:
        self._history.strike(episode.id, episode.kind)
        if not self._alive:
            return
        if episode.kind is Kind.CRASH:
            self._crash_soon(episode, self.lives)
        elif episode.kind is Kind.FREEZE:
            self.freeze(episode.end - episode.start)

    def _crash_soon(self, episode: Episode, life: int) -> None:
        """Crash within the next steps of the process, between any two awaits; or soon, if it only waits."""

        def crash() -> None:
            if life == self.lives:
                self.crash("at an await", episode.end - episode.start)

        self.gates[-1].after_steps(int(episode.share * _STEPS_BEFORE_CRASH), crash)
        self._call_later(_LONGEST_WAIT_FOR_CRASH, crash)

    def _thaw(self, life: int) -> None:
        if self._alive and life == self.lives and self._injector.now() >= self._frozen_until:
            self._history.note(self.name, "goes on")
            self.gates[-1].open()

    def _call_later(self, seconds: float, callback: Callable[[*Ts], None], *args: *Ts) -> None:
        asyncio.get_running_loop().call_later(seconds, callback, *args, context=self._context)
