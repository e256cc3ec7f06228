"""Golden cases of spiff: how they are read, run and compared."""

from __future__ import annotations

import base64
import json
import math
from pathlib import Path
from typing import Any

from landform.spiff import SpiffError, evaluate

GOLDEN = Path(__file__).parents[1] / "golden" / "spiff"


def read(name: str) -> Any:
    """A golden file."""
    return json.loads((GOLDEN / name).read_text("utf-8"))


def published() -> list[dict[str, Any]]:
    """The cases that came with the project."""
    return [case for file in sorted((GOLDEN / "published").glob("*.json")) for case in read(f"published/{file.name}")]


def run(case: dict[str, Any]) -> dict[str, Any]:
    """What Landform makes of a case."""
    files = {path: _content(text) for path, text in case.get("files", {}).items()}
    try:
        outcome = evaluate(
            case["template"],
            values=case.get("values"),
            stubs=case.get("stubs", []),
            state=case.get("state"),
            files=files,
            features=case.get("features", ()),
        )
    except SpiffError as error:
        return {"error": str(error)}
    found = {"result": _json(outcome.result)}
    return found if outcome.state is None else {**found, "newstate": _json(outcome.state)}


def _content(text: str) -> bytes:
    return base64.b64decode(text[7:]) if text.startswith("base64:") else text.encode()


def _json(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _json(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_json(entry) for entry in value]
    if isinstance(value, bytes):
        return {"$binary": base64.b64encode(value).decode("ascii")}
    if isinstance(value, float) and not math.isfinite(value):
        return {"$float": "+Inf" if value > 0 else "-Inf" if value < 0 else "NaN"}
    return value


def expected(case: dict[str, Any]) -> dict[str, Any]:
    """What a published case has to give."""
    return {key: case[key] for key in ("result", "newstate", "error") if key in case}


def alike(one: Any, other: Any, *, kinds: bool = True) -> bool:
    """Whether two outcomes are the same; without `kinds`, 3 and 3.0 are, and error lines may be in another order."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key], kinds=kinds) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(alike(a, b, kinds=kinds) for a, b in zip(one, other, strict=True))
    if isinstance(one, str) and isinstance(other, str):
        return sorted(one.split("\n")) == sorted(other.split("\n"))
    if not kinds and {type(one), type(other)} == {int, float}:
        return bool(one == other)
    return type(one) is type(other) and bool(one == other)
