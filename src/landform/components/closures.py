"""All component versions that one leads to: looked up level by level, many at once."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from landform.components import versions
from landform.components.errors import ComponentError, DescriptorError, TooLarge

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from landform.components.repositories import Stored
    from landform.components.versions import Key

_AT_ONCE = 16


async def collect(
    own: Stored, find: Callable[[Mapping[str, Any]], Awaitable[Stored]], most: int
) -> tuple[dict[Key, Stored], dict[Key, Key]]:
    """All component versions by name and version, its own first, and what takes the place of what.

    `find` looks for the component version of a reference. All of one level are looked for at the same time.
    """
    found = {versions.key(own.descriptor): own}
    replaced: dict[Key, Key] = {}
    level = [own]
    slots = asyncio.Semaphore(_AT_ONCE)

    async def one(reference: Mapping[str, Any]) -> Stored:
        async with slots:
            return await _find(find, reference)

    while level:
        wanted = {_wanted(reference): reference for stored in level for reference in _references(stored)}
        wanted = {key: reference for key, reference in wanted.items() if key not in found and key not in replaced}
        if len(found) + len(wanted) > most:
            raise TooLarge(f"{_title(own)} leads to more than the {most} component versions that are allowed")
        level = []
        for key, stored in zip(wanted, await _all(one, list(wanted.values())), strict=True):
            actual = versions.key(stored.descriptor)
            if actual != key:
                replaced[key] = actual
            if actual not in found:
                found[actual] = stored
                level.append(stored)
    check_cycles(versions.key(own.descriptor), found, replaced)
    return found, replaced


def check_cycles(root: Key, found: Mapping[Key, Stored], replaced: Mapping[Key, Key]) -> None:
    """Raise DescriptorError if a component version leads to itself."""
    done: set[Key] = set()
    path: list[Key] = []
    waiting: list[tuple[Key, bool]] = [(root, False)]
    while waiting:
        key, leaving = waiting.pop()
        if leaving:
            done.add(path.pop())
            continue
        if key in done:
            continue
        if key in path:
            circle = " -> ".join(":".join(each) for each in [*path[path.index(key) :], key])
            raise DescriptorError(f"component versions refer to each other in a circle: {circle}")
        path.append(key)
        waiting.append((key, True))
        for reference in _references(found[key]):
            target = _wanted(reference)
            waiting.append((replaced.get(target, target), False))


async def _all(
    one: Callable[[Mapping[str, Any]], Awaitable[Stored]], references: list[Mapping[str, Any]]
) -> list[Stored]:
    """The component versions of all references; the first failure ends the others."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(_as_coroutine(one(each)), name=f"component {each['name']}") for each in references
            ]
    except BaseExceptionGroup as failures:
        first = next((each for each in failures.exceptions if isinstance(each, ComponentError)), failures.exceptions[0])
        raise first from None
    return [task.result() for task in tasks]


async def _as_coroutine(awaitable: Awaitable[Stored]) -> Stored:
    return await awaitable


async def _find(find: Callable[[Mapping[str, Any]], Awaitable[Stored]], reference: Mapping[str, Any]) -> Stored:
    try:
        return await find(reference)
    except ComponentError as error:
        name, version = _wanted(reference)
        raise type(error)(
            f"unable to resolve component reference {reference['name']} with component name {name} "
            f"and version {version}: {error}"
        ) from error


def _references(stored: Stored) -> list[Mapping[str, Any]]:
    references: list[Mapping[str, Any]] = stored.descriptor["component"]["componentReferences"]
    return references


def _wanted(reference: Mapping[str, Any]) -> Key:
    return reference["componentName"], reference["version"]


def _title(stored: Stored) -> str:
    return ":".join(versions.key(stored.descriptor))
