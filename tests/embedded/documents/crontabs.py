"""A CustomResourceDefinition with something of everything, for tests."""

from __future__ import annotations

from typing import Any


def crontabs() -> dict[str, Any]:
    """The definition ``crontabs.stable.example.com``, as its author would write it."""
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "crontabs.stable.example.com"},
        "spec": {
            "group": "stable.example.com",
            "scope": "Namespaced",
            "names": {"plural": "crontabs", "kind": "CronTab", "shortNames": ["ct"], "categories": ["all"]},
            "versions": [
                _version("v1beta1", served=True, deprecated=True),
                _version("v1", served=True, storage=True) | {"additionalPrinterColumns": COLUMNS},
                _version("v1alpha1", served=False),
            ],
        },
    }


COLUMNS: list[dict[str, Any]] = [
    {"name": "Spec", "type": "string", "jsonPath": ".spec.cronSpec", "description": "The schedule."},
    {"name": "Replicas", "type": "integer", "jsonPath": ".spec.replicas"},
    {"name": "Ratio", "type": "number", "jsonPath": ".spec.ratio", "format": "double"},
    {"name": "Paused", "type": "boolean", "jsonPath": ".spec.paused"},
    {"name": "Ran", "type": "date", "jsonPath": ".status.lastRun"},
    {"name": "Image", "type": "string", "jsonPath": ".spec.image", "priority": 1},
    {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
]


def _version(name: str, *, served: bool, storage: bool = False, deprecated: bool = False) -> dict[str, Any]:
    version: dict[str, Any] = {
        "name": name,
        "served": served,
        "storage": storage,
        "schema": {"openAPIV3Schema": _schema()},
        "subresources": {
            "status": {},
            "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"},
        },
        "selectableFields": [{"jsonPath": ".spec.image"}],
    }
    return version | ({"deprecated": True} if deprecated else {})


def _schema() -> dict[str, Any]:
    return {
        "type": "object",
        "description": "CronTab runs things.",
        "properties": {
            "metadata": {"type": "object", "properties": {"name": {"type": "string", "maxLength": 20}}},
            "spec": {
                "type": "object",
                "description": "What to run.",
                "required": ["cronSpec"],
                "properties": {
                    "cronSpec": {"type": "string", "description": "When to run.", "pattern": "^.+$"},
                    "replicas": {"type": "integer", "default": 1, "minimum": 0},
                    "ratio": {"type": "number"},
                    "paused": {"type": "boolean", "nullable": True},
                    "image": {"type": "string", "enum": ["a", "b"]},
                    "port": {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]},
                    "extra": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                    "hosts": {
                        "type": "array",
                        "items": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
                        "x-kubernetes-list-type": "map",
                        "x-kubernetes-list-map-keys": ["name"],
                    },
                },
            },
            "status": {
                "type": "object",
                "properties": {
                    "replicas": {"type": "integer"},
                    "lastRun": {"type": "string", "format": "date-time"},
                },
            },
        },
    }
