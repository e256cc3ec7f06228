"""Imports of items in their older form: values in a Secret that `spec.import` names."""

from __future__ import annotations

import base64
import binascii
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import yaml

from landform.api.errors import OperationFailed
from landform.cluster.errors import NotFound
from landform.cluster.resources import SECRETS
from landform.kit import yamls

if TYPE_CHECKING:
    from landform.api.references import LocalSecretReference
    from landform.deployers.library import Item
    from landform.deployers.programs.orders.specifications import Specification

_OPERATION = "GatherInputs"


async def with_imports(item: Item, wanted: Specification) -> Specification:
    """What the item wants, with the values of its Secret if its configuration has none."""
    older = item.spec.import_
    if wanted.import_values is not None or older is None or older.secret_ref is None:
        return wanted
    return replace(wanted, import_values=await _values(item, older.secret_ref))


async def _values(item: Item, reference: LocalSecretReference) -> Any:
    name = f"secret {item.namespace}/{reference.name}, which spec.import of deploy item {item.key} names,"
    try:
        secret = await item.home.get(SECRETS, reference.name, namespace=item.namespace)
    except NotFound:
        raise OperationFailed(
            _OPERATION, "ImportNotFound", f"{name} does not exist; create it, or correct the name"
        ) from None
    entries: dict[str, str] = secret.get("data") or {}
    if not reference.key:
        return {key: _value(f"{name} cannot be read: its entry {key!r}", data) for key, data in entries.items()}
    if reference.key not in entries:
        raise OperationFailed(
            _OPERATION, "ImportNotFound", f"{name} has no key {reference.key!r}; add it, or correct the name"
        )
    return _value(f"{name} cannot be read: its entry {reference.key!r}", entries[reference.key])


def _value(what: str, data: str) -> Any:
    """An entry, which is YAML or JSON."""
    try:
        return yamls.load(base64.b64decode(data or "").decode())
    except (binascii.Error, UnicodeDecodeError):
        raise OperationFailed(_OPERATION, "ImportUnreadable", f"{what} is not text") from None
    except (yaml.YAMLError, ValueError):
        # What the parser says may quote the value.
        raise OperationFailed(_OPERATION, "ImportUnreadable", f"{what} is neither JSON nor YAML") from None
