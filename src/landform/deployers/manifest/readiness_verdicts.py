"""Verdicts: whether something is ready, and why, in words for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_LONGEST: Final = 300
"""Characters of a text that others wrote. Some controllers put whole logs into a condition, and what is said here ends
up in the status of an item, in events and in lines of a terminal."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether something is ready.

    What `is_ready` is neither `is_failed` nor `is_stuck`, and nothing is both of these.
    """

    is_ready: bool
    why: str
    """The numbers or the condition that decided, such as ``2 of 3 replicas are available``."""

    is_failed: bool = False
    """Whether it can never become ready, whatever others do: waiting is of no use."""

    is_stuck: bool = False
    """Whether it will not become ready by itself, but may when somebody does something about it."""


def ready(why: str) -> Verdict:
    """It is ready."""
    return Verdict(is_ready=True, why=why)


def waiting(why: str) -> Verdict:
    """It is not ready yet."""
    return Verdict(is_ready=False, why=why)


def failed(why: str) -> Verdict:
    """It will never be ready."""
    return Verdict(is_ready=False, why=why, is_failed=True)


def stuck(why: str) -> Verdict:
    """It will not be ready by itself."""
    return Verdict(is_ready=False, why=why, is_stuck=True)


def cut(text: str) -> str:
    """A text that others wrote, as one line of bearable length."""
    line = " ".join(text[: 4 * _LONGEST].split())
    return line if len(line) <= _LONGEST else line[:_LONGEST] + "..."
