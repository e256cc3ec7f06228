"""How commands that run for long are stopped."""

from __future__ import annotations

import asyncio
import os
import signal

from landform.cli.errors import INTERRUPTED


def stop_signal() -> asyncio.Event:
    """Set by the first Ctrl-C or SIGTERM; the second one ends the process at once."""
    stop = asyncio.Event()

    def on_signal() -> None:
        if stop.is_set():
            os._exit(INTERRUPTED)
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, on_signal)
    return stop
