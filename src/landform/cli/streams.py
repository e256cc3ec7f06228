"""The standard streams of a command: always open, and always UTF-8."""

from __future__ import annotations

import io
import os
import sys

_NAMES = ("stdin", "stdout", "stderr")


def prepare() -> None:
    """Make the streams fit for use, whatever started the process.

    A descriptor that is closed would be given to the next file or socket, which then gets what is printed. And what is
    read and printed is UTF-8 in every locale, as it is for kubectl: YAML and JSON are, and trees have lines.
    """
    for descriptor, name in enumerate(_NAMES):
        if not _is_open(descriptor):
            os.open(os.devnull, os.O_RDWR)  # the lowest free one, which is this one
        if getattr(sys, name) is None:
            setattr(sys, name, open(descriptor, "r" if name == "stdin" else "w", closefd=False))  # noqa: SIM115
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="strict" if name == "stdin" else "backslashreplace")


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True
