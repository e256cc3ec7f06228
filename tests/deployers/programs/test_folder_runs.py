"""What a run left in its folder is taken once, and never while somebody removes it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.deployers.programs.folder_worlds import NoState, a_run, script

from landform.deployers.programs.contract.outcomes import End, Outcome
from landform.deployers.programs.contract.sandboxes import Order, SandboxName
from landform.deployers.programs.local.folders import FolderSandbox

if TYPE_CHECKING:
    from pathlib import Path

RUN = a_run()


class Saves(NoState):
    """A state that takes its time, and counts how often it is saved."""

    def __init__(self) -> None:
        self.saving = asyncio.Event()
        self.saved: list[str] = []

    async def restore(self, folder: Path, *, owner: object = None, adopts: bool = False) -> Any:
        return folder

    async def save(self, folder: Path, run: str) -> None:
        self.saving.set()
        await asyncio.sleep(0.05)
        assert await asyncio.to_thread(folder.exists), "nobody removes it meanwhile"
        self.saved.append(run)


@dataclass
class Launcher:
    """Starts nothing: its programs have ended as soon as they begin."""

    name = SandboxName.PROCESS
    owner = None
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    def __getattr__(self, name: str) -> Any:
        async def nothing(*_: object) -> None:
            pass

        return nothing

    async def wait(self, *_: object) -> Outcome:
        await self.ended.wait()
        return Outcome(End.EXITED, 0)


async def begun(root: Path) -> tuple[FolderSandbox, Launcher, Saves]:
    launcher: Any = Launcher()
    saves = Saves()
    sandbox = FolderSandbox(root, launcher, lambda item: saves)
    await sandbox.begin(Order(RUN, *script("true")))
    sandbox._waiting.clear()
    return sandbox, launcher, saves


async def test_two_who_wait_for_the_end_take_it_once(tmp_path: Path) -> None:
    sandbox, launcher, saves = await begun(tmp_path)
    launcher.ended.set()
    one, other = await asyncio.gather(*(sandbox.finished(RUN, lambda progress: None) for _ in range(2)))
    assert one == other
    assert saves.saved == [RUN.token]
    await sandbox.close()


async def test_a_run_is_not_removed_while_it_is_taken_over(tmp_path: Path) -> None:
    sandbox, launcher, saves = await begun(tmp_path)
    launcher.ended.set()
    finishing = asyncio.create_task(sandbox.finished(RUN, lambda progress: None))
    await saves.saving.wait()
    await sandbox.remove(RUN)
    assert (await finishing).outcome.succeeded
    assert saves.saved == [RUN.token]
    await sandbox.close()


async def test_a_run_that_somebody_else_removed_leaves_no_empty_state(tmp_path: Path) -> None:
    sandbox, launcher, saves = await begun(tmp_path)
    finishing = asyncio.create_task(sandbox.finished(RUN, lambda progress: None))
    await asyncio.sleep(0.05)
    await sandbox.remove(RUN)
    launcher.ended.set()
    assert (await finishing).outcome.end is End.LOST
    assert saves.saved == []
    await sandbox.close()
