"""Views: what one item looks at in target clusters, as it is now."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from landform.cluster.errors import NotFound
from landform.cluster.interface import ListOptions
from landform.cluster.resources import ObjectKey, Resource, Unstructured
from landform.cluster.stores import number
from landform.deployers.manifest import parallel

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from landform.cluster.errors import ClusterError
    from landform.deployers.manifest.sites import Site


class Subject(NamedTuple):
    """One object of a cluster, whether it exists or not."""

    site: Site
    resource: Resource[Unstructured]
    key: ObjectKey

    def __str__(self) -> str:
        return f"{self.resource.kind} {self.key}"


class Selection(NamedTuple):
    """All objects of a kind that have some labels."""

    site: Site
    resource: Resource[Unstructured]
    labels: tuple[tuple[str, str], ...]

    def selects(self, obj: Unstructured) -> bool:
        """Whether the object has the labels."""
        found = (obj.get("metadata") or {}).get("labels") or {}
        return all(found.get(name) == value for name, value in self.labels)

    def __str__(self) -> str:
        return f"{self.resource.kind} with {','.join(f'{name}={value}' for name, value in self.labels)}"


Sight: TypeAlias = Subject | Selection


class Source(Protocol):
    """Who shows a view what happens."""

    @property
    def is_following(self) -> bool: ...


class View:
    """What is known of some subjects and selections.

    Invariants:
    - of an object the newest version that was seen is kept, by its resourceVersion;
    - everything that changed since it was last asked for is reported by `changed`, once.
    """

    def __init__(self, look: Callable[[View, Sight], Awaitable[None]]) -> None:
        self._look = look
        self._watched: set[Sight] = set()
        self._objects: dict[Subject, Unstructured | None] = {}
        self._versions: dict[Subject, int] = {}
        self._selected: dict[Selection, dict[ObjectKey, Unstructured]] = {}
        self._touched: dict[Selection, int] = {}
        """How many changes of what is selected were reported."""

        self._outdated: set[Sight] = set()
        self._changed: set[Sight] = set()
        self._event = asyncio.Event()
        self._troubles: dict[Source, ClusterError] = {}
        self._told_trouble: ClusterError | None = None
        self._is_woken = False
        self._bug: Exception | None = None

    async def look_at(self, *whats: Sight) -> None:
        """Look at something from now on."""
        for what in whats:
            if what not in self._watched:
                self._watched.add(what)
                await self._look(self, what)

    def get(self, subject: Subject) -> Unstructured | None:
        """The object, if it exists as far as is known."""
        return self._objects.get(subject)

    def is_known(self, what: Sight) -> bool:
        """Whether it was ever read."""
        return what in self._selected if isinstance(what, Selection) else what in self._objects

    def selected(self, selection: Selection) -> list[Unstructured]:
        """The objects that are selected."""
        return list(self._selected.get(selection, {}).values())

    @property
    def trouble(self) -> ClusterError | None:
        """Why what is known may be out of date; None if all is well."""
        return next((error for source, error in self._troubles.items() if not source.is_following), None)

    async def changed(self) -> set[Sight]:
        """Wait until something is or may be different; what. Everything that is out of date is read again.

        Nothing is different when there is, or is no longer, `trouble`, and after `wake`.
        """
        while True:
            await self._event.wait()
            self._event.clear()
            if self._bug is not None:
                raise self._bug
            outdated, self._outdated = self._outdated, set()
            try:
                (await parallel.each(outdated, self._read)).check("WatchTarget", "ReadObjects")
            except BaseException:
                self._outdated |= outdated
                self._event.set()
                raise
            changed, self._changed = self._changed, set()
            woken, self._is_woken = self._is_woken, False
            if changed or woken or self._told_trouble is not self.trouble:
                self._told_trouble = self.trouble
                return changed

    def wake(self) -> None:
        """Have `changed` return, though nothing is different."""
        self._is_woken = True
        self._event.set()

    # What watches report

    def outdate(self, whats: Iterable[Sight]) -> None:
        """Nobody knows what happened to these: they must be read."""
        self._outdated.update(whats)
        self._event.set()

    def show(self, subject: Subject, obj: Unstructured, *, is_gone: bool) -> None:
        """An object changed."""
        version = number(obj)
        if version <= self._versions.get(subject, 0):
            return
        self._versions[subject] = version
        self._put(subject, None if is_gone else obj)

    def show_selected(self, selection: Selection, obj: Unstructured, *, is_gone: bool) -> None:
        """An object of the kind changed; it may be one that is selected, or was."""
        known, key = self._selected.setdefault(selection, {}), _key(obj)
        old = known.get(key)
        if old is not None and number(old) >= number(obj):
            return
        if is_gone or not selection.selects(obj):
            if known.pop(key, None) is None:
                return
        else:
            known[key] = obj
        self._touched[selection] = self._touched.get(selection, 0) + 1
        self._changed.add(selection)
        self._event.set()

    def note_trouble(self, source: Source, error: ClusterError | None) -> None:
        """A watch cannot follow for a while, or can again."""
        if error is not None:
            self._troubles[source] = error
        else:
            self._troubles.pop(source, None)
        self._event.set()

    def fail(self, bug: Exception) -> None:
        """A watch failed for a reason that is ours."""
        self._bug = bug
        self._event.set()

    # What is read

    async def _read(self, what: Sight) -> None:
        await (self._read_all(what) if isinstance(what, Selection) else self._read_one(what))

    async def _read_one(self, subject: Subject) -> None:
        before = self._versions.get(subject)
        try:
            obj = await subject.site.cluster.get(subject.resource, subject.key.name, namespace=subject.key.namespace)
        except NotFound:
            if self._versions.get(subject) == before:
                self._put(subject, None)
            return
        self.show(subject, obj, is_gone=False)
        self._changed.add(subject)

    async def _read_all(self, selection: Selection) -> None:
        options = ListOptions(label_selector=",".join(f"{name}={value}" for name, value in selection.labels))
        before = self._touched.get(selection)
        page = await selection.site.cluster.list(selection.resource, options=options)
        if self._touched.get(selection) != before:  # the list may be older than what was reported meanwhile
            self.outdate((selection,))
        self._selected[selection] = {_key(obj): obj for obj in page.items}
        self._changed.add(selection)

    def _put(self, subject: Subject, obj: Unstructured | None) -> None:
        self._objects[subject] = obj
        self._changed.add(subject)
        self._event.set()


def _key(obj: Unstructured) -> ObjectKey:
    metadata = obj["metadata"]
    return ObjectKey(metadata.get("namespace") or "", metadata["name"])
