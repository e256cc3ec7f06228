"""What an evaluation says besides its value: results, hints for merging, and reasons for failure."""

from __future__ import annotations

from typing import Any, NamedTuple

from landform.spiff.nodes import NO_ISSUE, Issue


class Info(NamedTuple):
    """Hints and reasons that belong to the result of an expression."""

    redirect: tuple[str, ...] | None = None
    replace: bool = False
    merged: bool = False
    preferred: bool = False
    key_name: str = ""
    source: str = ""
    error: bool = False
    """The expression itself is wrong, it does not only wait for another node."""
    failed: bool = False
    """It waits for a node that has failed."""
    undefined: bool = False
    raw: bool = False
    """The value may hold expressions that are evaluated where it lands."""
    issue: Issue = NO_ISSUE
    flags: int = 0

    def fail(self, text: str, nested: tuple[Issue, ...] = (), sequence: bool = False) -> Result:
        """The result of an expression that is wrong."""
        return None, self._replace(error=True, issue=Issue(text, None, nested, sequence)), False

    def refuse(self, text: str) -> Result:
        """The result of an expression that cannot be computed; the reason alone, without the mark of an error."""
        return None, self._replace(issue=Issue(text)), False

    def cleaned(self) -> Info:
        """The info without any reason for failure."""
        return self._replace(issue=NO_ISSUE, error=False, failed=False, undefined=False)


Result = tuple[Any, Info, bool]
"""Value, info, and whether there is a value; a value that is itself an expression waits for other nodes."""

CLEAN = Info()


def join(first: Info, second: Info) -> Info:
    """What two evaluations say together; the second is the later one."""
    if second is CLEAN:
        return first._replace(replace=False) if first.replace else first
    return Info(
        second.redirect if second.redirect is not None else first.redirect,
        second.replace,  # only a merge that is the whole expression replaces
        first.merged or second.merged,
        first.preferred or second.preferred,
        second.key_name or first.key_name,
        first.source,
        first.error or second.error,
        first.failed or second.failed,
        first.undefined or second.undefined,
        first.raw,
        second.issue if second.issue.text else first.issue,
        first.flags | second.flags,
    )


def done(value: Any) -> Result:
    """The result of an expression that has a value."""
    return value, CLEAN, True


def fail(text: str) -> Result:
    """The result of an expression that is wrong."""
    return CLEAN.fail(text)
