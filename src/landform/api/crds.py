"""CustomResourceDefinitions of all kinds, for the cluster they are to be stored in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.api import schemas
from landform.api.catalog import KINDS

if TYPE_CHECKING:
    from landform.api.catalog import KindInfo

CATEGORY = "landform"
"""What `kubectl get landform` lists."""


def crds() -> list[dict[str, Any]]:
    """The definitions as ``apiextensions.k8s.io/v1`` manifests, one per kind; fresh on each call."""
    return [crd(info) for info in KINDS]


def crd(info: KindInfo) -> dict[str, Any]:
    """The definition of one kind."""
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{info.plural}.{info.group}"},
        "spec": {
            "group": info.group,
            "names": {
                "kind": info.kind,
                "listKind": f"{info.kind}List",
                "plural": info.plural,
                "singular": info.singular,
                "shortNames": list(info.short_names),
                "categories": [CATEGORY],
            },
            "scope": "Namespaced" if info.namespaced else "Cluster",
            "versions": [_version(info)],
        },
    }


def _version(info: KindInfo) -> dict[str, Any]:
    version: dict[str, Any] = {
        "name": info.version,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schemas.of_kind(info.struct)},
    }
    if info.status_subresource:
        version["subresources"] = {"status": {}}
    if info.columns:
        version["additionalPrinterColumns"] = [
            {"name": column.name, "type": column.type, "jsonPath": column.json_path} for column in info.columns
        ]
    return version
