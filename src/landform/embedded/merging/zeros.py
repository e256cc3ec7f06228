"""What objects of built-in kinds hold before anybody wrote to them, as the API server's types have it.

Structs that are no pointers are always there, and so are required fields, with the zero value of their type. Nobody
owns them: when a Deployment is created with a strategy, its creator owns the type of the strategy, not the strategy.
The published schemas do not say it; this is what Go makes of the types (tests/golden/zeros), without metadata.
"""

from __future__ import annotations

from typing import Any

_POD_TEMPLATE: dict[str, Any] = {"metadata": {}, "spec": {"containers": None}}

_ZEROS: dict[tuple[str, str], dict[str, Any]] = {
    ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy"): {"spec": {}, "status": {}},
    ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding"): {"spec": {}},
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"): {
        "spec": {"group": "", "names": {"kind": "", "plural": ""}, "scope": "", "versions": None},
        "status": {"acceptedNames": {"kind": "", "plural": ""}, "conditions": None, "storedVersions": None},
    },
    ("apiregistration.k8s.io/v1", "APIService"): {
        "spec": {"groupPriorityMinimum": 0, "versionPriority": 0},
        "status": {},
    },
    ("apps/v1", "ControllerRevision"): {"data": None, "revision": 0},
    ("apps/v1", "DaemonSet"): {
        "spec": {"selector": None, "template": _POD_TEMPLATE, "updateStrategy": {}},
        "status": {"currentNumberScheduled": 0, "desiredNumberScheduled": 0, "numberMisscheduled": 0, "numberReady": 0},
    },
    ("apps/v1", "Deployment"): {"spec": {"selector": None, "strategy": {}, "template": _POD_TEMPLATE}, "status": {}},
    ("apps/v1", "ReplicaSet"): {"spec": {"selector": None, "template": _POD_TEMPLATE}, "status": {"replicas": 0}},
    ("apps/v1", "StatefulSet"): {
        "spec": {"selector": None, "serviceName": "", "template": _POD_TEMPLATE, "updateStrategy": {}},
        "status": {"availableReplicas": 0, "replicas": 0},
    },
    ("autoscaling/v1", "HorizontalPodAutoscaler"): {
        "spec": {"maxReplicas": 0, "scaleTargetRef": {"kind": "", "name": ""}},
        "status": {"currentReplicas": 0, "desiredReplicas": 0},
    },
    ("autoscaling/v2", "HorizontalPodAutoscaler"): {
        "spec": {"maxReplicas": 0, "scaleTargetRef": {"kind": "", "name": ""}},
        "status": {"currentMetrics": None, "desiredReplicas": 0},
    },
    ("batch/v1", "CronJob"): {
        "spec": {"jobTemplate": {"metadata": {}, "spec": {"template": _POD_TEMPLATE}}, "schedule": ""},
        "status": {},
    },
    ("batch/v1", "Job"): {"spec": {"template": _POD_TEMPLATE}, "status": {}},
    ("certificates.k8s.io/v1", "CertificateSigningRequest"): {
        "spec": {"request": None, "signerName": ""},
        "status": {},
    },
    ("coordination.k8s.io/v1", "Lease"): {"spec": {}},
    ("discovery.k8s.io/v1", "EndpointSlice"): {"addressType": "", "endpoints": None, "ports": None},
    ("events.k8s.io/v1", "Event"): {
        "deprecatedFirstTimestamp": None,
        "deprecatedLastTimestamp": None,
        "deprecatedSource": {},
        "eventTime": None,
        "regarding": {},
    },
    ("networking.k8s.io/v1", "IPAddress"): {"spec": {}},
    ("networking.k8s.io/v1", "Ingress"): {"spec": {}, "status": {"loadBalancer": {}}},
    ("networking.k8s.io/v1", "IngressClass"): {"spec": {}},
    ("networking.k8s.io/v1", "NetworkPolicy"): {"spec": {"podSelector": {}}},
    ("networking.k8s.io/v1", "ServiceCIDR"): {"spec": {}, "status": {}},
    ("node.k8s.io/v1", "RuntimeClass"): {"handler": ""},
    ("policy/v1", "PodDisruptionBudget"): {
        "spec": {},
        "status": {"currentHealthy": 0, "desiredHealthy": 0, "disruptionsAllowed": 0, "expectedPods": 0},
    },
    ("rbac.authorization.k8s.io/v1", "ClusterRole"): {"rules": None},
    ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"): {"roleRef": {"apiGroup": "", "kind": "", "name": ""}},
    ("rbac.authorization.k8s.io/v1", "Role"): {"rules": None},
    ("rbac.authorization.k8s.io/v1", "RoleBinding"): {"roleRef": {"apiGroup": "", "kind": "", "name": ""}},
    ("scheduling.k8s.io/v1", "PriorityClass"): {"value": 0},
    ("storage.k8s.io/v1", "CSIDriver"): {"spec": {}},
    ("storage.k8s.io/v1", "CSINode"): {"spec": {"drivers": None}},
    ("storage.k8s.io/v1", "CSIStorageCapacity"): {"storageClassName": ""},
    ("storage.k8s.io/v1", "StorageClass"): {"provisioner": ""},
    ("storage.k8s.io/v1", "VolumeAttachment"): {
        "spec": {"attacher": "", "nodeName": "", "source": {}},
        "status": {"attached": False},
    },
    ("storage.k8s.io/v1", "VolumeAttributesClass"): {"driverName": ""},
    ("v1", "Event"): {
        "eventTime": None,
        "firstTimestamp": None,
        "involvedObject": {},
        "lastTimestamp": None,
        "reportingComponent": "",
        "reportingInstance": "",
        "source": {},
    },
    ("v1", "LimitRange"): {"spec": {"limits": None}},
    ("v1", "Namespace"): {"spec": {}, "status": {}},
    ("v1", "Node"): {
        "spec": {},
        "status": {
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 0}},
            "nodeInfo": {
                "architecture": "",
                "bootID": "",
                "containerRuntimeVersion": "",
                "kernelVersion": "",
                "kubeProxyVersion": "",
                "kubeletVersion": "",
                "machineID": "",
                "operatingSystem": "",
                "osImage": "",
                "systemUUID": "",
            },
        },
    },
    ("v1", "PersistentVolume"): {"spec": {}, "status": {}},
    ("v1", "PersistentVolumeClaim"): {"spec": {"resources": {}}, "status": {}},
    ("v1", "Pod"): {"spec": {"containers": None}, "status": {}},
    ("v1", "PodTemplate"): {"template": _POD_TEMPLATE},
    ("v1", "ReplicationController"): {"spec": {}, "status": {"replicas": 0}},
    ("v1", "ResourceQuota"): {"spec": {}, "status": {}},
    ("v1", "Service"): {"spec": {}, "status": {"loadBalancer": {}}},
}


def zero_object(api_version: str, kind: str) -> dict[str, Any]:
    """The empty object of a kind; kinds that are not listed hold nothing."""
    return _ZEROS.get((api_version, kind), {})
