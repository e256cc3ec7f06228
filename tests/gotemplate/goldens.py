"""The cases that real Go has answered."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "golden" / "gotemplate"
FAMILIES = sorted(path.stem for path in (FOLDER / "expected").glob("*.json"))


@dataclass(frozen=True)
class Case:
    """A template, its data, and what Go made of them: an output or an error."""

    text: str
    name: str
    missing_key: Any
    bare: bool
    data: Any
    output: str | None
    error: str | None


def cases(family: str) -> list[Case]:
    """The cases of a family; each has data of its own, because templates may change them."""
    given = (FOLDER / "cases" / f"{family}.json").read_text()
    return [_case(entry, given) for entry in json.loads((FOLDER / "expected" / f"{family}.json").read_text())]


def _case(entry: dict[str, Any], given: str) -> Case:
    if "data" in entry:
        data = entry["data"]
    else:
        data = json.loads(given, parse_int=float if entry.get("decoded") else int)["data"]
    return Case(
        text=entry["text"],
        name=entry.get("name", "page"),
        missing_key=entry.get("missingkey", "default"),
        bare=entry.get("bare", False),
        data=_revived(data),
        output=entry.get("output"),
        error=entry.get("error"),
    )


def _revived(value: Any) -> Any:
    """The data with `{"$bytes": text}` made bytes."""
    if isinstance(value, dict):
        if list(value) == ["$bytes"]:
            return value["$bytes"].encode()
        return {key: _revived(item) for key, item in value.items()}
    return [_revived(item) for item in value] if isinstance(value, list) else value
