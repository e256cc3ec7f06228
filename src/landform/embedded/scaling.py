"""The scale subresource: an object's number of replicas, whatever its kind. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.cluster.errors import BadRequest
from landform.embedded.access.bodies import invalid
from landform.embedded.schemas import causes

if TYPE_CHECKING:
    from landform.embedded.catalog import ResourceType

Object = dict[str, Any]


def scale_of(type_: ResourceType, obj: Object) -> Object:
    """The Scale that shows an object's replicas."""
    paths = _paths(type_)
    meta = obj["metadata"]
    shown = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
    status: Object = {"replicas": _at(obj, paths.get("statusReplicasPath", "")) or 0}
    selector = _at(obj, paths.get("labelSelectorPath", ""))
    if isinstance(selector, dict):
        labels = selector.get("matchLabels", selector)
        selector = ",".join(f"{key}={value}" for key, value in sorted(labels.items()) if isinstance(value, str))
    if selector:
        status["selector"] = selector
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {field: meta[field] for field in shown if field in meta},
        "spec": {"replicas": replicas} if (replicas := _at(obj, paths["specReplicasPath"])) else {},
        "status": status,
    }


def scaled(type_: ResourceType, obj: Object, scale: Any) -> Object:
    """The object with the replicas that a Scale asks for."""
    replicas = (scale.get("spec") or {}).get("replicas", 0) if isinstance(scale, dict) else None
    if not isinstance(replicas, int) or isinstance(replicas, bool):
        raise BadRequest("spec.replicas of a Scale must be a whole number")
    if replicas < 0:
        raise invalid(
            "autoscaling",
            "Scale",
            obj["metadata"]["name"],
            [causes.invalid("spec.replicas", replicas, "must be greater than or equal to 0")],
        )
    *parents, last = _steps(_paths(type_)["specReplicasPath"])
    new = dict(obj)
    place = new
    for step in parents:
        place[step] = dict(place.get(step) or {})
        place = place[step]
    place[last] = replicas
    asked = scale.get("metadata") or {}
    if asked.get("resourceVersion"):
        new["metadata"] = {**obj["metadata"], "resourceVersion": asked["resourceVersion"]}
    return new


def _paths(type_: ResourceType) -> dict[str, str]:
    if type_.scale is None:
        raise BadRequest(f"{type_.group_resource} has no scale")
    return dict(type_.scale)


def _steps(path: str) -> list[str]:
    return path.strip(".").split(".")


def _at(obj: Object, path: str) -> Any:
    value: Any = obj
    for step in _steps(path) if path else ():
        value = value.get(step) if isinstance(value, dict) else None
    return value if path else None
