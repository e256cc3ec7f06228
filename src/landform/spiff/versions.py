"""Semantic versions, read leniently as the library `Masterminds/semver` v3 does."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

_LOOSE = re.compile(
    r"v?([0-9]+)(\.[0-9]+)?(\.[0-9]+)?"
    r"(?:-([0-9A-Za-z\-]+(?:\.[0-9A-Za-z\-]+)*))?"
    r"(?:\+([0-9A-Za-z\-]+(?:\.[0-9A-Za-z\-]+)*))?"
)
_PART = re.compile("[0-9A-Za-z-]+")
_UINT64 = 1 << 64


class VersionError(ValueError):
    """A text is no version, or no part of one; the message is the library's."""


@dataclass(frozen=True)
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

    def _changed(self, **changes: int | str) -> Version:
        changed = replace(self, **changes)  # type: ignore[arg-type]
        return replace(changed, original=("v" if self.original.startswith("v") else "") + str(changed))

    def next_major(self) -> Version:
        """The first version of the next major one."""
        return self._changed(major=self.major + 1, minor=0, patch=0, prerelease="", metadata="")

    def next_minor(self) -> Version:
        """The first version of the next minor one."""
        return self._changed(minor=self.minor + 1, patch=0, prerelease="", metadata="")

    def next_patch(self) -> Version:
        """The next patch, or the release that a prerelease leads to."""
        patch = self.patch if self.prerelease else self.patch + 1
        return self._changed(patch=patch, prerelease="", metadata="")

    def with_prerelease(self, text: str) -> Version:
        """The same version with another prerelease."""
        _check_prerelease(text)
        return self._changed(prerelease=text)

    def with_metadata(self, text: str) -> Version:
        """The same version with other metadata."""
        _check_metadata(text)
        return self._changed(metadata=text)

    def compare(self, other: Version) -> int:
        """-1, 0 or 1; metadata does not count, a prerelease comes before its release."""
        mine, theirs = (self.major, self.minor, self.patch), (other.major, other.minor, other.patch)
        if mine != theirs:
            return 1 if mine > theirs else -1
        if not self.prerelease or not other.prerelease:
            return bool(other.prerelease) - bool(self.prerelease)
        return compare_prereleases(self.prerelease, other.prerelease)


def parse(text: str) -> Version:
    """The version that a text writes; raises VersionError."""
    match = _LOOSE.fullmatch(text)
    if match is None or not text.isascii():
        raise VersionError("invalid semantic version")
    major, minor, patch = (_segment(part or "") for part in match.groups()[:3])
    _check_prerelease(match[4] or "")
    _check_metadata(match[5] or "")
    return Version(major, minor, patch, match[4] or "", match[5] or "", text)


def _segment(text: str) -> int:
    digits = text.lstrip(".") or "0"
    number = int(digits) if len(digits) < 30 else _UINT64
    if number >= _UINT64:
        reason = f'strconv.ParseUint: parsing "{digits}": value out of range'
        raise VersionError(f"error parsing version segment: {reason}")
    return number


def _check_prerelease(text: str) -> None:
    if not text:
        return
    for part in text.split("."):
        if part.isascii() and part.isdigit():
            if len(part) > 1 and part.startswith("0"):
                raise VersionError("version segment starts with 0")
        elif not _PART.fullmatch(part):
            raise VersionError("invalid prerelease string")


def _check_metadata(text: str) -> None:
    if text and any(not _PART.fullmatch(part) for part in text.split(".")):
        raise VersionError("invalid metadata string")


def compare_prereleases(one: str, other: str) -> int:
    """-1, 0 or 1 for two prereleases, part by part."""
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
    numeric = one.isdigit(), other.isdigit()
    if numeric == (True, True):
        return 1 if int(one) > int(other) else -1
    if numeric == (False, False):
        return 1 if one > other else -1
    return -1 if numeric[0] else 1
