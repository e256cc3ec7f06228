"""Applying objects: each is created or made what its manifest says, as its policy and the strategy allow."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, replace
from itertools import starmap
from typing import TYPE_CHECKING, Any, Final

from landform.api.errors import ErrorCode, OperationFailed
from landform.cluster.errors import AlreadyExists, Conflict, Forbidden, Invalid, MethodNotAllowed, NotFound
from landform.cluster.interface import PatchType, WriteOptions
from landform.deployers.manifest import objects, references, secrecy, strategies
from landform.deployers.manifest.configuration import Policy, UpdateStrategy
from landform.deployers.manifest.objects import Wanted
from landform.deployers.manifest.secrecy import Refused
from landform.deployers.manifest.sites import UnknownKind
from landform.kit.errors import LandformError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from landform.cluster.resources import Resource, Unstructured
    from landform.deployers.manifest.configuration import Manifest
    from landform.deployers.manifest.memory import ManagedResource
    from landform.deployers.manifest.references import Identity
    from landform.deployers.manifest.sites import Site
    from landform.deployers.manifest.strategies import Write

OPERATION: Final = "ReconcileManifests"
FIELD_MANAGER: Final = "landform-manifest-deployer"
_TRIES: Final = 20
"""How often an object is read and written again when others write it too."""

_POLITE_TRIES: Final = 5
"""So often it is written only if it is as it was read; then whatever others write meanwhile, lest they never let us."""


_UNCHANGEABLE: Final = re.compile(r"immutable|may not (?:be )?changed?|cannot change|updates to \w+ spec")
"""In what clusters say: the words for a field that is set once."""

_REPLACE: Final = "; what exists cannot be changed so: delete it, then it is created anew"


class StillDeleted(LandformError):
    """An object of the same name is being deleted; when it is gone, the wanted one can be created."""


class Outcome(enum.Enum):
    """What became of an object."""

    CREATED = enum.auto()
    WRITTEN = enum.auto()
    """It was there and is now as wanted; it may have been before."""
    LEFT = enum.auto()
    """It was there, and its policy says that it is not changed."""
    IGNORED = enum.auto()
    """Nobody has looked."""
    FOREIGN = enum.auto()
    """It was there, and is somebody else's."""


@dataclass(frozen=True)
class Applied:
    """An object and what became of it."""

    wanted: Wanted
    outcome: Outcome
    before: Unstructured | None = None
    live: Unstructured | None = None
    memory: ManagedResource | None = None
    """What the item remembers of it; None if it is not its business."""


async def resolve(site: Site, manifests: Sequence[Manifest], item: str) -> list[Wanted]:
    """The objects of the manifests with their resources; fails if one is of a kind that is not known.

    Each object is in it once: of several manifests for it the last one counts.
    """
    single = list(objects.expanded(manifests))
    known: dict[tuple[str, str], Resource[Unstructured] | None] = {
        (each.api_version, each.kind): each for each in objects.defined(single)
    }
    wanted: dict[Identity, Wanted] = {}
    unknown: dict[tuple[str, str], list[str]] = {}
    for manifest in single:
        obj = objects.labelled(manifest, item)
        kind = obj["apiVersion"], obj["kind"]
        if kind not in known:
            known[kind] = await site.find(*kind)
        if (resource := known[kind]) is None:
            unknown.setdefault(kind, []).append(str(references.of(obj)))
            continue
        found = Wanted(_placed(obj, resource), manifest, resource)
        wanted[found.reference.identity] = found
    if unknown:
        raise OperationFailed(OPERATION, "UnknownKind", "; ".join(starmap(_unknown, unknown.items())))
    return list(wanted.values())


def _unknown(kind: tuple[str, str], names: Sequence[str]) -> str:
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return str(UnknownKind(f"{names[0]}{more}", *kind))


def _placed(obj: Unstructured, resource: Resource[Unstructured]) -> Unstructured:
    """The object in its namespace, or in none."""
    metadata = obj["metadata"]
    codes = (ErrorCode.CONFIGURATION_PROBLEM,)
    if obj["kind"] != resource.kind:
        message = f"{references.of(obj)}: {obj['kind']} is the name of a resource; its kind is {resource.kind}"
        raise OperationFailed(OPERATION, "PluralKind", message, codes=codes)
    if resource.namespaced and not metadata.get("namespace"):
        message = (
            f"{obj['kind']} {metadata['name']} has no namespace, and there is no default one; name it in the manifest"
        )
        raise OperationFailed(OPERATION, "NamespaceMissing", message, codes=codes)
    if not resource.namespaced and "namespace" in metadata:
        return {**obj, "metadata": {name: value for name, value in metadata.items() if name != "namespace"}}
    return obj


@dataclass(frozen=True)
class Applier:
    """Applies the objects of one item to one cluster."""

    site: Site
    item: str
    strategy: str
    known: Mapping[Identity, ManagedResource]
    """What the item remembers."""

    dry_run: bool = False
    """Have the cluster answer as if, and keep nothing."""

    async def apply(self, wanted: Wanted) -> Applied:
        """Have an object be there as wanted."""
        if wanted.is_ignored:
            return Applied(wanted, Outcome.IGNORED)
        with secrecy.telling(wanted.reference, wanted.obj) as known:
            # An applied patch creates or changes, whatever is there: it must know.
            if self.strategy != UpdateStrategy.APPLY and wanted.reference.identity not in self.known:
                created = await self._create_new(wanted)
                if created is not None:
                    return created
            return await self._reconcile(wanted, known)

    async def _create_new(self, wanted: Wanted) -> Applied | None:
        """Create an object that is probably not there, without asking first; None if it is there."""
        try:
            return await self._create(wanted)
        except AlreadyExists:
            return None
        except (Forbidden, Invalid):
            # Rules for new objects, such as quotas, are asked before it is looked whether the object exists.
            if await self._read(wanted) is None:
                raise
            return None

    async def _reconcile(self, wanted: Wanted, known: list[Mapping[str, Any]]) -> Applied:
        tries = 0
        while True:
            tries += 1
            live = await self._read(wanted)
            try:
                if live is None:
                    return await self._create(wanted)
                known.append(live)  # a refusal may quote it, too
                return await self._update(wanted, live, insist=tries > _POLITE_TRIES)
            except (Conflict, NotFound) as error:
                # Somebody else was faster: look again. But a namespace that is not there does not come by that.
                if tries == _TRIES or (live is None and isinstance(error, NotFound)):
                    raise
            except Invalid as error:
                if live is None or not _UNCHANGEABLE.search(str(error)):
                    raise
                raise Refused(str(wanted.reference), error, *known, hint=_REPLACE) from None

    async def _create(self, wanted: Wanted) -> Applied:
        obj = wanted.obj
        if wanted.settings.annotate_before_create:
            metadata = obj["metadata"]
            annotations = {**(metadata.get("annotations") or {}), **wanted.settings.annotate_before_create}
            obj = {**obj, "metadata": {**metadata, "annotations": annotations}}
        cluster, key = self.site.cluster, wanted.reference.key
        if self.strategy == UpdateStrategy.APPLY:
            # Created as it will be updated: the fields belong to the same manager from the beginning. An object that
            # somebody else created in between is then updated, which is what would have come next.
            options = replace(self._options, field_manager=FIELD_MANAGER, force=True)
            live = await cluster.patch(
                wanted.resource, key.name, obj, namespace=key.namespace, type=PatchType.APPLY, options=options
            )
        else:
            live = await cluster.create(wanted.resource, obj, namespace=key.namespace, options=self._options)
        return Applied(wanted, Outcome.CREATED, None, live, wanted.remembered(live))

    async def _update(self, wanted: Wanted, live: Unstructured, *, insist: bool) -> Applied:
        policy, is_ours = wanted.settings.policy, objects.is_labelled(live, self.item)
        if policy == Policy.FALLBACK and not is_ours:
            return Applied(wanted, Outcome.FOREIGN, live, live)
        _refuse_deleted(wanted, live)
        memory = wanted.remembered(live, adopted=self._is_adopted(wanted, live, is_ours=is_ours))
        if policy == Policy.IMMUTABLE:
            return Applied(wanted, Outcome.LEFT, live, live, memory)
        write = strategies.write(self.strategy, live, wanted.obj)
        if insist and write is not None:
            write = strategies.insisting(live, write)
        after = live if write is None else await self._send(wanted, write)
        return Applied(wanted, Outcome.WRITTEN, live, after, memory)

    def _is_adopted(self, wanted: Wanted, live: Unstructured, *, is_ours: bool) -> bool | None:
        """Whether somebody else created the object, as it was remembered or else by the label."""
        known = self.known.get(wanted.reference.identity)
        if known is not None and known.resource.uid == live["metadata"].get("uid"):
            return known.adopted
        return None if is_ours else True

    async def _send(self, wanted: Wanted, write: Write) -> Unstructured:
        cluster, key = self.site.cluster, wanted.reference.key
        if write.patch is None:
            return await cluster.replace(wanted.resource, write.body, namespace=key.namespace, options=self._options)
        options = self._options
        if write.patch is PatchType.APPLY:
            options = replace(options, field_manager=FIELD_MANAGER, force=True)
        return await cluster.patch(
            wanted.resource, key.name, write.body, namespace=key.namespace, type=write.patch, options=options
        )

    async def _read(self, wanted: Wanted) -> Unstructured | None:
        key = wanted.reference.key
        try:
            return await self.site.cluster.get(wanted.resource, key.name, namespace=key.namespace)
        except (NotFound, MethodNotAllowed):  # what cannot be read, such as a review, is not kept
            return None

    @property
    def _options(self) -> WriteOptions:
        return WriteOptions(dry_run=self.dry_run)


def _refuse_deleted(wanted: Wanted, live: Unstructured) -> None:
    """What is about to go cannot be kept by an update."""
    if not live["metadata"].get("deletionTimestamp"):
        return
    holders = ", ".join(live["metadata"].get("finalizers") or ()) or "its grace period"
    raise StillDeleted(f"{wanted.reference} is being deleted, held by {holders}; it is created again when it is gone")
