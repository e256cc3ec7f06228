"""Exported values: read from objects of target clusters, also when they appear later."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from landform.cluster.resources import ObjectKey
from landform.deployers.manifest.readiness import Verdict
from landform.deployers.manifest.strategies import overlaid
from landform.deployers.manifest.views import Subject, View
from landform.kit import jsonpath

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from landform.cluster.resources import Resource, Unstructured
    from landform.deployers.manifest.configuration import Export
    from landform.deployers.manifest.sites import Site
    from landform.deployers.manifest.views import Sight


class NotThere(Exception):
    """A value is not there yet; the text says what is missing, and no value."""


@dataclass(frozen=True, eq=False)
class Exported:
    """A value to be exported, as a goal: it is met when the value is there."""

    export: Export
    subject: Subject
    second: Resource[Unstructured] | None = None
    """With `fromObjectRef`: the resource of the second object."""

    def sights(self, view: View) -> Sequence[Sight]:
        found: list[Sight] = [self.subject]
        # As long as the first object is not there, nobody knows which the second is; `judge` says so.
        with contextlib.suppress(NotThere):
            if self.second is not None:
                found.append(self._second(view, self.second))
        return found

    def judge(self, view: View) -> Verdict:
        try:
            self.value(view)
        except NotThere as missing:
            return Verdict(is_ready=False, why=f"export {self.export.key}: {missing}")
        return Verdict(is_ready=True, why="")

    def value(self, view: View) -> Any:
        """The value; NotThere if it is not there."""
        if self.second is None or self.export.from_object_ref is None:
            return found(view, self.subject, self.export.json_path)
        return found(view, self._second(view, self.second), self.export.from_object_ref.json_path)

    def _second(self, view: View, resource: Resource[Unstructured]) -> Subject:
        reference = found(view, self.subject, self.export.json_path)
        if not isinstance(reference, dict) or not isinstance(reference.get("name"), str):
            raise NotThere(f"{self.export.json_path} of {self.subject} is no object with a name")
        namespace = reference.get("namespace") or self.subject.key.namespace
        if not isinstance(namespace, str):
            raise NotThere(f"the namespace at {self.export.json_path} of {self.subject} is not a text")
        return Subject(
            self.subject.site, resource, ObjectKey(namespace if resource.namespaced else "", reference["name"])
        )


def found(view: View, subject: Subject, path: str) -> Any:
    """What a path finds in an object."""
    obj = view.get(subject)
    if obj is None:
        raise NotThere(f"{subject} " + ("does not exist" if view.is_known(subject) else "has not been read yet"))
    try:
        groups = jsonpath.compile(path).find(obj)
    except jsonpath.JSONPathError:
        # What the evaluation says may quote the object, which may be a Secret.
        raise NotThere(f"{subject} has no {path}") from None
    values = [value for group in groups for value in group]
    if not values:
        raise NotThere(f"{subject} has no {path}")
    return values[0] if len(values) == 1 else values


async def goal(site: Callable[[str], Awaitable[Site]], export: Export) -> Exported:
    """The goal for an export that names an object; `site` gives the site of a target by its name."""
    reference, second = export.from_resource, export.from_object_ref
    assert reference is not None  # `Configuration.values` are those that have one
    place, who = await site(export.target_name), f"export {export.key}"
    subject = Subject(place, *await place.locate(reference, who))
    if second is None:
        return Exported(export, subject)
    return Exported(export, subject, await place.resource(second.api_version, second.kind, who))


async def afresh(goals: Iterable[Exported]) -> View:
    """What the objects of some exports are now, read from their clusters and not watched."""
    view = View(_unwatched)
    while unread := {sight for goal in goals for sight in goal.sights(view) if not view.is_known(sight)}:
        view.outdate(unread)
        await view.changed()
    return view


async def _unwatched(view: View, what: Sight) -> None:
    """Nobody tells the view of changes."""


def lookup(values: Any, key: str) -> Any:
    """What was exported under a key with dots; None if there is nothing."""
    for part in key.split("."):
        values = values.get(part) if isinstance(values, dict) else None
    return values


def nested(exports: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """The values under their keys, where dots lead into nested objects; later ones win."""
    result: dict[str, Any] = {}
    for key, value in exports:
        inner = value
        for part in reversed(key.split(".")):
            inner = {part: inner}
        result = overlaid(result, inner)
    return result
