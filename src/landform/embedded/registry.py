"""The verbs that write: how an object comes into being, changes and goes, by Kubernetes' rules.

Every decision is made without awaiting, on the store's head, so nothing can come between a check and its write; the
only wait is for the disk.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import msgspec

from landform.cluster.errors import AlreadyExists, BadRequest, Cause, NotFound, TooLarge, UnsupportedMedia
from landform.cluster.interface import DeleteOptions, PatchType, WriteOptions
from landform.embedded import deletion, faults, metadata, patching, policies, scaling, versions
from landform.embedded.admission import STRICT, Admission
from landform.embedded.catalog import GroupResource, ResourceType
from landform.embedded.merging import comparing, ownership
from landform.embedded.naming import LONGEST_GENERATED_BASE
from landform.embedded.objects import Stored, StoreKey
from landform.kit.clocks import rfc3339

if TYPE_CHECKING:
    from collections.abc import Iterable

    from landform.embedded.access.users import User
    from landform.embedded.policies import Policies
    from landform.embedded.store import Store
    from landform.kit.surroundings import Surroundings

Object = dict[str, Any]

LARGEST_OBJECT = 3 * 1024 * 1024
"""Most bytes an object may have as JSON."""

UNTRACKED_MANAGER = "landform"
"""Owns what our own controllers change on objects whose fields have owners."""

_ATTEMPTS_AT_A_NAME = 8
_WITHOUT_GENERATION = {
    GroupResource("coordination.k8s.io", "leases"),
    GroupResource("events.k8s.io", "events"),
    GroupResource("apiregistration.k8s.io", "apiservices"),
    GroupResource("autoscaling", "horizontalpodautoscalers"),
    GroupResource("certificates.k8s.io", "certificatesigningrequests"),
    GroupResource("storage.k8s.io", "volumeattachments"),
}
_WITH_GENERATION = {
    GroupResource("", "pods"),
    GroupResource("", "podtemplates"),
    GroupResource("", "replicationcontrollers"),
    GroupResource("scheduling.k8s.io", "priorityclasses"),
    GroupResource("discovery.k8s.io", "endpointslices"),
    GroupResource("admissionregistration.k8s.io", "validatingwebhookconfigurations"),
    GroupResource("admissionregistration.k8s.io", "mutatingwebhookconfigurations"),
}


@dataclass(frozen=True)
class Caller:
    """On whose behalf a request is made."""

    user: User
    manager: str = ""
    """Who owns the fields that are written; empty = ownership is kept only for objects that have it already."""


@dataclass(frozen=True)
class Outcome:
    """What a write led to."""

    raw: bytes
    """The object as stored, or its last state if it is gone."""

    warnings: tuple[str, ...] = ()
    created: bool = False
    gone: bool = False


class Registry:
    """Creates, updates, patches and deletes objects of every type."""

    def __init__(self, store: Store, policies: Policies, surroundings: Surroundings) -> None:
        self._store = store
        self._policies = policies
        self._surroundings = surroundings
        # Weak, because every change of a CustomResourceDefinition brings new types.
        self._admissions: WeakKeyDictionary[ResourceType, Admission] = WeakKeyDictionary()

    # Creating.

    async def create(
        self, type_: ResourceType, namespace: str, obj: Object, options: WriteOptions, caller: Caller
    ) -> Outcome:
        """Store a new object."""
        generated = not self._identify(type_, namespace, obj).get("name")
        for _ in range(_ATTEMPTS_AT_A_NAME):
            try:
                return await self._create(type_, namespace, obj, options, caller)
            except AlreadyExists:
                if not generated:
                    raise
                obj["metadata"].pop("name")
        raise faults.already_exists(type_.group_resource, obj["metadata"]["generateName"])

    async def _create(
        self,
        type_: ResourceType,
        namespace: str,
        obj: Object,
        options: WriteOptions,
        caller: Caller,
        *,
        applied: bool = False,
    ) -> Outcome:
        meta = obj["metadata"]
        if meta.pop("resourceVersion", "") and not applied:
            raise faults.version_given()
        if not meta.get("name") and meta.get("generateName"):
            meta["name"] = meta["generateName"][:LONGEST_GENERATED_BASE] + self._surroundings.ids.suffix()
        self._check_namespace(type_, namespace, meta.get("name", ""))
        for field in metadata.SYSTEM_FIELDS:
            meta.pop(field, None)
        if type_.status:
            obj.pop("status", None)
        admission = self._admission(type_)
        warnings = admission.complete(obj, None, options.field_validation)
        meta = obj["metadata"]
        meta["uid"] = self._surroundings.ids.uid()
        meta["creationTimestamp"] = self._now()
        if _counts_generations(type_):
            meta["generation"] = 1
        admission.check(obj, None)
        self._check_grant(type_, obj, None, caller)
        if not applied:
            self._own(type_, None, obj, options, caller)
        key = StoreKey(versions.stored_resource(type_), namespace, meta["name"])
        found = self._store.head(key)
        if found is not None:
            raise faults.already_exists(type_.group_resource, meta["name"], deleting=found.deleting)
        warnings += admission.warnings(obj)
        return Outcome(await self._put(type_, key, obj, options), tuple(warnings), created=True)

    # Changing.

    async def update(
        self, type_: ResourceType, namespace: str, name: str, obj: Object, options: WriteOptions, caller: Caller
    ) -> Outcome:
        """Replace an object, or one of its subresources."""
        key = StoreKey(versions.stored_resource(type_), namespace, name)
        current = self._head(type_, key)
        if options.subresource == "scale":
            old = versions.from_stored(type_, current.decode())
            return await self._change(type_, key, current, scaling.scaled(type_, old, obj), options, caller)
        meta = self._identify(type_, namespace, obj, name)
        if type_.custom and not meta.get("resourceVersion"):
            raise faults.version_missing(type_, name)
        if meta.get("uid", current.uid) not in ("", current.uid):
            raise faults.conflict(
                type_.group_resource,
                name,
                f"Precondition failed: UID in precondition: {meta['uid']}, UID in object meta: {current.uid}",
            )
        return await self._change(type_, key, current, obj, options, caller)

    async def patch(
        self,
        type_: ResourceType,
        key_in: tuple[str, str],
        patch: Any,
        patch_type: PatchType,
        options: WriteOptions,
        caller: Caller,
    ) -> Outcome:
        """Change the object of that namespace and name by a patch; server-side apply also creates it."""
        key = StoreKey(versions.stored_resource(type_), *key_in)
        if patch_type is PatchType.APPLY:
            return await self._apply(type_, key, patch, options, caller)
        if patch_type is PatchType.STRATEGIC and type_.custom:
            raise UnsupportedMedia(
                "the body of the request was in an unknown format - accepted media types include:"
                " application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"
            )
        current = self._head(type_, key)
        old = versions.from_stored(type_, current.decode())
        if options.subresource == "scale":
            # A Scale has no lists: to it a strategic patch is a merge patch.
            as_type = PatchType.JSON if patch_type is PatchType.JSON else PatchType.MERGE
            scale = patching.patched(type_, scaling.scale_of(type_, old), patch, as_type)
            return await self._change(type_, key, current, scaling.scaled(type_, old, scale), options, caller)
        new = patching.patched(type_, old, patch, patch_type)
        self._identify(type_, key.namespace, new, key.name)
        if options.field_validation == STRICT:
            patching.refuse_unknown(new, self._admission(type_).prune(new))
        return await self._change(type_, key, current, new, options, caller)

    async def _apply(
        self, type_: ResourceType, key: StoreKey, patch: Any, options: WriteOptions, caller: Caller
    ) -> Outcome:
        """Server-side apply: merge what the manager declares, keep what others own."""
        meta = metadata.of(type_, patch)
        current = self._store.head(key)
        if current is None and options.subresource:
            raise faults.not_found(type_.group_resource, key.name)
        if current is None and meta.get("uid"):
            why = f"uid mismatch: the provided object specified uid {meta['uid']}, and no existing object was found"
            raise faults.conflict(type_.group_resource, key.name, why)
        applied = ownership.apply(
            self._admission(type_).scope(options.subresource),
            versions.from_stored(type_, current.decode()) if current else None,
            patch,
            manager=options.field_manager,
            now=self._surroundings.clock.now(),
            force=options.force,
        )
        self._identify(type_, key.namespace, applied.object, key.name)
        if current is None:
            return await self._create(type_, key.namespace, applied.object, options, caller, applied=True)
        return await self._change(type_, key, current, applied.object, options, caller, applied=True)

    async def _change(
        self,
        type_: ResourceType,
        key: StoreKey,
        current: Stored,
        new: Object,
        options: WriteOptions,
        caller: Caller,
        *,
        applied: bool = False,
    ) -> Outcome:
        """Put `new` in the place of `current`, as far as the caller may change it."""
        old = versions.from_stored(type_, current.decode())
        if new["metadata"].get("resourceVersion", str(current.version)) not in ("", str(current.version)):
            raise faults.modified(type_.group_resource, key.name)
        new = _only_what_is_addressed(type_, new, old, options.subresource)
        metadata.carry_over(new["metadata"], old["metadata"])
        admission = self._admission(type_)
        warnings = admission.complete(new, old, options.field_validation)
        if _counts_generations(type_) and _desired_state_differs(type_, new, old):
            new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1
        admission.check(new, old)
        self._check_grant(type_, new, old, caller)
        if not applied:
            self._own(type_, old, new, options, caller)
        warnings += admission.warnings(new)
        if ownership.differ_only_in_times(old, new):
            return Outcome(self._present(type_, current.raw), tuple(warnings))
        if current.deleting and not deletion.is_held(key.resource, new):
            return Outcome(await self._remove(type_, key, new, dry_run=options.dry_run), tuple(warnings), gone=True)
        return Outcome(await self._put(type_, key, new, options), tuple(warnings))

    # Deleting.

    async def delete(self, type_: ResourceType, namespace: str, name: str, options: DeleteOptions) -> Outcome:
        """Remove an object, or mark it as going if something holds it."""
        key = StoreKey(versions.stored_resource(type_), namespace, name)
        current = self._head(type_, key)
        if deletion.is_kept(key.resource, name):
            raise faults.forbidden(type_.group_resource, name, "this namespace may not be deleted")
        self._check_preconditions(type_, current, options)
        obj = current.decode()
        before = msgspec.json.encode(obj)
        deletion.begin(key.resource, obj, options.propagation, self._now())
        if not deletion.is_held(key.resource, obj):
            return Outcome(await self._remove(type_, key, obj, dry_run=options.dry_run), gone=True)
        if msgspec.json.encode(obj) == before:
            return Outcome(self._present(type_, current.raw))
        if options.dry_run:
            return Outcome(self._present(type_, msgspec.json.encode(obj)))
        return Outcome(await self._write(type_, key, obj))

    async def delete_all(self, type_: ResourceType, selected: Iterable[Stored], options: DeleteOptions) -> None:
        """Delete each of the objects; one that is already gone is no fault."""
        for stored in selected:
            try:
                await self.delete(type_, stored.key.namespace, stored.key.name, replace(options, uid=stored.uid))
            except NotFound:
                continue

    # What all verbs share.

    def _identify(self, type_: ResourceType, namespace: str, obj: Any, name: str = "") -> dict[str, Any]:
        """The metadata of a body that says it is of this kind, namespace and name; completes what it leaves out."""
        meta = metadata.of(type_, obj)
        if obj.setdefault("apiVersion", type_.api_version) != type_.api_version:
            raise faults.other_api_version(obj["apiVersion"], type_.api_version)
        if obj.setdefault("kind", type_.kind) != type_.kind:
            raise faults.other_kind(type_, name or meta.get("name", ""), obj["kind"])
        if name and meta.get("name") != name:
            raise faults.other_name(meta["name"], name) if meta.get("name") else faults.no_name(name)
        if not type_.namespaced:
            meta.pop("namespace", None)
        elif meta.setdefault("namespace", namespace) != namespace:
            raise BadRequest("the namespace of the provided object does not match the namespace sent on the request")
        return meta

    def _check_namespace(self, type_: ResourceType, namespace: str, name: str) -> None:
        """New content needs a namespace that is there and stays."""
        if not type_.namespaced:
            return
        found = self._store.head(StoreKey(deletion.NAMESPACES, "", namespace))
        if found is None:
            raise faults.not_found(deletion.NAMESPACES, namespace)
        if found.deleting:
            raise faults.forbidden(
                type_.group_resource,
                name,
                f"unable to create new content in namespace {namespace} because it is being terminated",
                [Cause("NamespaceTerminating", f"namespace {namespace} is being terminated", "metadata.namespace")],
            )

    def _check_preconditions(self, type_: ResourceType, current: Stored, options: DeleteOptions) -> None:
        name, version = current.key.name, str(current.version)
        if options.uid and options.uid != current.uid:
            raise faults.other_object(type_, name, options.uid, current.uid)
        if options.resource_version and options.resource_version != version:
            raise faults.other_version(type_, name, options.resource_version, version)

    def _check_grant(self, type_: ResourceType, new: Object, old: Object | None, caller: Caller) -> None:
        """Nobody but the admin may give rights that he does not have himself."""
        if type_.group == policies.GROUP and not caller.user.is_admin:
            self._policies.check_grant(caller.user, new, old)

    def _own(self, type_: ResourceType, old: Object | None, new: Object, options: WriteOptions, caller: Caller) -> None:
        """Set who owns which field of `new`, after a write other than apply."""
        meta = new["metadata"]
        manager = options.field_manager or caller.manager
        if manager or (old and old["metadata"].get("managedFields")):
            scope = self._admission(type_).scope(options.subresource)
            now = self._surroundings.clock.now()
            managed = ownership.update(scope, old, new, manager=manager or UNTRACKED_MANAGER, now=now)
        else:
            managed = []
        if managed:
            meta["managedFields"] = managed
        else:
            meta.pop("managedFields", None)

    def _head(self, type_: ResourceType, key: StoreKey) -> Stored:
        current = self._store.head(key)
        if current is None:
            raise faults.not_found(type_.group_resource, key.name)
        return current

    async def _put(self, type_: ResourceType, key: StoreKey, obj: Object, options: WriteOptions) -> bytes:
        obj = versions.to_stored(type_, obj)
        # Every object begins the same way, whatever the order in which its parts came.
        obj = {"apiVersion": obj["apiVersion"], "kind": obj["kind"], "metadata": obj["metadata"]} | obj
        if options.dry_run:
            return self._present(type_, msgspec.json.encode(obj))
        return await self._write(type_, key, obj)

    async def _write(self, type_: ResourceType, key: StoreKey, obj: Object) -> bytes:
        stored = self._store.new_version(obj, key)
        if len(stored.raw) > LARGEST_OBJECT:
            raise TooLarge(
                f'{type_.group_resource} "{key.name}" has {len(stored.raw)} bytes as JSON,'
                f" the limit is {LARGEST_OBJECT}"
            )
        await self._store.write(stored)
        return self._present(type_, stored.raw)

    async def _remove(self, type_: ResourceType, key: StoreKey, obj: Object, *, dry_run: bool) -> bytes:
        if dry_run:
            return self._present(type_, msgspec.json.encode(obj))
        stored = self._store.new_version(versions.to_stored(type_, obj), key)
        await self._store.write(stored, removed=True)
        return self._present(type_, stored.raw)

    def _present(self, type_: ResourceType, raw: bytes) -> bytes:
        present = versions.presenter(type_)
        return raw if present is None else present(raw)

    def _admission(self, type_: ResourceType) -> Admission:
        admission = self._admissions.get(type_)
        if admission is None:
            admission = self._admissions[type_] = Admission(type_)
        return admission

    def _now(self) -> str:
        return rfc3339(self._surroundings.clock.now())


def _only_what_is_addressed(type_: ResourceType, new: Object, old: Object, subresource: str) -> Object:
    """What the request may change: status through its own subresource only, and nothing else through that."""
    if subresource in ("status", "finalize"):
        part = "status" if subresource == "status" else "spec"
        changed = {**old, "metadata": metadata.of_status_write(type_, new["metadata"], old["metadata"])}
        if part in new:
            changed[part] = new[part]
        else:
            changed.pop(part, None)
        return changed
    kept = ["status"] if type_.status else []
    if type_.group_resource == deletion.NAMESPACES:
        kept.append("spec")
    for part in kept:
        if part in old:
            new[part] = old[part]
        else:
            new.pop(part, None)
    return new


def _counts_generations(type_: ResourceType) -> bool:
    """Whether a kind has a desired state whose changes are counted."""
    if type_.custom or type_.group_resource in _WITH_GENERATION:
        return True
    return type_.group != "" and "spec" in type_.schema.properties and type_.group_resource not in _WITHOUT_GENERATION


def _desired_state_differs(type_: ResourceType, new: Object, old: Object) -> bool:
    apart = {"metadata", "status"} if type_.status or not type_.custom else {"metadata"}
    fields = (new.keys() | old.keys()) - apart
    return not all(comparing.same(new.get(field), old.get(field)) for field in fields)
