"""Which replica does what: each root object has one owner among the replicas that live, and hand-overs have no overlap.

For every root object all replicas are put into an order by a hash of both names; the first that lives is its owner.
So a replica that comes takes over only what is its own, and one that goes leaves only that behind.

A replica is sure that it owns what it is the first for when

1. its own lease holds (`leases.Tenure`), and
2. each replica whose lease was there when it came has noted it as known, or is gone. A replica notes a newcomer only
   after it has stopped to work on whatever the newcomer is first for.

Why no object ever has two owners: of any two living replicas, one came later. It works on nothing before the other
has noted it, and from then on both have both in their list and order them alike.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from landform.cluster.errors import ClusterError, NotFound
from landform.cluster.resources import ObjectKey
from landform.cluster.stores import parse_version
from landform.kit.surroundings import Surroundings
from landform.runtime.errors import LeaseLost
from landform.runtime.leases import Leases, Sightings, Tenure, Timing

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable

    from landform.cluster.interface import Cluster
    from landform.runtime.leases import Replica
    from landform.runtime.manager import Life

log = logging.getLogger(__name__)

T = TypeVar("T")


UNKNOWN: Final = ObjectKey("", "")
"""The root of an object whose parent has not been seen yet: no replica owns it while there are others."""


def rank(replica: str, root: ObjectKey) -> bytes:
    """Where a replica stands in the order for a root object; the greatest is first."""
    return hashlib.blake2b(f"{replica}\0{root.namespace}\0{root.name}".encode(), digest_size=8).digest()


def first(replicas: Iterable[str], root: ObjectKey) -> str:
    """The replica that is first for a root object."""
    return max(replicas, key=lambda replica: (rank(replica, root), replica))


class Tenant(Protocol):
    """Who works on what a replica owns: a controller."""

    def running_roots(self) -> Iterable[ObjectKey]:
        """What it works on now."""
        ...

    def resync(self) -> None:
        """There may be more to work on than before."""
        ...


@dataclass
class _Membership:
    """All that a replica knows under one lease."""

    me: Replica
    tenure: Tenure
    replicas: dict[str, Replica] = field(default_factory=dict)
    """Everyone who lives, this replica too, by the name of the lease."""

    doubtful: set[str] | None = None
    """Uids of those who were here before and have not noted us; None until the first look around."""

    noted: frozenset[str] = frozenset()
    """The uids that our lease says we know."""

    version: int = 0
    """Of the last look around."""

    sightings: Sightings = field(default_factory=Sightings)

    def is_first_for(self, root: ObjectKey) -> bool:
        if len(self.replicas) == 1:
            return True
        return root != UNKNOWN and first(self.replicas, root) == self.me.name

    def others(self) -> frozenset[str]:
        return frozenset(replica.uid for replica in self.replicas.values() if replica.uid != self.me.uid)

    def look(self, replicas: Iterable[Replica]) -> bool:
        """Take in who lives; whether more may be owned than before."""
        was_sure, before = self.doubtful == set(), set(self.replicas)
        self.replicas = {replica.name: replica for replica in replicas}
        others = self.others()
        doubted = others if self.doubtful is None else others & self.doubtful
        noted_us = {replica.uid for replica in self.replicas.values() if self.me.uid in replica.known}
        self.doubtful = set(doubted - noted_us)
        return not self.doubtful and (not was_sure or bool(before - set(self.replicas)))


class Shards:
    """A part that keeps this replica's membership, and the `Fence` that says what it owns.

    Invariants:
    - at no moment do two replicas own the same root object;
    - a replica that does not get through to the cluster owns nothing from `Timing.margin` before others take over;
    - as long as one replica lives and gets through, every root object has an owner again after `Timing.duration` and
      two periods.
    """

    def __init__(
        self,
        cluster: Cluster,
        group: str,
        *,
        namespace: str,
        holder: str,
        surroundings: Surroundings | None = None,
        timing: Timing | None = None,
    ) -> None:
        self._surroundings = surroundings or Surroundings()
        self._clock = self._surroundings.clock
        self._timing = timing or Timing()
        self._group = group
        self._holder = holder
        self._leases = Leases(cluster, group, namespace=namespace, clock=self._clock, timing=self._timing)
        self._tenants: list[Tenant] = []
        self._membership: _Membership | None = None

    def join(self, tenant: Tenant) -> None:
        """Have a tenant heard before anything is handed over, and told when there is more to do."""
        self._tenants.append(tenant)

    def owns(self, root: ObjectKey) -> bool:
        """Whether this replica is the owner, for certain."""
        return not self._why_not(root)

    def remaining(self, root: ObjectKey) -> float:
        """For how many seconds it surely stays the owner, whatever happens; LeaseLost if it is not."""
        if why := self._why_not(root):
            raise LeaseLost(f"this replica leaves {root} alone: {why}")
        return self._left()

    async def run(self, life: Life) -> None:
        """Take part until asked to stop; then leave, so that others need not wait for the lease to end."""
        stopping = asyncio.create_task(life.stopping(), name="stop of the shards")
        try:
            while not stopping.done():
                await self.step()
                if self._membership is not None and self._membership.doubtful is not None:
                    life.ready()
                await asyncio.wait((stopping,), timeout=self._timing.period)
        finally:
            stopping.cancel()
        await self._leave()

    async def step(self) -> None:
        """Renew, look around, make room for newcomers and take over from the dead; all as far as it succeeds."""
        try:
            if self._membership is None or self._left() <= 0:
                await self._come()
            else:
                await self._renew(self._membership)
            if self._membership is not None:
                await self._look_around(self._membership)
        except (ClusterError, TimeoutError) as error:
            log.warning("cannot keep up the lease: %s", str(error) or "no answer in time")

    async def _come(self) -> None:
        former, self._membership = self._membership, None
        if former is not None and former.tenure.remaining(self._clock) < -self._timing.margin:
            # Nothing that was written under it can be under way any more, so nobody needs to wait until it ends.
            await self._in_time(self._leases.give_back(former.me))
        ids = self._surroundings.ids
        name = f"{self._group}-{ids.suffix()}{ids.suffix()}"
        tenure = Tenure.sent_now(self._clock, self._timing)
        me = await self._in_time(self._leases.create(name, self._holder))
        log.info("this replica is %s", name)
        self._membership = _Membership(me, tenure)

    def _start_anew(self) -> None:
        log.warning("the lease was taken away, so this replica starts anew")
        self._membership = None

    async def _renew(self, membership: _Membership, known: frozenset[str] | None = None) -> None:
        known = membership.noted if known is None else known
        tenure = Tenure.sent_now(self._clock, self._timing)
        try:
            await self._in_time(self._leases.renew(membership.me.name, known))
        except NotFound:
            return self._start_anew()
        membership.noted = known
        # An answer that comes when the lease is over does not bring it back: what was to be done meanwhile was turned
        # away, and only a new start has everything looked at again.
        if self._left() > 0:
            membership.tenure = tenure

    async def _look_around(self, membership: _Membership) -> None:
        found, text = await self._in_time(self._leases.list())
        version = parse_version(text)
        if version < membership.version:
            return  # older than what is known: a newcomer that was noted might be missing
        membership.version = version
        if membership.me.uid not in {replica.uid for replica in found}:
            return self._start_anew()
        more = membership.look(await self._living(membership, found))
        await self._make_room(membership)
        if more:
            for tenant in self._tenants:
                tenant.resync()

    async def _living(self, membership: _Membership, found: list[Replica]) -> list[Replica]:
        """Those found whose lease holds; the others are buried."""
        membership.sightings.see(found, self._clock.monotonic())
        living = []
        for replica in found:
            dead = replica.uid != membership.me.uid and membership.sightings.is_dead(replica, self._clock.monotonic())
            if dead and await self._in_time(self._leases.bury(replica)):
                log.warning("replica %s is dead", replica.name)
            else:
                living.append(replica)
        return living

    async def _make_room(self, membership: _Membership) -> None:
        """Note newcomers once nothing runs that is theirs. From `look` on, nothing of theirs is begun."""
        newcomers = membership.others() - membership.noted
        running = (root for tenant in self._tenants for root in tenant.running_roots())
        if newcomers and all(map(membership.is_first_for, running)):
            await self._renew(membership, membership.others())
        else:
            membership.noted &= membership.others()

    async def _leave(self) -> None:
        membership, self._membership = self._membership, None
        if membership is None:
            return
        try:
            await self._in_time(self._leases.give_back(membership.me))
        except (ClusterError, TimeoutError) as error:
            log.warning("the lease could not be given back, others wait until it ends: %s", error)

    async def _in_time(self, request: Coroutine[Any, Any, T]) -> T:
        async with asyncio.timeout(self._timing.request_seconds):
            return await request

    def _left(self) -> float:
        return self._membership.tenure.remaining(self._clock) if self._membership is not None else 0.0

    def _why_not(self, root: ObjectKey) -> str:
        membership = self._membership
        if membership is None:
            return "it has no lease"
        if self._left() <= 0:
            return "its lease may be over"
        if membership.doubtful is None or membership.doubtful:
            return "others have not made room for it yet"
        if not membership.is_first_for(root):
            return "it belongs to another replica"
        return ""
