"""Where init and wait find what was made for them; pure, and shared with whoever makes their pod."""

from __future__ import annotations

from typing import Final

INIT: Final = "init"
MAIN: Final = "main"
WAIT: Final = "wait"

INPUTS: Final = "/data/ls/inputs"
"""The folder with the pieces of the inputs."""

STATE: Final = "state"
"""The folder below it with the pieces of the state."""

SCRATCH: Final = "/tmp"
"""A folder with room for the packed state."""

RESULT_NAME: Final = "RESULT_SECRET_NAME"
"""Variable: the Secret that gets the result."""

SLOTS: Final = "STATE_SLOTS"
"""Variable: the Secrets that the state may be written to, as JSON."""


def state_piece(number: int) -> str:
    """Where a piece of the state lies in the folder of inputs; the names sort by their place."""
    return f"{STATE}/{number:05}"
