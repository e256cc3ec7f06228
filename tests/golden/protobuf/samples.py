"""Objects with fields that decode in a way of their own."""

from __future__ import annotations

from typing import Any

from tests.golden.tables.samples import Sample

CONTAINER: dict[str, Any] = {
    "name": "a",
    "image": "a",
    "command": ["x", "-y"],
    "env": [
        {"name": "PLAIN", "value": ""},
        {"name": "SECRET", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k", "optional": False}}},
        {"name": "FIELD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        {"name": "CPU", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "1m"}}},
    ],
    "envFrom": [{"prefix": "P_", "configMapRef": {"name": "c"}}],
    "ports": [{"containerPort": 80, "hostPort": 0}],
    "resources": {"limits": {"cpu": "500m", "memory": "1Gi"}, "requests": {"cpu": "250m"}},
    "readinessProbe": {"httpGet": {"path": "/", "port": "http"}, "periodSeconds": 3},
    "livenessProbe": {"tcpSocket": {"port": 80}, "terminationGracePeriodSeconds": 5},
    "lifecycle": {"preStop": {"exec": {"command": ["true"]}}},
    "securityContext": {"allowPrivilegeEscalation": False, "runAsUser": 0, "capabilities": {"drop": ["ALL"]}},
    "volumeMounts": [{"name": "empty", "mountPath": "/e"}],
}

POD = {
    "containers": [CONTAINER],
    "automountServiceAccountToken": False,
    "terminationGracePeriodSeconds": 0,
    "enableServiceLinks": False,
    "securityContext": {"supplementalGroups": [1, 2, 4000000], "fsGroup": 0, "sysctls": []},
    "tolerations": [{"operator": "Exists", "tolerationSeconds": 0, "effect": "NoExecute"}],
    "affinity": {
        "podAntiAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {"weight": 1, "podAffinityTerm": {"topologyKey": "zone", "namespaceSelector": {}}}
            ]
        }
    },
    "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}],
    "volumes": [
        {"name": "empty", "emptyDir": {}},
        {"name": "sized", "emptyDir": {"sizeLimit": "1Mi"}},
        {"name": "config", "configMap": {"name": "c", "defaultMode": 0, "items": [{"key": "a", "path": "b"}]}},
        {"name": "host", "hostPath": {"path": "/", "type": ""}},
        {"name": "all", "projected": {"sources": [{"serviceAccountToken": {"path": "t", "expirationSeconds": 3600}}]}},
    ],
}

LABELED = {"metadata": {"labels": {"a": "b"}}, "spec": POD}

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "any": {"x-kubernetes-preserve-unknown-fields": True},
        "open": {"type": "object", "additionalProperties": True},
        "map": {"type": "object", "additionalProperties": {"type": "integer", "format": "int64"}},
        "list": {"type": "array", "items": {"type": "string"}, "maxItems": 0, "x-kubernetes-list-type": "set"},
        "limited": {"type": "number", "minimum": -1.5, "maximum": 2, "exclusiveMaximum": True, "multipleOf": 0.5},
        "choice": {"type": "string", "enum": ["a", "b"], "default": "a", "example": "b"},
        "structure": {"type": "object", "default": {"x": [1, None]}, "x-kubernetes-preserve-unknown-fields": True},
        "port": {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]},
        "ruled": {"type": "integer", "x-kubernetes-validations": [{"rule": "self > 1", "message": "more"}]},
    },
}

RARE = [
    Sample("rare-pod", "/api/v1/namespaces/default/pods", {"spec": POD}),
    Sample(
        "rare-deployment",
        "/apis/apps/v1/namespaces/default/deployments",
        {
            "spec": {
                "replicas": 0,
                "paused": True,
                "selector": {"matchLabels": {"a": "b"}},
                "strategy": {"rollingUpdate": {"maxSurge": "30%", "maxUnavailable": 0}},
                "template": LABELED,
            }
        },
    ),
    Sample(
        "rare-secret",
        "/api/v1/namespaces/default/secrets",
        {"data": {"binary": "AP8=", "empty": ""}, "immutable": False, "type": "example.com/x"},
        metadata={
            "labels": {"a": ""},
            "annotations": {"a": "ß"},
            "ownerReferences": [
                {"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "u", "blockOwnerDeletion": False}
            ],
            "finalizers": ["example.com/a", "example.com/b"],
        },
    ),
    Sample(
        "rare-claim",
        "/api/v1/namespaces/default/persistentvolumeclaims",
        {
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "storageClassName": "",
                "resources": {"requests": {"storage": "1500M"}},
            }
        },
    ),
    Sample(
        "rare-definition",
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        {
            "spec": {
                "group": "rare.example.com",
                "names": {"plural": "rares", "kind": "Rare"},
                "scope": "Cluster",
                "versions": [
                    {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": SCHEMA}},
                    {"name": "v2", "served": False, "storage": False, "schema": {"openAPIV3Schema": SCHEMA}},
                ],
            }
        },
        metadata={"name": "rares.rare.example.com"},
    ),
    Sample(
        "rare-lease",
        "/apis/coordination.k8s.io/v1/namespaces/default/leases",
        {
            "spec": {
                "holderIdentity": "",
                "leaseDurationSeconds": 15,
                "renewTime": "2026-01-02T03:04:05.678901Z",
                "acquireTime": "1969-12-31T23:59:59.500000Z",
                "leaseTransitions": 0,
            }
        },
    ),
    Sample(
        "rare-policy",
        "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies",
        {
            "spec": {
                "podSelector": {},
                "ingress": [
                    {"ports": [{"port": "http"}, {"port": 1, "endPort": 2}], "from": [{"namespaceSelector": {}}]}
                ],
                "egress": [{}],
            }
        },
    ),
    Sample(
        "rare-webhook",
        "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
        {
            "webhooks": [
                {
                    "name": "a.example.com",
                    "clientConfig": {"service": {"name": "s", "namespace": "n", "port": 443}, "caBundle": ""},
                    "rules": [{"operations": ["*"], "apiGroups": [""], "apiVersions": ["*"], "resources": ["pods"]}],
                    "sideEffects": "None",
                    "admissionReviewVersions": ["v1"],
                    "namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "Exists"}]},
                    "timeoutSeconds": 1,
                }
            ]
        },
    ),
]
