"""Exported values: a Secret that belongs to the item, written only when they change."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from landform.api import jobs, scopes
from landform.api.errors import OperationFailed
from landform.api.names import Annotation
from landform.api.references import ObjectReference
from landform.cluster.codec import key_of
from landform.cluster.errors import AlreadyExists
from landform.cluster.kinds import DEPLOY_ITEMS
from landform.cluster.resources import SECRETS, ObjectKey
from landform.kit import clocks
from landform.runtime.intents import Create, Patch

if TYPE_CHECKING:
    from datetime import datetime

    from landform.api.deployitems import DeployItem
    from landform.cluster.resources import Unstructured
    from landform.deployers.library.reading import Reading
    from landform.runtime.intents import Hands

KEY = "config"
"""Where in the Secret the values are, as one JSON object."""


@dataclass(frozen=True)
class Exported:
    """What an item exports, as it was seen."""

    values: Any = field(repr=False)
    secret: Unstructured = field(repr=False)


def secret_key(item: DeployItem) -> ObjectKey:
    """The Secret of the item's exports: the one it has, or the one it gets."""
    reference = item.status.export_ref
    name = reference.name if reference is not None else scopes.companion_name(item.metadata.name or "", "export")
    return ObjectKey(item.metadata.namespace or "", name)


def belongs_to(secret: Unstructured, item: DeployItem) -> bool:
    """Whether the Secret is the item's own."""
    owners = (secret.get("metadata") or {}).get("ownerReferences") or ()
    return any(owner.get("uid") == item.metadata.uid for owner in owners)


async def write(hands: Hands, reading: Reading, item: DeployItem, values: Any, root: ObjectKey) -> ObjectReference:
    """Have the item's Secret hold the values of its job; the reference to it."""
    key, data = secret_key(item), _data(values)
    known = reading.secrets.get(key)
    if known is None:
        try:
            await Create(SECRETS, _secret(key, item, data)).perform(hands, root)
            return ObjectReference(name=key.name, namespace=key.namespace)
        except AlreadyExists:
            known = await reading.cluster.get(SECRETS, key.name, namespace=key.namespace)
    if not belongs_to(known, item):
        raise OperationFailed(
            "CreateOrUpdateExportReference",
            "ForeignSecret",
            f"secret {key}, which would hold the exports of deploy item {key_of(item)}, belongs to someone else;"
            " remove it, or rename the deploy item",
        )
    if jobs.is_pass(item.status.job_id):
        # No job publishes what a scheduled pass exports, so it is as if it had come late.
        await renew(hands, Exported(None, known), values, root, hands.surroundings.clock.now())
    else:
        await _replace(hands, known, data, root)
    return ObjectReference(name=key.name, namespace=key.namespace)


async def _replace(hands: Hands, known: Unstructured, data: dict[str, str], root: ObjectKey) -> None:
    change: dict[str, Any] = {"data": data}
    if _is_renewed(known) and Patch(SECRETS, known, change).changes_anything():
        change["metadata"] = {"annotations": {str(Annotation.EXPORTS_RENEWED): None}}
    await Patch(SECRETS, known, change).perform(hands, root)


def read(reading: Reading, item: DeployItem) -> Exported | None:
    """What the item exports, as far as the cache knows it; None if it exports nothing, or nothing readable."""
    secret = reading.secrets.get(secret_key(item)) if item.status.export_ref is not None else None
    if secret is None or not belongs_to(secret, item):
        return None
    try:
        return Exported(msgspec.json.decode(base64.b64decode((secret.get("data") or {}).get(KEY, ""))), secret)
    except (binascii.Error, ValueError):
        return None


async def renew(hands: Hands, seen: Exported, values: Any, root: ObjectKey, now: datetime) -> bool:
    """Have the Secret hold other values than those that were seen, in one write that says so; whether they are other.

    Conflict if the Secret has changed since it was seen.
    """
    change: dict[str, Any] = {"data": _data(values)}
    if not Patch(SECRETS, seen.secret, change).changes_anything():
        return False
    change["metadata"] = {"annotations": {str(Annotation.EXPORTS_RENEWED): clocks.rfc3339(now)}}
    await Patch(SECRETS, seen.secret, change).perform(hands, root)
    return True


def _data(values: Any) -> dict[str, str]:
    return {KEY: base64.b64encode(msgspec.json.encode(values, order="deterministic")).decode()}


def _is_renewed(secret: Unstructured) -> bool:
    return Annotation.EXPORTS_RENEWED in ((secret.get("metadata") or {}).get("annotations") or {})


def _secret(key: ObjectKey, item: DeployItem, data: dict[str, str]) -> Unstructured:
    owner = {
        "apiVersion": DEPLOY_ITEMS.api_version,
        "kind": DEPLOY_ITEMS.kind,
        "name": item.metadata.name,
        "uid": item.metadata.uid,
    }
    return {
        "apiVersion": SECRETS.api_version,
        "kind": SECRETS.kind,
        "metadata": {"name": key.name, "namespace": key.namespace, "ownerReferences": [owner]},
        "type": "Opaque",
        "data": data,
    }
