"""What the wait container runs: it waits for the end of the program beside it, and keeps what that left.

It learns of the end by a watch on its own pod, for hours if need be, or because it is told to end itself: the kubelet
does so only after the program has ended, or is killed. Then it keeps the state, reads the exports, and says everything
in one write, last. How the program ended it may not know, if the pod is being deleted: then the deployer, whose
finalizer holds the pod, adds that. Its credentials reach the Secrets that were made for it, and nothing else.
"""

from __future__ import annotations

import asyncio
import functools
import json
import os
import signal
import sys
import threading
import time
from concurrent import futures
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, TypeVar

from landform.deployers.programs.contract.contract import SHARED, Layout
from landform.deployers.programs.contract.faults import ProgramDataError
from landform.deployers.programs.files import collecting
from landform.deployers.programs.pods import handover, results, termination
from landform.deployers.programs.pods.apiserver import ApiFault, ApiServer
from landform.deployers.programs.pods.endings import outcome_of
from landform.deployers.programs.pods.results import Left
from landform.deployers.programs.states import slots
from landform.deployers.programs.states.slots import Slots

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from landform.deployers.programs.contract.outcomes import Outcome

T = TypeVar("T")

_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 10.0
_PATIENCE = 60.0
"""Seconds after which a refusal counts: a Role takes a moment until it is known everywhere."""

_LOOK_AGAIN = 0.25
"""Seconds between looks at whether the slots are there that were asked for."""


_LAST_LOOK = 1.0
"""Seconds that it is waited for how the program ended when all that it left is kept."""


class Stopped(Exception):
    """The pod is gone, and nobody can tell how its program ended."""


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
                    return outcome_of(terminated, is_stopped="deletionTimestamp" in seen.get("metadata", {}))
        except ApiFault as fault:
            tries += 1
            if not fault.is_passing and _paused(tries) > _PATIENCE:
                raise
            print(f"trying again: {fault}", file=sys.stderr, flush=True)
        sleep(_pause(tries))


async def attend(server: ApiServer, task: Task, told: asyncio.Event) -> None:
    """Wait for the end of the program, and keep what it left; `told` is set when that has ended or is about to."""
    if not await _opened(server, task):
        return
    watching = _watching(server, task.pod)
    watching.add_done_callback(lambda _: told.set())
    try:
        await told.wait()
        if watching.done():
            outcome = watching.result()
            return await complete(server, task, outcome, await left(server, task))
        # The kubelet may kill us in two seconds, so what matters most comes first.
        found = await left(server, task)
        await _persist(lambda: server.patch_secret(task.result, results.leaving(found)))
        await asyncio.wait([watching], timeout=_LAST_LOOK)
        if watching.done() and watching.exception() is None:
            await complete(server, task, watching.result(), found)
    finally:
        watching.cancel()


async def _opened(server: ApiServer, task: Task) -> bool:
    """Whether there is something to wait for. One that was ended before its time, and started again, begins anew."""
    secret = await _persist(lambda: server.get_secret(task.result))
    if results.is_complete(secret):
        return False
    if results.left(secret) is not None:
        await _persist(lambda: server.patch_secret(task.result, results.reopening()))
    return True


def _watching(server: ApiServer, pod: str) -> asyncio.Future[Outcome]:
    """The end of the program, when it is known. The thread that looks ends with the process."""
    found: futures.Future[Outcome] = futures.Future()
    found.set_running_or_notify_cancel()  # from now on it can only be left alone

    def look() -> None:
        try:
            found.set_result(main_end(server, pod))
        except Exception as fault:
            found.set_exception(fault)

    threading.Thread(target=look, name=f"watch on {pod}", daemon=True).start()
    return asyncio.wrap_future(found)


async def left(server: ApiServer, task: Task) -> Left:
    """Keep the state that the program left, and read its exports."""
    exports, state_fault, exports_fault = None, "", ""
    try:
        await _save_state(server, task)
    except ProgramDataError as fault:
        state_fault = str(fault)
    try:
        exports = await asyncio.to_thread(collecting.read_exports, task.folder)
    except ProgramDataError as fault:
        exports_fault = str(fault)
    return Left(exports, state_fault, exports_fault)


async def complete(server: ApiServer, task: Task, outcome: Outcome, found: Left) -> None:
    """Say how the program ended and what it left, unless the deployer gave the run up before."""
    while True:
        secret = await _persist(lambda: server.get_secret(task.result))
        if results.is_complete(secret):
            return
        change = results.completing(secret, found.result(outcome))
        try:
            return await _persist(functools.partial(server.patch_secret, task.result, change))
        except ApiFault as fault:
            if fault.code != 409:
                raise


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


async def _work() -> None:
    server, task = ApiServer.from_environment(os.environ), Task.from_environment(os.environ)
    told = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told.set)
    await attend(server, task, told)


def main() -> int:
    """Wait and collect; exit code 1 and a sentence in the termination log if that cannot be done."""
    try:
        asyncio.run(_work())
    except (Stopped, ApiFault, OSError) as fault:
        termination.tell(str(fault))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
