"""By which labels and annotations everything that is made for an item is found again; pure.

The labels are those of the original Landscaper, and one more: names recur when an item is deleted and made again, the
token does not. A label holds no more than 63 characters, so longer names are cut and end in a digest. Annotations hold
the whole names, and the uid.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Final

from landform.deployers.programs.contract.identities import ItemId

if TYPE_CHECKING:
    from collections.abc import Mapping

GROUP: Final = "container.deployer.landscaper.gardener.cloud"
DEPLOYER_ID: Final = f"{GROUP}/deployer-id"
"""Label: the identity of the deployer."""

TYPE: Final = f"{GROUP}/type"
"""Label: what a Secret is for."""

NAME: Final = f"{GROUP}/name"
ITEM_NAME: Final = f"deployitem.{GROUP}/name"
"""Label and annotation: the item's name."""

ITEM_NAMESPACE: Final = f"deployitem.{GROUP}/namespace"
"""Label and annotation: the item's namespace."""

ITEM_GENERATION: Final = f"deployitem.{GROUP}/generation"
"""Label of a pod: the generation of the item that it was made for."""

ITEM_TOKEN: Final = f"deployitem.{GROUP}/token"
"""Label: the item's token. Objects of the original have none."""

ITEM_UID: Final = f"deployitem.{GROUP}/uid"
"""Annotation: the item's uid. Objects of the original have none."""

_LONGEST: Final = 63
_DIGEST: Final = 10
_LONGEST_IN_NAMES: Final = 40


def labels_of(item: ItemId, *, identity: str = "", type: str = "") -> dict[str, str]:
    """The labels of an object that is made for an item."""
    found = {NAME: value(item.name), **names(item), ITEM_TOKEN: item.token}
    if identity:
        found[DEPLOYER_ID] = value(identity)
    if type:
        found[TYPE] = type
    return found


def names(item: ItemId) -> dict[str, str]:
    """The labels by which the original lists what it made for an item."""
    return {ITEM_NAME: value(item.name), ITEM_NAMESPACE: value(item.namespace)}


def annotations_of(item: ItemId) -> dict[str, str]:
    """The annotations of an object that is made for an item."""
    return {ITEM_NAME: item.name, ITEM_NAMESPACE: item.namespace, ITEM_UID: item.uid}


def selector(selected: Mapping[str, str], *further: str) -> str:
    """A label selector for all these values, and for what else is asked."""
    return ",".join([*(f"{key}={wanted}" for key, wanted in selected.items()), *further])


def item_of(obj: Mapping[str, Any]) -> ItemId | None:
    """The item that an object was made for; None if it does not say, as those of the original."""
    said = (obj.get("metadata") or {}).get("annotations") or {}
    if not all(said.get(key) for key in (ITEM_NAME, ITEM_NAMESPACE, ITEM_UID)):
        return None
    return ItemId(said[ITEM_NAMESPACE], said[ITEM_NAME], said[ITEM_UID])


def object_name(item: ItemId, *what: str) -> str:
    """The name of an object that is made for an item: no other item has the same."""
    return "-".join([item.name[:_LONGEST_IN_NAMES].rstrip("-."), item.token, *what])


def value(text: str) -> str:
    """A text as the value of a label."""
    if len(text) <= _LONGEST:
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()[:_DIGEST]
    return f"{text[: _LONGEST - _DIGEST - 1].rstrip('-.')}-{digest}"
