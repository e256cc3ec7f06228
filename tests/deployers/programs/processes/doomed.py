"""A deployer that begins one run and stays at a step until it is killed: ``python -m ... ROOT STEP < SCRIPT``."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from tests.deployers.programs.folder_worlds import NoState, a_run, script

from landform.deployers.programs.contract.sandboxes import Order
from landform.deployers.programs.local.folders import FolderSandbox
from landform.deployers.programs.processes.launcher import ProcessLauncher


class _Stuck(NoState):
    """A place for state that never answers."""

    def __init__(self, step: str) -> None:
        self._step = step

    async def restore(self, folder: Path, *, owner: object = None, adopts: bool = False) -> None:
        if self._step == "staging":
            await _stay()

    async def save(self, folder: Path, run: str) -> None:
        await _stay()


async def main(root: Path, step: str, text: str) -> None:
    sandbox = FolderSandbox(root, ProcessLauncher(drops=False), lambda _item: _Stuck(step))
    await sandbox.begin(Order(a_run(), *script(text)))
    if step == "collecting":
        await sandbox.finished(a_run(), lambda _progress: None)
    async for _ in sandbox.output(a_run()):
        await _stay()


async def _stay() -> None:
    print("there", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], sys.stdin.read()))
