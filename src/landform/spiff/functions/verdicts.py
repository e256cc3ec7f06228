"""What a condition says about a value."""

from __future__ import annotations

from typing import Any, NamedTuple

from landform.spiff.values import type_name


class Verdict(NamedTuple):
    """Whether a value meets a condition, and why."""

    valid: bool
    reason: str


class CheckError(Exception):
    """A condition cannot be used."""


class Pending(Exception):
    """A condition waits for other nodes."""


def either(valid: bool, yes: str, no: str) -> Verdict:
    """A verdict with one of two reasons."""
    return Verdict(valid, yes if valid else no)


def text_of(what: str, value: Any) -> str:
    """A value that has to be text."""
    if type(value) is not str:
        raise CheckError(f"{what} requires string, but got {type_name(value)}")
    return value
