"""Sandboxes in a folder of their own, with the state in an embedded home."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from landform.deployers.programs.contract.contract import Operation
from landform.deployers.programs.contract.identities import ItemId, RunId
from landform.deployers.programs.contract.sandboxes import Inputs, Order, Program, Progress
from landform.deployers.programs.local.folders import FolderSandbox
from landform.deployers.programs.local.places import Places
from landform.deployers.programs.states.states import StateStore
from landform.testing import homes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from landform.deployers.programs.contract.outcomes import Result
    from landform.deployers.programs.contract.sandboxes import State
    from landform.deployers.programs.local.folders import States
    from landform.deployers.programs.local.launchers import Launcher

IS_ROOT = os.geteuid() == 0
SOON = timedelta(seconds=10)
ITEM = ItemId("default", "item", "7a1c")


class NoState:
    """For programs that keep nothing."""

    async def restore(self, folder: Path, *, owner: object = None, adopts: bool = False) -> None:
        pass

    async def save(self, folder: Path, run: str) -> None:
        pass

    async def remove(self) -> None:
        pass


def stateless(_item: ItemId) -> State:
    return NoState()


@dataclass
class World:
    """One sandbox after the other on the same folder, as deployers follow each other."""

    root: Path
    states: States
    make: Callable[[], Launcher]
    reports: list[Progress] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.sandbox = FolderSandbox(self.root, self.make(), self.states)

    def folder(self, run: RunId) -> Path:
        """Where the files of a run are."""
        return Places(self.root).of(run).folder

    async def restart(self) -> None:
        """Another deployer takes over."""
        await self.sandbox.close()
        self.sandbox = FolderSandbox(self.root, self.make(), self.states)

    async def begin(self, run: RunId, program: Program | str, inputs: Inputs | None = None) -> None:
        order = script(program, inputs) if isinstance(program, str) else (program, inputs or Inputs())
        await self.sandbox.begin(Order(run, *order))

    async def finished(self, run: RunId) -> Result:
        return await self.sandbox.finished(run, self.reports.append)

    async def printed(self, run: RunId) -> str:
        return b"".join([piece async for piece in self.sandbox.output(run)]).decode()

    async def result(self, text: str, run: RunId | None = None) -> tuple[Result, str]:
        """What becomes of a script, and what it prints."""
        run = run or a_run()
        await self.begin(run, text)
        result = await self.finished(run)
        printed = await self.printed(run)
        await self.sandbox.remove(run)
        return result, printed


def a_run(job: str = "job-1", item: ItemId = ITEM, operation: Operation = Operation.RECONCILE) -> RunId:
    return RunId(item, job, operation)


def script(
    text: str, inputs: Inputs | None = None, *, env: Mapping[str, str] | None = None, args: tuple[str, ...] = ()
) -> tuple[Program, Inputs]:
    """A shell script as a program, and its inputs."""
    given = inputs or Inputs()
    return (
        Program(command=("/bin/sh",), args=args, env=env or {}, is_script=True),
        Inputs(given.imports, given.target, given.component_descriptors, given.content, text.encode()),
    )


@asynccontextmanager
async def world(make: Callable[[], Launcher]) -> AsyncIterator[World]:
    """A sandbox whose programs, whoever they run as, can reach their folder."""
    root = _folder()
    try:
        async with homes.in_process() as cluster:
            opened = World(root / "runs", lambda item: StateStore(cluster, item.namespace, item), make)
            try:
                yield opened
            finally:
                await _end(opened.sandbox)
    finally:
        shutil.rmtree(root)


def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="landform-programs-"))
    folder.chmod(0o711)
    return folder


async def _end(sandbox: FolderSandbox) -> None:
    for run in await sandbox.runs():
        await sandbox.stop(run, timedelta())
        await sandbox.remove(run)
    await sandbox.close()


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something that another process does."""
    async with asyncio.timeout(SOON.total_seconds()):
        while not condition():  # noqa: ASYNC110, other processes set no events
            await asyncio.sleep(0.01)
