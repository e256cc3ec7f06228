"""What differs between an object as it is and as it would be; pure.

For a plan everything counts that a manifest may say. For drift only what others did counts: fields that the cluster
fills in by itself, or its controllers set where the manifest says nothing, are no drift.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from landform.deployers.library import FieldChange
from landform.deployers.manifest import secrecy
from landform.kit import patches

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from landform.cluster.resources import Unstructured

_SKIPPED: Final = ("apiVersion", "kind", "metadata", "status")
_METADATA: Final = ("labels", "annotations", "finalizers", "ownerReferences")
_PLAIN_KEY: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")
_ABSENT: Final = object()


def fields(before: Unstructured, after: Unstructured) -> tuple[FieldChange, ...]:
    """All fields that differ; of a Secret their names only."""
    found = list(_changes(_own(before), _own(after), ""))
    if secrecy.is_secret(after):
        found = [_hidden(change) for change in found]
    return tuple(found)


def drift(live: Unstructured, result: Unstructured, said: Unstructured) -> list[str]:
    """The paths at which `live` is not as it should be: `result` is what becomes of it, `said` what manifests say."""
    found: list[str] = []
    for name in dict.fromkeys((*live, *result)):
        if name not in _SKIPPED:
            found += _drift(*_members(name, live, result, said), f".{name}")
    metadata = [each.get("metadata") or {} for each in (live, result, said)]
    for name in ("labels", "annotations"):
        theirs, wanted, own = ((each.get(name) or {}) for each in metadata)
        found += [f".metadata.{name}{_step(key)}" for key in own if theirs.get(key) != wanted.get(key)]
    return found


def _drift(live: Any, result: Any, said: Any, path: str) -> Iterator[str]:
    if live is _ABSENT:
        if said is not _ABSENT:
            yield path
    elif result is _ABSENT:
        yield path  # somebody added it, and it would go
    elif isinstance(live, dict) and isinstance(result, dict):
        for name in dict.fromkeys((*live, *result)):
            yield from _drift(*_members(name, live, result, said), path + _step(name))
    elif isinstance(live, list) and isinstance(result, list) and len(live) == len(result):
        for number, (one, other) in enumerate(zip(live, result, strict=True)):
            is_known = isinstance(said, list) and number < len(said)
            yield from _drift(one, other, said[number] if is_known else _ABSENT, f"{path}[{number}]")
    elif said is not _ABSENT and not patches.same(live, result):
        yield path


def _members(name: str, live: Any, result: Any, said: Any) -> tuple[Any, Any, Any]:
    """The same member of all three."""
    return _member(live, name), _member(result, name), _member(said, name)


def _member(obj: Any, name: str) -> Any:
    return obj.get(name, _ABSENT) if isinstance(obj, dict) else _ABSENT


def _changes(before: Any, after: Any, path: str) -> Iterator[FieldChange]:
    if isinstance(before, dict) and isinstance(after, dict):
        for name in dict.fromkeys((*before, *after)):
            yield from _changes(before.get(name), after.get(name), path + _step(name))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from _changes(one, other, f"{path}[{number}]")
    elif not patches.same(before, after):
        yield FieldChange(path, before, after)


def _own(obj: Mapping[str, Any]) -> Unstructured:
    metadata = {name: value for name, value in (obj.get("metadata") or {}).items() if name in _METADATA}
    return {"metadata": metadata, **{name: value for name, value in obj.items() if name not in _SKIPPED}}


def _hidden(change: FieldChange) -> FieldChange:
    """The change without its values; what is said of a Secret may be in any of its fields."""
    old, new = (None if value is None else secrecy.HIDDEN for value in (change.old, change.new))
    return FieldChange(change.path, old, new)


def _step(name: str) -> str:
    return f".{name}" if _PLAIN_KEY.match(name) else f"['{name}']"
