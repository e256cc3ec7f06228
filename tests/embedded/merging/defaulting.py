"""The defaults that the API server adds to the kinds of the recorded scenarios."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from landform.embedded.merging.structs import held
from landform.embedded.schemas.nodes import ANYTHING

if TYPE_CHECKING:
    from landform.embedded.merging.scopes import Scope
    from landform.embedded.schemas.nodes import Node

Json = dict[str, Any]

CONTAINER: Json = {
    "resources": {},
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
    "imagePullPolicy": "IfNotPresent",
}
POD_TEMPLATE: Json = {
    "restartPolicy": "Always",
    "terminationGracePeriodSeconds": 30,
    "dnsPolicy": "ClusterFirst",
    "securityContext": {},
    "schedulerName": "default-scheduler",
}
TOLERATED: Json = {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
ADMITTED: dict[str, Json] = {
    "Pod": {
        "serviceAccountName": "default",
        "serviceAccount": "default",
        "priority": 0,
        "preemptionPolicy": "PreemptLowerPriority",
        "tolerations": [
            {"key": "node.kubernetes.io/not-ready", **TOLERATED},
            {"key": "node.kubernetes.io/unreachable", **TOLERATED},
        ],
    },
    "Service": {
        "clusterIPs": ["None"],
        "internalTrafficPolicy": "Cluster",
        "ipFamilies": ["IPv4"],
        "ipFamilyPolicy": "SingleStack",
    },
}


def admitted(obj: Json, scope: Scope) -> Json:
    """The object with what the server adds after it has noted the owners."""
    if scope.kind not in ADMITTED:
        return obj
    result = {**obj, "spec": {**ADMITTED[scope.kind], **obj["spec"]}}
    if scope.kind == "Pod":
        result["status"] = {"phase": "Pending", "qosClass": "BestEffort", **obj["status"]}
    return result


def defaulted(obj: Json, scope: Scope) -> Json:
    """The object with defaults filled in."""
    if not scope.built_in:
        parts: Json = {
            name: _by_schema(obj[name], scope.node.properties[name]) for name in ("spec", "status") if name in obj
        }
        return {**obj, **parts}
    result: Json = held({**obj, **_BY_KIND.get(scope.kind, lambda _: {})(obj)}, scope.node)
    if obj["metadata"].get("managedFields") == []:  # unlike other empty lists it means something: reset
        result["metadata"]["managedFields"] = []
    return result


def _by_schema(value: Any, node: Node) -> Any:
    """The value with its schema's defaults, and without fields that the schema does not have."""
    if isinstance(value, dict):
        kept = {name for name in value if node.child(name) or node.preserve_unknown}
        children = {name: _by_schema(value[name], node.child(name) or ANYTHING) for name in kept}
        missing = {name: child.default for name, child in node.properties.items() if child.has_default}
        return {**{name: default for name, default in missing.items() if name not in value}, **children}
    return [_by_schema(item, node.items or ANYTHING) for item in value] if isinstance(value, list) else value


def _deployment(obj: Json) -> Json:
    spec = {"replicas": 1, "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600, **obj["spec"]}
    strategy = {"type": "RollingUpdate", **spec.get("strategy", {})}
    if strategy["type"] == "RollingUpdate":
        strategy["rollingUpdate"] = {"maxUnavailable": "25%", "maxSurge": "25%"} | strategy.get("rollingUpdate", {})
    template = {**spec["template"], "spec": _pod_spec(spec["template"].get("spec", {}))}
    return {"spec": {**spec, "strategy": strategy, "template": template}, "status": obj.get("status", {})}


def _pod(obj: Json) -> Json:
    return {"spec": {"enableServiceLinks": True, **_pod_spec(obj["spec"])}, "status": obj.get("status", {})}


def _pod_spec(spec: Json) -> Json:
    return {**POD_TEMPLATE, **spec, "containers": [_container(container) for container in spec.get("containers") or []]}


def _container(container: Json) -> Json:
    result = {**CONTAINER, **container}
    if "ports" in result:
        result["ports"] = [{"protocol": "TCP", **port} for port in result["ports"]]
    return result


def _service(obj: Json) -> Json:
    ports = [{"protocol": "TCP", "targetPort": port["port"], **port} for port in obj["spec"]["ports"]]
    ports = [{name: value for name, value in port.items() if value != 0} for port in ports]
    spec = {"sessionAffinity": "None", "type": "ClusterIP", **obj["spec"], "ports": ports}
    return {"spec": spec, "status": obj.get("status", {"loadBalancer": {}})}


def _secret(obj: Json) -> Json:
    texts = {name: base64.b64encode(text.encode()).decode() for name, text in obj.get("stringData", {}).items()}
    return {"type": obj.get("type", "Opaque"), "data": {**obj.get("data", {}), **texts}, "stringData": None}


_BY_KIND = {"Deployment": _deployment, "Pod": _pod, "Service": _service, "Secret": _secret}
