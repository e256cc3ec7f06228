"""Constraints on versions, such as ">= 1.2, < 2 || ^3.1"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from landform.gotemplate.errors import GoError
from landform.gotemplate.functions import Function, function
from landform.gotemplate.sprig.versions import Version, compare_prereleases, parse

_VERSION = (
    r"v?([0-9|x|X|\*]+)(\.[0-9|x|X|\*]+)?(\.[0-9|x|X|\*]+)?"
    r"(-([0-9A-Za-z\-]+(?:\.[0-9A-Za-z\-]+)*))?(\+([0-9A-Za-z\-]+(?:\.[0-9A-Za-z\-]+)*))?"
)
_PLAIN_VERSION = re.sub(r"(?<!\\)\((?!\?)", "(?:", _VERSION)
_OPERATORS = r"=||!=|>|<|>=|=>|<=|=<|~|~>|\^"
_SINGLE = re.compile(rf"\s*({_OPERATORS})\s*({_VERSION})\s*\Z", re.ASCII)
_RANGE = re.compile(rf"\s*({_PLAIN_VERSION})\s+-\s+({_PLAIN_VERSION})\s*", re.ASCII)
_FIND = re.compile(rf"(?:{_OPERATORS})\s*(?:{_PLAIN_VERSION})", re.ASCII)
_VALID = re.compile(
    rf"(?:\s*(?:{_OPERATORS})\s*(?:{_PLAIN_VERSION})\s*)(?:(?:\s+|,\s*)(?:{_OPERATORS})\s*(?:{_PLAIN_VERSION})\s*)*\Z",
    re.ASCII,
)
_ANY = ("x", "*", "X")
_LONGEST = 1024  # characters of a constraint: its grammar is ambiguous, so reading takes more than linear time


@dataclass(frozen=True, slots=True)
class Constraint:
    """One comparison; a dirty one leaves parts of the version open."""

    operator: str
    version: Version
    dirty: bool
    minor_dirty: bool
    patch_dirty: bool

    def allows(self, version: Version) -> bool:
        """Whether the version satisfies it."""
        if self.operator == "!=":
            return self._differs(version)
        if version.prerelease and not self.version.prerelease:
            return False
        match self.operator:
            case ">":
                return self._greater(version)
            case "<":
                return version.compare(self.version) < 0
            case ">=" | "=>":
                return version.compare(self.version) >= 0
            case "<=" | "=<":
                return self._at_most(version)
            case "~" | "~>":
                return self._near(version)
            case "^":
                return self._compatible(version)
        return self._near(version) if self.dirty else version.compare(self.version) == 0

    def _differs(self, version: Version) -> bool:
        own = self.version
        if self.dirty:
            if version.prerelease and not own.prerelease:
                return False
            if own.major != version.major:
                return True
            if own.minor != version.minor and not self.minor_dirty:
                return True
            if self.minor_dirty:
                return False
            if own.patch != version.patch and not self.patch_dirty:
                return True
            if self.patch_dirty:
                if version.prerelease or own.prerelease:
                    return compare_prereleases(version.prerelease, own.prerelease) != 0
                return False
        return version.compare(own) != 0

    def _greater(self, version: Version) -> bool:
        own = self.version
        if not self.dirty:
            return version.compare(own) > 0
        if version.major != own.major:
            return version.major > own.major
        if self.minor_dirty:
            return False
        if self.patch_dirty:
            return version.minor > own.minor
        return version.compare(own) > 0

    def _at_most(self, version: Version) -> bool:
        own = self.version
        if not self.dirty:
            return version.compare(own) <= 0
        if version.major > own.major:
            return False
        return not (version.major == own.major and version.minor > own.minor and not self.minor_dirty)

    def _near(self, version: Version) -> bool:
        own = self.version
        if version.compare(own) < 0:
            return False
        if (own.major, own.minor, own.patch) == (0, 0, 0) and not self.minor_dirty and not self.patch_dirty:
            return True
        return version.major == own.major and (version.minor == own.minor or self.minor_dirty)

    def _compatible(self, version: Version) -> bool:
        own = self.version
        if version.compare(own) < 0:
            return False
        if own.major > 0 or self.minor_dirty:
            return version.major == own.major
        if version.major > 0:
            return False
        if own.minor > 0 or self.patch_dirty:
            return version.minor == own.minor
        return version.minor == 0 and version.patch == own.patch


def _constraint(text: str) -> Constraint:
    match = _SINGLE.match(text)
    if match is None:
        raise GoError(f"improper constraint: {text}")
    operator, source, major, minor, patch, tail = match.groups()[:6]
    minor, patch, tail = minor or "", patch or "", tail or ""
    dirty = minor_dirty = patch_dirty = False
    if major in _ANY:
        source, dirty = f"0.0.0{tail}", True
    elif minor[1:] in _ANY or not minor:
        source, dirty, minor_dirty = f"{major}.0.0{tail}", True, True
    elif patch[1:] in _ANY or not patch:
        source, dirty, patch_dirty = f"{major}{minor}.0{tail}", True, True
    try:
        return Constraint(operator, parse(source), dirty, minor_dirty, patch_dirty)
    except GoError:
        raise GoError("constraint Parser Error") from None


def constraints(text: str) -> list[list[Constraint]]:
    """The alternatives of a constraint, each a list of comparisons that must all hold."""
    if len(text) > _LONGEST:
        raise GoError(f"improper constraint: {text[:40]}... has more than {_LONGEST} characters")
    for match in list(_RANGE.finditer(text)):
        text = text.replace(match[0], f">= {match[1]}, <= {match[2]} ", 1)
    alternatives = []
    for part in text.split("||"):
        if not _VALID.match(part):
            raise GoError(f"improper constraint: {part}")
        found = [match[0] for match in _FIND.finditer(part)] or [part]
        alternatives.append([_constraint(single) for single in found])
    return alternatives


def satisfies(constraint: str, version: str) -> bool:
    """Whether a version satisfies a constraint."""
    alternatives = constraints(constraint)
    parsed = parse(version)
    return any(all(single.allows(parsed) for single in alternative) for alternative in alternatives)


FUNCTIONS: dict[str, Function] = {
    "semver": function("string", parse),
    "semverCompare": function("string, string -> bool", satisfies),
}
