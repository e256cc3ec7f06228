"""How an object that exists becomes what its manifest says; pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from landform.cluster.interface import PatchType
from landform.deployers.manifest.configuration import UpdateStrategy
from landform.kit import patches

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.cluster.resources import Unstructured

_OWN_METADATA: Final = ("name", "namespace", "labels", "annotations", "finalizers", "ownerReferences")
"""Metadata that manifests may say; the rest is the cluster's."""


@dataclass(frozen=True)
class Write:
    """What is to be sent."""

    body: Any
    patch: PatchType | None = None
    """None: the body replaces the object, if it still has the version that the body names."""


def write(strategy: str, live: Unstructured, wanted: Unstructured) -> Write | None:
    """What makes `live` as wanted; None if nothing is to be changed."""
    match strategy:
        case UpdateStrategy.PATCH:
            change = patches.diff(_own(live), _own(carried(live, wanted)))
            return Write(change, PatchType.MERGE) if change else None
        case UpdateStrategy.MERGE:
            return _replaced(live, filled(live, wanted))
        case UpdateStrategy.MERGE_OVERWRITE:
            return _replaced(live, overlaid(live, wanted))
        case UpdateStrategy.APPLY:
            return Write(wanted, PatchType.APPLY)
        case _:
            return Write(_versioned(live, carried(live, wanted)))


def insisting(live: Unstructured, write: Write) -> Write:
    """The same change in a form that does not mind what others write meanwhile."""
    if write.patch is not None:
        return write
    return Write(patches.diff(_own(live), _own(write.body)), PatchType.MERGE)


def filled(live: Any, wanted: Any) -> Any:
    """`live` with what is empty in it taken from `wanted`."""
    if isinstance(live, dict) and isinstance(wanted, dict):
        return {**live, **{name: filled(live.get(name), value) for name, value in wanted.items()}}
    return wanted if _is_empty(live) else live


def overlaid(live: Any, wanted: Any) -> Any:
    """`live` with everything that `wanted` says; lists are replaced as a whole."""
    if isinstance(live, dict) and isinstance(wanted, dict):
        return {**live, **{name: overlaid(live.get(name), value) for name, value in wanted.items()}}
    return wanted


def carried(live: Unstructured, wanted: Unstructured) -> Unstructured:
    """`wanted` with those values of `live` that the cluster gave and that may not be taken away again."""
    wanted = _with_annotations(live, wanted)
    api, kind = wanted.get("apiVersion"), wanted.get("kind")
    if (api, kind) == ("v1", "Service"):
        return _with_spec(live, wanted, "clusterIP", "clusterIPs")
    if (api, kind) == ("v1", "PersistentVolumeClaim"):
        return _with_spec(live, wanted, "volumeName", "storageClassName", "volumeMode")
    if (api, kind) == ("batch/v1", "Job"):
        return _job(live, _with_spec(live, wanted, "selector"))
    if (api, kind) == ("v1", "ServiceAccount") and not wanted.get("secrets") and live.get("secrets"):
        return {**wanted, "secrets": live["secrets"]}
    return wanted


def _with_annotations(live: Unstructured, wanted: Unstructured) -> Unstructured:
    """With the annotations of the cluster's own controllers, such as that of a claim that is bound."""
    said = wanted.get("metadata") or {}
    given, annotations = (live.get("metadata") or {}).get("annotations") or {}, said.get("annotations") or {}
    kept = {name: value for name, value in given.items() if name not in annotations and _is_the_clusters(name)}
    return {**wanted, "metadata": {**said, "annotations": {**annotations, **kept}}} if kept else wanted


def _is_the_clusters(annotation: str) -> bool:
    """Whether the domain of an annotation is reserved for the cluster itself; kubectl is a tool of people."""
    domain = annotation.partition("/")[0]
    return domain != "kubectl.kubernetes.io" and f".{domain}".endswith((".kubernetes.io", ".k8s.io"))


def _with_spec(live: Unstructured, wanted: Unstructured, *fields: str) -> Unstructured:
    given, spec = live.get("spec") or {}, wanted.get("spec") or {}
    kept = {field: given[field] for field in fields if field in given and not spec.get(field)}
    return {**wanted, "spec": {**spec, **kept}}


def _job(live: Unstructured, wanted: Unstructured) -> Unstructured:
    """The labels of the pods are those that the selector, which the cluster gave, asks for."""
    given = _labels_of_template(live)
    if not given:
        return wanted
    spec = wanted.get("spec") or {}
    template = spec.get("template") or {}
    metadata = template.get("metadata") or {}
    labels = {**given, **(metadata.get("labels") or {})}
    template = {**template, "metadata": {**metadata, "labels": labels}}
    return {**wanted, "spec": {**spec, "template": template}}


def _labels_of_template(job: Mapping[str, Any]) -> dict[str, str]:
    template = (job.get("spec") or {}).get("template") or {}
    return (template.get("metadata") or {}).get("labels") or {}


def _replaced(live: Unstructured, new: Unstructured) -> Write | None:
    return None if patches.same(live, new) else Write(_versioned(live, new))


def _versioned(live: Unstructured, new: Unstructured) -> Unstructured:
    version = (live.get("metadata") or {}).get("resourceVersion")
    return {**new, "metadata": {**(new.get("metadata") or {}), "resourceVersion": version}}


def _own(obj: Unstructured) -> Unstructured:
    """What a manifest may say of an object."""
    metadata = {name: value for name, value in (obj.get("metadata") or {}).items() if name in _OWN_METADATA}
    return {**{name: value for name, value in obj.items() if name != "status"}, "metadata": metadata}


def _is_empty(value: Any) -> bool:
    """As Go sees it."""
    return not value
