"""Events: each stands beside the object it tells of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.embedded.schemas import causes
from landform.embedded.strategies.strategy import Object, Strategy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from landform.cluster.errors import Cause

_FOR_CLUSTER_OBJECTS = "default"
"""The namespace of events about objects that have none."""


def _check(obj: Object, old: Object | None) -> Iterator[Cause]:
    about = obj.get("regarding") or obj.get("involvedObject") or {}  # the first is the name in events.k8s.io
    namespace = about.get("namespace") or ""
    if (namespace or _FOR_CLUSTER_OBJECTS) != obj["metadata"].get("namespace"):
        yield causes.invalid("involvedObject.namespace", namespace, "does not match event.namespace")


STRATEGY = Strategy(check=_check)
