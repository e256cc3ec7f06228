"""What people read: how a failing run went, and how to see it again."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from landform.cluster.resources import EVENTS, LEASES
from landform.testing.simulation.differences import changes
from landform.testing.simulation.history import Strike, Write

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from landform.testing.simulation.faults import Kind
    from landform.testing.simulation.history import Entry
    from landform.testing.simulation.runs import Result

COMMAND = "python -m landform.testing.simulation"

_MOST_LINES = 40
_MOST_FIELDS = 4
_LONGEST_VALUE = 40
_TOLD_BY_THE_CLUSTER = ("uid", "creationTimestamp")


def failure(result: Result, shortest: Result, places: Iterable[str] = ()) -> str:
    """A failed run, its shortest form, and the commands that repeat both."""
    [violation, *more] = shortest.violations
    lines = [
        f"FAILED: scenario {result.scenario!r}, seed {result.seed}",
        f"  {violation}",
        *(f"  {other}" for other in more[:4]),
        "",
        f"Shortest failing run found: {_counted(len(shortest.history.strikes))}",
        *trace(shortest),
        "",
        "Run exactly this again:",
        f"  {command(shortest, shortest.script(), places)}",
        "Run the whole seed again:",
        f"  {command(result, None, places)}",
    ]
    return "\n".join(lines)


def command(result: Result, script: Mapping[str, Kind] | None, places: Iterable[str] = ()) -> str:
    """The command line that repeats a run."""
    words = [*places, "--scenario", result.scenario, "--seed", str(result.seed)]
    if script is not None:
        words.append("--only")
        words.append(",".join(f"{id}={kind}" for id, kind in script.items()) or "nothing")
    return f"{COMMAND} {shlex.join(words)}"


def trace(result: Result) -> Iterator[str]:
    """The run line by line: when, who, what; leases and Events aside. A star marks what the violation names."""
    named = " ".join(violation.text for violation in result.violations)
    quiet = {str(LEASES), str(EVENTS)}
    told = [e for e in result.history.entries if not (isinstance(e, Write) and e.resource in quiet)]
    left_out = max(0, len(told) - _MOST_LINES)
    # The end tells why it failed; of what is before, the faults matter.
    shown = [entry for number, entry in enumerate(told) if number >= left_out or not isinstance(entry, Write)]
    if left_out:
        yield f"  ({len(told) - len(shown)} writes before are not shown)"
    for entry in shown:
        mark = "*" if isinstance(entry, Write) and str(entry.key) in named else " "
        yield f"{mark} {entry.at:8.3f}  {_line(entry)}"


def _line(entry: Entry) -> str:
    if isinstance(entry, Strike):
        return f"! {entry}"
    if not isinstance(entry, Write):
        return f"{entry.actor}: {entry}"
    return f"{entry.actor}: {entry}{_changed(entry)}"


def _changed(write: Write) -> str:
    """The fields that a write changed, as far as there is room."""
    if write.after is None:
        return ""
    found = [
        f"{'.'.join(path)}={_short(new)}"
        for path, (_, new) in changes(write.before, write.after).items()
        if path[-1] not in _TOLD_BY_THE_CLUSTER and (write.before is not None or path[0] not in _HEAD)
    ]
    more = f", {len(found) - _MOST_FIELDS} more" if len(found) > _MOST_FIELDS else ""
    return f"  {', '.join(found[:_MOST_FIELDS])}{more}" if found else ""


_HEAD = ("apiVersion", "kind", "metadata")
"""What is no news in a new object."""


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}..."


def _counted(faults: int) -> str:
    return f"{faults} fault{'' if faults == 1 else 's'}" if faults else "it fails without any fault"
