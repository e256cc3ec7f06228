"""State that moves with its item, when the program of an item runs in another place than the last time.

Programs on this machine have their state beside the item, and pods have it in the host cluster.
"""

from __future__ import annotations

import tempfile
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from landform.deployers.library.failures import FinalFailure
from landform.deployers.programs.contract.faults import ProgramDataError
from landform.deployers.programs.contract.sandboxes import SandboxName
from landform.deployers.programs.tasks import threads

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from landform.deployers.programs.contract.sandboxes import State


def is_needed(former: str, chosen: SandboxName) -> bool:
    """Whether the state is kept elsewhere than the next run looks for it; pure."""
    return bool(former) and (former == SandboxName.KUBERNETES) is not (chosen is SandboxName.KUBERNETES)


def left_behind(former: str, chosen: SandboxName) -> str:
    """What people are told when the state cannot be had; pure."""
    return (
        f"the program runs in the sandbox {chosen}, and ran in the sandbox {former} the last time, which this deployer"
        " does not have any more: state that it has kept there is not taken along"
    )


async def move(source: State, target: State, run: str) -> None:
    """Have the state of one place in another one, instead of what was there; FinalFailure if it cannot be read.

    The source stays as it is: whoever is killed before the run has begun moves it again.
    """
    try:
        async with _scratch() as folder:
            await source.restore(folder)
            await target.save(folder, f"before-{run}")
    except ProgramDataError as error:
        raise FinalFailure("StageProgram", type(error).__name__, "its state cannot be taken along") from error


@asynccontextmanager
async def _scratch() -> AsyncIterator[Path]:
    made = await threads.finish(tempfile.TemporaryDirectory, prefix="landform-state-")
    try:
        folder = Path(made.name) / "state"
        await threads.finish(folder.mkdir)
        yield folder
    finally:
        await threads.finish(made.cleanup)
