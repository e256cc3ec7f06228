"""The verbs that read: get, list in pages, watch."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from landform.cluster import selectors
from landform.cluster.errors import BadRequest, ServerError
from landform.embedded import faults, versions
from landform.embedded.kinds.fields import value_of
from landform.embedded.objects import Stored, StoreKey
from landform.embedded.schemas import causes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from landform.cluster.interface import ListOptions
    from landform.cluster.resources import Unstructured
    from landform.embedded.catalog import ResourceType
    from landform.embedded.history import Watcher
    from landform.embedded.store import Store

_ALWAYS_SELECTABLE = ("metadata.name", "metadata.namespace")
_MOST_SNAPSHOTS = 64
"""How many lists are kept for their next pages; the least recently used goes first."""


@dataclass(frozen=True)
class Page:
    """One page of a list, or all of it."""

    items: list[Stored]
    version: int
    continue_token: str = ""
    remaining: int | None = None


@dataclass(frozen=True)
class _Snapshot:
    """A list at one version, kept so that all its pages show the same moment. The objects are shared, not copied."""

    items: list[Stored]
    version: int


class Reading:
    """Reads what is on disk. Lists in pages come from one snapshot; one that was dropped gives Gone."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._snapshots: OrderedDict[str, _Snapshot] = OrderedDict()
        self._tokens = itertools.count(1)

    def get(self, type_: ResourceType, namespace: str, name: str) -> Stored:
        """The object; NotFound if there is none."""
        stored = self._store.get(StoreKey(versions.stored_resource(type_), namespace, name))
        if stored is None:
            raise faults.not_found(type_.group_resource, name)
        return stored

    def page(self, type_: ResourceType, namespace: str, options: ListOptions) -> Page:
        """The objects that the options select."""
        if options.continue_token:
            return self._next_page(options)
        version = self._version_to_show(type_, options)
        matches = selection(type_, options)
        if version == self._store.version:
            items = self._candidates(type_, namespace, options)
        else:
            items = self._store.objects_at(version, versions.stored_resource(type_), namespace)
        if matches is not None:
            items = [stored for stored in items if matches(stored)]
        return self._page(_Snapshot(items, version), 0, options, "")

    def _candidates(self, type_: ResourceType, namespace: str, options: ListOptions) -> list[Stored]:
        """Everything in the namespace; if the selector names one object, only that."""
        resource = versions.stored_resource(type_)
        name = selectors.parse_fields(options.field_selector).exact("metadata.name") if options.field_selector else None
        if name is not None and (namespace or not type_.namespaced):
            stored = self._store.get(StoreKey(resource, namespace, name))
            return [stored] if stored is not None else []
        return self._store.objects(resource, namespace)

    def _version_to_show(self, type_: ResourceType, options: ListOptions) -> int:
        """The present, unless the client insists on a version; then that, as far back as the history goes."""
        match, newest = options.resource_version_match, self._store.version
        asked = parse_version(options.resource_version)
        if match:
            _check_match(match, options.resource_version)
        if asked > newest:
            raise faults.too_new(asked, newest)
        if match != "Exact":
            return newest
        oldest = self._store.history.floor(versions.stored_resource(type_))
        if asked < oldest:
            raise faults.too_old(asked, oldest)
        return asked

    def _page(self, snapshot: _Snapshot, start: int, options: ListOptions, token: str) -> Page:
        limit = options.limit
        rest = len(snapshot.items) - start
        if limit <= 0 or rest <= limit:
            self._snapshots.pop(token, None)
            return Page(snapshot.items[start:] if start else snapshot.items, snapshot.version)
        if not token:
            token = f"{snapshot.version}-{next(self._tokens)}"
            self._snapshots[token] = snapshot
            while len(self._snapshots) > _MOST_SNAPSHOTS:
                self._snapshots.popitem(last=False)
        end = start + limit
        counted = None if options.label_selector or options.field_selector else rest - limit
        return Page(snapshot.items[start:end], snapshot.version, f"{token}@{end}", counted)

    def _next_page(self, options: ListOptions) -> Page:
        if options.resource_version not in ("", "0"):
            raise BadRequest("specifying resource version is not allowed when using continue")
        token, _, start = options.continue_token.partition("@")
        if not start.isdecimal():
            raise BadRequest("invalid continue token: continue key is not valid: it was not given out by this server")
        snapshot = self._snapshots.get(token)
        if snapshot is None:
            raise faults.expired_continue()
        self._snapshots.move_to_end(token)
        return self._page(snapshot, int(start), options, token)

    @contextmanager
    def watch(self, type_: ResourceType, namespace: str, options: ListOptions) -> Iterator[Watch]:
        """Changes from the asked version on, preceded by what exists if the client asks for that."""
        resource = versions.stored_resource(type_)
        matches = selection(type_, options)
        try:
            asked = parse_version(options.resource_version)
        except BadRequest:  # for watches the API server finds other words
            raise ServerError(_no_version(options.resource_version)) from None
        initial: list[Stored] = []
        if options.send_initial_events or asked == 0:
            if asked > self._store.version:
                raise faults.too_new(asked, self._store.version)
            asked = self._store.version
            initial = [s for s in self._candidates(type_, namespace, options) if matches is None or matches(s)]
        elif asked < self._store.history.floor(resource) or asked > self._store.version:
            raise faults.too_old(asked, self._store.history.floor(resource))
        watcher = self._store.history.open(resource, namespace, matches, asked)
        try:
            yield Watch(initial, asked, watcher)
        finally:
            self._store.history.close(watcher)


@dataclass(frozen=True)
class Watch:
    """A watch under way."""

    initial: list[Stored]
    """What existed when it began."""

    version: int
    """The version that `initial` shows and `watcher` goes on from."""

    watcher: Watcher


def parse_version(text: str) -> int:
    """A resourceVersion as a number; 0 if there is none."""
    if text and not text.isdecimal():
        raise BadRequest(f"invalid resource version: {_no_version(text)}")
    return int(text or 0)


def _no_version(text: str) -> str:
    return f'resourceVersion: Invalid value: "{text}": strconv.ParseUint: parsing "{text}": invalid syntax'


def _check_match(match: str, version: str) -> None:
    """A rule for the version must be one that exists, and needs a version to apply to."""
    field = "resourceVersionMatch"
    if match not in ("Exact", "NotOlderThan"):
        fault = causes.not_supported(field, match, ["Exact", "NotOlderThan", ""])
    elif not version:
        fault = causes.forbidden(field, "resourceVersionMatch is forbidden unless resourceVersion is provided")
    elif match == "Exact" and version == "0":
        fault = causes.forbidden(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"')
    else:
        return
    raise faults.invalid_options("ListOptions", [fault])


def selection(type_: ResourceType, options: ListOptions) -> Callable[[Stored], bool] | None:
    """What decides whether an object is selected; None if all are."""
    try:
        labels = selectors.parse_labels(options.label_selector) if options.label_selector else None
        fields = selectors.parse_fields(options.field_selector) if options.field_selector else None
    except ValueError as error:
        raise BadRequest(str(error)) from error
    if fields is not None:
        _check_fields(type_, fields)
    if fields is None:
        return None if labels is None else lambda stored: labels.matches(stored.labels)
    by_key = all(field.startswith("metadata.") for field in fields.fields)

    def matches(stored: Stored) -> bool:
        if labels is not None and not labels.matches(stored.labels):
            return False
        obj = {} if by_key else stored.decode()
        return fields.matches(lambda label: _field(type_, stored, obj, label))

    return matches


def _check_fields(type_: ResourceType, fields: selectors.FieldSelector) -> None:
    known = (*_ALWAYS_SELECTABLE, *(path.lstrip(".") for path in type_.selectable_fields))
    for field in fields.fields:
        if field in known:
            continue
        if type_.custom or type_.selectable_fields:
            raise BadRequest(f"field label not supported: {field}")
        shown = ", ".join(f'"{path}"' for path in _ALWAYS_SELECTABLE)
        raise BadRequest(f'"{field}" is not a known field selector: only {shown}')


def _field(type_: ResourceType, stored: Stored, obj: Unstructured, label: str) -> str:
    if label == "metadata.name":
        return stored.key.name
    if label == "metadata.namespace":
        return stored.key.namespace
    return value_of(type_.group, type_.plural, label, obj)
