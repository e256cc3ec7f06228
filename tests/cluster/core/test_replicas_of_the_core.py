"""Replicas under kill -9, SIGSTOP and SIGCONT in the middle of many Installations: each job is done, and once."""

from __future__ import annotations

import asyncio
import signal
from collections import defaultdict
from contextlib import ExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import pytest
from tests.cluster.core.landscapes import blueprint, data, deploying, exporting, installation, item, refs, template
from tests.cluster.core.replicas import replica

from landform.api import phases
from landform.cluster.interface import EventType
from landform.cluster.kinds import DEPLOY_ITEMS, EXECUTIONS, INSTALLATIONS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.cluster.controlplane.plane import ControlPlane
    from tests.cluster.core.users import User

    from landform.cluster.resources import Resource

pytestmark = pytest.mark.usefixtures("controller")  # a third replica, to which nothing happens

HOW_MANY = 50
STOPPED_SECONDS = 8.0
"""Longer than a lease: by then others have taken over."""


class Entry(NamedTuple):
    """What an object said at some time."""

    job: str
    finished: str
    phase: str

    @classmethod
    def of(cls, obj: Any) -> Self:
        status = obj.status
        return cls(status.job_id or "", status.job_id_finished or "", status.phase or "")

    @property
    def is_end(self) -> bool:
        return self.job != "" and self.job == self.finished and phases.is_final(self.phase)


def title(obj: Any) -> str:
    return f"{obj.kind} {obj.metadata.name}"


class Chronicle:
    """All that objects said, one after the other."""

    def __init__(self) -> None:
        self.entries: defaultdict[str, list[Entry]] = defaultdict(list)
        self.created: defaultdict[str, int] = defaultdict(int)

    async def follow(self, user: User, resource: Resource[Any], watching: asyncio.Event) -> None:
        async with user.cluster.watch(resource, namespace=user.namespace) as events:
            watching.set()
            async for event in events:
                if event.object is not None:
                    self._note(event.type, event.object)
        raise AssertionError("the server ended the watch: what came after it is not in the chronicle")

    def _note(self, type_: EventType, obj: Any) -> None:
        name, entry = title(obj), Entry.of(obj)
        self.created[name] += type_ == EventType.ADDED
        if self.entries[name][-1:] != [entry]:
            self.entries[name].append(entry)

    def tells_of(self, objects: list[Any]) -> bool:
        """Whether it is up to date: a busy machine brings the news late."""
        return all(self.entries[title(obj)][-1:] == [Entry.of(obj)] for obj in objects)

    def ends(self, name: str) -> list[Entry]:
        """Each end of a job of an object; whatever moves after it counts as another."""
        return [entry for entry in self.entries[name] if entry.is_end]


@asynccontextmanager
async def chronicle(user: User) -> AsyncIterator[Chronicle]:
    kept = Chronicle()
    async with asyncio.TaskGroup() as group:
        tasks = []
        for resource in (INSTALLATIONS, EXECUTIONS, DEPLOY_ITEMS):
            watching = asyncio.Event()
            tasks.append(group.create_task(kept.follow(user, resource, watching)))
            await watching.wait()
        yield kept
        for task in tasks:
            task.cancel()


def landscape(number: int) -> dict[str, Any]:
    """An Installation with two items in a row; every fifth has a part below it as well."""
    items = [
        item("first", delay="100ms", export={"value": number}),
        item("second", depends_on=("first",), delay="50ms"),
    ]
    text = blueprint(
        exports=data("value"),
        deployExecutions=deploying(*items),
        subinstallations=[template("part", blueprint(deployExecutions=deploying(*items)))] if number % 5 == 0 else [],
        exportExecutions=exporting(value="(( deployitems.first.value ))"),
    )
    made = installation(f"one-{number}", text, exports=refs(value=f"value-{number}"))
    made["metadata"]["annotations"] = {"landscaper.gardener.cloud/operation": "reconcile"}
    return made


async def _succeeded(user: User, how_many: int) -> None:
    async def look() -> bool:
        found = [each for each in await user.installations() if each.status.phase == "Succeeded"]
        return len(found) >= how_many

    await user.until(look, f"{how_many} Installations to succeed")


async def test_jobs_are_done_once_whatever_becomes_of_the_replicas(plane: ControlPlane, user: User) -> None:
    total = HOW_MANY + HOW_MANY // 5
    with ExitStack() as stack:
        first, second = (stack.enter_context(replica(plane, name)) for name in ("first", "second"))
        async with chronicle(user) as kept:
            await user.apply(*(landscape(number) for number in range(HOW_MANY)))
            await _succeeded(user, 5)
            first.kill()
            await _succeeded(user, 15)
            second.send_signal(signal.SIGSTOP)
            await asyncio.sleep(STOPPED_SECONDS)
            second.send_signal(signal.SIGCONT)
            await _succeeded(user, total)
            await asyncio.sleep(1)  # whoever is late would write now

            async def up_to_date() -> bool:
                return kept.tells_of(await _objects(user))

            await user.until(up_to_date, "the news")
        assert second.poll() is None, "it goes on"
        await _check(user, kept, total)


async def _objects(user: User) -> list[Any]:
    return [*await user.installations(), *await user.executions(), *await user.items()]


async def _check(user: User, kept: Chronicle, total: int) -> None:
    assert len(await user.installations()) == total
    assert len(await user.items()) == 2 * total
    for obj in await _objects(user):
        name = title(obj)
        assert (obj.status.phase, obj.status.job_id) == ("Succeeded", obj.status.job_id_finished), name
        assert kept.created[name] == 1, name
        assert [end.job for end in kept.ends(name)] == [obj.status.job_id], f"{name}: {kept.entries[name]}"
        assert kept.entries[name][-1].is_end, "nothing happens after the end"
    values = [await user.data(f"value-{number}") for number in range(HOW_MANY)]
    assert values == list(range(HOW_MANY))
