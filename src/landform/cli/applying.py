"""Applying: manifests sent to a cluster, and the jobs of Installations started with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from landform.api.names import Annotation, Label, Operation
from landform.api.structs import API_VERSION
from landform.cli.suggestions import perhaps
from landform.cluster.codec import metadata
from landform.cluster.errors import ApiError, ClusterError
from landform.cluster.interface import PatchType, WriteOptions
from landform.cluster.resources import ObjectKey
from landform.insight.endings import Awaited

if TYPE_CHECKING:
    from collections.abc import Sequence

    from landform.cli.manifests import Manifest
    from landform.cluster import Cluster, Resource, Unstructured

MANAGER = "landform"
"""Who owns the applied fields."""


@dataclass(frozen=True)
class How:
    """How manifests are applied."""

    namespace: str
    """Of objects that name none."""

    force: bool = False
    """Take over fields that others own."""

    starts_jobs: bool = True
    """Have root Installations run."""

    is_quiet: bool = False
    """Say nothing of what was applied: programs read the output."""


async def apply_all(cluster: Cluster, manifests: Sequence[Manifest], how: How) -> list[Awaited]:
    """Create or change all objects and say so; those Installations whose jobs were started by it."""
    started = [await _apply(cluster, manifest, how) for manifest in manifests]
    return [awaited for awaited in started if awaited is not None]


async def _apply(cluster: Cluster, manifest: Manifest, how: How) -> Awaited | None:
    resource = await _resource_of(cluster, manifest)
    name = manifest.obj["metadata"]["name"]
    namespace = manifest.obj["metadata"].get("namespace", how.namespace) if resource.namespaced else ""
    starts = how.starts_jobs and _is_root_installation(manifest.obj)
    obj = _asking_for_a_job(manifest.obj) if starts else manifest.obj
    options = WriteOptions(field_manager=MANAGER, force=how.force, field_validation="Strict")
    try:
        applied = await cluster.patch(resource, name, obj, namespace=namespace, type=PatchType.APPLY, options=options)
    except ApiError as error:
        raise ClusterError(f"{manifest.place}: {resource.kind} {name}: {error}") from error
    if not how.is_quiet:
        click.echo(f"{resource.plural}/{name} applied{' and started' if starts else ''}")
    # What asks for the job was written just now, so the job that the answer has is an earlier one.
    last_job = (applied.get("status") or {}).get("jobID") or ""
    return Awaited(ObjectKey(namespace, name), metadata(applied).uid, last_job) if starts else None


async def _resource_of(cluster: Cluster, manifest: Manifest) -> Resource[Unstructured]:
    """The resource of an object; asked anew each time, since an earlier document may have defined it."""
    obj = manifest.obj
    known = await cluster.discover()
    for resource in known:
        if resource.api_version == obj["apiVersion"] and resource.kind == obj["kind"]:
            return resource
    others = sorted({each.api_version for each in known if each.kind == obj["kind"]})
    hint = f"; it is one of {', '.join(others)}" if others else perhaps(obj["kind"], (each.kind for each in known))
    raise ClusterError(
        f"{manifest.place}: the cluster does not know the kind {obj['kind']} of {obj['apiVersion']}{hint}"
    )


def _is_root_installation(obj: Unstructured) -> bool:
    """Whether an object is an Installation that can be asked for a job: parents start their children themselves."""
    if (obj["apiVersion"], obj["kind"]) != (API_VERSION, "Installation"):
        return False
    said = obj["metadata"]
    return not said.get("ownerReferences") and Label.ENCOMPASSED_BY not in (said.get("labels") or {})


def _asking_for_a_job(obj: Unstructured) -> Unstructured:
    annotations = {**(obj["metadata"].get("annotations") or {}), str(Annotation.OPERATION): str(Operation.RECONCILE)}
    return {**obj, "metadata": {**obj["metadata"], "annotations": annotations}}
