"""Constraints on versions, such as ">= 1.2, < 2 || ^3.1"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.gotemplate.errors import GoError
from landform.gotemplate.functions import Function, function
from landform.gotemplate.sprig.versions import parse
from landform.kit.semver import constraints
from landform.kit.semver.versions import VersionError

if TYPE_CHECKING:
    from landform.kit.semver.constraints import Constraint, Constraints
    from landform.kit.semver.versions import Version


def satisfies(constraint: str, version: str) -> bool:
    """Whether a version satisfies a constraint."""
    alternatives = _parsed(constraint)
    value = parse(version).value
    return any(all(_allows(single, value) for single in alternative) for alternative in alternatives)


def _parsed(text: str) -> Constraints:
    try:
        return constraints.parse(text)
    except constraints.ConstraintError as error:
        raise GoError(str(error)) from None
    except VersionError:
        raise GoError("constraint Parser Error") from None


def _allows(constraint: Constraint, version: Version) -> bool:
    strict = constraint.dirty or constraint.operator != "!="
    if strict and version.prerelease and not constraint.version.prerelease:
        return False
    return not constraints.refusal(constraint, version)


FUNCTIONS: dict[str, Function] = {
    "semver": function("string", parse),
    "semverCompare": function("string, string -> bool", satisfies),
}
