"""Leases of replicas: Lease objects by which each says that it lives, and by which the others know when it does not.

Nobody compares the clocks of two machines. The holder counts from the moment it sent a renewal; everyone else counts
from the moment they saw it, which is later. So for the holder the lease is over first, by `margin` at the least.

Nobody but the holder changes its lease, and who takes it for dead deletes it on the condition that it still has the
version that was seen to age. So a renewal in the last moment wins, and a renewal after that finds no lease. Each
lease is a new object: its uid is the generation by which replicas know each other, and a replica that lost its lease
comes back as another one.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from landform.cluster import codec
from landform.cluster.errors import Conflict, NotFound
from landform.cluster.interface import DeleteOptions, ListOptions
from landform.cluster.resources import LEASES
from landform.kit import clocks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from landform.cluster.interface import Cluster
    from landform.cluster.resources import Unstructured
    from landform.kit.clocks import Clock

GROUP_LABEL = "landform/replicas-of"
"""Label of leases: which replicas belong together."""

KNOWN_ANNOTATION = "landform/known-replicas"
"""Annotation of a lease: uids of the leases whose holders' objects this replica has given up."""


@dataclass(frozen=True)
class Timing:
    """How fast replicas notice each other. A dead one is noticed after `duration` and two `period`s at the latest."""

    duration: int = 5
    """Seconds without a renewal after which others may take a replica for dead."""

    period: float = 1.0
    """Seconds between two renewals, and between two looks at the others."""

    margin: float = 1.0
    """Seconds that a holder stops before its time: for clocks of different speed and for writes under way."""

    request_seconds: float = 1.0
    """A request that takes longer is given up, so that the next renewal is not late."""


@dataclass(frozen=True)
class Tenure:
    """For how long a lease surely holds, as its holder counts.

    Invariants:
    - it ends `margin` before anyone else can take it for over;
    - it ends by whichever is first of the time that passed and the time of day: the one stands still while a machine
      is suspended, the other may be set back;
    - once over it cannot be extended.
    """

    monotonic: float
    wall: datetime

    @classmethod
    def sent_now(cls, clock: Clock, timing: Timing) -> Tenure:
        """What a renewal that is sent now is worth if it is stored."""
        seconds = timing.duration - timing.margin
        return cls(clock.monotonic() + seconds, clock.now() + timedelta(seconds=seconds))

    def remaining(self, clock: Clock) -> float:
        """How many seconds are left; not above 0 when it is over."""
        return min(self.monotonic - clock.monotonic(), (self.wall - clock.now()).total_seconds())


@dataclass(frozen=True)
class Replica:
    """A replica as its lease shows it."""

    name: str
    """Name of the lease."""

    uid: str
    version: str
    duration: float
    known: frozenset[str]
    """The uids in KNOWN_ANNOTATION."""


def read(lease: Unstructured) -> Replica:
    """The replica that a lease stands for."""
    said = codec.metadata(lease)
    noted = (lease["metadata"].get("annotations") or {}).get(KNOWN_ANNOTATION) or ""
    duration = (lease.get("spec") or {}).get("leaseDurationSeconds") or Timing.duration
    return Replica(
        said.name, said.uid, said.resource_version, float(duration), frozenset(filter(None, noted.split(",")))
    )


class Sightings:
    """Since when each lease has not changed, by our own clock."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[str, float]] = {}

    def see(self, replicas: Iterable[Replica], now: float) -> None:
        """Note what there is now."""
        before = self._seen
        self._seen = {}
        for replica in replicas:
            known = before.get(replica.uid)
            unchanged = known is not None and known[0] == replica.version
            self._seen[replica.uid] = known if known is not None and unchanged else (replica.version, now)

    def is_dead(self, replica: Replica, now: float) -> bool:
        """Whether it has not renewed its lease for as long as it promised to."""
        version, since = self._seen[replica.uid]
        return version == replica.version and now - since >= replica.duration


class Leases:
    """The leases of one group of replicas, in one namespace."""

    def __init__(self, cluster: Cluster, group: str, *, namespace: str, clock: Clock, timing: Timing) -> None:
        self._cluster = cluster
        self._group = group
        self._namespace = namespace
        self._clock = clock
        self._timing = timing

    async def create(self, name: str, holder: str) -> Replica:
        """A new lease."""
        moment = clocks.rfc3339_micro(self._clock.now())
        lease = {
            "metadata": {"name": name, "labels": {GROUP_LABEL: self._group}},
            "spec": {
                "holderIdentity": holder,
                "leaseDurationSeconds": self._timing.duration,
                "acquireTime": moment,
                "renewTime": moment,
            },
        }
        return read(await self._cluster.create(LEASES, lease, namespace=self._namespace))

    async def renew(self, name: str, known: Iterable[str]) -> None:
        """Say that the holder lives and whom it knows; NotFound if it was taken for dead."""
        change = {
            "metadata": {"annotations": {KNOWN_ANNOTATION: ",".join(sorted(known))}},
            "spec": {"renewTime": clocks.rfc3339_micro(self._clock.now())},
        }
        await self._cluster.patch(LEASES, name, change, namespace=self._namespace)

    async def list(self) -> tuple[list[Replica], str]:
        """Everyone who has a lease now, and the version of this knowledge."""
        options = ListOptions(label_selector=f"{GROUP_LABEL}={self._group}")
        found = await self._cluster.list(LEASES, namespace=self._namespace, options=options)
        return [read(lease) for lease in found.items], found.resource_version

    async def bury(self, replica: Replica) -> bool:
        """Take away the lease of a dead replica; False if it was renewed meanwhile."""
        options = DeleteOptions(uid=replica.uid, resource_version=replica.version)
        try:
            await self._cluster.delete(LEASES, replica.name, namespace=self._namespace, options=options)
        except NotFound:
            return True
        except Conflict:
            return False
        return True

    async def give_back(self, replica: Replica) -> None:
        """End one's own lease, when nothing is done under it any more."""
        try:
            options = DeleteOptions(uid=replica.uid)
            await self._cluster.delete(LEASES, replica.name, namespace=self._namespace, options=options)
        except (NotFound, Conflict):
            return
