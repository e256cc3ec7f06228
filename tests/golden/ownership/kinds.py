"""The kinds that ownership scenarios use, and the custom one among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Kind:
    """Where objects of a kind are found and which fields a write cannot change."""

    api_version: str
    kind: str
    plural: str
    definition: str = ""
    """The name of a built-in kind's OpenAPI schema."""

    ignored: tuple[str, ...] = ()
    """Paths that a write to the object itself leaves alone."""

    ignored_by_status: tuple[str, ...] = ()
    """Paths that a write to the status leaves alone."""


KINDS = {
    "ConfigMap": Kind("v1", "ConfigMap", "configmaps", "io.k8s.api.core.v1.ConfigMap"),
    "Secret": Kind("v1", "Secret", "secrets", "io.k8s.api.core.v1.Secret"),
    "Service": Kind("v1", "Service", "services", "io.k8s.api.core.v1.Service", ("status",), ("spec",)),
    "Pod": Kind(
        "v1",
        "Pod",
        "pods",
        "io.k8s.api.core.v1.Pod",
        ("status",),
        ("spec", "metadata.deletionTimestamp", "metadata.ownerReferences"),
    ),
    "Deployment": Kind(
        "apps/v1",
        "Deployment",
        "deployments",
        "io.k8s.api.apps.v1.Deployment",
        ("status",),
        ("spec", "metadata.labels"),
    ),
    "Widget": Kind("golden.landform.test/v1", "Widget", "widgets", "", ("status",), ("spec",)),
}

_STRING = {"type": "string"}
_NAMED = {"type": "object", "properties": {"name": _STRING, "value": _STRING, "size": {"type": "integer"}}}

WIDGET_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "replicas": {"type": "integer"},
                "title": _STRING,
                "flag": {"type": "boolean"},
                "ratio": {"type": "number"},
                "mode": {"type": "string", "default": "plain"},
                "labels": {"type": "object", "additionalProperties": _STRING},
                "limits": {"x-kubernetes-int-or-string": True},
                "nested": {"type": "object", "properties": {"a": _STRING, "b": _STRING, "c": _NAMED}},
                "settings": {
                    "type": "object",
                    "additionalProperties": _STRING,
                    "x-kubernetes-map-type": "atomic",
                },
                "choice": {
                    "type": "object",
                    "properties": {"left": _STRING, "right": _STRING},
                    "x-kubernetes-map-type": "atomic",
                },
                "sizes": {"type": "array", "items": {"type": "integer"}},
                "tags": {"type": "array", "items": _STRING, "x-kubernetes-list-type": "set"},
                "numbers": {"type": "array", "items": {"type": "integer"}, "x-kubernetes-list-type": "set"},
                "parts": {
                    "type": "array",
                    "items": {**_NAMED, "required": ["name"]},
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                },
                "ports": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "port": {"type": "integer"},
                            "protocol": {"type": "string", "default": "TCP"},
                            "note": _STRING,
                        },
                        "required": ["port"],
                    },
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["port", "protocol"],
                },
                "groups": {"type": "object", "additionalProperties": _NAMED},
                "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                "anything": {"x-kubernetes-preserve-unknown-fields": True},
                "mixed": {
                    "type": "object",
                    "properties": {"known": _STRING, "inner": {"type": "object", "properties": {"x": _STRING}}},
                    "x-kubernetes-preserve-unknown-fields": True,
                },
                "maybe": {"type": "string", "nullable": True},
                "template": {
                    "type": "object",
                    "x-kubernetes-embedded-resource": True,
                    "x-kubernetes-preserve-unknown-fields": True,
                },
            },
        },
        "status": {
            "type": "object",
            "properties": {
                "phase": _STRING,
                "count": {"type": "integer"},
                "conditions": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {"type": _STRING, "status": _STRING},
                        "required": ["type"],
                    },
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["type"],
                },
            },
        },
    },
}


def _version(name: str, *, storage: bool) -> dict[str, Any]:
    return {
        "name": name,
        "served": True,
        "storage": storage,
        "schema": {"openAPIV3Schema": WIDGET_SCHEMA},
        "subresources": {"status": {}},
    }


WIDGET_DEFINITION: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.golden.landform.test"},
    "spec": {
        "group": "golden.landform.test",
        "names": {"kind": "Widget", "plural": "widgets"},
        "scope": "Namespaced",
        "versions": [_version("v1", storage=True), _version("v2", storage=False)],
    },
}
