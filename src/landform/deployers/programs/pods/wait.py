"""What the wait container runs: it waits for the end of the program beside it, and keeps what that left.

It learns of the end by a watch on its own pod, for hours if need be; keeps the state, whatever the exit code; reads
the exports, if that is 0; and says everything in one write, last. Its credentials reach the Secrets that were made for
it, and nothing else.
"""

from __future__ import annotations

import asyncio
import functools
import json
import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, TypeVar

from landform.deployers.programs import collecting, slots
from landform.deployers.programs.contract import SHARED, Layout
from landform.deployers.programs.faults import ProgramDataError
from landform.deployers.programs.outcomes import Result
from landform.deployers.programs.pods import handover, results, termination
from landform.deployers.programs.pods.apiserver import ApiFault, ApiServer
from landform.deployers.programs.pods.endings import outcome_of
from landform.deployers.programs.slots import Slots

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from landform.deployers.programs.outcomes import Outcome

T = TypeVar("T")

_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 10.0
_PATIENCE = 60.0
"""Seconds after which a refusal counts: a Role takes a moment until it is known everywhere."""

_LOOK_AGAIN = 0.25
"""Seconds between looks at whether the slots are there that were asked for."""


class Stopped(Exception):
    """The pod is being ended before its program has ended by itself."""


@dataclass(frozen=True)
class Task:
    """What the wait container is told."""

    pod: str
    result: str
    slots: Slots
    folder: Path
    """Where the program left its files."""

    scratch: Path
    """Room for the packed state."""

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Task:
        """From the variables that were set for it."""
        found = Slots.from_json(json.loads(environ[handover.SLOTS]))
        return cls(environ["POD_NAME"], environ[handover.RESULT_NAME], found, Path(SHARED), Path(handover.SCRATCH))


def main_end(server: ApiServer, pod: str, sleep: Callable[[float], None] = time.sleep) -> Outcome:
    """Wait until the program has ended."""
    tries = 0
    while True:
        try:
            for seen in server.watch_pod(pod):
                tries = 0
                if seen is None:
                    raise Stopped("the pod is gone")
                if (terminated := _terminated(seen)) is not None:
                    return outcome_of(terminated)
        except ApiFault as fault:
            tries += 1
            if not fault.is_passing and _paused(tries) > _PATIENCE:
                raise
            print(f"trying again: {fault}", file=sys.stderr, flush=True)
        sleep(_pause(tries))


async def collect(server: ApiServer, task: Task, outcome: Outcome) -> None:
    """Keep what the program left, and say how it ended."""
    faults = []
    try:
        await _save_state(server, task)
    except ProgramDataError as fault:
        faults.append(str(fault))
    exports = None
    try:
        exports = await asyncio.to_thread(collecting.read_exports, task.folder) if outcome.succeeded else None
    except ProgramDataError as fault:
        faults.append(str(fault))
    await _complete(server, task, Result(outcome, exports, "; ".join(faults)))


async def _save_state(server: ApiServer, task: Task) -> None:
    async def patch(name: str, change: dict[str, Any]) -> None:
        await _persist(lambda: server.patch_secret(name, change))

    async def more(count: int) -> None:
        await _persist(lambda: server.patch_secret(task.result, results.asking_for(count)))
        await _offered(server, task, count)

    state = Path(Layout(PurePosixPath(task.folder)).state)
    await slots.save(state, task.slots, patch=patch, more=more, temporary=task.scratch)


async def _offered(server: ApiServer, task: Task, count: int) -> None:
    """Wait until the deployer has made so many slots; it may have been stopped for now, so for as long as it takes."""
    while True:
        secret = await _persist(lambda: server.get_secret(task.result))
        if results.ready_slots(secret) >= count:
            return
        await asyncio.sleep(_LOOK_AGAIN)


async def _complete(server: ApiServer, task: Task, result: Result) -> None:
    """Write the result, unless the deployer gave the run up before."""
    while True:
        secret = await _persist(lambda: server.get_secret(task.result))
        if results.is_complete(secret):
            return
        patch = functools.partial(server.patch_secret, task.result, results.completing(secret, result))
        try:
            await _persist(patch)
            return
        except ApiFault as fault:
            if fault.code != 409:
                raise


async def _persist(call: Callable[[], T]) -> T:
    """Do it until it succeeds; a refusal that lasts is final, everything that may pass is not."""
    tries = 0
    while True:
        try:
            return await asyncio.to_thread(call)
        except ApiFault as fault:
            tries += 1
            refused = fault.code not in (403, 404) or _paused(tries) > _PATIENCE
            if not fault.is_passing and refused:
                raise
            await asyncio.sleep(_pause(tries))


def _pause(tries: int) -> float:
    """Seconds to wait after so many failures in a row."""
    return min(_FIRST_PAUSE * 2.0 ** min(tries, 30), _LONGEST_PAUSE)


def _paused(tries: int) -> float:
    """Seconds that were waited in all before that many failures."""
    return sum(map(_pause, range(1, tries)))


def _terminated(pod: Mapping[str, Any]) -> Mapping[str, Any] | None:
    statuses = pod.get("status", {}).get("containerStatuses") or ()
    [main] = [each for each in statuses if each["name"] == handover.MAIN] or [{}]
    return (main.get("state") or {}).get("terminated")


def _stop(_number: int, _frame: object) -> None:
    raise Stopped("it was told to end before the program had ended")


def main() -> int:
    """Wait and collect; exit code 1 and a sentence in the termination log if that cannot be done."""
    signal.signal(signal.SIGTERM, _stop)
    try:
        server, task = ApiServer.from_environment(os.environ), Task.from_environment(os.environ)
        outcome = main_end(server, task.pod)
        # From here on it takes moments: what the program left is kept even if the pod is being ended.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        asyncio.run(collect(server, task, outcome))
    except (Stopped, ApiFault, OSError) as fault:
        termination.tell(str(fault))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
