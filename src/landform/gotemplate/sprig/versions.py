"""Semantic versions as templates see them: Go's *semver.Version with its methods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from landform.gotemplate.errors import GoError
from landform.gotemplate.functions import function
from landform.gotemplate.values import Int, Object, Uint64
from landform.kit.semver import versions
from landform.kit.semver.versions import Fault, VersionError

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-0123456789")
_WORDS = {
    Fault.INVALID: "Invalid Semantic Version",
    Fault.SEGMENT: "Error parsing version segment",
    Fault.LEADING_ZERO: "Version segment starts with 0",
    Fault.PRERELEASE: "Invalid Prerelease string",
    Fault.METADATA: "Invalid Metadata string",
}
"""What the release of the library that sprig has says."""


def _refused(error: VersionError) -> GoError:
    words = _WORDS[error.fault]
    return GoError(f"{words}: {error.detail}" if error.detail else words)


@dataclass(frozen=True, slots=True, eq=False)
class Version(Object):
    """A *semver.Version."""

    value: versions.Version

    go_type = "*semver.Version"
    go_kind = "ptr"

    def string(self) -> str:
        return str(self.value)

    def fields(self) -> dict[str, Any]:
        value = self.value
        return {
            "major": Uint64(value.major),
            "minor": Uint64(value.minor),
            "patch": Uint64(value.patch),
            "pre": value.prerelease,
            "metadata": value.metadata,
            "original": value.original,
        }

    def compare(self, other: Version) -> int:
        """Below zero when this comes before the other, above when after; metadata do not count."""
        return self.value.compare(other.value)


class VersionStruct(Version):
    """A semver.Version that is not behind a pointer."""

    __slots__ = ()
    go_type = "semver.Version"
    go_kind = "struct"


def parse(text: str) -> Version:
    """The version that the text writes; GoError when it writes none."""
    try:
        return Version(versions.parse(text))
    except VersionError as error:
        raise _refused(error) from None


def _with_prerelease(version: Version, text: str) -> Version:
    for part in text.split("."):
        if versions.starts_with_zero(part):
            raise _refused(VersionError(Fault.LEADING_ZERO))
        if not _LETTERS.issuperset(part):
            raise _refused(VersionError(Fault.PRERELEASE))
    return VersionStruct(version.value.with_prerelease(text))


def _with_metadata(version: Version, text: str) -> Version:
    if not _LETTERS.issuperset(text.replace(".", "")):
        raise _refused(VersionError(Fault.METADATA))
    return VersionStruct(version.value.with_metadata(text))


_OTHER = "*semver.Version"
Version.methods = {
    "String": function("", Version.string),
    "Original": function("", lambda version: version.value.original),
    "Major": function("", lambda version: Uint64(version.value.major)),
    "Minor": function("", lambda version: Uint64(version.value.minor)),
    "Patch": function("", lambda version: Uint64(version.value.patch)),
    "Prerelease": function("", lambda version: version.value.prerelease),
    "Metadata": function("", lambda version: version.value.metadata),
    "IncPatch": function("", lambda version: VersionStruct(version.value.next_patch())),
    "IncMinor": function("", lambda version: VersionStruct(version.value.next_minor())),
    "IncMajor": function("", lambda version: VersionStruct(version.value.next_major())),
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
