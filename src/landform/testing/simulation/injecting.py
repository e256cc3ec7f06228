"""Which faults strike: for each request, event and process one decision, from the seed or from a list.

A decision depends on the seed and on what it is about (who, which verb, which object, for which time), and on nothing
else. So leaving out one fault of a run leaves the others as they are as far as possible, which makes shrinking work.
"""

from __future__ import annotations

import hashlib
import struct
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from landform.testing.simulation.faults import EPISODES, Faults, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

MOST_EPISODES = 2
"""Of each kind, for each process."""

_CALM_LATENCY = 0.005
_LONGEST_PATIENCE = 8.0
_LONGEST_EPISODE = 15.0
_UNPACK = struct.Struct("<5Q").unpack
_WHOLE = 2.0**64


class Verdict(NamedTuple):
    """What happens to one request or event."""

    id: str
    """Who, what, for which time: ``fleet/patch/configmaps/default/x/3``."""

    kind: Kind | None
    there: float
    """Seconds until it arrives."""

    back: float
    """Seconds until the answer arrives."""

    patience: float
    """Seconds for which something that hangs does so."""

    share: float
    """A number below 1 for whatever else is up to chance."""


@dataclass(frozen=True, slots=True)
class Episode:
    """Something that happens to a process from one moment to another."""

    id: str
    kind: Kind
    start: float
    end: float
    share: float


class Injector:
    """Decides, and tells what it decided.

    Given a script, exactly the faults in it strike; else they strike by the rates. Nothing strikes after `until`, by
    default the calm.
    """

    def __init__(
        self,
        seed: int | str,
        faults: Faults,
        *,
        script: Mapping[str, Kind] | None = None,
        until: float | None = None,
        now: Callable[[], float],
        told: Callable[[str, Kind], None] = lambda id, kind: None,
    ) -> None:
        self.faults = faults
        self.now = now
        self.seed = seed
        self._script = script
        self._until = faults.calm_at if until is None else until
        self._told = told
        self._counts: Counter[str] = Counter()

    def judge(self, what: str, kinds: Sequence[Kind]) -> Verdict:
        """What happens this time to something that one of these kinds may happen to."""
        self._counts[what] += 1
        id = f"{what}/{self._counts[what]}"
        strike, there, back, patience, share = self._draw(id)
        latency = self.faults.latency if self.now() < self.faults.calm_at else _CALM_LATENCY
        kind = self._pick(id, strike, kinds) if self.now() < self._until else None
        if kind is not None:
            self._told(id, kind)
        return Verdict(id, kind, there * latency, back * latency, patience * _LONGEST_PATIENCE, share)

    @property
    def is_calm(self) -> bool:
        """Whether nothing can go wrong any more."""
        return self.now() >= self._until

    def episodes(self, actor: str) -> list[Episode]:
        """What happens to a process by itself, in order."""
        return sorted(self._episodes(actor), key=lambda episode: (episode.start, episode.id))

    def skew(self, actor: str) -> float:
        """By how many seconds the clock of a process is ahead."""
        id = f"{actor}/clock/1"
        strike, share, *_ = self._draw(id)
        if self._pick(id, strike, (Kind.SKEW,)) is None:
            return 0.0
        self._told(id, Kind.SKEW)
        return (2 * share - 1) * self.faults.largest_skew

    def share(self, id: str) -> float:
        """A number below 1 that belongs to the identity."""
        return self._draw(id)[0]

    def _episodes(self, actor: str) -> Iterator[Episode]:
        for kind in EPISODES:
            for number in range(1, MOST_EPISODES + 1):
                id = f"{actor}/{kind}/{number}"
                strike, start, length, _, share = self._draw(id)
                if self._pick(id, strike, (kind,)) is not None:
                    begin = start * self.faults.calm_at
                    yield Episode(id, kind, begin, begin + 0.5 + length * _LONGEST_EPISODE, share)

    def _pick(self, id: str, strike: float, kinds: Sequence[Kind]) -> Kind | None:
        if self._script is not None:
            return self._script.get(id)
        for kind in kinds:
            rate = self.faults.rates.get(kind, 0.0)
            if strike < rate:
                return kind
            strike -= rate
        return None

    def _draw(self, id: str) -> tuple[float, ...]:
        """Five numbers below 1."""
        digest = hashlib.blake2b(f"{self.seed}/{id}".encode(), digest_size=40).digest()
        return tuple(number / _WHOLE for number in _UNPACK(digest))
