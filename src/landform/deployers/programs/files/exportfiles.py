"""The exports of a program, as it wrote them: one JSON or YAML object; pure."""

from __future__ import annotations

import contextlib
import re
from typing import Any

import msgspec
import yaml

from landform.deployers.programs.contract.faults import TooLarge, Unparsable
from landform.deployers.programs.files.collecting import LARGEST_EXPORTS
from landform.kit import yamls

_QUOTED_WORD = re.compile(r" '[^']*\w[^']*'")
_WHERE = "the exports that the program wrote to EXPORTS_PATH"


def parse(raw: bytes) -> dict[str, Any]:
    """The exports by name; none if there is nothing but blanks and comments.

    What is wrong is said with line and column, and without what stands there: it may be secret.
    """
    value = _load(_text(raw))
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise Unparsable(f"{_WHERE} are {_kind(value)}; write one JSON or YAML object with a field for each export")
    size = len(msgspec.json.encode(value))
    if size > LARGEST_EXPORTS:
        raise TooLarge(
            f"{_WHERE} have {size} bytes as JSON, but at most {LARGEST_EXPORTS} can be kept in a Secret; export less"
        )
    return value


def _text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        column = error.start - (raw.rfind(b"\n", 0, error.start) + 1) + 1
        raise Unparsable(f"{_WHERE} are no UTF-8 text: line {line}, byte {column} is none; write UTF-8") from None


def _load(text: str) -> Any:
    # Nearly all JSON is YAML too, but not all of it: not a character that is written as two halves.
    with contextlib.suppress(msgspec.MsgspecError, RecursionError):
        return msgspec.json.decode(text)
    try:
        return yamls.load(text)
    except yaml.MarkedYAMLError as error:
        raise Unparsable(f"{_WHERE} are neither JSON nor YAML: {_place(error)}") from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        column = error.position - (text.rfind("\n", 0, error.position) + 1) + 1
        raise Unparsable(f"{_WHERE} have a character that YAML forbids in line {line}, column {column}") from None
    except (yaml.YAMLError, ValueError, RecursionError):
        # What these say may hold a value.
        raise Unparsable(
            f"{_WHERE} hold something that JSON cannot hold: a key that is no text, a number without end, an object"
            " that contains itself, or too many levels or values; write plain JSON"
        ) from None


def _place(error: yaml.MarkedYAMLError) -> str:
    mark = error.problem_mark or error.context_mark
    where = f" in line {mark.line + 1}, column {mark.column + 1}" if mark is not None else ""
    # Where the parser names what stands there, it does so in quotes or after a colon. Signs may be told, words not.
    problem = _QUOTED_WORD.sub("", error.problem or "not well-formed").partition(": ")[0]
    if problem.startswith("but "):  # the beginning of the sentence is in the context: it expected one document
        problem = f"{error.context} {problem}"
    return f"{problem}{where}"


def _kind(value: object) -> str:
    if isinstance(value, list):
        return "a list"
    return "text" if isinstance(value, str) else "a single value"
