"""Functions on semantic versions."""

from __future__ import annotations

import re
from functools import cmp_to_key
from typing import TYPE_CHECKING, Any

from landform.kit.quoting import quote
from landform.kit.semver import constraints, versions
from landform.kit.semver.versions import Fault, Version, VersionError
from landform.spiff import gofmt
from landform.spiff.info import Result, done, fail
from landform.spiff.nodes import Node, RawInt
from landform.spiff.numbers import wrap
from landform.spiff.values import type_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from landform.kit.semver.constraints import Constraints
    from landform.spiff.functions.signature import Call, Function


_PART = re.compile("[0-9A-Za-z-]+")


def _parse(name: str, value: Any) -> Version | str:
    """The version that an argument writes, or what is wrong with it."""
    if type(value) is not str:
        return f"{name} requires one string argument, but got {type_name(value)}"
    try:
        return versions.parse(value)
    except VersionError as error:
        return f"{name}: {quote(value)}: {error}"


def _parse_all(name: str, values: list[Any]) -> list[Version] | str:
    """The versions that arguments write, or what is wrong with the first that writes none."""
    parsed: list[Version] = []
    for value in values:
        version = _parse(name, value)
        if isinstance(version, str):
            return version
        parsed.append(version)
    return parsed


def _getter(name: str, get: Callable[[Version], Any], shown: str = "") -> Function:
    def function(call: Call) -> Result:
        if call.size != 1:
            return fail(f"{shown or name} requires one semver argument")
        version = _parse(shown or name, call.arguments[0])
        return fail(version) if isinstance(version, str) else done(get(version))

    return function


def _accessor(name: str, part: str, get: Callable[[Version], Any], put: Callable[[Version, str], Version]) -> Function:
    def function(call: Call) -> Result:
        if call.size > 2:
            return fail(f"{name} requires one semver argument and an optional value")
        if not call.arguments:
            return fail(f"{name} requires one semver argument")
        version = _parse(name, call.arguments[0])
        if isinstance(version, str):
            return fail(version)
        if call.size == 1:
            return done(get(version))
        value = call.arguments[1]
        if type(value) is not str:
            return fail(f"{name}: {part} requires string, but got {type_name(value)}")
        try:
            return done(put(version, value).original)
        except VersionError as error:
            return fail(f"{name}: invalid {part} {quote(value)}: {error}")

    return function


def _with_prerelease(version: Version, text: str) -> Version:
    for part in text.split(".") if text else ():
        if versions.starts_with_zero(part):
            raise VersionError(Fault.LEADING_ZERO)
        if not _PART.fullmatch(part):
            raise VersionError(Fault.PRERELEASE)
    return version.with_prerelease(text)


def _with_metadata(version: Version, text: str) -> Version:
    if text and not all(map(_PART.fullmatch, text.split("."))):
        raise VersionError(Fault.METADATA)
    return version.with_metadata(text)


def _with_release(version: Version, text: str) -> Version:
    return versions.parse(text).with_metadata(version.metadata).with_prerelease(version.prerelease)


def _compare(call: Call) -> Result:
    if call.size != 2:
        return fail("semvercmp requires two arguments")
    parsed = _parse_all("semvercmp", call.arguments)
    return fail(parsed) if isinstance(parsed, str) else done(RawInt(parsed[0].compare(parsed[1])))


def check(name: str, value: Any, arguments: list[Any]) -> tuple[bool, str, str | None]:
    """Whether a version meets constraints, the reason, and what is wrong with the check itself if something is."""
    version = _parse(name, value)
    if isinstance(version, str):
        return False, "", version
    for index, argument in enumerate(arguments):
        if type(argument) is not str:
            return False, "", f"{name}: constraint argument {index} must be string"
        try:
            parsed = constraints.parse(argument)
        except constraints.ConstraintError as error:
            return False, "", f"{name}: invalid constraint {quote(argument)}[{index}]: {error}"
        except VersionError:
            return False, "", f"{name}: invalid constraint {quote(argument)}[{index}]: constraint parser error"
        reasons = _failures(parsed, version)
        if reasons:
            return False, f"[{' '.join(reasons)}]", None
    return True, "matches contraint" if arguments else "is semantic version", None


def _failures(wanted: Constraints, version: Version) -> list[str]:
    """Why a version does not meet the constraints; empty if it does."""
    reasons: list[str] = []
    only_releases = f"{version} is a prerelease version and the constraint is only looking for release versions"
    for group in wanted:
        prereleases = any(constraint.version.prerelease for constraint in group)
        if version.prerelease and not prereleases:
            if only_releases not in reasons:
                reasons.append(only_releases)
            continue
        found = [reason for constraint in group if (reason := constraints.refusal(constraint, version))]
        if not found:
            return []
        reasons += found
    return reasons


def _match(call: Call) -> Result:
    if not call.arguments:
        return fail("semvermatch requires at least one arguments")
    ok, _, fault = check("semvermatch", call.arguments[0], call.arguments[1:])
    return fail(fault) if fault else done(ok)


def _validate(call: Call) -> Result:
    if not call.arguments:
        return fail("semvervalidate requires at least one arguments")
    value = call.arguments[0]
    shown = gofmt.quoted(value)
    ok, reason, fault = check("semvervalidate", value, call.arguments[1:])
    if fault or not ok:
        return fail(f"semvervalidate: {shown}: {fault or reason}")
    return done(value)


def _sort(call: Call) -> Result:
    arguments = call.arguments
    if call.size == 1 and type(arguments[0]) is list:
        arguments = [node.value for node in arguments[0]]
    parsed = _parse_all("semvercmp", arguments)
    if isinstance(parsed, str):
        return fail(parsed)
    parsed.sort(key=cmp_to_key(Version.compare))
    return done([Node(version.original, call.env.source) for version in parsed])


FUNCTIONS: dict[str, Function] = {
    "semver": _getter("semver", str, shown="semverprerelease"),
    "semvermajor": _getter("semvermajor", lambda version: wrap(version.major)),
    "semverminor": _getter("semverminor", lambda version: wrap(version.minor)),
    "semverpatch": _getter("semverpatch", lambda version: wrap(version.patch)),
    "semverprerelease": _accessor(
        "semverprerelease", "prerelease", lambda version: version.prerelease, _with_prerelease
    ),
    "semvermetadata": _accessor("semvermetadata", "metadata", lambda version: version.metadata, _with_metadata),
    "semverrelease": _accessor(
        "semverrelease",
        "release",
        lambda version: version.with_metadata("").with_prerelease("").original,
        _with_release,
    ),
    "semverincmajor": _getter("semverincmajor", lambda version: version.next_major().original),
    "semverincminor": _getter("semverincminor", lambda version: version.next_minor().original),
    "semverincpatch": _getter("semverincpatch", lambda version: version.next_patch().original),
    "semvercmp": _compare,
    "semvermatch": _match,
    "semversort": _sort,
    "semvervalidate": _validate,
}
