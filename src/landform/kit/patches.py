"""Changes of JSON values: merge patches (RFC 7386), JSON patches (RFC 6902) and the merge patch between two values.

Values are what a JSON parser gives. Nothing here modifies its arguments; results share what did not change with
them, so treat results as immutable too.

JSON patches follow the RFC, with what Kubernetes also takes: an index may count from the end (``-1``), ``replace`` of
a member that is not there adds it, and ``test`` takes a member that is not there for ``null``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MAX_OPERATIONS = 10_000
"""More operations in one JSON patch are refused, as the Kubernetes API does."""

MAX_COPIED_BYTES = 3 * 1024 * 1024
"""What all ``copy`` operations of one JSON patch may add; else forty of them would fill the memory by doubling."""

MAX_DEPTH = 500
"""A JSON patch may not nest the document deeper: ``move`` can dig as deep as there are operations."""

_TOO_DEEP = f"the patched document is nested more than {MAX_DEPTH} levels deep"
_INDEX = re.compile(r"-?(0|[1-9][0-9]{0,8})\Z", re.ASCII)


class PatchError(ValueError):
    """A JSON patch that cannot be applied: says which operation, at which path, and why."""

    def __init__(self, message: str, *, index: int | None = None, path: str = "") -> None:
        super().__init__(message if index is None else f"{message} (operation {index})")
        self.message = message
        """The fault in the Kubernetes API's words."""
        self.index = index
        """Which operation, counted from 0; None if the fault is in the patch as a whole."""
        self.path = path
        """Where in the document the operation acts."""


class MalformedPatch(PatchError):
    """The patch is no list of objects: it could not be applied to any document."""


class TooManyOperations(PatchError):
    """The patch has more than MAX_OPERATIONS operations."""


def merge_patch(target: Any, patch: Any) -> Any:
    """The target after a merge patch: null removes, objects merge, everything else replaces."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, change in patch.items():
        if change is None:
            result.pop(name, None)
        elif isinstance(change, dict):
            result[name] = merge_patch(result.get(name), change)
        else:
            result[name] = change
    return result


def diff(old: Any, new: Any) -> Any:
    """The smallest merge patch that makes `new` of `old`; ``{}`` if they are equal objects.

    A merge patch cannot say "this member is null", so members that are null in `new` come out as removals.
    """
    if not isinstance(old, dict) or not isinstance(new, dict):
        return new
    patch: dict[str, Any] = {name: None for name in old if name not in new}
    for name, value in new.items():
        if name not in old:
            patch[name] = value
        elif not same(old[name], value):
            patch[name] = diff(old[name], value)
    return patch


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON; unlike ``==``, ``1`` is neither ``true`` nor ``1.0``."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return len(one) == len(other) and all(name in other and same(one[name], other[name]) for name in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def json_patch(document: Any, operations: Any) -> Any:
    """The document after all operations of a JSON patch; PatchError if one of them does not apply."""
    if not isinstance(operations, list):
        raise MalformedPatch("a JSON patch must be a list of operations")
    if len(operations) > MAX_OPERATIONS:
        raise TooManyOperations(
            f"The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {len(operations)}"
        )
    for index, operation in enumerate(operations):
        if not isinstance(operation, dict):
            raise MalformedPatch(f"an operation must be an object, not {_short(operation)}", index=index)
    patching = _Patching(document)
    for index, operation in enumerate(operations):
        path = operation.get("path")
        try:
            patching.perform(operation)
        except _Refused as refused:
            raise PatchError(str(refused), index=index, path=path if isinstance(path, str) else "") from None
        except RecursionError:  # `move` dug deep, then `copy` or `test` walked down
            raise PatchError(_TOO_DEEP, index=index, path=str(path)) from None
    if exceeds_depth(patching.document, MAX_DEPTH):
        raise PatchError(_TOO_DEEP)
    return patching.document


def exceeds_depth(value: Any, limit: int) -> bool:
    """Whether objects and lists are nested more than `limit` levels deep; needs no stack itself."""
    level = [value]
    for _ in range(limit + 1):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True


class _Refused(Exception):
    """An operation does not apply; `json_patch` adds which one it was."""


@dataclass
class _Patching:
    """A document on its way through the operations.

    Containers are copied when they are first changed; `_owned` keeps those copies, which may then be changed in place,
    so that ten thousand operations on a long list do not copy it ten thousand times.
    """

    document: Any
    _owned: dict[int, Any] = field(default_factory=dict)
    _copied_bytes: int = 0

    def perform(self, operation: dict[str, Any]) -> None:
        name = operation.get("op")
        action = _ACTIONS.get(name) if isinstance(name, str) else None
        if action is None:
            raise _Refused(f"Unexpected kind: {name if isinstance(name, str) else 'unknown'}")
        action(self, operation)

    def add(self, operation: dict[str, Any]) -> None:
        self._add("add", _pointer(operation, "path"), _value(operation))

    def remove(self, operation: dict[str, Any]) -> None:
        path = _pointer(operation, "path")
        container = self._container("remove", path)
        try:
            _remove(container, path)
        except _Refused as refused:
            raise _Refused(f"error in remove for path: '{path.text}': {refused}") from None

    def replace(self, operation: dict[str, Any]) -> None:
        path = _pointer(operation, "path")
        value = _value(operation)
        if path.is_root:
            self.document = value
            return
        container = self._container("replace", path)
        try:
            container[_key(container, path.last)] = value
        except _Refused:
            raise _Refused(
                f"replace operation does not apply: doc is missing key: {path.text}: missing value"
            ) from None

    def move(self, operation: dict[str, Any]) -> None:
        source, target = _pointer(operation, "from"), _pointer(operation, "path")
        if target.is_below(source):
            raise _Refused(f"move operation does not apply: {target.text} lies inside of {source.text}")
        value = self._read("move", source)
        if source != target:
            container = self._container("move", source)
            _remove(container, source)
            self._add("move", target, value)

    def copy(self, operation: dict[str, Any]) -> None:
        source, target = _pointer(operation, "from"), _pointer(operation, "path")
        value, size = _copy(self._read("copy", source))
        self._copied_bytes += size
        if self._copied_bytes > MAX_COPIED_BYTES:
            raise _Refused(
                f"Unable to complete the copy, the accumulated size increase of copy is {self._copied_bytes}, "
                f"exceeding the limit {MAX_COPIED_BYTES}"
            )
        self._add("copy", target, value)

    def test(self, operation: dict[str, Any]) -> None:
        path, expected = _pointer(operation, "path"), _value(operation)
        found = self._read("test", path, absent_is_null=True)
        if not _equal(found, expected):
            raise _Refused(f"testing value {path.text} failed: test failed")

    def _add(self, what: str, path: _Pointer, value: Any) -> None:
        if path.is_root:
            self.document = value
            return
        container = self._container(what, path)
        if isinstance(container, dict):
            container[path.last] = value
        elif path.last == "-":
            container.append(value)
        else:
            try:
                container.insert(_position(path.last, len(container) + 1), value)
            except _Refused as refused:
                raise _Refused(f"error in {what} for path: '{path.text}': {refused}") from None

    def _read(self, what: str, path: _Pointer, *, absent_is_null: bool = False) -> Any:
        value = self.document
        for number, step in enumerate(path.steps):
            try:
                value = value[_key(value, step)]
            except KeyError:
                if absent_is_null and number == len(path.steps) - 1:
                    return None
                raise _missing(what, path) from None
            except _Refused:
                raise _missing(what, path) from None
        return value

    def _container(self, what: str, path: _Pointer) -> Any:
        """The object or list that a pointer's last step acts on, ours to change."""
        if path.is_root:
            raise _Refused(f"{what} operation does not apply to the whole document")
        container = self.document = self._own(self.document)
        for step in path.steps[:-1]:
            try:
                key = _key(container, step)
                owned = container[key] = self._own(container[key])
            except (KeyError, _Refused):
                raise _missing(what, path) from None
            container = owned
        if not isinstance(container, dict | list):
            raise _missing(what, path)
        return container

    def _own(self, value: Any) -> Any:
        if id(value) in self._owned or not isinstance(value, dict | list):
            return value
        mine = value.copy()
        self._owned[id(mine)] = mine  # the reference keeps the id from being used again
        return mine


_ACTIONS: dict[str, Callable[[_Patching, dict[str, Any]], None]] = {
    "add": _Patching.add,
    "remove": _Patching.remove,
    "replace": _Patching.replace,
    "move": _Patching.move,
    "copy": _Patching.copy,
    "test": _Patching.test,
}


@dataclass(frozen=True)
class _Pointer:
    """A JSON pointer (RFC 6901), as written and as steps."""

    text: str
    steps: Sequence[str]

    @property
    def is_root(self) -> bool:
        return not self.steps

    @property
    def last(self) -> str:
        return self.steps[-1]

    def is_below(self, other: _Pointer) -> bool:
        return len(self.steps) > len(other.steps) and self.steps[: len(other.steps)] == other.steps


def _pointer(operation: dict[str, Any], member: str) -> _Pointer:
    text = operation.get(member)
    if not isinstance(text, str):
        raise _Refused(f"{operation['op']} operation failed to decode {member}: missing value")
    if text and not text.startswith("/"):
        raise _Refused(f'{operation["op"]} operation does not apply: "{text}" must start with "/"')
    return _Pointer(text, tuple(step.replace("~1", "/").replace("~0", "~") for step in text.split("/")[1:]))


def _value(operation: dict[str, Any]) -> Any:
    if "value" not in operation:
        raise _Refused(f"{operation['op']} operation has no value: missing value")
    return operation["value"]


def _missing(what: str, path: _Pointer) -> _Refused:
    return _Refused(f'{what} operation does not apply: doc is missing path: "{path.text}": missing value')


def _key(container: Any, step: str) -> Any:
    """What to index a container with to reach one step further."""
    if isinstance(container, dict):
        return step
    if isinstance(container, list):
        return _position(step, len(container))
    raise _Refused("neither an object nor a list")


def _position(step: str, length: int) -> int:
    """The place in a list of `length` that a step names."""
    if not _INDEX.match(step):
        raise _Refused(f"value was not a proper array index: '{step}'")
    index = int(step)
    if not -length <= index < length:
        raise _Refused(f"Unable to access invalid index: {index}: invalid index referenced")
    return index + length if index < 0 else index


def _remove(container: Any, path: _Pointer) -> None:
    if isinstance(container, dict):
        if path.last not in container:
            raise _Refused(f"Unable to remove nonexistent key: {path.last}: missing value")
        del container[path.last]
    else:
        del container[_position(path.last, len(container))]


def _copy(value: Any) -> tuple[Any, int]:
    """A deep copy and about how many bytes it has as JSON."""
    if isinstance(value, dict):
        members = {name: _copy(inner) for name, inner in value.items()}
        size = sum(len(name) + 4 + inner_size for name, (_, inner_size) in members.items())
        return {name: inner for name, (inner, _) in members.items()}, size + 2
    if isinstance(value, list):
        items = [_copy(inner) for inner in value]
        return [inner for inner, _ in items], sum(size + 1 for _, size in items) + 2
    return value, len(value) + 2 if isinstance(value, str) else len(str(value))


def _equal(one: Any, other: Any) -> bool:
    """Equality of RFC 6902: as `same`, but numbers are compared by value."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return bool(one == other)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
