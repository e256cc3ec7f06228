"""Semantic versions and constraints on them, as Masterminds/semver v3 has them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from landform.gotemplate.errors import GoError
from landform.gotemplate.functions import function
from landform.gotemplate.quoting import quote
from landform.gotemplate.values import Int, Object, Uint64

_TAIL = r"(?:-([0-9A-Za-z\-]+(?:\.[0-9A-Za-z\-]+)*))?(?:\+([0-9A-Za-z\-]+(?:\.[0-9A-Za-z\-]+)*))?"
_VERSION = re.compile(r"v?([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?" + _TAIL + r"\Z")
_WORDS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-0123456789"
_LARGEST = (1 << 64) - 1
_LONGEST = 4096


def _segment(digits: str) -> int:
    if len(digits.lstrip("0")) > 20 or int(digits) > _LARGEST:
        problem = f"strconv.ParseUint: parsing {quote(digits)}: value out of range"
        raise GoError(f"Error parsing version segment: {problem}")
    return int(digits)


@dataclass(frozen=True, slots=True, eq=False)
class Version(Object):
    """A *semver.Version."""

    major: int
    minor: int
    patch: int
    prerelease: str = ""
    metadata: str = ""
    original: str = ""

    go_type = "*semver.Version"
    go_kind = "ptr"

    def string(self) -> str:
        text = f"{self.major}.{self.minor}.{self.patch}"
        return (
            text + (f"-{self.prerelease}" if self.prerelease else "") + (f"+{self.metadata}" if self.metadata else "")
        )

    def fields(self) -> dict[str, Any]:
        return {
            "major": Uint64(self.major),
            "minor": Uint64(self.minor),
            "patch": Uint64(self.patch),
            "pre": self.prerelease,
            "metadata": self.metadata,
            "original": self.original,
        }

    def compare(self, other: Version) -> int:
        """Below zero when this comes before the other, above when after; metadata do not count."""
        left, right = (self.major, self.minor, self.patch), (other.major, other.minor, other.patch)
        if left != right:
            return -1 if left < right else 1
        if self.prerelease == other.prerelease:
            return 0
        if not self.prerelease or not other.prerelease:
            return 1 if not self.prerelease else -1
        return compare_prereleases(self.prerelease, other.prerelease)

    def replaced(self, **changes: Any) -> Version:
        """The version with some parts changed."""
        parts = {
            "major": self.major,
            "minor": self.minor,
            "patch": self.patch,
            "prerelease": self.prerelease,
            "metadata": self.metadata,
            **changes,
        }
        made = VersionStruct(**parts)
        prefix = "v" if self.original.startswith("v") else ""
        return VersionStruct(**parts, original=prefix + made.string())


class VersionStruct(Version):
    """A semver.Version that is not behind a pointer."""

    __slots__ = ()
    go_type = "semver.Version"
    go_kind = "struct"


def compare_prereleases(first: str, other: str) -> int:
    """The order of two prerelease names, part by part."""
    left, right = first.split("."), other.split(".")
    for index in range(max(len(left), len(right))):
        order = _compare_parts(left[index] if index < len(left) else "", right[index] if index < len(right) else "")
        if order:
            return order
    return 0


def _compare_parts(first: str, other: str) -> int:
    if first == other:
        return 0
    if not first or not other:
        return 1 if first else -1
    left, right = _whole(first), _whole(other)
    if left is None and right is None:
        return 1 if first > other else -1
    if right is None:
        return -1
    if left is None:
        return 1
    return 1 if left > right else -1


def _whole(text: str) -> int | None:
    if not (text.isascii() and text.isdigit()) or len(text.lstrip("0")) > 20:
        return None
    return int(text) if int(text) <= _LARGEST else None


def parse(text: str) -> Version:
    """The version that the text writes; GoError when it writes none."""
    match = _VERSION.match(text) if len(text) <= _LONGEST else None
    if match is None:
        raise GoError("Invalid Semantic Version")
    major, minor, patch, prerelease, metadata = match.groups()
    numbers = [_segment(part or "0") for part in (major, minor, patch)]
    for part in (prerelease or "").split("."):
        if part.isdigit() and len(part) > 1 and part[0] == "0":
            raise GoError("Version segment starts with 0")
    return Version(numbers[0], numbers[1], numbers[2], prerelease or "", metadata or "", text)


def _with_prerelease(version: Version, text: str) -> Version:
    for part in text.split(".") if text else ():
        if part.isdigit():
            if len(part) > 1 and part[0] == "0":
                raise GoError("Version segment starts with 0")
        elif not set(part) <= set(_WORDS):
            raise GoError("Invalid Prerelease string")
    return version.replaced(prerelease=text)


def _with_metadata(version: Version, text: str) -> Version:
    if text and not set(text) <= set(_WORDS + "."):
        raise GoError("Invalid Metadata string")
    return version.replaced(metadata=text)


def _next_patch(version: Version) -> Version:
    return version.replaced(metadata="", prerelease="", patch=version.patch + (not version.prerelease))


_OTHER = "*semver.Version"
Version.methods = {
    "String": function("", Version.string),
    "Original": function("", lambda version: version.original),
    "Major": function("", lambda version: Uint64(version.major)),
    "Minor": function("", lambda version: Uint64(version.minor)),
    "Patch": function("", lambda version: Uint64(version.patch)),
    "Prerelease": function("", lambda version: version.prerelease),
    "Metadata": function("", lambda version: version.metadata),
    "IncPatch": function("", _next_patch),
    "IncMinor": function(
        "", lambda version: version.replaced(metadata="", prerelease="", patch=0, minor=version.minor + 1)
    ),
    "IncMajor": function(
        "", lambda version: version.replaced(metadata="", prerelease="", patch=0, minor=0, major=version.major + 1)
    ),
    "SetPrerelease": function("string", _with_prerelease),
    "SetMetadata": function("string", _with_metadata),
    "Compare": function(_OTHER, lambda version, other: Int(version.compare(other))),
    "LessThan": function(_OTHER, lambda version, other: version.compare(other) < 0),
    "LessThanEqual": function(_OTHER, lambda version, other: version.compare(other) <= 0),
    "GreaterThan": function(_OTHER, lambda version, other: version.compare(other) > 0),
    "GreaterThanEqual": function(_OTHER, lambda version, other: version.compare(other) >= 0),
    "Equal": function(_OTHER, lambda version, other: version.compare(other) == 0),
    "MarshalJSON": function("", lambda version: f'"{version.string()}"'.encode()),
    "MarshalText": function("", lambda version: version.string().encode()),
}
_POINTER_METHODS = ("Original", "Compare", "LessThan", "LessThanEqual", "GreaterThan", "GreaterThanEqual", "Equal")
VersionStruct.methods = {name: call for name, call in Version.methods.items() if name not in _POINTER_METHODS}
