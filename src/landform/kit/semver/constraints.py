"""Constraints on semantic versions, such as `>=1.2, <2 || 3.x`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from landform.kit.regex.expressions import compile_expression
from landform.kit.semver import versions

if TYPE_CHECKING:
    from collections.abc import Callable

    from landform.kit.regex.automata import Slots
    from landform.kit.semver.versions import Version

_OPERATORS = r"=||!=|>|<|>=|=>|<=|=<|~|~>|\^"
_VERSION = (
    r"v?([0-9|x|X|\*]+)(\.[0-9|x|X|\*]+)?(\.[0-9|x|X|\*]+)?"
    r"(-([0-9A-Za-z\-]+(\.[0-9A-Za-z\-]+)*))?"
    r"(\+([0-9A-Za-z\-]+(\.[0-9A-Za-z\-]+)*))?"
)
_ANY = ("", "x", "X", "*")
_LONGEST = 1024  # characters of a text of constraints
_ONE = rf"^\s*({_OPERATORS})\s*({_VERSION})\s*$"
_RANGE = rf"\s*({_VERSION})\s+-\s+({_VERSION})\s*"
_FIND = rf"({_OPERATORS})\s*({_VERSION})"
# Blanks between two constraints can be read in many ways, so only an engine that does not backtrack may try them.
_VALID = rf"^(\s*({_OPERATORS})\s*({_VERSION})\s*)((?:\s+|,\s*)({_OPERATORS})\s*({_VERSION})\s*)*$"


class ConstraintError(ValueError):
    """A text is no constraint; the message is the library's."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """An operator with a version; a dirty one leaves parts of the version open."""

    operator: str
    written: str
    version: Version
    dirty: bool = False
    minor_dirty: bool = False
    patch_dirty: bool = False


Constraints = tuple[tuple[Constraint, ...], ...]
"""Alternatives of constraints that hold together."""


def _group(match: Slots, text: str, number: int) -> str:
    begin, end = match[2 * number : 2 * number + 2]
    return text[begin:end] if begin >= 0 else ""


@lru_cache(maxsize=256)  # templates ask the same again and again, and reading one takes milliseconds
def parse(text: str) -> Constraints:
    """The constraints that a text writes; raises ConstraintError, or VersionError for a version in it that is none."""
    if len(text) > _LONGEST:
        raise ConstraintError(f"improper constraint: it has more than {_LONGEST} characters")
    text = _without_ranges(text)
    alternatives = []
    for part in text.split("||"):
        if compile_expression(_VALID).search(part) is None:
            raise ConstraintError(f"improper constraint: {part}")
        found = [part[match[0] : match[1]] for match in compile_expression(_FIND).matches(part)] or [part]
        alternatives.append(tuple(map(_parse_one, found)))
    return tuple(alternatives)


def _without_ranges(text: str) -> str:
    pattern = compile_expression(_RANGE)
    result = text
    for match in pattern.matches(text, groups=True):
        written = text[match[0] : match[1]]
        first, last = _group(match, text, 1), _group(match, text, 11)
        result = result.replace(written, f">= {first}, <= {last} ", 1)
    return result


def _parse_one(text: str) -> Constraint:
    match = compile_expression(_ONE).search(text, groups=True)
    if match is None:
        raise ConstraintError(f"improper constraint: {text}")
    operator, written = _group(match, text, 1), _group(match, text, 2)
    major, minor, patch, extra = (_group(match, text, number) for number in (3, 4, 5, 6))
    dirty = minor_dirty = patch_dirty = False
    version = written
    if major in _ANY:
        dirty, version = True, "0.0.0" + extra
    elif minor.removeprefix(".") in _ANY:
        dirty = minor_dirty = True
        version = f"{major}.0.0{extra}"
    elif patch.removeprefix(".") in _ANY:
        dirty = patch_dirty = True
        version = f"{major}{minor}.0{extra}"
    return Constraint(operator, written, versions.parse(version), dirty, minor_dirty, patch_dirty)


def refusal(constraint: Constraint, version: Version) -> str:
    """Why a version does not meet a constraint; empty if it does. Whether prereleases may is asked elsewhere."""
    return _CHECKS[constraint.operator](version, constraint)


def _not_equal(version: Version, constraint: Constraint) -> str:
    own = constraint.version
    same = f"{version} is equal to {constraint.written}"
    if constraint.dirty:
        if own.major != version.major or (own.minor != version.minor and not constraint.minor_dirty):
            return ""
        if constraint.minor_dirty:
            return same
        if own.patch != version.patch and not constraint.patch_dirty:
            return ""
        if constraint.patch_dirty:
            if version.prerelease or own.prerelease:
                return "" if versions.compare_prereleases(version.prerelease, own.prerelease) else same
            return same
    return "" if version.compare(own) else same


def _greater(version: Version, constraint: Constraint) -> str:
    own = constraint.version
    wrong = f"{version} is less than or equal to {constraint.written}"
    if not constraint.dirty:
        return "" if version.compare(own) == 1 else wrong
    if version.major != own.major:
        return "" if version.major > own.major else wrong
    if constraint.minor_dirty:
        return wrong
    if constraint.patch_dirty:
        return "" if version.minor > own.minor else wrong
    return "" if version.compare(own) == 1 else wrong


def _less(version: Version, constraint: Constraint) -> str:
    if version.compare(constraint.version) < 0:
        return ""
    return f"{version} is greater than or equal to {constraint.written}"


def _at_least(version: Version, constraint: Constraint) -> str:
    return "" if version.compare(constraint.version) >= 0 else f"{version} is less than {constraint.written}"


def _at_most(version: Version, constraint: Constraint) -> str:
    own = constraint.version
    wrong = f"{version} is greater than {constraint.written}"
    if not constraint.dirty:
        return "" if version.compare(own) <= 0 else wrong
    if version.major > own.major:
        return wrong
    return wrong if version.major == own.major and version.minor > own.minor and not constraint.minor_dirty else ""


def _tilde(version: Version, constraint: Constraint) -> str:
    own = constraint.version
    if version.compare(own) < 0:
        return f"{version} is less than {constraint.written}"
    anything = not (own.major or own.minor or own.patch or constraint.minor_dirty or constraint.patch_dirty)
    if anything:
        return ""
    if version.major != own.major:
        return f"{version} does not have same major version as {constraint.written}"
    if version.minor != own.minor and not constraint.minor_dirty:
        return f"{version} does not have same major and minor version as {constraint.written}"
    return ""


def _equal(version: Version, constraint: Constraint) -> str:
    if constraint.dirty:
        return _tilde(version, constraint)
    return f"{version} is not equal to {constraint.written}" if version.compare(constraint.version) else ""


def _caret(version: Version, constraint: Constraint) -> str:
    own, written = constraint.version, constraint.written
    if version.compare(own) < 0:
        return f"{version} is less than {written}"
    other_major = f"{version} does not have same major version as {written}"
    if own.major > 0 or constraint.minor_dirty:
        return "" if version.major == own.major else other_major
    if version.major > 0:
        return other_major
    other_minor = f"{version} does not have same minor version as {written}"
    if own.minor > 0 or constraint.patch_dirty:
        if version.minor == own.minor:
            return ""
        return f"{other_minor}. Expected minor versions to match when constraint major version is 0"
    if version.minor > 0:
        return other_minor
    if own.patch == version.patch:
        return ""
    why = "Expect version and constraint to equal when major and minor versions are 0"
    return f"{version} does not equal {written}. {why}"


_CHECKS: dict[str, Callable[[Version, Constraint], str]] = {
    "": _equal,
    "=": _equal,
    "!=": _not_equal,
    ">": _greater,
    "<": _less,
    ">=": _at_least,
    "=>": _at_least,
    "<=": _at_most,
    "=<": _at_most,
    "~": _tilde,
    "~>": _tilde,
    "^": _caret,
}
