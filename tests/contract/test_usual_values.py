"""What the API server fills into objects of its own kinds where their author left something out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from landform.cluster.interface import PatchType, WriteOptions
from landform.cluster.resources import SERVICE_ACCOUNTS, untyped

if TYPE_CHECKING:
    from landform.cluster.interface import Cluster
    from landform.cluster.resources import Unstructured

SELECTOR = {"matchLabels": {"app": "web"}}
HTTP_GET = {"port": 80}
TEMPLATE: Unstructured = {
    "metadata": {"labels": {"app": "web"}},
    "spec": {
        "initContainers": [{"name": "first", "image": "registry.test:5000/first"}],
        "containers": [
            {
                "name": "web",
                "image": "web:1",
                "ports": [{"containerPort": 80}],
                "readinessProbe": {"httpGet": HTTP_GET},
                "lifecycle": {"preStop": {"httpGet": HTTP_GET}},
                "env": [{"name": "NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
            },
            {"name": "newest", "image": "other:latest", "imagePullPolicy": "Never"},
        ],
        "volumes": [
            {"name": "nowhere"},
            {"name": "here", "hostPath": {"path": "/x"}},
            {"name": "secret", "secret": {"secretName": "s"}},
            {"name": "config", "configMap": {"name": "c", "defaultMode": 0o600}},
            {"name": "token", "projected": {"sources": [{"serviceAccountToken": {"path": "x"}}]}},
            {"name": "self", "downwardAPI": {"items": [{"path": "x", "fieldRef": {"fieldPath": "metadata.name"}}]}},
        ],
    },
}
JOB_TEMPLATE = {**TEMPLATE, "spec": {**TEMPLATE["spec"], "restartPolicy": "Never"}}
CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
WEBHOOK = {
    "name": "check.landform.test",
    "sideEffects": "None",
    "admissionReviewVersions": ["v1"],
    "clientConfig": {"service": {"name": "hook", "namespace": "nowhere"}},
    "rules": [{"operations": ["CREATE"], "apiGroups": ["x.test"], "apiVersions": ["v1"], "resources": ["ys"]}],
}
CLIENT_IP = {"clientIP": {"timeoutSeconds": 10800}}

FILLED_CONTAINER = {
    "resources": {},
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
}
FILLED_TEMPLATE = {
    "spec": {
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
        "dnsPolicy": "ClusterFirst",
        "securityContext": {},
        "schedulerName": "default-scheduler",
        "initContainers": [{**FILLED_CONTAINER, "imagePullPolicy": "Always"}],
        "containers": [
            {
                **FILLED_CONTAINER,
                "imagePullPolicy": "IfNotPresent",
                "ports": [{"protocol": "TCP"}],
                "readinessProbe": {
                    "httpGet": {"path": "/", "port": 80, "scheme": "HTTP"},
                    "timeoutSeconds": 1,
                    "periodSeconds": 10,
                    "successThreshold": 1,
                    "failureThreshold": 3,
                },
                "lifecycle": {"preStop": {"httpGet": {"path": "/", "port": 80, "scheme": "HTTP"}}},
                "env": [{"valueFrom": {"fieldRef": {"apiVersion": "v1"}}}],
            },
            {**FILLED_CONTAINER, "imagePullPolicy": "Never"},
        ],
        "volumes": [
            {"emptyDir": {}},
            {"hostPath": {"type": ""}},
            {"secret": {"defaultMode": 0o644}},
            {"configMap": {"defaultMode": 0o600}},
            {"projected": {"defaultMode": 0o644, "sources": [{"serviceAccountToken": {"expirationSeconds": 3600}}]}},
            {"downwardAPI": {"defaultMode": 0o644, "items": [{"fieldRef": {"apiVersion": "v1"}}]}},
        ],
    }
}
FILLED_JOB_TEMPLATE = {"spec": {**FILLED_TEMPLATE["spec"], "restartPolicy": "Never"}}
FILLED_WEBHOOK = {
    "failurePolicy": "Fail",
    "matchPolicy": "Equivalent",
    "namespaceSelector": {},
    "objectSelector": {},
    "timeoutSeconds": 10,
    "clientConfig": {"service": {"port": 443}},
    "rules": [{"scope": "*"}],
}
ROLLING = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"}}

NAMESPACED: dict[str, tuple[str, Unstructured, Unstructured]] = {
    "pod": (
        "v1 Pod pods",
        {"spec": {"containers": [{"name": "web", "image": "web"}]}},
        {
            "metadata": {"generation": 1},
            "spec": {
                "restartPolicy": "Always",
                "enableServiceLinks": True,
                "containers": [{**FILLED_CONTAINER, "imagePullPolicy": "Always"}],
            },
            "status": {"phase": "Pending"},
        },
    ),
    "service-of-nobody": (
        "v1 Service services",
        {"spec": {"clusterIP": "None", "ports": [{"port": 80}]}},
        {
            "spec": {
                "type": "ClusterIP",
                "sessionAffinity": "None",
                "clusterIPs": ["None"],
                "internalTrafficPolicy": "Cluster",
                "ports": [{"port": 80, "protocol": "TCP", "targetPort": 80}],
            },
            "status": {"loadBalancer": {}},
        },
    ),
    "service-elsewhere": (
        "v1 Service services",
        {"spec": {"type": "ExternalName", "externalName": "a.test"}},
        {"spec": {"type": "ExternalName", "sessionAffinity": "None", "internalTrafficPolicy": None}},
    ),
    "service-on-nodes": (
        "v1 Service services",
        {
            "spec": {
                "type": "NodePort",
                "sessionAffinity": "ClientIP",
                "ports": [{"port": 80, "targetPort": "http", "protocol": "UDP"}],
            }
        },
        {
            "spec": {
                "sessionAffinityConfig": CLIENT_IP,
                "internalTrafficPolicy": "Cluster",
                "externalTrafficPolicy": "Cluster",
                "ports": [{"protocol": "UDP", "targetPort": "http"}],
            }
        },
    ),
    "service-behind-a-balancer": (
        "v1 Service services",
        {"spec": {"type": "LoadBalancer", "ports": [{"port": 80}]}},
        {"spec": {"externalTrafficPolicy": "Cluster", "allocateLoadBalancerNodePorts": True}},
    ),
    "claim": (
        "v1 PersistentVolumeClaim persistentvolumeclaims",
        {"spec": CLAIM},
        {"spec": {"volumeMode": "Filesystem"}, "status": {"phase": "Pending"}},
    ),
    "replica-set": (
        "apps/v1 ReplicaSet replicasets",
        {"spec": {"selector": SELECTOR, "template": TEMPLATE}},
        {"spec": {"replicas": 1, "template": FILLED_TEMPLATE}, "status": {"replicas": 0}},
    ),
    "deployment": (
        "apps/v1 Deployment deployments",
        {"spec": {"selector": SELECTOR, "template": TEMPLATE}},
        {
            "metadata": {"generation": 1},
            "spec": {
                "replicas": 1,
                "strategy": ROLLING,
                "revisionHistoryLimit": 10,
                "progressDeadlineSeconds": 600,
                "template": FILLED_TEMPLATE,
            },
            "status": {},
        },
    ),
    "deployment-with-a-part-of-a-strategy": (
        "apps/v1 Deployment deployments",
        {"spec": {"selector": SELECTOR, "template": TEMPLATE, "strategy": {"rollingUpdate": {"maxSurge": 2}}}},
        {"spec": {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": 2}}}},
    ),
    "deployment-with-another-strategy": (
        "apps/v1 Deployment deployments",
        {"spec": {"selector": SELECTOR, "template": TEMPLATE, "replicas": 0, "strategy": {"type": "Recreate"}}},
        {"spec": {"replicas": 0, "strategy": {"type": "Recreate", "rollingUpdate": None}}},
    ),
    "stateful-set": (
        "apps/v1 StatefulSet statefulsets",
        {
            "spec": {
                "selector": SELECTOR,
                "serviceName": "web",
                "template": TEMPLATE,
                "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": CLAIM}],
            }
        },
        {
            "spec": {
                "replicas": 1,
                "podManagementPolicy": "OrderedReady",
                "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}},
                "revisionHistoryLimit": 10,
                "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain", "whenScaled": "Retain"},
                "volumeClaimTemplates": [
                    {
                        "apiVersion": "v1",
                        "kind": "PersistentVolumeClaim",
                        "spec": {"volumeMode": "Filesystem"},
                        "status": {"phase": "Pending"},
                    }
                ],
                "template": FILLED_TEMPLATE,
            },
            "status": {"replicas": 0, "availableReplicas": 0},
        },
    ),
    "daemon-set": (
        "apps/v1 DaemonSet daemonsets",
        {"spec": {"selector": SELECTOR, "template": TEMPLATE}},
        {
            "spec": {
                "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}},
                "revisionHistoryLimit": 10,
                "template": FILLED_TEMPLATE,
            },
            "status": {"numberReady": 0},
        },
    ),
    "job": (
        "batch/v1 Job jobs",
        {"spec": {"template": JOB_TEMPLATE}},
        {
            "spec": {
                "completions": 1,
                "parallelism": 1,
                "backoffLimit": 6,
                "completionMode": "NonIndexed",
                "suspend": False,
                "template": FILLED_JOB_TEMPLATE,
            },
            "status": {},
        },
    ),
    "job-in-parallel": (
        "batch/v1 Job jobs",
        {"spec": {"template": JOB_TEMPLATE, "parallelism": 2}},
        {"spec": {"completions": None, "parallelism": 2}},
    ),
    "cron-job": (
        "batch/v1 CronJob cronjobs",
        {"spec": {"schedule": "0 0 * * *", "jobTemplate": {"spec": {"template": JOB_TEMPLATE}}}},
        {
            "spec": {
                "concurrencyPolicy": "Allow",
                "suspend": False,
                "successfulJobsHistoryLimit": 3,
                "failedJobsHistoryLimit": 1,
                "jobTemplate": {"spec": {"completions": None, "template": FILLED_JOB_TEMPLATE}},
            }
        },
    ),
    "autoscaler": (
        "autoscaling/v2 HorizontalPodAutoscaler horizontalpodautoscalers",
        {"spec": {"maxReplicas": 3, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}}},
        {"metadata": {"generation": None}, "spec": {"minReplicas": 1}, "status": {"desiredReplicas": 0}},
    ),
    "endpoint-slice": (
        "discovery.k8s.io/v1 EndpointSlice endpointslices",
        {"addressType": "IPv4", "endpoints": [{"addresses": ["1.2.3.4"]}], "ports": [{"port": 80}]},
        {"ports": [{"name": "", "protocol": "TCP"}], "endpoints": [{"conditions": {}}]},
    ),
    "policy-for-ingress": (
        "networking.k8s.io/v1 NetworkPolicy networkpolicies",
        {"spec": {"podSelector": {}, "ingress": [{"ports": [{"port": 80}]}]}},
        {"spec": {"policyTypes": ["Ingress"], "ingress": [{"ports": [{"protocol": "TCP"}]}]}},
    ),
    "policy-for-egress": (
        "networking.k8s.io/v1 NetworkPolicy networkpolicies",
        {"spec": {"podSelector": {}, "egress": [{"ports": [{"port": 80}]}]}},
        {"spec": {"policyTypes": ["Ingress", "Egress"], "egress": [{"ports": [{"protocol": "TCP"}]}]}},
    ),
    "ingress": (
        "networking.k8s.io/v1 Ingress ingresses",
        {"spec": {"defaultBackend": {"service": {"name": "web", "port": {"number": 80}}}}},
        {"metadata": {"generation": 1}, "status": {"loadBalancer": {}}},
    ),
    "disruption-budget": (
        "policy/v1 PodDisruptionBudget poddisruptionbudgets",
        {"spec": {"minAvailable": 1, "selector": SELECTOR}},
        {"status": {"disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0}},
    ),
    "empty-config-map": ("v1 ConfigMap configmaps", {"data": {}}, {"data": None}),
    "empty-lease": ("coordination.k8s.io/v1 Lease leases", {}, {"spec": {}}),
}

CLUSTER_WIDE: dict[str, tuple[str, Unstructured, Unstructured]] = {
    "volume": (
        "v1 PersistentVolume persistentvolumes",
        {
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "capacity": {"storage": "1Gi"},
                "hostPath": {"path": "/x"},
            }
        },
        {
            "spec": {
                "volumeMode": "Filesystem",
                "persistentVolumeReclaimPolicy": "Retain",
                "hostPath": {"path": "/x", "type": ""},
            },
            "status": {"phase": "Pending"},
        },
    ),
    "priority-class": (
        "scheduling.k8s.io/v1 PriorityClass priorityclasses",
        {"value": 5},
        {"preemptionPolicy": "PreemptLowerPriority", "metadata": {"generation": 1}},
    ),
    "storage-class": (
        "storage.k8s.io/v1 StorageClass storageclasses",
        {"provisioner": "landform.test/none"},
        {"reclaimPolicy": "Delete", "volumeBindingMode": "Immediate"},
    ),
    "validating-webhook": (
        "admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration validatingwebhookconfigurations",
        {"webhooks": [WEBHOOK]},
        {"webhooks": [FILLED_WEBHOOK], "metadata": {"generation": 1}},
    ),
    "mutating-webhook": (
        "admissionregistration.k8s.io/v1 MutatingWebhookConfiguration mutatingwebhookconfigurations",
        {"webhooks": [WEBHOOK]},
        {"webhooks": [{**FILLED_WEBHOOK, "reinvocationPolicy": "Never"}]},
    ),
}


def missing(found: Any, expected: Any, path: str = "") -> list[str]:
    """Paths at which `found` does not hold what is expected; None = nothing, and more than expected is fine."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return [
            fault for name, value in expected.items() for fault in missing(found.get(name), value, f"{path}.{name}")
        ]
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        pairs = enumerate(zip(found, expected, strict=True))
        return [fault for index, pair in pairs for fault in missing(*pair, f"{path}[{index}]")]
    return [] if found == expected else [f"{path} is {found!r}, not {expected!r}"]


@pytest.mark.parametrize(("kind", "obj", "expected"), NAMESPACED.values(), ids=NAMESPACED.keys())
async def test_what_is_left_out_of_a_namespaced_object_is_filled_in(
    cluster: Cluster, namespace: str, kind: str, obj: Unstructured, expected: Unstructured
) -> None:
    if kind == "v1 Pod pods":  # Kubernetes waits for its controllers to make the account that Pods run as
        account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}}
        applied = WriteOptions(field_manager="tester")
        await cluster.patch(
            SERVICE_ACCOUNTS, "default", account, namespace=namespace, type=PatchType.APPLY, options=applied
        )
    created = await cluster.create(untyped(*kind.split()), {"metadata": {"name": "one"}, **obj}, namespace=namespace)
    assert missing(created, expected) == []


@pytest.mark.parametrize(("kind", "obj", "expected"), CLUSTER_WIDE.values(), ids=CLUSTER_WIDE.keys())
async def test_what_is_left_out_of_a_cluster_wide_object_is_filled_in(
    cluster: Cluster, kind: str, obj: Unstructured, expected: Unstructured
) -> None:
    resource = untyped(*kind.split(), namespaced=False)
    created = await cluster.create(resource, {"metadata": {"generateName": "contract-"}, **obj})
    try:
        assert missing(created, expected) == []
    finally:
        await cluster.delete(resource, created["metadata"]["name"])
