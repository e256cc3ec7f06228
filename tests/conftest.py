"""Guards around every test: no leftover tasks, descriptors or journal threads; and how hypothesis behaves."""

from __future__ import annotations

import asyncio
import gc
import inspect
import os
import signal
import threading
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

# How long one example takes says more of the machine than of the code. CI draws the same examples each time, so that
# a change is only ever blamed for what it did; on a developer's machine the search goes on.
settings.register_profile("unhurried", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "unhurried")

_DESCRIPTORS = Path("/proc/self/fd")
_OPENED_ONCE = ("/dev/urandom", "/dev/null", "/proc/")
"""What libraries open at first use and keep, and the listing of the descriptors itself."""

_GRACE_SECONDS = 2.0
"""How long a cancelled task may take to end, and a connection to close."""

_GRACE_TURNS = 100


def pytest_configure() -> None:
    """Hear Ctrl-C also in a run that a shell started in the background, where it is ignored, and so by all children."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name bytes by their length: compressed ones hold the second they were made, and workers must agree on names."""
    return f"{argname} of {len(val)} bytes" if isinstance(val, bytes) else None


@pytest.fixture(autouse=True)
def _no_leaked_descriptors(request: pytest.FixtureRequest) -> Iterator[None]:
    """Every file, socket and pipe that a test opens is closed when it ends."""
    if not _DESCRIPTORS.exists() or request.node.get_closest_marker("cluster"):
        yield  # the real control plane is started by the first test that needs it, and stays
        return
    before = _open_descriptors()
    yield
    leaked = _open_descriptors() - before
    if leaked:
        gc.collect()  # what only waits for the garbage collector is closed, late but not leaked
        leaked = _open_descriptors() - before
    assert not leaked, f"the test left descriptors open: {sorted(leaked.elements())}"


@pytest.fixture(autouse=True)
def _no_leftover_journals() -> Iterator[None]:
    """Every journal that a test opens is closed, and its thread with it."""
    before = set(threading.enumerate())
    yield
    left = [thread for thread in threading.enumerate() if thread not in before and thread.name == "journal"]
    assert not left, "the test left a journal open"


@pytest.fixture(autouse=True)
def _guarded_loop(request: pytest.FixtureRequest, _no_leaked_descriptors: None, _no_leftover_journals: None) -> None:
    """Asynchronous tests are asked for their tasks, before the other guards look; the rest get no event loop."""
    if inspect.iscoroutinefunction(getattr(request, "function", None)):
        request.getfixturevalue("_settled_loop")


@pytest.fixture
async def _settled_loop() -> AsyncIterator[None]:
    """Every task that a test starts has an end; connections get the moment that closing them takes."""
    tasks, descriptors = asyncio.all_tasks(), _open_descriptors()
    yield
    left = asyncio.all_tasks() - tasks - {asyncio.current_task()}
    if left:
        _, left = await asyncio.wait(left, timeout=_GRACE_SECONDS)
    assert not left, f"the test left tasks running: {sorted(task.get_name() for task in left if task)}"
    for _ in range(_GRACE_TURNS):
        if not _open_descriptors() - descriptors:
            break
        await asyncio.sleep(_GRACE_SECONDS / _GRACE_TURNS)


def _open_descriptors() -> Counter[str]:
    """What is open, by what it is; sockets and pipes have a number of their own in their name."""
    targets: Counter[str] = Counter()
    for entry in list(_DESCRIPTORS.iterdir()):
        try:
            target = os.readlink(entry)
        except OSError:  # closed meanwhile: the listing's own descriptor
            continue
        if not target.startswith(_OPENED_ONCE):
            targets[target] += 1
    return targets
