"""The Secret that holds what became of a run; pure.

All but the exports is in annotations: a Secret takes as many bytes of data as exports may have, and whoever watches for
the end of a run needs no data. The one change that completes it says everything at once.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from landform.deployers.programs.contract.labels import GROUP
from landform.deployers.programs.contract.outcomes import End, Outcome, Result

if TYPE_CHECKING:
    from collections.abc import Mapping

_BEGUN: Final = f"{GROUP}/begun"
"""Annotation: the uid of the pod that was made for the run."""

_OUTCOME: Final = f"{GROUP}/outcome"
_FAULT: Final = f"{GROUP}/fault"
_LEFT: Final = f"{GROUP}/left"
"""Annotation: what main left is kept, by a wait container that does not know how main ended; and why not all of it."""

_WANTED: Final = f"{GROUP}/wanted-slots"
_READY: Final = f"{GROUP}/ready-slots"
_EXPORTS: Final = "exports"

_LONGEST_FAULT = 16 * 1024


@dataclass(frozen=True)
class Left:
    """What a program left, however it ended: its state is kept already, its exports are here."""

    exports: bytes | None = None
    state_fault: str = ""
    """Why its state could not be kept; empty if it could."""

    exports_fault: str = ""
    """Why its exports cannot be read, which matters only if it succeeded."""

    def result(self, outcome: Outcome) -> Result:
        """What is left of the run, now that its end is known."""
        if not outcome.succeeded:
            return Result(outcome, fault=self.state_fault)
        return Result(outcome, self.exports, "; ".join(filter(None, (self.state_fault, self.exports_fault))))


def is_complete(secret: Mapping[str, Any]) -> bool:
    """Whether the Secret holds a result."""
    return _OUTCOME in _annotations(secret)


def has_begun(secret: Mapping[str, Any]) -> bool:
    """Whether a pod was made for the run."""
    return _BEGUN in _annotations(secret) or is_complete(secret)


def wanted_slots(secret: Mapping[str, Any]) -> int:
    """How many Secrets the wait container needs for the state."""
    return int(_annotations(secret).get(_WANTED, "0"))


def ready_slots(secret: Mapping[str, Any]) -> int:
    """How many Secrets the wait container may write the state to."""
    return int(_annotations(secret).get(_READY, "0"))


def begun(pod_uid: str) -> dict[str, Any]:
    """The change that says that a pod was made."""
    return _change({_BEGUN: pod_uid})


def asking_for(slots: int) -> dict[str, Any]:
    """The change with which the wait container asks for slots."""
    return _change({_WANTED: str(slots)})


def offering(slots: int) -> dict[str, Any]:
    """The change that says that so many slots are there."""
    return _change({_READY: str(slots)})


def leaving(left: Left) -> dict[str, Any]:
    """The change that says what main left, by somebody who does not know how it ended."""
    change = _change({_LEFT: json.dumps({"state": left.state_fault, "exports": left.exports_fault})})
    change["data"] = {_EXPORTS: None if left.exports is None else base64.b64encode(left.exports).decode()}
    return change


def reopening() -> dict[str, Any]:
    """The change that takes back that main has ended: it has not."""
    return {**_change({_LEFT: None}), "data": {_EXPORTS: None}}


def left(secret: Mapping[str, Any]) -> Left | None:
    """What main left, as far as the Secret tells; None if it does not."""
    text = _annotations(secret).get(_LEFT)
    if text is None:
        return None
    faults = json.loads(text)
    return Left(_exports(secret), faults["state"], faults["exports"])


def completing(secret: Mapping[str, Any], result: Result) -> dict[str, Any]:
    """The change that completes the Secret, unless it was changed since."""
    said = {_OUTCOME: json.dumps(_plain(result.outcome)), _FAULT: result.fault[:_LONGEST_FAULT]}
    change = _change(said)
    change["metadata"]["resourceVersion"] = secret["metadata"]["resourceVersion"]
    change["data"] = {_EXPORTS: None if result.exports is None else base64.b64encode(result.exports).decode()}
    return change


def read(secret: Mapping[str, Any]) -> Result:
    """The result that a complete Secret holds."""
    annotations = _annotations(secret)
    said = json.loads(annotations[_OUTCOME])
    moments = {name: datetime.fromisoformat(said[name]) for name in ("started", "finished") if name in said}
    return Result(
        Outcome(**{**said, **moments, "end": End(said["end"])}),
        exports=_exports(secret),
        fault=annotations.get(_FAULT, ""),
    )


def _plain(outcome: Outcome) -> dict[str, Any]:
    said = {field.name: getattr(outcome, field.name) for field in fields(outcome)}
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in said.items()
        if value is not None
    }


def _exports(secret: Mapping[str, Any]) -> bytes | None:
    text = (secret.get("data") or {}).get(_EXPORTS)
    return None if text is None else base64.b64decode(text)


def _change(annotations: Mapping[str, str | None]) -> dict[str, Any]:
    return {"metadata": {"annotations": annotations}}


def _annotations(secret: Mapping[str, Any]) -> Mapping[str, str]:
    return secret["metadata"].get("annotations") or {}
