"""Waiting until goals are met, by watches: it costs nothing while nothing happens."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from landform.api.waiting import WaitReason
from landform.cluster.errors import ClusterError
from landform.cluster.interface import ListOptions
from landform.cluster.resources import EVENTS
from landform.deployers.library import Terminal
from landform.deployers.manifest.goals import Goal
from landform.deployers.manifest.views import Subject

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from landform.deployers.library import Item
    from landform.deployers.manifest.readiness import Verdict
    from landform.deployers.manifest.views import Sight, View
    from landform.deployers.manifest.watches import Watches

STANDSTILL_SECONDS: Final = 5.0
"""When nothing has changed for so long, the events of what is waited for may say why."""

G = TypeVar("G", bound=Goal)


class Vigil(Generic[G]):
    """Some goals and how far they are."""

    def __init__(self, view: View, goals: Sequence[G]) -> None:
        self.view = view
        self.goals = goals
        self._by_sight: dict[Sight, list[G]] = {}
        self.unmet: dict[G, Verdict] = {}

    async def begin(self) -> None:
        """Look at everything."""
        for goal in self.goals:
            await self._look(goal)

    async def step(self) -> set[G]:
        """Wait until something changed; the goals that it concerns."""
        changed = await self.view.changed()
        concerned = {goal for sight in changed for goal in self._by_sight.get(sight, ())}
        for goal in concerned:
            await self._look(goal)
        return concerned

    async def _look(self, goal: G) -> None:
        for sight in goal.sights(self.view):
            goals = self._by_sight.setdefault(sight, [])
            if goal not in goals:
                goals.append(goal)
                await self.view.look_at(sight)
        verdict = goal.judge(self.view)
        if verdict.is_ready:
            self.unmet.pop(goal, None)
        else:
            self.unmet[goal] = verdict

    @property
    def knows_all(self) -> bool:
        """Whether everything was read that the goals are judged by."""
        return all(self.view.is_known(sight) for goal in self.goals for sight in goal.sights(self.view))

    def message(self, hint: str = "") -> str:
        """What is waited for, for people: one goal and how many more there are."""
        first = self.unmet[self._foremost].why
        more = len(self.unmet) - 1
        trouble = self.view.trouble
        return (
            first
            + (f" ({hint})" if hint else "")
            + (f"; and {more} more" if more else "")
            + (f"; the cluster cannot be watched now: {trouble}" if trouble is not None else "")
        )

    def check(self) -> None:
        """Raise why the cluster cannot be watched; trying again finds a target whose access data have changed."""
        if self.view.trouble is not None:
            raise self.view.trouble

    def check_hope(self) -> None:
        """Raise why a goal can never be met."""
        for verdict in self.unmet.values():
            if verdict.is_failed:
                raise Terminal("ObjectFailed", f"{verdict.why}; delete it, then the next job creates it anew")

    @property
    def _foremost(self) -> G:
        """The unmet goal to speak of: one that needs help before those that only need time."""
        return next((goal for goal, verdict in self.unmet.items() if verdict.is_stuck), next(iter(self.unmet)))

    @property
    def foremost(self) -> Subject | None:
        """The object that the message speaks of, if it is one that can have events."""
        sights = self._foremost.sights(self.view)
        return next((sight for sight in sights if isinstance(sight, Subject)), None)


async def until_met(
    item: Item,
    watches: Watches,
    goals: Sequence[G],
    *,
    reason: WaitReason = WaitReason.READINESS,
    react: Callable[[View, set[G]], Awaitable[None]] | None = None,
) -> View:
    """Return when all goals are met, and what was seen then; `react` may do something about those that changed."""
    async with watches.view(item.surroundings) as view:
        vigil = Vigil(view, goals)
        await vigil.begin()
        while vigil.unmet:
            vigil.check_hope()
            item.waiting(reason, vigil.message())
            concerned = await _step(item, vigil, reason)
            if react is not None:
                await react(view, concerned)
        item.working()
        return view


async def _step(item: Item, vigil: Vigil[G], reason: WaitReason) -> set[G]:
    """Wait for the next change; should it take long, say what events tell."""
    try:
        async with asyncio.timeout(STANDSTILL_SECONDS) as patience:
            return await vigil.step()
    except TimeoutError:
        if not patience.expired():
            raise
    vigil.check()
    hint = await last_event(vigil.foremost) if vigil.foremost is not None else ""
    item.waiting(reason, vigil.message(hint))
    return await vigil.step()


async def last_event(subject: Subject) -> str:
    """What the last event about an object says; empty if there is none, or none that we may read."""
    key = subject.key
    fields = {"involvedObject.kind": subject.resource.kind, "involvedObject.name": key.name}
    if key.namespace:
        fields["involvedObject.namespace"] = key.namespace
    selector = ",".join(f"{name}={value}" for name, value in fields.items())
    try:
        found = await subject.site.cluster.list(
            EVENTS, namespace=key.namespace, options=ListOptions(field_selector=selector, limit=500)
        )
    except ClusterError:
        return ""
    last = max(found.items, key=_when, default=None)
    return f"last event {last.get('reason') or ''}: {last.get('message') or ''}" if last is not None else ""


def _when(event: dict[str, object]) -> str:
    return str(event.get("lastTimestamp") or event.get("eventTime") or "")
