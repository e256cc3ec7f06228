"""Starts programs as processes, each under its keeper."""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from landform.deployers.programs.contract import contract
from landform.deployers.programs.contract.contract import FILES_GROUP, GROUP, USER, Layout, Owner
from landform.deployers.programs.contract.outcomes import End, Outcome
from landform.deployers.programs.contract.sandboxes import Progress, SandboxName, Step
from landform.deployers.programs.processes import endings, keeping
from landform.deployers.programs.processes.keeping import Keep, Order
from landform.deployers.programs.processes.settings import ProcessSettings
from landform.deployers.programs.processes.slots import Slots
from landform.deployers.programs.processes.spawning import Nursery
from landform.deployers.programs.tasks.finishing import to_its_end
from landform.kit.clocks import SystemClock

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine, Sequence
    from datetime import timedelta

    from landform.deployers.programs.contract.identities import RunId
    from landform.deployers.programs.contract.sandboxes import Program, Report
    from landform.deployers.programs.local.places import Place
    from landform.kit.clocks import Clock

_LOOK_SECONDS: Final = 0.5
"""How often new output is looked for while a program runs: more often than the log is written, and not much more,
because many programs may run at once."""

_PIECE: Final = 1 << 18


class ProcessLauncher:
    """Starts programs as processes of this machine.

    Started as root, it has them run as the user of the contract; otherwise as its own user.
    """

    name = SandboxName.PROCESS

    def __init__(
        self, settings: ProcessSettings | None = None, *, clock: Clock | None = None, drops: bool | None = None
    ) -> None:
        self._settings = settings or ProcessSettings()
        self._clock = clock or SystemClock()
        self._slots = Slots(self._settings.slots)
        self._watched: dict[str, _Watch] = {}
        self._nursery = Nursery()
        # Keepers are started in a thread of their own: a slot is taken by then, and must not wait behind other work.
        self._starting = ThreadPoolExecutor(1, thread_name_prefix="keepers")
        drops = os.geteuid() == 0 if drops is None else drops
        self.owner = Owner(USER, FILES_GROUP) if drops else None
        self._user = (USER, GROUP, (FILES_GROUP,)) if drops else None

    def layout(self, place: Place) -> Layout:
        return Layout(PurePosixPath(place.files))

    async def adopt(self, places: Sequence[Place]) -> None:
        for place in places:
            if await asyncio.to_thread(_keep(place).is_alive):
                self._slots.adopt(place.run.token)
                await self._watch(place)

    async def is_ready(self, program: Program) -> bool:
        return self._slots.is_free()

    async def start(self, place: Place, program: Program, report: Report) -> Outcome | None:
        if not program.command and not program.is_script:
            return Outcome(End.NOT_STARTED, reason="NoCommand", message="it says no command to run as a process")
        token = place.run.token
        if not self._slots.is_free():
            report(Progress(Step.STAGING, f"waits for a free slot: at most {self._slots.limit} programs run at once"))
        await self._slots.take(token)
        await to_its_end(self._launch(place, program))
        return None

    async def has_started(self, place: Place) -> bool:
        return await asyncio.to_thread(_has_started, _keep(place))

    async def wait(self, place: Place, report: Report) -> Outcome:
        report(Progress(Step.RUNNING))
        await (await self._watch(place)).ended.wait()
        return await asyncio.to_thread(_outcome, place)

    async def output(self, place: Place) -> AsyncIterator[bytes]:
        watch = await self._watch(place)
        folder, offset = _keep(place).folder, 0
        while True:
            is_over = watch.ended.is_set()
            data, offset = await asyncio.to_thread(keeping.read_output, folder, offset, _PIECE)
            if data:
                yield data
            if len(data) >= _PIECE:
                continue  # there may be more
            if is_over:
                return
            await watch.ended_or(self._clock.sleep(_LOOK_SECONDS))

    async def stop(self, place: Place, grace: timedelta) -> None:
        watch = await self._watch(place)
        await asyncio.to_thread(_keep(place).stop, grace)
        await watch.ended.wait()

    async def remove(self, place: Place) -> None:
        """Nothing is left outside its place."""

    async def left(self) -> Sequence[RunId]:
        return ()

    async def close(self) -> None:
        for watch in self._watched.values():
            watch.close()
        self._watched.clear()
        await asyncio.to_thread(self._nursery.close)
        self._starting.shutdown(wait=False)

    async def _launch(self, place: Place, program: Program) -> None:
        """Start the keeper; the slot is its own then, or given back if there is none."""
        descriptor = None
        try:
            loop = asyncio.get_running_loop()
            descriptor = await loop.run_in_executor(self._starting, self._spawn, place, program)
        finally:
            self._follow(place.run.token, descriptor)

    def _spawn(self, place: Place, program: Program) -> int | None:
        """Start the keeper, and return what tells of its end."""
        layout = self.layout(place)
        script = (str(layout.script),) if program.is_script else ()
        command = (*program.command, *script, *program.args)
        order = Order(
            command=command,
            env={
                "PATH": self._settings.path,
                "LANG": "C.UTF-8",
                "HOME": str(place.work),
                **program.env,
                **contract.environment(layout, place.run.operation),
            },
            work=place.work,
            user=self._user,
            limits=self._settings.limits.numbers(),
            output=self._settings.output,
        )
        keep = _keep(place)
        keep.spawn(order, self._nursery)
        return keep.watch()

    async def _watch(self, place: Place) -> _Watch:
        """What tells of the keeper's end; there is one for each run that goes on."""
        known = self._watched.get(place.run.token)
        return known or self._follow(place.run.token, await asyncio.to_thread(_keep(place).watch))

    def _follow(self, token: str, descriptor: int | None) -> _Watch:
        if token in self._watched:  # somebody else came first
            if descriptor is not None:
                os.close(descriptor)
            return self._watched[token]
        watch = _Watch(descriptor)
        if descriptor is None:
            self._slots.give(token)
        else:
            self._watched[token] = watch
            asyncio.get_running_loop().add_reader(descriptor, self._ended, token)
        return watch

    def _ended(self, token: str) -> None:
        watch = self._watched.pop(token)
        watch.close()
        watch.ended.set()
        self._slots.give(token)


class _Watch:
    """Tells of the end of one keeper."""

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor
        self.ended = asyncio.Event()
        if descriptor is None:
            self.ended.set()

    async def ended_or(self, other: Coroutine[None, None, None]) -> None:
        """Return when it has ended, or with the other, whichever comes first."""
        tasks = [asyncio.ensure_future(self.ended.wait()), asyncio.ensure_future(other)]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def close(self) -> None:
        """Let go; whoever still waits is not told anything, because nothing has ended."""
        if self._descriptor is not None:
            asyncio.get_running_loop().remove_reader(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = None


def _keep(place: Place) -> Keep:
    return Keep(place.keep)


def _has_started(keep: Keep) -> bool:
    return keep.has_started() or keep.is_alive()


def _outcome(place: Place) -> Outcome:
    keep = _keep(place)
    return endings.outcome_of(keep.outcome(), keep.faults())
