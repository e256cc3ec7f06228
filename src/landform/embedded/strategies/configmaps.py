"""ConfigMaps: text and bytes under keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.embedded.schemas import causes
from landform.embedded.strategies import keyed_data
from landform.embedded.strategies.strategy import Object, Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from landform.cluster.errors import Cause

_WHOLE = "[]"
"""How the API server names the place of a fault that concerns the whole object."""


def _check(obj: Object, old: Object | None) -> Iterator[Cause]:
    texts, binaries = obj.get("data") or {}, obj.get("binaryData") or {}
    yield from keyed_data.check_keys(texts, "data")
    for key in texts.keys() & binaries.keys():
        yield causes.invalid(f"data[{key}]", key, "duplicate of key present in binaryData")
    yield from keyed_data.check_keys(binaries, "binaryData")
    yield from keyed_data.check_size(keyed_data.text_size(texts) + keyed_data.decoded_size(binaries), _WHOLE)
    yield from keyed_data.check_immutable(obj, old, ("data", "binaryData"))


STRATEGY = Strategy(check=_check)
