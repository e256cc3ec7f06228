"""What a deployer is: how to deploy an item of its type and how to take it away. The library does the rest."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Self

from landform import __version__
from landform.deployers.library import continuous
from landform.deployers.library.hooks import Hooks

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from landform.api.deployitems import DeployItem
    from landform.deployers.library.desks import Desk
    from landform.deployers.library.items import Item
    from landform.deployers.library.plans import Plan


class Deployer(ABC):
    """A deployer for the items of one type.

    Its methods may take hours and are called for many items at a time, but only once at a time for one item. They may
    be cancelled at any moment (the item's time is over, it was interrupted, the process ends) and are then called
    again if the job still stands; so they must get along with what an earlier call has left half done.
    """

    type: str
    """The type of its items, such as ``example.org/greeting``."""

    name: str
    """Its name, such as ``greeting.deployer.example.org``."""

    version: str = __version__
    """Its version."""

    hooks: Hooks = Hooks()
    """Functions that look at each pass, see `landform.deployers.library.hooks`."""

    @classmethod
    def configured(cls, config: Mapping[str, Any]) -> Self:
        """The deployer with the settings of its configuration file; by default it has none of its own."""
        return cls()

    @abstractmethod
    async def reconcile(self, item: Item) -> None:
        """Deploy the item and return when that is done.

        Whatever it raises is recorded and tried again until the item's time is over; final are `Terminal` and
        `OperationFailed` with an unrecoverable code.
        """

    @abstractmethod
    async def delete(self, item: Item) -> None:
        """Take away what was deployed and return when it is gone; the item goes then."""

    def has_deployed(self, item: DeployItem) -> bool:
        """Whether there may be something that `delete` has to take away.

        If not, the item goes even if its Target does not exist any more. A deployer that cannot tell says yes.
        """
        return True

    async def plan(self, item: Item) -> Plan | None:
        """What `reconcile`, or for an item that is being deleted `delete`, would do now, without doing any of it.

        None if the deployer cannot tell, which is the default.
        """
        return None

    async def serve(self, desk: Desk) -> None:
        """Do what belongs to no job, for as long as the deployer runs; by default nothing.

        It is cancelled when the deployer ends, and called again after a while if it raises. One that returns has
        nothing more to do.
        """
        return None

    def next_pass(self, item: DeployItem, last: datetime) -> datetime | None:
        """When a finished item is to be deployed again, if a deployer last began to work on it at `last`.

        None for never. By default what `continuousReconcile` in the item's configuration says.
        """
        return continuous.next_pass(item, last)
