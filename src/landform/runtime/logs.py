"""Logs that name the object and the job they are about, as JSON or as text, at a level that can be changed."""

from __future__ import annotations

import contextlib
import contextvars
import enum
import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TextIO

import msgspec

from landform.kit import clocks

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = logging.getLogger("landform")
"""The logger whose level counts for all of Landform."""

LEVELS = ("debug", "info", "warning", "error")

_object: contextvars.ContextVar[tuple[str, object]] = contextvars.ContextVar("object", default=("", ""))
_job: contextvars.ContextVar[str] = contextvars.ContextVar("job", default="")


class Format(enum.StrEnum):
    """How a line looks."""

    JSON = "json"
    TEXT = "text"


@contextlib.contextmanager
def about(controller: str, key: object) -> Iterator[None]:
    """Within this, each line names the object. The key becomes text only if a line is written."""
    named, job = _object.set((controller, key)), _job.set("")
    try:
        yield
    finally:
        _object.reset(named)
        _job.reset(job)


def name_job(job: str) -> None:
    """From here to the end of `about`, each line names the job."""
    _job.set(job)


def context() -> dict[str, str]:
    """What the current task works on, as far as it is known."""
    controller, key = _object.get()
    named = {"controller": controller, "object": str(key), "job": _job.get()}
    return {name: value for name, value in named.items() if value}


class JsonFormatter(logging.Formatter):
    """One JSON object per line."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **context(),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return msgspec.json.encode(line).decode()


class TextFormatter(logging.Formatter):
    """One line for people; a traceback follows on lines of its own."""

    def format(self, record: logging.LogRecord) -> str:
        said = context()
        where = " ".join(filter(None, (said.get("controller"), said.get("object"))))
        job = f" (job {said['job']})" if "job" in said else ""
        text = f"{_time(record)} {record.levelname:<7} {f'{where}{job}: ' if where else ''}{record.getMessage()}"
        return f"{text}\n{self.formatException(record.exc_info)}" if record.exc_info else text


def configure(stream: TextIO, *, format: Format = Format.TEXT, level: str = "info") -> logging.Handler:
    """Write Landform's logs to a stream; the answer can be removed from `ROOT` again."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter() if format is Format.JSON else TextFormatter())
    ROOT.addHandler(handler)
    set_level(level)
    return handler


def set_level(level: str) -> None:
    """Change how much is logged, at any time; ValueError if there is no such level."""
    if level.lower() not in LEVELS:
        raise ValueError(f"there is no log level {level!r}; the levels are {', '.join(LEVELS)}")
    ROOT.setLevel(level.upper())


def get_level() -> str:
    """How much is logged."""
    return logging.getLevelName(ROOT.getEffectiveLevel()).lower()


def _time(record: logging.LogRecord) -> str:
    return clocks.rfc3339_micro(datetime.fromtimestamp(record.created, UTC))
