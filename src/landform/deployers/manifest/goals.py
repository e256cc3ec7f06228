"""Goals: what must be so in target clusters before an item goes on; judged over a view, without I/O."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from landform.cluster import codec
from landform.deployers.manifest import customchecks, readiness
from landform.deployers.manifest.readiness import Verdict
from landform.deployers.manifest.views import Subject

if TYPE_CHECKING:
    from collections.abc import Sequence

    from landform.cluster.resources import Unstructured
    from landform.deployers.manifest.customchecks import ParsedCheck
    from landform.deployers.manifest.views import Selection, Sight, View

_UNKNOWN: Final = Verdict(is_ready=False, why="it has not been read yet")
_HOPELESS: Final = "it will not become ready by itself"
_MISSING: Final = Verdict(is_ready=False, why="it does not exist")


class Goal(Protocol):
    """Something that must be so."""

    def sights(self, view: View) -> Sequence[Sight]:
        """What to look at; that may depend on what is seen."""
        ...

    def judge(self, view: View) -> Verdict:
        """Whether it is so; the verdict says of which object it speaks."""
        ...


@dataclass(frozen=True)
class Ready:
    """An object exists and is ready by the rules for its kind."""

    subject: Subject
    is_own: bool = False
    """Whether the item deploys it: then nobody will replace it when it has failed."""

    def sights(self, view: View) -> Sequence[Sight]:
        return (self.subject,)

    def judge(self, view: View) -> Verdict:
        obj = view.get(self.subject)
        if obj is None:
            return _about(self.subject, _MISSING if view.is_known(self.subject) else _UNKNOWN)
        return _about(self.subject, readiness.verdict(obj), is_own=self.is_own)


@dataclass(frozen=True)
class AllReady:
    """There are objects with some labels, and all are ready by the rules for their kind."""

    selection: Selection

    def sights(self, view: View) -> Sequence[Sight]:
        return (self.selection,)

    def judge(self, view: View) -> Verdict:
        found = view.selected(self.selection)
        if not found:
            return Verdict(is_ready=False, why=_none_selected(self.selection, view))
        for obj in found:
            verdict = readiness.verdict(obj)
            if not verdict.is_ready:
                return _about(_subject_of(self.selection, obj), verdict)
        return Verdict(is_ready=True, why="")


@dataclass(frozen=True, eq=False)
class Holds:
    """All objects that a custom check selects meet its requirements."""

    check: ParsedCheck
    subjects: tuple[Subject, ...]
    selection: Selection | None

    def sights(self, view: View) -> Sequence[Sight]:
        return (*self.subjects, *((self.selection,) if self.selection is not None else ()))

    def judge(self, view: View) -> Verdict:
        for sight in self.sights(view):
            if not view.is_known(sight):
                return Verdict(is_ready=False, why=f"check {self.check.name}: {sight}: {_UNKNOWN.why}")
        named = [obj for subject in self.subjects if (obj := view.get(subject)) is not None]
        selected = view.selected(self.selection) if self.selection is not None else []
        return customchecks.check([*named, *selected], self.check)


@dataclass(frozen=True)
class Gone:
    """An object does not exist."""

    subject: Subject

    def sights(self, view: View) -> Sequence[Sight]:
        return (self.subject,)

    def judge(self, view: View) -> Verdict:
        obj = view.get(self.subject)
        if obj is None:
            return _about(self.subject, _UNKNOWN) if not view.is_known(self.subject) else Verdict(is_ready=True, why="")
        metadata = obj["metadata"]
        if not metadata.get("deletionTimestamp"):
            return Verdict(is_ready=False, why=f"{self.subject} exists")
        finalizers = ", ".join(metadata.get("finalizers") or ())
        held = f"held by the finalizer {finalizers}" if finalizers else "still ending"
        return Verdict(is_ready=False, why=f"{self.subject} is being deleted, {held}")


def _about(subject: Subject, verdict: Verdict, *, is_own: bool = False) -> Verdict:
    """What is said of an object; what others deployed they may replace, so it never has failed for good."""
    is_hopeless = verdict.is_failed or verdict.is_stuck
    return Verdict(
        is_ready=verdict.is_ready,
        why=f"{subject}: {verdict.why}" + (f"; {_HOPELESS}" if is_hopeless else ""),
        is_failed=verdict.is_failed and is_own,
        is_stuck=is_hopeless and not (verdict.is_failed and is_own),
    )


def _subject_of(selection: Selection, obj: Unstructured) -> Subject:
    return Subject(selection.site, selection.resource, codec.key_of(obj))


def _none_selected(selection: Selection, view: View) -> str:
    return f"there is no {selection}" if view.is_known(selection) else f"{selection}: {_UNKNOWN.why}"
