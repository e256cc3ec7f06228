"""What a deployer is given: the item to work on, and the ways to say how that goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.api import anyjson
from landform.api.deployitems import effective_config
from landform.api.phases import is_final
from landform.api.waiting import Wait, WaitReason
from landform.cluster.codec import key_of
from landform.cluster.kinds import DEPLOY_ITEMS
from landform.deployers.library.failures import FinalFailure

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from landform.api.contexts import Context
    from landform.api.deployitems import DeployItem, DeployItemSpec
    from landform.cluster.interface import Cluster
    from landform.cluster.resources import ObjectKey
    from landform.deployers.library.endings import Ending
    from landform.deployers.library.runs import Run
    from landform.deployers.library.targets import ResolvedTarget
    from landform.kit.surroundings import Surroundings
    from landform.runtime.recorders import EventType


class Item:
    """A deploy item while a deployer works on it.

    What is set here reaches the status with the next write, at the latest with the final one; `progress` has it
    written at once. When the item's time is over, or its job is ended by someone else, the deployer's method is
    cancelled wherever it waits.
    """

    def __init__(self, run: Run, obj: DeployItem, target: ResolvedTarget | None, context: Context | None) -> None:
        self._run = run
        self._record = run.record
        self.object = obj
        """The DeployItem as it is in the cache: nobody may change it."""

        self.config: Mapping[str, Any] = anyjson.value(effective_config(obj)) or {}
        """Its configuration, decoded."""

        self.target = target
        """Where it is to be deployed, if it says so."""

        self.context = context
        """Its Context, if that exists."""

    @property
    def key(self) -> ObjectKey:
        """Its namespace and name."""
        return key_of(self.object)

    @property
    def name(self) -> str:
        """Its name."""
        return self.key.name

    @property
    def namespace(self) -> str:
        """Its namespace."""
        return self.key.namespace

    @property
    def spec(self) -> DeployItemSpec:
        """What is to be done."""
        return self.object.spec

    @property
    def job_id(self) -> str:
        """The job that the work is done for."""
        return self._record.job

    @property
    def deadline(self) -> datetime | None:
        """When its time is over; None if it may take for ever. The deployer's method is cancelled then."""
        return self._run.deadline

    @property
    def interrupted(self) -> bool:
        """Whether the work is of no use any more. For work in threads, which cannot be cancelled."""
        return self._run.interrupted

    @property
    def ending(self) -> Ending | None:
        """Why the deployer's method was cancelled; None as long as it was not.

        For work that goes on outside of this process: with an ending that `is_over` it is to be stopped, otherwise
        whoever is given the item next goes on with it.
        """
        return self._run.ending

    @property
    def surroundings(self) -> Surroundings:
        """Time, identifiers and chance: take them from here and nowhere else, so that tests can set them."""
        return self._run.place.hands.surroundings

    @property
    def home(self) -> Cluster:
        """The cluster that the item itself lives in."""
        return self._run.place.clusters.home

    @property
    def provider_status(self) -> Any:
        """What the deployer remembers of the item: as it was set, now or by an earlier run; None if never."""
        said = self._record.provider_status
        return anyjson.value(self.object.status.provider_status if said is None else said)

    @provider_status.setter
    def provider_status(self, value: Mapping[str, Any] | None) -> None:
        """An object with `apiVersion` and `kind`; it replaces the former."""
        self._record.provider_status = anyjson.of(value)
        self._run.tell()

    def condition(self, type: str, status: str, reason: str, message: str) -> None:
        """State something about the item."""
        known = self.object.status.conditions or ()
        self._record.say(known, type, status, reason, message, now=self.surroundings.clock.now())
        self._run.tell()

    def waiting(self, reason: WaitReason, message: str) -> None:
        """Say what is waited for, until this is called again or `working` is; people see it after a second."""
        self._run.wait_for(Wait(reason, message))

    def working(self) -> None:
        """Say that nothing is waited for any more."""
        self._run.wait_for(None)

    async def progress(self, phase: str | None = None) -> None:
        """Have everything that was said so far written now, and return when it is; with another phase, if given."""
        if is_final(phase):
            raise ValueError(f"{phase} is final: a deployer ends its work by returning or by raising, not by a phase")
        if phase is not None:
            self._record.phase = phase
        await self._run.written()

    async def export(self, values: Mapping[str, Any] | None) -> None:
        """Hand values on to whoever imports them. None, or no call at all, means that nothing is exported."""
        if values is not None:
            await self._run.export(self.object, values)

    def keep_exports(self) -> None:
        """Leave the exported values as they are, though the work is done without exporting any."""
        self._record.export = self.object.status.export_ref

    def tell(self, type: EventType, reason: str, message: str) -> None:
        """Tell people something about the item, by an Event."""
        self._run.place.hands.recorder.emit(DEPLOY_ITEMS, self.object, type, reason, message)

    async def cluster(self, target: ResolvedTarget | None = None) -> Cluster:
        """A client for the item's target, or for another one that `find_target` gave.

        It is shared and stays open until the work on the item is over: do not close it.
        """
        chosen = target or self.target
        if chosen is None:
            raise FinalFailure(
                "ConnectToTarget", "NoTarget", f"deploy item {self.key} has no target; give it one in spec.target"
            )
        return self._run.connect(chosen)

    async def find_target(self, name: str) -> ResolvedTarget:
        """Another Target of the item's namespace, with its access data."""
        key = self.key._replace(name=name)
        return await self._run.place.resolved(key)
