"""What can go wrong, and how much of it goes wrong in one run."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Collection, Mapping


class Kind(enum.StrEnum):
    """One thing that can go wrong; the value is what traces and commands call it."""

    CONFLICT = "conflict"
    """A write is answered with 409, though nobody wrote."""

    SERVER_ERROR = "server-error"
    """A request is answered with 500 and has no effect."""

    TOO_MANY = "too-many"
    """A request is answered with 429 and a delay, and has no effect."""

    RESET = "reset"
    """The connection breaks before the request arrives."""

    LOST = "lost"
    """A write takes effect, but the connection breaks before the answer arrives."""

    TIMEOUT_BEFORE = "timeout-before"
    """The request never arrives, and the client waits for a while in vain."""

    TIMEOUT_AFTER = "timeout-after"
    """A write takes effect at once, but the client waits for its answer in vain."""

    LATE = "late"
    """The connection breaks, and a write takes effect seconds after its writer was told so."""

    SLOW = "slow"
    """The request takes long, and has its effect at the end."""

    TOUCHED = "touched"
    """Somebody else changes the object just before a write arrives: he adds an annotation."""

    CRASH_BEFORE = "crash-before"
    """The process dies just before its write takes effect."""

    CRASH_AFTER = "crash-after"
    """The process dies just after its write took effect."""

    GONE = "gone"
    """A watch, or the next page of a list, is answered with 410."""

    STALE_LIST = "stale-list"
    """A list that may be of any age (resourceVersion ``0``) is an old one."""

    WATCH_DROPPED = "watch-dropped"
    """A watch ends: quietly, with a broken connection, or with 410."""

    WATCH_DELAYED = "watch-delayed"
    """An event, and so all after it, comes late: what is cached is stale meanwhile."""

    WATCH_LAGGING = "watch-lagging"
    """For a while the watches of some resources show nothing, and those of others go on."""

    WATCH_DUPLICATED = "watch-duplicated"
    """An event comes twice."""

    CRASH = "crash"
    """The process dies at a moment, at any of its awaits."""

    FREEZE = "freeze"
    """The process is stopped for a while and goes on as if no time had passed, as by SIGSTOP and SIGCONT."""

    PARTITION = "partition"
    """For a while nothing that the process sends arrives, and it hears nothing."""

    LEASE_LOSS = "lease-loss"
    """For a while all requests for Lease objects fail, so that leases run out."""

    SKEW = "skew"
    """The clock of the process shows another time than that of the others."""


EPISODES = (Kind.CRASH, Kind.FREEZE, Kind.PARTITION, Kind.LEASE_LOSS, Kind.WATCH_LAGGING)
"""What happens to a process at a moment, whatever it does."""

STORM_SECONDS = 30.0
"""How long things go wrong, unless a scenario says otherwise."""

_WORST_SUM = 0.6
"""However much goes wrong, so many of 1 requests do at most; else nothing would ever happen."""

_LATENCIES = (0.002, 0.02, 0.1, 0.4)
_LAGS = (0.5, 3.0, 15.0)
_SKEWS = (0.5, 30.0, 3600.0)
_DENSITIES = (0.15, 0.4, 0.8)


@dataclass(frozen=True)
class Faults:
    """How much goes wrong in one run."""

    rates: Mapping[Kind, float] = field(default_factory=dict)
    """For each kind: to which share of the requests or events it happens; for EPISODES how likely each of a few
    possible ones is; for SKEW the share of the processes."""

    calm_at: float = STORM_SECONDS
    """When everything stops to go wrong, in seconds of virtual time; from then on all must come right by itself."""

    latency: float = 0.005
    """How long a request travels at most, each way, in seconds."""

    longest_lag: float = 3.0
    """How long a watch event is delayed at most, in seconds."""

    largest_skew: float = 30.0
    """By how much a clock is wrong at most, in seconds."""

    @classmethod
    def drawn(cls, chance: random.Random, *, calm_at: float = STORM_SECONDS, without: Collection[Kind] = ()) -> Faults:
        """The faults of a run: of some kinds only, because what always happens hides what happens without it."""
        density = chance.choice(_DENSITIES)
        rates = {}
        for kind in Kind:
            enabled, rate = chance.random() < density, 10.0 ** chance.uniform(-2.3, -0.6)
            if enabled and kind not in without:
                rates[kind] = chance.uniform(0.2, 0.7) if kind in EPISODES or kind is Kind.SKEW else rate
        return cls(
            rates=_bounded(rates),
            calm_at=calm_at,
            latency=chance.choice(_LATENCIES),
            longest_lag=chance.choice(_LAGS),
            largest_skew=chance.choice(_SKEWS),
        )


def _bounded(rates: dict[Kind, float]) -> dict[Kind, float]:
    """The rates, with those of requests scaled down if they are too much together."""
    single = (*EPISODES, Kind.SKEW)
    total = sum(rate for kind, rate in rates.items() if kind not in single)
    scale = min(1.0, _WORST_SUM / total) if total else 1.0
    return {kind: rate if kind in single else rate * scale for kind, rate in rates.items()}


NONE = Faults(calm_at=0.0)
"""Nothing goes wrong; requests still take a moment."""
