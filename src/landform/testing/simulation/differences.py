"""What changed between two versions of an object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

    from landform.cluster.resources import Unstructured

Path: TypeAlias = tuple[str, ...]

_MISSING = object()
_KEPT_BY_THE_CLUSTER = {
    ("metadata", "resourceVersion"),
    ("metadata", "generation"),
    ("metadata", "managedFields"),
}


def changes(before: Unstructured | None, after: Unstructured | None) -> dict[Path, tuple[Any, Any]]:
    """Old and new value of each field that changed, None for what is not there; lists count as one value.

    What the cluster itself keeps with each write is left out.
    """
    found = _walk(before or {}, after or {}, ())
    return {path: values for path, values in found if path not in _KEPT_BY_THE_CLUSTER}


def _walk(before: Any, after: Any, path: Path) -> Iterator[tuple[Path, tuple[Any, Any]]]:
    old, new = _fields(before), _fields(after)
    if old is None or new is None or not (old or new):
        if before != after:
            yield path, (_shown(before), _shown(after))
        return
    for name in {**old, **new}:
        yield from _walk(old.get(name, _MISSING), new.get(name, _MISSING), (*path, name))


def _fields(value: Any) -> dict[str, Any] | None:
    """The fields of an object, none if it is not there; None if it is no object."""
    if value is _MISSING:
        return {}
    return value if isinstance(value, dict) else None


def _shown(value: Any) -> Any:
    return None if value is _MISSING else value
