"""The event loop of a simulation: everything that a process does passes its gate, which can be stopped or shut."""

from __future__ import annotations

import asyncio
import contextvars
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple

from landform.testing.time import VirtualLoop

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Generator
    from concurrent.futures import Executor
    from contextvars import Context

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

MOST_STEPS_AT_ONCE = 100_000
"""So many steps without any time passing are no work any more: the process spins."""

_FEW_TASKS = 100

_gate: contextvars.ContextVar[Gate | None] = contextvars.ContextVar("gate", default=None)


class Gate:
    """What a process must pass for each of its steps: tasks, timers and callbacks alike.

    Invariants: while it is not open no code of the process runs, not even what cleans up; what was to run is kept, in
    order, and runs when it opens.
    """

    def __init__(self, spinning: Callable[[], None] = lambda: None) -> None:
        self._open = True
        self._held: list[_Step] = []
        self._spinning = spinning
        self._countdown = -1
        self._expired: Callable[[], None] = lambda: None
        self._moment = -1.0
        self._steps = 0
        self._tasks: list[asyncio.Task[Any]] = []
        self._most_tasks = _FEW_TASKS

    def context(self) -> Context:
        """A context in which everything belongs to this gate; a copy of the present one."""
        context = contextvars.copy_context()
        context.run(_gate.set, self)
        return context

    def shut(self) -> None:
        """Let nothing pass from now on."""
        self._open = False

    def open(self) -> None:
        """Let everything pass again, first of all what was held."""
        self._open = True
        held, self._held = self._held, []
        for step in held:
            step.resume()

    def keep(self, task: asyncio.Task[Any]) -> None:
        """Hold on to a task as long as it is not done.

        Nobody else does when what it waits for is gone. It would be collected some time, and would clean up then.
        """
        self._tasks.append(task)
        if len(self._tasks) > self._most_tasks:
            self._tasks = [kept for kept in self._tasks if not kept.done()]
            self._most_tasks = 2 * len(self._tasks) + _FEW_TASKS

    def after_steps(self, count: int, then: Callable[[], None]) -> None:
        """Call something just before the step after so many others: between any two awaits."""
        self._countdown, self._expired = count, then

    def passes(self, step: _Step) -> bool:
        """Whether the step may be done now; else it is held."""
        if self._open and self._countdown >= 0:
            self._countdown -= 1
            if self._countdown < 0:
                self._expired()
        if self._open:
            self._count(step.loop.virtual_time)
        if not self._open:
            self._held.append(step)
        return self._open

    def _count(self, now: float) -> None:
        if now != self._moment:
            self._moment, self._steps = now, 0
        self._steps += 1
        if self._steps == MOST_STEPS_AT_ONCE:
            self._spinning()


class _Step:
    """A callback of a process."""

    __slots__ = ("args", "callback", "context", "gate", "handle", "loop")

    def __init__(self, loop: SimulationLoop, gate: Gate, callback: Callable[..., object], args: Any) -> None:
        self.loop = loop
        self.gate = gate
        self.callback = callback
        self.args = args
        self.context: Context | None = None
        self.handle: asyncio.Handle | None = None

    def __call__(self) -> None:
        if self.gate.passes(self):
            self.callback(*self.args)

    def resume(self) -> None:
        # Its own handle tells whether somebody lost interest meanwhile, as a timeout does that is not needed any more.
        if self.handle is None or not self.handle.cancelled():
            asyncio.SelectorEventLoop.call_soon(self.loop, self, context=self.context)


class SimulationLoop(VirtualLoop):
    """Virtual time with gates, and without threads: what would run in one runs at once, so its end is no chance.

    Without sockets too: nothing from outside wakes it, so it need not ask.
    """

    def __init__(self) -> None:
        super().__init__(with_sockets=False)

    def call_soon(
        self, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.Handle:
        gate = _gate.get() if context is None else context.get(_gate)
        if gate is None:
            return super().call_soon(callback, *args, context=context)
        step = _Step(self, gate, callback, args)
        step.context = context if context is not None else contextvars.copy_context()
        step.handle = super().call_soon(step, context=step.context)
        return step.handle

    def call_at(
        self, when: float, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.TimerHandle:
        gate = _gate.get() if context is None else context.get(_gate)
        if gate is None:
            return super().call_at(when, callback, *args, context=context)
        step = _Step(self, gate, callback, args)
        step.context = context if context is not None else contextvars.copy_context()
        timer = super().call_at(when, step, context=step.context)
        step.handle = timer
        return timer

    def create_task(
        self, coro: Generator[Any, None, T] | Coroutine[Any, Any, T], *, context: Context | None = None, **options: Any
    ) -> asyncio.Task[T]:
        task = super().create_task(coro, context=context, **options)
        gate = _gate.get() if context is None else context.get(_gate)
        if gate is not None:
            gate.keep(task)
        return task

    def call_soon_threadsafe(
        self, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.Handle:
        return self.call_soon(callback, *args, context=context)

    def run_in_executor(self, executor: Executor | None, func: Callable[[*Ts], T], *args: *Ts) -> asyncio.Future[T]:
        """Run at once; time stands still."""
        future: asyncio.Future[T] = self.create_future()
        try:
            future.set_result(func(*args))
        except StopIteration as error:
            future.set_exception(RuntimeError(f"a thread raised {error!r}"))
        except Exception as error:
            future.set_exception(error)
        return future
