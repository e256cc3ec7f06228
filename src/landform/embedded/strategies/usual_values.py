"""What the API server fills into objects of its own kinds where their author left something out, as a table.

The kinds are those that clients and charts create, and the values those that clients rely on when they read them
back. What Kubernetes allots or decides on the way is left out: a Service has a ``clusterIP`` only if its author gives
one (nothing here routes to it), a Pod no node and no tolerations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from landform.embedded.catalog import GroupResource
from landform.embedded.schemas.defaulting import copied

if TYPE_CHECKING:
    from collections.abc import Callable

    from landform.embedded.strategies.strategy import Object

Usual = dict[str, Any]
"""By field: a value, a function of the object around it (None = nothing is filled in), or `Inside` or `Each`."""


@dataclass(frozen=True)
class Inside:
    """An object that is completed if it is there."""

    usual: Usual
    made: bool = False
    """Whether it is made if it is not there."""

    where: tuple[str, str] | None = None
    """A field of the object around it, and the value of it that this depends on."""


@dataclass(frozen=True)
class Each:
    """A list whose items are completed."""

    usual: Usual


def _pull_policy(container: Object) -> str:
    """An image that may change under its name is looked for each time."""
    _, _, name = str(container.get("image", "")).rpartition("/")
    _, _, tag = name.rpartition(":")
    return "Always" if ":" not in name or tag == "latest" else "IfNotPresent"


def _no_volume(volume: Object) -> Object | None:
    """A volume that comes from nowhere is a folder that lives as long as its Pod."""
    return {} if volume.keys() <= {"name"} else None


def _when(field: str, *values: str, then: Any) -> Callable[[Object], Any]:
    """A value that depends on another field."""
    return lambda obj: copied(then) if obj.get(field) in values else None


def _completions(spec: Object) -> int | None:
    return None if "parallelism" in spec else 1


def _policy_types(spec: Object) -> list[str]:
    return ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]


_HTTP = Inside({"path": "/", "scheme": "HTTP"})
_PROBE = Inside(
    {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3, "httpGet": _HTTP}
)
_HOOK = Inside({"httpGet": _HTTP})
_TCP = Each({"protocol": "TCP"})
_FIELD = Inside({"apiVersion": "v1"})
_CONTAINER = {
    "resources": {},
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
    "imagePullPolicy": _pull_policy,
    "ports": _TCP,
    "env": Each({"valueFrom": Inside({"fieldRef": _FIELD})}),
    "livenessProbe": _PROBE,
    "readinessProbe": _PROBE,
    "startupProbe": _PROBE,
    "lifecycle": Inside({"postStart": _HOOK, "preStop": _HOOK}),
}
_DOWNWARD = Each({"fieldRef": _FIELD})
_VOLUME = {
    "emptyDir": _no_volume,
    "hostPath": Inside({"type": ""}),
    "secret": Inside({"defaultMode": 0o644}),
    "configMap": Inside({"defaultMode": 0o644}),
    "downwardAPI": Inside({"defaultMode": 0o644, "items": _DOWNWARD}),
    "projected": Inside(
        {
            "defaultMode": 0o644,
            "sources": Each(
                {
                    "serviceAccountToken": Inside({"expirationSeconds": 3600}),
                    "downwardAPI": Inside({"items": _DOWNWARD}),
                }
            ),
        }
    ),
}
_POD_SPEC = {
    "restartPolicy": "Always",
    "terminationGracePeriodSeconds": 30,
    "dnsPolicy": "ClusterFirst",
    "securityContext": {},
    "schedulerName": "default-scheduler",
    "initContainers": Each(_CONTAINER),
    "containers": Each(_CONTAINER),
    "volumes": Each(_VOLUME),
}
_TEMPLATE = Inside({"spec": Inside(_POD_SPEC)})
_JOB_SPEC = {
    "completions": _completions,
    "parallelism": 1,
    "backoffLimit": 6,
    "completionMode": "NonIndexed",
    "suspend": False,
    "manualSelector": False,
    "podReplacementPolicy": "TerminatingOrFailed",
    "template": _TEMPLATE,
}


def _rolling(**rolling: Any) -> Inside:
    return Inside(
        {"type": "RollingUpdate", "rollingUpdate": Inside(rolling, made=True, where=("type", "RollingUpdate"))},
        made=True,
    )


def _spec(**usual: Any) -> Usual:
    return {"spec": Inside(usual)}


def _status(**usual: Any) -> Usual:
    """A status that is there from the start, in most kinds with zeros in it."""
    return {"status": Inside(usual, made=True)}


_CLAIM = _spec(volumeMode="Filesystem") | _status(phase="Pending")
_WEBHOOKS = {
    "webhooks": Each(
        {
            "failurePolicy": "Fail",
            "matchPolicy": "Equivalent",
            "namespaceSelector": {},
            "objectSelector": {},
            "timeoutSeconds": 10,
            "clientConfig": Inside({"service": Inside({"port": 443})}),
            "rules": Each({"scope": "*"}),
        }
    )
}

_USUAL: dict[GroupResource, Usual] = {
    GroupResource("", "pods"): {
        "spec": Inside(_POD_SPEC | {"enableServiceLinks": True}),
        **_status(phase="Pending"),
    },
    GroupResource("", "podtemplates"): {"template": _TEMPLATE},
    GroupResource("", "services"): _spec(
        type="ClusterIP",
        sessionAffinity="None",
        sessionAffinityConfig=_when("sessionAffinity", "ClientIP", then={"clientIP": {"timeoutSeconds": 10800}}),
        clusterIPs=_when("clusterIP", "None", then=["None"]),
        internalTrafficPolicy=_when("type", "ClusterIP", "NodePort", "LoadBalancer", then="Cluster"),
        externalTrafficPolicy=_when("type", "NodePort", "LoadBalancer", then="Cluster"),
        allocateLoadBalancerNodePorts=_when("type", "LoadBalancer", then=True),
        ports=Each({"protocol": "TCP", "targetPort": lambda port: port.get("port")}),
    )
    | _status(loadBalancer={}),
    GroupResource("", "endpoints"): {"subsets": Each({"ports": _TCP})},
    GroupResource("", "persistentvolumeclaims"): _CLAIM,
    GroupResource("", "persistentvolumes"): _spec(
        volumeMode="Filesystem", persistentVolumeReclaimPolicy="Retain", hostPath=Inside({"type": ""})
    )
    | _status(phase="Pending"),
    GroupResource("", "replicationcontrollers"): _spec(replicas=1, template=_TEMPLATE) | _status(replicas=0),
    GroupResource("", "resourcequotas"): _status(),
    GroupResource("apps", "replicasets"): _spec(replicas=1, template=_TEMPLATE) | _status(replicas=0),
    GroupResource("apps", "deployments"): _spec(
        replicas=1,
        strategy=_rolling(maxUnavailable="25%", maxSurge="25%"),
        revisionHistoryLimit=10,
        progressDeadlineSeconds=600,
        template=_TEMPLATE,
    )
    | _status(),
    GroupResource("apps", "statefulsets"): _spec(
        replicas=1,
        podManagementPolicy="OrderedReady",
        updateStrategy=_rolling(partition=0),
        revisionHistoryLimit=10,
        persistentVolumeClaimRetentionPolicy=Inside({"whenDeleted": "Retain", "whenScaled": "Retain"}, made=True),
        volumeClaimTemplates=Each({"apiVersion": "v1", "kind": "PersistentVolumeClaim", **_CLAIM}),
        template=_TEMPLATE,
    )
    | _status(replicas=0, availableReplicas=0),
    GroupResource("apps", "daemonsets"): _spec(
        updateStrategy=_rolling(maxUnavailable=1, maxSurge=0), revisionHistoryLimit=10, template=_TEMPLATE
    )
    | _status(currentNumberScheduled=0, numberMisscheduled=0, desiredNumberScheduled=0, numberReady=0),
    GroupResource("batch", "jobs"): _spec(**_JOB_SPEC) | _status(),
    GroupResource("batch", "cronjobs"): _spec(
        concurrencyPolicy="Allow",
        suspend=False,
        successfulJobsHistoryLimit=3,
        failedJobsHistoryLimit=1,
        jobTemplate=Inside({"spec": Inside({"template": _TEMPLATE})}),
    )
    | _status(),
    GroupResource("autoscaling", "horizontalpodautoscalers"): _spec(minReplicas=1) | _status(desiredReplicas=0),
    GroupResource("scheduling.k8s.io", "priorityclasses"): {"preemptionPolicy": "PreemptLowerPriority"},
    GroupResource("storage.k8s.io", "storageclasses"): {"reclaimPolicy": "Delete", "volumeBindingMode": "Immediate"},
    GroupResource("discovery.k8s.io", "endpointslices"): {
        "endpoints": Each({"conditions": {}}),
        "ports": Each({"name": "", "protocol": "TCP"}),
    },
    GroupResource("networking.k8s.io", "ingresses"): _status(loadBalancer={}),
    GroupResource("policy", "poddisruptionbudgets"): _status(
        disruptionsAllowed=0, currentHealthy=0, desiredHealthy=0, expectedPods=0
    ),
    GroupResource("networking.k8s.io", "networkpolicies"): _spec(
        ingress=Each({"ports": _TCP}), egress=Each({"ports": _TCP}), policyTypes=_policy_types
    ),
    GroupResource("admissionregistration.k8s.io", "validatingwebhookconfigurations"): _WEBHOOKS,
    GroupResource("admissionregistration.k8s.io", "mutatingwebhookconfigurations"): {
        "webhooks": Each(_WEBHOOKS["webhooks"].usual | {"reinvocationPolicy": "Never"})
    },
}


def prepare_for(resource: GroupResource) -> Callable[[Object, Object | None], None]:
    """What fills in the usual values of a kind; nothing for kinds that have none."""
    usual = _USUAL.get(resource, {})
    return lambda obj, old: _complete(obj, usual)


def _complete(obj: Object, usual: Usual) -> None:
    for field, value in usual.items():
        if isinstance(value, Inside):
            _complete_inside(obj, field, value)
        elif isinstance(value, Each):
            items = obj.get(field)
            for item in items if isinstance(items, list) else ():
                if isinstance(item, dict):
                    _complete(item, value.usual)
        elif field not in obj:
            filled = value(obj) if callable(value) else copied(value)
            if filled is not None:
                obj[field] = filled


def _complete_inside(obj: Object, field: str, inside: Inside) -> None:
    if inside.where is not None and obj.get(inside.where[0]) != inside.where[1]:
        return
    inner = obj.setdefault(field, {}) if inside.made else obj.get(field)
    if isinstance(inner, dict):
        _complete(inner, inside.usual)
