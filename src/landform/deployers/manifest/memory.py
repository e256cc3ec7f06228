"""What an item remembers of the objects it deployed, in `status.providerStatus`; pure.

An object is remembered before it is created and forgotten after it is gone, so that nothing is left behind whatever
happens in between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from landform.api.structs import Part
from landform.deployers.manifest.configuration import V1ALPHA2, Policy
from landform.deployers.manifest.references import Reference

if TYPE_CHECKING:
    from collections.abc import Iterable

    from landform.deployers.manifest.references import Identity

KIND: Final = "ProviderStatus"


class ManagedResource(Part):
    """An object that the item deployed, and what is to be done with it in the end."""

    resource: Reference
    policy: str = msgspec.field(default_factory=lambda: str(Policy.MANAGE))
    annotate_before_delete: dict[str, str] | None = None
    patch_before_delete: dict[str, Any] | None = None
    adopted: bool | None = None
    """It was there before the item; somebody else created it."""

    @property
    def identity(self) -> Identity:
        """Which object it is."""
        return self.resource.identity


def read(status: Any) -> list[ManagedResource]:
    """The remembered objects; also of the older form, which has their references only."""
    if not isinstance(status, dict):
        return []
    entries = status.get("managedResources") or ()
    return [
        msgspec.convert(entry if "resource" in entry else {"resource": entry}, ManagedResource) for entry in entries
    ]


def write(resources: Iterable[ManagedResource]) -> dict[str, Any]:
    """The status that remembers the objects."""
    plain = [msgspec.to_builtins(resource, str_keys=True) for resource in resources]
    return {"apiVersion": V1ALPHA2, "kind": KIND, "managedResources": plain}


def union(known: Iterable[ManagedResource], news: Iterable[ManagedResource]) -> list[ManagedResource]:
    """All of both; of those in both, what is new, with the uid if only the old one has it."""
    result = {each.identity: each for each in known}
    for new in news:
        old = result.get(new.identity)
        if old is not None and new.resource.uid is None:
            new = msgspec.structs.replace(
                new,
                resource=msgspec.structs.replace(new.resource, uid=old.resource.uid),
                adopted=new.adopted if new.adopted is not None else old.adopted,
            )
        result[new.identity] = new
    return list(result.values())


def without(known: Iterable[ManagedResource], gone: Iterable[Identity]) -> list[ManagedResource]:
    """Those that are not gone."""
    lost = set(gone)
    return [each for each in known if each.identity not in lost]
