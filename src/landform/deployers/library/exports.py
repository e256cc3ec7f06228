"""Exported values: a Secret that belongs to the item, written only when they change."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import msgspec

from landform.api.errors import OperationFailed
from landform.api.references import ObjectReference
from landform.cluster.codec import key_of
from landform.cluster.errors import AlreadyExists
from landform.cluster.kinds import DEPLOY_ITEMS
from landform.cluster.resources import SECRETS, ObjectKey
from landform.runtime.intents import Create, Patch

if TYPE_CHECKING:
    from landform.api.deployitems import DeployItem
    from landform.cluster.resources import Unstructured
    from landform.deployers.library.reading import Reading
    from landform.runtime.intents import Hands

KEY = "config"
"""Where in the Secret the values are, as one JSON object."""


def secret_key(item: DeployItem) -> ObjectKey:
    """The Secret of the item's exports: the one it has, or the one it gets."""
    reference = item.status.export_ref
    name = reference.name if reference is not None else f"{item.metadata.name}-export"
    return ObjectKey(item.metadata.namespace or "", name)


def belongs_to(secret: Unstructured, item: DeployItem) -> bool:
    """Whether the Secret is the item's own."""
    owners = (secret.get("metadata") or {}).get("ownerReferences") or ()
    return any(owner.get("uid") == item.metadata.uid for owner in owners)


async def write(hands: Hands, reading: Reading, item: DeployItem, values: Any, root: ObjectKey) -> ObjectReference:
    """Have the item's Secret hold the values; the reference to it."""
    key = secret_key(item)
    data = {KEY: base64.b64encode(msgspec.json.encode(values, order="deterministic")).decode()}
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
    await Patch(SECRETS, known, {"data": data}).perform(hands, root)
    return ObjectReference(name=key.name, namespace=key.namespace)


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
