"""Blocking work in a thread that is over when the call is."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from landform.deployers.programs.tasks import finishing

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
T = TypeVar("T")


async def finish(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a function in a thread. Who is cancelled meanwhile still waits for its end.

    So nothing is written any more into a folder that is about to be removed.
    """
    return await finishing.to_its_end(asyncio.to_thread(function, *args, **kwargs))
