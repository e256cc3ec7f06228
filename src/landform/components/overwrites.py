"""ComponentVersionOverwrites: other component versions in the place of those that are referred to. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True)
class ComponentReference:
    """A component version, and the repository to look for it; None means wherever others are looked for."""

    name: str
    version: str
    repository_context: Mapping[str, Any] | None = None

    def __str__(self) -> str:
        return f"{self.name}:{self.version}"


@dataclass(frozen=True)
class Pattern:
    """Attributes of a reference; those that are None match anything, or stay as they are."""

    name: str | None = None
    version: str | None = None
    repository_context: Mapping[str, Any] | None = None

    def matches(self, reference: ComponentReference) -> bool:
        """Whether all given attributes are those of the reference."""
        return (
            self.name in (None, reference.name)
            and self.version in (None, reference.version)
            and (
                self.repository_context is None
                or _same_repository(self.repository_context, reference.repository_context)
            )
        )


@dataclass(frozen=True)
class Overwrite:
    """One replacement."""

    source: Pattern
    substitution: Pattern


def apply(reference: ComponentReference, overwrites: Iterable[Overwrite]) -> ComponentReference | None:
    """What takes the place of a reference; None if no overwrite is meant for it.

    All overwrites are held against the original reference. One whose substitution touches an attribute that is
    already replaced is left out as a whole, so those that say more must come first.
    """
    merged: dict[str, Any] = {}
    matched = False
    for overwrite in overwrites:
        if not overwrite.source.matches(reference):
            continue
        matched = True
        given = _given(overwrite.substitution)
        if not given.keys() & merged.keys():
            merged |= given
        if len(merged) == 3:
            break
    return replace(reference, **merged) if matched else None


def describe(old: ComponentReference, new: ComponentReference) -> str:
    """What was replaced, one line for each attribute, for the condition that tells of it."""
    lines = []
    for label, before, after in (
        ("repositoryContext", _text(old.repository_context), _text(new.repository_context)),
        ("componentName", old.name, new.name),
        ("version", old.version, new.version),
    ):
        if before != after:
            lines.append(f"{label}: {before} -> {after}")
    return "\n".join(lines) or "nothing is different"


def from_objects(overwrites: Iterable[Mapping[str, Any]]) -> tuple[Overwrite, ...]:
    """The overwrites of a ComponentVersionOverwrites object in its JSON form."""
    return tuple(Overwrite(_pattern(entry["source"]), _pattern(entry["substitution"])) for entry in overwrites)


def _pattern(value: Mapping[str, Any]) -> Pattern:
    context = value.get("repositoryContext")
    return Pattern(value.get("componentName") or None, value.get("version") or None, context or None)


def _given(pattern: Pattern) -> dict[str, Any]:
    attributes = {
        "name": pattern.name,
        "version": pattern.version,
        "repository_context": pattern.repository_context,
    }
    return {key: value for key, value in attributes.items() if value is not None}


def _same_repository(one: Mapping[str, Any], other: Mapping[str, Any] | None) -> bool:
    return other is not None and _text(one) == _text(other)


def _text(context: Mapping[str, Any] | None) -> str:
    return "none" if context is None else msgspec.json.encode(context, order="sorted").decode()
