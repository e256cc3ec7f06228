"""``metadata.managedFields``: one entry per manager, operation, version and subresource, with the fields it owns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from landform.embedded.merging import elements, fieldsets

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from landform.embedded.merging.fieldsets import FieldSet

APPLY = "Apply"
UPDATE = "Update"
MAX_UPDATERS = 10
"""Entries of updates that an object keeps; beyond that the oldest are merged."""

ANCIENT = "ancient-changes"
"""The manager of merged entries."""


_TEXTS = ("manager", "operation", "apiVersion", "subresource", "time", "fieldsType")


class EntryError(ValueError):
    """An entry of managedFields is not one."""


class Manager(NamedTuple):
    """Who owns fields. The same name owns separately by operation and subresource, and updates also by version."""

    name: str
    operation: str
    api_version: str
    """Empty for Apply: whoever applies keeps its fields when it moves to another version."""

    subresource: str = ""

    @property
    def identifier(self) -> str:
        """The text by which the API server sorts managers."""
        parts = {"manager": self.name, "operation": self.operation, "apiVersion": self.api_version}
        parts["subresource"] = self.subresource
        return elements.compact({key: value for key, value in parts.items() if value})

    @property
    def shown(self) -> str:
        """The manager in the words of a conflict."""
        text = elements.quoted(self.name)
        if self.subresource:
            text += f" with subresource {elements.quoted(self.subresource)}"
        return f"{text} using {self.api_version}" if self.operation == UPDATE else text


@dataclass(frozen=True, slots=True)
class Owned:
    """What one manager owns, as of which version, since when."""

    fields: FieldSet
    api_version: str
    time: str | None = None
    """RFC 3339, in seconds; nothing if the entry never changed the object."""

    entry: dict[str, Any] | None = None
    """The entry this was read from, as long as it says the same."""


Ownership: TypeAlias = dict[Manager, Owned]
"""The managedFields of an object, by manager."""


def manager_of(name: str, operation: str, api_version: str, subresource: str) -> Manager:
    """The manager of a request; one without a name is called unknown."""
    return Manager(name or "unknown", operation, "" if operation == APPLY else api_version, subresource)


def is_reset(raw: list[Any]) -> bool:
    """Whether somebody asks to forget all ownership: an empty list, or one empty entry."""
    return not raw or (len(raw) == 1 and isinstance(raw[0], dict) and not any(raw[0].values()))


def decode(raw: Iterable[Any] | None, *, trusted: bool = False) -> Ownership:
    """The owners that a list of entries names; EntryError if it is not well formed.

    `trusted` skips what only entries of foreign origin need: bringing each path element into our spelling.
    """
    result: Ownership = {}
    for index, entry in enumerate(raw or ()):
        manager, version = _check(entry, index), entry["apiVersion"]
        fields = entry.get("fieldsV1") or {}
        if not trusted:
            try:
                fields = fieldsets.from_fieldsv1(fields)
            except (elements.ElementError, AttributeError) as error:
                raise EntryError(f"managed fields entry {index}: {error}") from error
        result[manager] = Owned(fields, version, entry.get("time"), entry if trusted else None)
    return result


def encode(ownership: Mapping[Manager, Owned], *, built_in: bool) -> list[dict[str, Any]]:
    """The entries in the API server's order: Apply before Update, older before newer, then by name.

    Fields of built-in kinds are written in the order of their values, those of custom kinds in that of their texts.
    """
    ordered = sorted(ownership.items(), key=lambda item: _order(*item)) if len(ownership) > 1 else ownership.items()
    return [owned.entry or _entry(manager, owned, built_in) for manager, owned in ordered]


def cap(ownership: Ownership) -> Ownership:
    """The ownership with the oldest updates merged, so that no more than MAX_UPDATERS are left."""
    updaters = [manager for manager in ownership if manager.operation == UPDATE]
    if len(updaters) <= MAX_UPDATERS:
        return ownership
    updaters.sort(key=lambda manager: (ownership[manager].time or "", manager.identifier))
    result, left = dict(ownership), len(updaters)
    first: dict[str, Manager] = {}
    for manager in updaters:
        if left <= MAX_UPDATERS:
            break
        owned = result[manager]
        if owned.api_version not in first:
            first[owned.api_version] = manager
            continue
        bucket = Manager(ANCIENT, UPDATE, owned.api_version)
        older = result[bucket] if bucket in result else result.pop(first[owned.api_version])
        del result[manager]
        result[bucket] = Owned(fieldsets.union(owned.fields, older.fields), owned.api_version, owned.time)
        left -= 1
    return result


def _check(entry: Any, index: int) -> Manager:
    """Who an entry is about; EntryError if it is not well formed."""
    if not isinstance(entry, dict) or not all(isinstance(entry.get(name, ""), str) for name in _TEXTS):
        raise EntryError(f"managed fields entry {index} is not one")
    operation, version, fields_type = entry.get("operation"), entry.get("apiVersion"), entry.get("fieldsType")
    if operation not in (APPLY, UPDATE):
        raise EntryError("operation must be `Apply` or `Update`")
    if not version:
        raise EntryError("apiVersion must not be empty")
    if not fields_type:
        raise EntryError(f"missing fieldsType in managed fields entry {index}")
    if fields_type != "FieldsV1":
        raise EntryError(f'invalid fieldsType "{fields_type}" in managed fields entry {index}')
    version = "" if operation == APPLY else version
    return Manager(entry.get("manager", ""), operation, version, entry.get("subresource", ""))


def _order(manager: Manager, owned: Owned) -> tuple[str, ...]:
    return (manager.operation, owned.time or "", manager.name, owned.api_version, manager.subresource)


def _entry(manager: Manager, owned: Owned, built_in: bool) -> dict[str, Any]:
    entry: dict[str, Any] = {"manager": manager.name} if manager.name else {}
    entry["operation"] = manager.operation
    entry["apiVersion"] = owned.api_version
    if owned.time is not None:
        entry["time"] = owned.time
    entry["fieldsType"] = "FieldsV1"
    entry["fieldsV1"] = fieldsets.to_fieldsv1(owned.fields, by_value=built_in)
    if manager.subresource:
        entry["subresource"] = manager.subresource
    return entry
