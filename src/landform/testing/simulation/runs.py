"""One run: a scenario, a seed, and from them everything that happens, each time the same."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from landform.testing.simulation import homes, scenarios
from landform.testing.simulation.clusters import Connection, FaultyCluster
from landform.testing.simulation.faults import NONE, Faults
from landform.testing.simulation.history import USER, History
from landform.testing.simulation.injecting import Injector
from landform.testing.simulation.loops import SimulationLoop
from landform.testing.simulation.processes import Supervisor
from landform.testing.simulation.scenarios import Violation, World

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator, Mapping

    from landform.cluster.interface import Cluster
    from landform.testing.simulation.faults import Kind
    from landform.testing.simulation.history import Write
    from landform.testing.simulation.loops import Gate
    from landform.testing.simulation.scenarios import Scenario

CALM_SEED = 0
"""The seed in whose runs nothing goes wrong, unless a script says so."""

_LOOK_SECONDS = 0.5
_ROUNDS_OF_CANCELLING = 30
_TURNS = 5


@dataclass(frozen=True)
class Result:
    """What came of a run."""

    scenario: str
    seed: int
    violations: tuple[Violation, ...]
    """Empty if all was well."""

    history: History = field(repr=False)
    seconds: float
    """How long it took, in virtual time."""

    def script(self) -> dict[str, Kind]:
        """Exactly the faults that struck."""
        return {strike.id: strike.kind for strike in self.history.strikes}


def drawn_faults(scenario: Scenario, seed: int) -> Faults:
    """The faults of a seed."""
    if seed == CALM_SEED:
        return NONE
    chance = random.Random(f"{seed}/faults")
    return Faults.drawn(chance, calm_at=scenario.storm_seconds, without=scenario.without)


def run(scenario: Scenario, seed: int, *, script: Mapping[str, Kind] | None = None) -> Result:
    """Run a scenario; with a script, with exactly its faults, whatever else follows from the seed."""
    homes.furniture()
    # Programs should draw from their surroundings. Those that do not are at least the same in each run.
    before = random.getstate()
    random.seed(f"{seed}/global")
    try:
        return _in_loop(_Simulation(scenario, seed, script))
    except Exception as error:
        error.add_note(f"in the scenario {scenario.name!r} with seed {seed}")
        raise
    finally:
        random.setstate(before)


class _Simulation:
    """One run while it goes on."""

    def __init__(self, scenario: Scenario, seed: int, script: Mapping[str, Kind] | None) -> None:
        self._scenario = scenario
        self._seed = seed
        self._script = script
        self._violations: list[Violation] = []
        self._supervisors: dict[str, Supervisor] = {}

    async def run(self) -> Result:
        loop = asyncio.get_running_loop()
        start = loop.time()
        self._failed = asyncio.Event()
        history = self._history = History(lambda: loop.time() - start)
        self._injector = Injector(
            self._seed,
            drawn_faults(self._scenario, self._seed),
            script=self._script,
            until=math.inf if self._seed == CALM_SEED and self._script else None,
            now=lambda: loop.time() - start,
            told=history.strike,
        )
        async with homes.opened(self._seed, history) as cluster:
            try:
                await self._until_failed(self._story(cluster))
            finally:
                history.close()
                seconds = history.now
                for supervisor in self._supervisors.values():
                    supervisor.bury()
        return Result(self._scenario.name, self._seed, tuple(self._violations), history, seconds)

    async def _until_failed(self, story: Coroutine[Any, Any, None]) -> None:
        """Go on until the end or the first violation."""
        telling = asyncio.create_task(story, name="story")
        failing = asyncio.create_task(self._failed.wait(), name="failure")
        await asyncio.wait((telling, failing), return_when=asyncio.FIRST_COMPLETED)
        failing.cancel()
        if not telling.done():
            telling.cancel()
            await asyncio.wait((telling,))
        if not telling.cancelled():
            telling.result()

    async def _story(self, cluster: Cluster) -> None:
        people = FaultyCluster(cluster, Connection(USER, Injector(self._seed, NONE, now=self._injector.now)))
        world = World(people, self._history, random.Random(f"{self._seed}/workload"), self._supervisors)
        self._history.written = self._check
        await self._scenario.setup(world)
        self._start(cluster)
        await self._work(world)
        await asyncio.sleep(max(0.0, self._injector.faults.calm_at - self._history.now))
        self._history.calm_at = self._history.now
        self._history.note(USER, "calm begins")
        if await self._converged():
            self._history.converged_at = self._history.now
            self._history.note(USER, "everything is as it should be")
            await asyncio.sleep(self._scenario.quiet_seconds)
            self._fail(scenarios.check(self._scenario.eventually, self._history))

    def _start(self, cluster: Cluster) -> None:
        for name, program in self._scenario.processes.items():
            supervisor = Supervisor(name, program, cluster, self._injector, self._history)
            supervisor.spinning = self._spins
            self._supervisors[name] = supervisor
        for supervisor in self._supervisors.values():
            supervisor.start()

    async def _work(self, world: World) -> None:
        """What people do; who waits for something in vain, or finds what must not be, says so."""
        limit = self._scenario.storm_seconds + self._scenario.converge_seconds
        try:
            async with asyncio.timeout(limit) as waiting:
                await self._scenario.workload(world)
        except TimeoutError:
            if not waiting.expired():
                raise
            text = f"it still waits for something after {limit:.0f} s"
            self._fail([Violation("the workload comes to an end", text, self._history.now)])
        except AssertionError as error:
            self._fail([Violation("the workload finds what it expects", str(error), self._history.now)])

    async def _converged(self) -> bool:
        """Wait until all is as it should be; False, and a violation, if that takes too long."""
        deadline = self._history.now + self._scenario.converge_seconds
        looked_at = -1
        left: list[Violation] = []
        while self._history.now < deadline:
            if looked_at != len(self._history.writes):
                looked_at = len(self._history.writes)
                left = scenarios.check(self._scenario.eventually, self._history)
                if not left:
                    return True
            await asyncio.sleep(_LOOK_SECONDS)
        self._fail(left)
        return False

    def _check(self, write: Write) -> None:
        self._fail(scenarios.check(self._scenario.always, self._history))
        if write.number > self._scenario.most_writes:
            text = f"{write.number} writes, the last by {write.actor}: {write}"
            self._fail([Violation("no process writes for ever", text, self._history.now)])

    def _spins(self, name: str) -> None:
        self._supervisors[name].gates[-1].shut()
        self._fail([Violation("no process spins", f"{name} works on and on while no time passes", self._history.now)])

    def _fail(self, violations: list[Violation]) -> None:
        if violations and not self._violations:
            self._violations.extend(violations)
            self._failed.set()

    def gates(self) -> list[Gate]:
        """Those of all lives."""
        return [gate for supervisor in self._supervisors.values() for gate in supervisor.gates]


def _in_loop(simulation: _Simulation) -> Result:
    loop = SimulationLoop()
    try:
        return loop.run_until_complete(simulation.run())
    finally:
        with _silence():
            _clear_away(loop, simulation.gates())
            loop.close()


def _clear_away(loop: SimulationLoop, gates: list[Gate]) -> None:
    """Unwind what is left of all lives. Nothing of that counts any more; who clings to life is left behind."""
    loop.set_exception_handler(lambda loop, context: None)
    for gate in gates:
        gate.open()
    for _ in range(_ROUNDS_OF_CANCELLING):
        left = asyncio.all_tasks(loop)
        if not left:
            break
        for task in left:
            task.cancel()
        loop.run_until_complete(_take_turns())
    for gate in gates:
        gate.shut()
    for task in asyncio.all_tasks(loop):
        task._log_destroy_pending = False  # type: ignore[attr-defined] # its end would be told on stderr
    with contextlib.suppress(TimeoutError):
        loop.run_until_complete(asyncio.wait_for(loop.shutdown_asyncgens(), 1.0))


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Log nothing."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


async def _take_turns() -> None:
    for _ in range(_TURNS):
        await asyncio.sleep(0)
