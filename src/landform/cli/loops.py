"""How commands run their coroutines: on uvloop where it is installed."""

from __future__ import annotations

import asyncio
import contextlib
import gc
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

_new_loop: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop
with contextlib.suppress(ImportError):
    import uvloop

    _new_loop = uvloop.new_event_loop

T = TypeVar("T")


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end."""
    # Every full pass of Python's cycle collector stops all requests for 20 ms and more, the longer the more is stored;
    # nearly all that a request makes is freed without it.
    gc.set_threshold(50_000, 20, 100)
    with asyncio.Runner(loop_factory=_new_loop) as runner:
        return runner.run(main)
