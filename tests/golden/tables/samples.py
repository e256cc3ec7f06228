"""Objects whose tables are recorded from a real API server: a name for each, its collection, the object, its status."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.embedded.documents.crontabs import crontabs

OLD = "2021-03-04T05:06:07Z"
OLDER = "2021-03-04T02:00:00Z"
LABELS = {"app": "web", "tier": "front"}
SELECTOR = {"matchLabels": LABELS, "matchExpressions": [{"key": "zone", "operator": "In", "values": ["b", "a"]}]}
POD_SPEC: dict[str, Any] = {"containers": [{"name": "a", "image": "a:1"}, {"name": "b", "image": "b:2"}]}
TEMPLATE = {"metadata": {"labels": {**LABELS, "zone": "a"}}, "spec": POD_SPEC}


@dataclass(frozen=True)
class Sample:
    """One object to be created and shown."""

    name: str
    """Name in the golden file, and of the object."""

    collection: str
    """Where the object is created."""

    object: dict[str, Any]
    status: dict[str, Any] | None = None
    deleted: bool = False
    """Whether it is deleted, with a finalizer that keeps it."""

    metadata: dict[str, Any] = field(default_factory=dict)


def _in(group_version: str, plural: str) -> str:
    prefix = "apis" if "/" in group_version else "api"
    return f"/{prefix}/{group_version}/namespaces/default/{plural}"


def _pod(name: str, status: dict[str, Any] | None = None, *, deleted: bool = False, **spec: Any) -> Sample:
    return Sample(f"pod-{name}", _in("v1", "pods"), {"spec": {**POD_SPEC, **spec}}, status, deleted=deleted)


def _state(name: str, state: dict[str, Any], *, ready: bool = False, restarts: int = 0, **rest: Any) -> dict[str, Any]:
    fixed = {"image": "i", "imageID": ""}
    return {"name": name, "state": state, "ready": ready, "restartCount": restarts, **fixed, **rest}


RUNNING = {"running": {"startedAt": OLD}}
ENDED = {"terminated": {"exitCode": 1, "finishedAt": OLD}}
INIT = [{"name": "i", "image": "i"}, {"name": "j", "image": "j"}]
SIDECAR = [{"name": "s", "image": "s", "restartPolicy": "Always"}]

PODS = [
    _pod("pending"),
    _pod("gated", schedulingGates=[{"name": "example.com/wait"}]),
    _pod("unscheduled", {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False"}]}),
    _pod(
        "running",
        {
            "phase": "Running",
            "podIP": "10.0.0.9",
            "podIPs": [{"ip": "10.0.0.9"}],
            "containerStatuses": [
                _state("a", RUNNING, ready=True, restarts=2, lastState=ENDED),
                _state("b", RUNNING, ready=True),
            ],
        },
        nodeName="node-1",
    ),
    _pod(
        "crashing",
        {
            "phase": "Running",
            "containerStatuses": [
                _state("a", RUNNING, ready=True),
                _state("b", {"waiting": {"reason": "CrashLoopBackOff"}}, restarts=7, lastState=ENDED),
            ],
        },
    ),
    _pod(
        "killed",
        {"phase": "Running", "containerStatuses": [_state("a", {"terminated": {"exitCode": 137, "signal": 9}})]},
    ),
    _pod("exited", {"phase": "Running", "containerStatuses": [_state("a", {"terminated": {"exitCode": 3}})]}),
    _pod(
        "half-done",
        {
            "phase": "Running",
            "containerStatuses": [
                _state("a", {"terminated": {"exitCode": 0, "reason": "Completed"}}),
                _state("b", RUNNING, ready=True),
            ],
        },
    ),
    _pod(
        "half-done-but-ready",
        {
            "phase": "Running",
            "conditions": [{"type": "Ready", "status": "True"}],
            "containerStatuses": [
                _state("a", {"terminated": {"exitCode": 0, "reason": "Completed"}}),
                _state("b", RUNNING, ready=True),
            ],
        },
    ),
    _pod("succeeded", {"phase": "Succeeded"}),
    _pod("failed", {"phase": "Failed", "reason": "Evicted"}),
    _pod("init-running", {"phase": "Pending", "initContainerStatuses": [_state("i", RUNNING)]}, initContainers=INIT),
    _pod(
        "init-second",
        {
            "phase": "Pending",
            "initContainerStatuses": [
                _state("i", {"terminated": {"exitCode": 0}}, restarts=1),
                _state("j", {"waiting": {"reason": "PodInitializing"}}),
            ],
        },
        initContainers=INIT,
    ),
    _pod(
        "init-failing",
        {
            "phase": "Pending",
            "initContainerStatuses": [_state("i", {"terminated": {"exitCode": 2}}, restarts=4, lastState=ENDED)],
        },
        initContainers=INIT,
    ),
    _pod(
        "init-backing-off",
        {"phase": "Pending", "initContainerStatuses": [_state("i", {"waiting": {"reason": "ImagePullBackOff"}})]},
        initContainers=INIT,
    ),
    _pod(
        "sidecar",
        {
            "phase": "Running",
            "initContainerStatuses": [_state("s", RUNNING, ready=True, restarts=3, lastState=ENDED, started=True)],
            "containerStatuses": [_state("a", RUNNING, ready=True)],
        },
        initContainers=SIDECAR,
    ),
    _pod(
        "readiness-gates",
        {"phase": "Running", "conditions": [{"type": "example.com/a", "status": "True"}]},
        readinessGates=[{"conditionType": "example.com/a"}, {"conditionType": "example.com/b"}],
    ),
    _pod("terminating", {"phase": "Running"}, deleted=True),
]

JOB = {"template": {"spec": {**POD_SPEC, "restartPolicy": "Never"}}, "managedBy": "example.com/nobody"}
JOBS_AT = _in("batch/v1", "jobs")

WORKLOADS = [
    Sample(
        "deployment",
        _in("apps/v1", "deployments"),
        {"spec": {"replicas": 3, "selector": SELECTOR, "template": TEMPLATE}},
        {"replicas": 3, "readyReplicas": 2, "updatedReplicas": 3, "availableReplicas": 1},
    ),
    Sample("deployment-new", _in("apps/v1", "deployments"), {"spec": {"selector": SELECTOR, "template": TEMPLATE}}),
    Sample(
        "statefulset",
        _in("apps/v1", "statefulsets"),
        {"spec": {"serviceName": "s", "replicas": 0, "selector": SELECTOR, "template": TEMPLATE}},
    ),
    Sample(
        "daemonset",
        _in("apps/v1", "daemonsets"),
        {
            "spec": {
                "selector": SELECTOR,
                "template": {**TEMPLATE, "spec": {**POD_SPEC, "nodeSelector": {"disk": "ssd", "arch": "arm"}}},
            }
        },
    ),
    Sample(
        "replicaset",
        _in("apps/v1", "replicasets"),
        {"spec": {"replicas": 0, "selector": SELECTOR, "template": TEMPLATE}},
    ),
    Sample(
        "replicationcontroller",
        _in("v1", "replicationcontrollers"),
        {"spec": {"replicas": 0, "selector": LABELS, "template": TEMPLATE}},
    ),
    Sample("podtemplate", _in("v1", "podtemplates"), {"template": TEMPLATE}),
    Sample(
        "controllerrevision",
        _in("apps/v1", "controllerrevisions"),
        {"revision": 4, "data": {"a": 1}},
        metadata={
            "ownerReferences": [
                {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "s", "uid": "u", "controller": True}
            ],
            "finalizers": ["example.com/keep"],
        },
    ),
    Sample("job", JOBS_AT, {"spec": JOB}),
    Sample("job-parallel", JOBS_AT, {"spec": {**JOB, "parallelism": 4}}, {"startTime": OLD}),
    Sample(
        "job-complete",
        JOBS_AT,
        {"spec": {**JOB, "completions": 2}},
        {
            "startTime": OLDER,
            "completionTime": OLD,
            "succeeded": 2,
            "conditions": [
                {"type": "SuccessCriteriaMet", "status": "True"},
                {"type": "Complete", "status": "True"},
            ],
        },
    ),
    Sample("job-deleted", JOBS_AT, {"spec": JOB}, deleted=True),
    Sample(
        "cronjob",
        _in("batch/v1", "cronjobs"),
        {"spec": {"schedule": "@yearly", "suspend": True, "jobTemplate": {"spec": JOB}}},
    ),
    Sample(
        "cronjob-zone",
        _in("batch/v1", "cronjobs"),
        {"spec": {"schedule": "1 2 3 4 *", "timeZone": "Europe/Berlin", "jobTemplate": {"spec": JOB}}},
        {"lastScheduleTime": OLD, "active": [{"name": "x"}]},
    ),
    Sample(
        "poddisruptionbudget",
        _in("policy/v1", "poddisruptionbudgets"),
        {"spec": {"minAvailable": "50%", "selector": SELECTOR}},
    ),
    Sample(
        "horizontalpodautoscaler",
        _in("autoscaling/v2", "horizontalpodautoscalers"),
        {
            "spec": {
                "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
                "maxReplicas": 5,
                "metrics": [
                    {
                        "type": "Resource",
                        "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}},
                    },
                    {
                        "type": "Pods",
                        "pods": {
                            "metric": {"name": "requests"},
                            "target": {"type": "AverageValue", "averageValue": "10"},
                        },
                    },
                    {
                        "type": "External",
                        "external": {
                            "metric": {"name": "queue"},
                            "target": {"type": "AverageValue", "averageValue": "3"},
                        },
                    },
                ],
            }
        },
    ),
    Sample(
        "horizontalpodautoscaler-v1",
        _in("autoscaling/v1", "horizontalpodautoscalers"),
        {
            "spec": {
                "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
                "minReplicas": 2,
                "maxReplicas": 5,
                "targetCPUUtilizationPercentage": 70,
            }
        },
    ),
]

SERVICES = _in("v1", "services")
PORTS = [{"name": "a", "port": 80}, {"name": "b", "port": 53, "protocol": "UDP"}]
BACKEND = {"service": {"name": "web", "port": {"number": 80}}}


def _rule(host: str) -> dict[str, Any]:
    paths = [{"path": "/", "pathType": "Prefix", "backend": BACKEND}]
    return {**({"host": host} if host else {}), "http": {"paths": paths}}


INGRESSES = _in("networking.k8s.io/v1", "ingresses")

NETWORKING = [
    Sample("service", SERVICES, {"spec": {"ports": PORTS, "selector": LABELS}}),
    Sample("service-headless", SERVICES, {"spec": {"clusterIP": "None", "selector": LABELS}}),
    Sample("service-node-port", SERVICES, {"spec": {"type": "NodePort", "ports": [{"port": 80, "nodePort": 30123}]}}),
    Sample("service-external-ips", SERVICES, {"spec": {"ports": PORTS, "externalIPs": ["1.2.3.4", "1.2.3.5"]}}),
    Sample("service-external-name", SERVICES, {"spec": {"type": "ExternalName", "externalName": "example.com"}}),
    Sample("service-balancer-pending", SERVICES, {"spec": {"type": "LoadBalancer", "ports": PORTS}}),
    Sample(
        "service-balancer",
        SERVICES,
        {"spec": {"type": "LoadBalancer", "ports": PORTS, "externalIPs": ["1.2.3.4"]}},
        {"loadBalancer": {"ingress": [{"hostname": "balancer.example.com"}, {"ip": "9.9.9.9", "ipMode": "VIP"}]}},
    ),
    Sample("ingress", INGRESSES, {"spec": {"defaultBackend": BACKEND}}),
    Sample(
        "ingress-hosts",
        INGRESSES,
        {
            "spec": {
                "ingressClassName": "nginx",
                "tls": [{"hosts": ["a.example.com"]}],
                "rules": [_rule(host) for host in ("a.example.com", "", "b.example.com", "c.example.com", "")],
            }
        },
        {"loadBalancer": {"ingress": [{"ip": "9.9.9.9"}]}},
    ),
    Sample(
        "ingressclass",
        "/apis/networking.k8s.io/v1/ingressclasses",
        {
            "spec": {
                "controller": "example.com/controller",
                "parameters": {"apiGroup": "example.com", "kind": "Parameters", "name": "p", "scope": "Cluster"},
            }
        },
    ),
    Sample("networkpolicy", _in("networking.k8s.io/v1", "networkpolicies"), {"spec": {"podSelector": SELECTOR}}),
    Sample("networkpolicy-all", _in("networking.k8s.io/v1", "networkpolicies"), {"spec": {"podSelector": {}}}),
    Sample("endpoints-none", _in("v1", "endpoints"), {}),
    Sample(
        "endpoints",
        _in("v1", "endpoints"),
        {
            "subsets": [
                {"addresses": [{"ip": "10.0.0.1"}, {"ip": "fd00::1"}], "ports": [{"port": 80}]},
                {"addresses": [{"ip": "10.0.0.2"}, {"ip": "10.0.0.3"}]},
            ]
        },
    ),
    Sample(
        "endpointslice",
        _in("discovery.k8s.io/v1", "endpointslices"),
        {
            "addressType": "IPv4",
            "ports": [{"name": "x", "port": 1}, {"name": "y"}],
            "endpoints": [{"addresses": [f"10.0.0.{n}"]} for n in range(1, 6)],
        },
    ),
    Sample(
        "endpointslice-empty",
        _in("discovery.k8s.io/v1", "endpointslices"),
        {"addressType": "IPv6", "endpoints": [], "ports": []},
    ),
]

REGARDING = {"kind": "Pod", "name": "web", "namespace": "default", "fieldPath": "spec.containers{a}"}

BASICS = [
    Sample("namespace", "/api/v1/namespaces", {}),
    Sample("configmap", _in("v1", "configmaps"), {"data": {"a": "1", "b": "2"}, "binaryData": {"c": "AA=="}}),
    Sample("secret", _in("v1", "secrets"), {"stringData": {"a": "1"}}),
    Sample("serviceaccount", _in("v1", "serviceaccounts"), {"secrets": [{"name": "a"}, {"name": "b"}]}),
    Sample(
        "event",
        _in("v1", "events"),
        {
            "involvedObject": REGARDING,
            "type": "Warning",
            "reason": "BackOff",
            "message": " It is tired.\n",
            "firstTimestamp": OLDER,
            "lastTimestamp": OLD,
            "count": 3,
            "source": {"component": "kubelet", "host": "node-1"},
        },
    ),
    Sample("event-plain", _in("v1", "events"), {"involvedObject": {"kind": "Pod", "namespace": "default"}}),
    Sample(
        "event-new",
        _in("events.k8s.io/v1", "events"),
        {
            "regarding": REGARDING,
            "eventTime": "2021-03-04T05:06:07.000000Z",
            "type": "Normal",
            "reason": "Started",
            "action": "Start",
            "note": "It starts.",
            "reportingController": "example.com/controller",
            "reportingInstance": "one",
        },
    ),
    Sample(
        "event-series",
        _in("events.k8s.io/v1", "events"),
        {
            "regarding": REGARDING,
            "eventTime": "2021-03-04T05:06:07.000000Z",
            "series": {"count": 9, "lastObservedTime": "2022-03-04T05:06:07.000000Z"},
            "type": "Normal",
            "reason": "Started",
            "action": "Start",
            "reportingController": "example.com/controller",
            "reportingInstance": "one",
        },
    ),
    Sample(
        "persistentvolume",
        "/api/v1/persistentvolumes",
        {
            "spec": {
                "capacity": {"storage": "5Gi"},
                "accessModes": ["ReadWriteMany", "ReadWriteOnce"],
                "persistentVolumeReclaimPolicy": "Retain",
                "storageClassName": "slow",
                "hostPath": {"path": "/data"},
                "claimRef": {"namespace": "default", "name": "c"},
            }
        },
    ),
    Sample(
        "persistentvolumeclaim",
        _in("v1", "persistentvolumeclaims"),
        {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}},
    ),
    Sample(
        "persistentvolumeclaim-bound",
        _in("v1", "persistentvolumeclaims"),
        {
            "spec": {
                "accessModes": ["ReadOnlyMany"],
                "storageClassName": "slow",
                "volumeName": "v",
                "resources": {"requests": {"storage": "1Gi"}},
            }
        },
        {"phase": "Bound", "accessModes": ["ReadOnlyMany"], "capacity": {"storage": "2Gi"}},
    ),
    Sample(
        "node",
        "/api/v1/nodes",
        {"spec": {"unschedulable": True}},
        {
            "conditions": [{"type": "Ready", "status": "True"}],
            "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}],
            "nodeInfo": {
                "kubeletVersion": "v1.34.0", "osImage": "Debian", "kernelVersion": "6.1", "machineID": "",
                "systemUUID": "", "bootID": "", "containerRuntimeVersion": "", "kubeProxyVersion": "",
                "operatingSystem": "", "architecture": "",
            },
        },
        metadata={"labels": {"node-role.kubernetes.io/worker": "", "kubernetes.io/role": "db"}},
    ),
    Sample("node-unknown", "/api/v1/nodes", {}),
    Sample(
        "resourcequota",
        _in("v1", "resourcequotas"),
        {"spec": {"hard": {"limits.cpu": "4", "pods": "10", "secrets": "5"}}},
        {"hard": {"limits.cpu": "4", "pods": "10", "secrets": "5"}, "used": {"limits.cpu": "1", "pods": "2"}},
    ),
    Sample("limitrange", _in("v1", "limitranges"), {"spec": {"limits": [{"type": "Pod", "max": {"cpu": "1"}}]}}),
]  # fmt: skip

RBAC = "rbac.authorization.k8s.io"
SUBJECTS = [
    {"kind": "User", "name": "u", "apiGroup": RBAC},
    {"kind": "User", "name": "v", "apiGroup": RBAC},
    {"kind": "Group", "name": "g", "apiGroup": RBAC},
    {"kind": "ServiceAccount", "name": "s", "namespace": "n"},
]
ROLE_REF = {"apiGroup": RBAC, "kind": "ClusterRole", "name": "view"}
WEBHOOK = {
    "name": "a.example.com",
    "clientConfig": {"url": "https://example.com/hook"},
    "sideEffects": "None",
    "admissionReviewVersions": ["v1"],
}
RULES = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]

ADMINISTRATION = [
    Sample("role", _in(f"{RBAC}/v1", "roles"), {"rules": RULES}),
    Sample("clusterrole", f"/apis/{RBAC}/v1/clusterroles", {"rules": RULES}),
    Sample("rolebinding", _in(f"{RBAC}/v1", "rolebindings"), {"roleRef": ROLE_REF, "subjects": SUBJECTS}),
    Sample("clusterrolebinding", f"/apis/{RBAC}/v1/clusterrolebindings", {"roleRef": ROLE_REF}),
    Sample("lease", _in("coordination.k8s.io/v1", "leases"), {"spec": {"holderIdentity": "me"}}),
    Sample("lease-free", _in("coordination.k8s.io/v1", "leases"), {"spec": {}}),
    Sample(
        "validatingwebhookconfiguration",
        "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
        {"webhooks": [WEBHOOK]},
    ),
    Sample("mutatingwebhookconfiguration", "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", {}),
    Sample("priorityclass", "/apis/scheduling.k8s.io/v1/priorityclasses", {"value": 7}),
    Sample("runtimeclass", "/apis/node.k8s.io/v1/runtimeclasses", {"handler": "kata"}),
    Sample(
        "storageclass",
        "/apis/storage.k8s.io/v1/storageclasses",
        {"provisioner": "example.com/disk", "allowVolumeExpansion": True},
        metadata={"annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
    ),
    Sample(
        "apiservice",
        "/apis/apiregistration.k8s.io/v1/apiservices",
        {
            "spec": {
                "group": "far.example.com",
                "version": "v1",
                "groupPriorityMinimum": 100,
                "versionPriority": 10,
                "insecureSkipTLSVerify": True,
                "service": {"name": "far", "namespace": "default"},
            }
        },
        metadata={"name": "v1.far.example.com"},
    ),
]


def _crontab(name: str, spec: dict[str, Any], status: dict[str, Any] | None = None, version: str = "v1") -> Sample:
    api_version = f"stable.example.com/{version}"
    obj = {"apiVersion": api_version, "kind": "CronTab", "spec": spec}
    return Sample(name, _in(api_version, "crontabs"), obj, status)


CUSTOM = [
    Sample(
        "customresourcedefinition",
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        {"spec": crontabs()["spec"]},
        metadata=crontabs()["metadata"],
    ),
    _crontab("crontab-bare", {"cronSpec": "* * *"}),
    _crontab(
        "crontab",
        {"cronSpec": "1 2 3", "replicas": 3, "ratio": 2, "paused": True, "image": "a"},
        {"lastRun": OLD, "replicas": 1},
    ),
    _crontab("crontab-null", {"cronSpec": "é", "ratio": 0.5, "paused": None}),
    _crontab("crontab-beta", {"cronSpec": "x"}, version="v1beta1"),
]

SAMPLES = {
    "pods": PODS,
    "workloads": WORKLOADS,
    "networking": NETWORKING,
    "basics": BASICS,
    "administration": ADMINISTRATION,
    "custom": CUSTOM,
}
"""The samples of each golden file."""
