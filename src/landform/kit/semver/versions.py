"""Semantic versions, read leniently: `v1`, `1.2` and `1.2.3-rc.1+build` are all versions."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum

_PARTS = r"[0-9A-Za-z\-]+(?:\.[0-9A-Za-z\-]+)*"
_VERSION = re.compile(rf"v?([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?(?:-({_PARTS}))?(?:\+({_PARTS}))?")
_LARGEST = (1 << 64) - 1
_MOST_DIGITS = 20
_LONGEST = 4096  # characters of a version; errors quote it


class Fault(StrEnum):
    """What can be wrong with a version, in the words of the library's newer releases."""

    INVALID = "invalid semantic version"
    SEGMENT = "error parsing version segment"
    LEADING_ZERO = "version segment starts with 0"
    PRERELEASE = "invalid prerelease string"
    METADATA = "invalid metadata string"


class VersionError(ValueError):
    """A text is no version, or no part of one."""

    def __init__(self, fault: Fault, detail: str = "") -> None:
        super().__init__(f"{fault}: {detail}" if detail else str(fault))
        self.fault = fault
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Version:
    """A version; `original` is how it was written."""

    major: int
    minor: int
    patch: int
    prerelease: str = ""
    metadata: str = ""
    original: str = ""

    def __str__(self) -> str:
        text = f"{self.major}.{self.minor}.{self.patch}"
        if self.prerelease:
            text += "-" + self.prerelease
        return f"{text}+{self.metadata}" if self.metadata else text

    def next_major(self) -> Version:
        """The first version of the next major one."""
        return _rewritten(replace(self, major=self.major + 1, minor=0, patch=0, prerelease="", metadata=""))

    def next_minor(self) -> Version:
        """The first version of the next minor one."""
        return _rewritten(replace(self, minor=self.minor + 1, patch=0, prerelease="", metadata=""))

    def next_patch(self) -> Version:
        """The next patch, or the release that a prerelease leads to."""
        patch = self.patch if self.prerelease else self.patch + 1
        return _rewritten(replace(self, patch=patch, prerelease="", metadata=""))

    def with_prerelease(self, text: str) -> Version:
        """The same version with another prerelease, whatever that is."""
        return _rewritten(replace(self, prerelease=text))

    def with_metadata(self, text: str) -> Version:
        """The same version with other metadata, whatever they are."""
        return _rewritten(replace(self, metadata=text))

    def compare(self, other: Version) -> int:
        """-1, 0 or 1; metadata do not count, a prerelease comes before its release."""
        mine, theirs = (self.major, self.minor, self.patch), (other.major, other.minor, other.patch)
        if mine != theirs:
            return 1 if mine > theirs else -1
        if not self.prerelease or not other.prerelease:
            return bool(other.prerelease) - bool(self.prerelease)
        return compare_prereleases(self.prerelease, other.prerelease)


def _rewritten(version: Version) -> Version:
    """A version whose parts were changed, with an original to match: the old one's `v` stays."""
    return replace(version, original=("v" if version.original.startswith("v") else "") + str(version))


def parse(text: str) -> Version:
    """The version that a text writes; raises VersionError."""
    match = _VERSION.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        raise VersionError(Fault.INVALID)
    major, minor, patch = (_segment(part or "0") for part in match.groups()[:3])
    prerelease, metadata = match[4] or "", match[5] or ""
    for part in prerelease.split("."):
        if starts_with_zero(part):
            raise VersionError(Fault.LEADING_ZERO)
    return Version(major, minor, patch, prerelease, metadata, text)


def starts_with_zero(part: str) -> bool:
    """Whether a part of a prerelease is a number that is written with a zero too many."""
    return len(part) > 1 and part.isascii() and part.isdigit() and part[0] == "0"


def _segment(digits: str) -> int:
    number = _whole(digits)
    if number is None:
        raise VersionError(Fault.SEGMENT, f'strconv.ParseUint: parsing "{digits}": value out of range')
    return number


def _whole(text: str) -> int | None:
    """The number that a text writes, unless it is none or does not fit into 64 bits."""
    if not (text.isascii() and text.isdigit()) or len(text.lstrip("0")) > _MOST_DIGITS:
        return None
    number = int(text.lstrip("0") or "0")
    return number if number <= _LARGEST else None


def compare_prereleases(one: str, other: str) -> int:
    """-1, 0 or 1 for two prereleases, part by part; fewer parts come first."""
    mine, theirs = one.split("."), other.split(".")
    for index in range(max(len(mine), len(theirs))):
        result = _compare_parts(mine[index] if index < len(mine) else "", theirs[index] if index < len(theirs) else "")
        if result:
            return result
    return 0


def _compare_parts(one: str, other: str) -> int:
    if one == other:
        return 0
    if not one or not other:
        return 1 if one else -1
    mine, theirs = _whole(one), _whole(other)
    if mine is None and theirs is None:
        return 1 if one > other else -1
    if mine is None or theirs is None:
        return 1 if mine is None else -1  # numbers come before words
    return 1 if mine > theirs else -1
