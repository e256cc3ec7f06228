"""State written into Secrets that were made for it beforehand.

Who may write nothing but what is named to him, as a program's sidecar, cannot make Secrets of his own. So as many as
are likely to be needed are prepared, and he fills them in.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from landform.deployers.programs.states import statewriting
from landform.deployers.programs.states.statechunks import Place, SetPlan
from landform.deployers.programs.states.statewriting import scratch
from landform.deployers.programs.tasks import threads

if TYPE_CHECKING:
    from pathlib import Path

Patch = Callable[[str, dict[str, Any]], Awaitable[None]]
"""Merges the patch (RFC 7386) into the Secret of that name."""

More = Callable[[int], Awaitable[None]]
"""Returns when so many slots are there, numbered from 0."""


@dataclass(frozen=True)
class Slots:
    """Secrets that are prepared for the state after one run."""

    place: Place
    count: int
    """How many are there, numbered from 0."""

    previous: str | None
    """The digest of the state before the run; None if there was none."""

    @property
    def names(self) -> tuple[str, ...]:
        """The Secrets, in order."""
        return tuple(map(self.place.name, range(self.count)))

    def to_json(self) -> dict[str, Any]:
        """As data that can be handed over to the one who fills them."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Slots:
        """What `to_json` made."""
        return cls(Place(**data["place"]), data["count"], data["previous"])


async def save(folder: Path, slots: Slots, *, patch: Patch, more: More, temporary: Path | None = None) -> bool:
    """Fill the slots with the content of a folder; False if it is the state from before the run: nothing is written.

    A crash at any point leaves the set without its first piece, and so the state from before. Blocking work is done in
    a thread; `temporary` is a folder with room for the packed state.
    """
    with scratch(temporary) as file:
        packed = await threads.finish(statewriting.pack, folder, file)
        if packed.is_same_as(slots.previous):
            return False
        if packed.count > slots.count:
            await more(packed.count)
        plan = SetPlan(slots.place, packed.count, packed.digest)

        async def put(number: int, payload: bytes) -> None:
            await patch(slots.place.name(number), await asyncio.to_thread(plan.part, number, payload))

        await statewriting.write(packed, put)
    return True
