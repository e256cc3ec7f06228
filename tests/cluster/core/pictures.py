"""What a namespace looks like, without what differs from one run to the next: names from uids, jobs, times."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from landform.api import executions
from landform.cluster import codec
from landform.cluster.kinds import DATA_OBJECTS, DEPLOY_ITEMS, EXECUTIONS, INSTALLATIONS, TARGETS
from landform.cluster.resources import SECRETS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.cluster.interface import Cluster
    from landform.cluster.resources import Resource

_DOMAIN = "landscaper.gardener.cloud"
_PART = f"{_DOMAIN}/subinstallation-name"
_PARENT = f"{_DOMAIN}/encompassed-by"
_EXECUTION = f"execution.{_DOMAIN}/managed-by"
_ITEM = f"execution.{_DOMAIN}/name"
_DATA = f"data.{_DOMAIN}/"

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_JOB = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_PASSING = ("uid", "resourceVersion", "managedFields", "creationTimestamp", "identity")
_KUBECTL = "kubectl.kubernetes.io/last-applied-configuration"


async def picture(cluster: Cluster, namespace: str) -> dict[str, Any]:
    """All objects that an engine writes, by kind and lasting name."""
    objects = await _objects(cluster, namespace)
    names = _lasting_names(objects)
    drawn = (_drawn(obj, names) for obj in objects)
    return {f"{obj['kind']} {obj['metadata']['name']}": obj for obj in drawn}


async def _objects(cluster: Cluster, namespace: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    resources: list[Resource[Any]] = [INSTALLATIONS, EXECUTIONS, DEPLOY_ITEMS, DATA_OBJECTS, TARGETS, SECRETS]
    for resource in resources:
        for obj in (await cluster.list(resource, namespace=namespace)).items:
            plain = obj if isinstance(obj, dict) else json.loads(codec.encode(obj))
            found.append({**plain, "kind": resource.kind})
            if resource is EXECUTIONS:
                items = json.loads(executions.inflate(plain["spec"]["deployItemsCompressed"]))
                found[-1]["spec"] = {**plain["spec"], "deployItemsCompressed": items}
    return found


def _lasting_names(objects: list[dict[str, Any]]) -> Mapping[str, str]:
    """What stands for each name that follows from a uid."""
    parts = {obj["metadata"]["name"]: obj["metadata"] for obj in objects if _PART in _annotations(obj)}

    def lasting(name: str) -> str:
        metadata = parts.get(name)
        if metadata is None:
            return name
        return f"{lasting(metadata['labels'][_PARENT])}/{metadata['annotations'][_PART]}"

    names = {name: lasting(name) for name in parts}
    for obj in objects:
        labels = obj["metadata"].get("labels", {})
        if obj["kind"] == DEPLOY_ITEMS.kind:
            names[obj["metadata"]["name"]] = f"{lasting(labels[_EXECUTION])}/{labels[_ITEM]}"
        elif f"{_DATA}context" in labels:
            kind, _, name = labels[f"{_DATA}context"].partition(".")
            elements = [labels.get(f"{_DATA}{label}", "") for label in ("key", "index", "targetmapkey")]
            names[obj["metadata"]["name"]] = f"<{kind} {lasting(name)} {' '.join(elements)}>"
    return names


def _annotations(obj: dict[str, Any]) -> dict[str, str]:
    found: dict[str, str] = obj["metadata"].get("annotations", {})
    return found


def _drawn(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        kept = {key: entry for key, entry in value.items() if key not in (*_PASSING, _KUBECTL)}
        return {key: _drawn(entry, names) for key, entry in kept.items()}
    if isinstance(value, list):
        return [_drawn(entry, names) for entry in value]
    return _said(value, names) if isinstance(value, str) else value


def _said(text: str, names: Mapping[str, str]) -> str:
    text = _JOB.sub("JOB", _TIME.sub("TIME", text))
    for name in sorted(names, key=len, reverse=True):
        if name in text:
            text = text.replace(name, names[name])
    return text
