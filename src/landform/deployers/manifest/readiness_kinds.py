"""When kinds of Kubernetes are ready whose status follows conventions of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from landform.deployers.manifest import readiness_fields as fields
from landform.deployers.manifest.readiness_verdicts import cut, failed, ready, stuck, waiting

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from landform.deployers.manifest.readiness_verdicts import Verdict


def job(obj: Mapping[str, Any]) -> Verdict:
    """Ready when it is complete; failed for good when it has used up its attempts or its time."""
    conditions = fields.conditions(obj)
    for type_, decide in (("Complete", ready), ("Failed", failed)):
        condition = conditions.get(type_)
        if condition is not None and condition.status == fields.TRUE:
            return decide(str(condition))
    spec, status = fields.mapping(obj, "spec"), fields.mapping(obj, "status")
    if spec.get("suspend") is True:
        return waiting("the job is suspended")
    wanted = fields.number(spec, "completions")
    done = fields.count(status, "succeeded")
    told = f"{done} pods have completed" if wanted is None else f"{done} of {wanted} pods have completed"
    return waiting(f"{told}, {fields.count(status, 'active')} are active, {fields.count(status, 'failed')} have failed")


def volume_claim(obj: Mapping[str, Any]) -> Verdict:
    """Ready when a volume is bound to it."""
    phase = fields.text(fields.mapping(obj, "status"), "phase") or "not known yet"
    if phase == "Bound":
        return ready("the phase is Bound")
    told = f"the phase is {cut(phase)}, not Bound"
    if phase == "Lost":
        return stuck(told)  # its volume is gone; somebody may bring it back
    if phase == "Pending":
        # The claim itself does not say so, and it is the usual surprise.
        told += "; if its storage class waits for the first consumer, it stays so until a pod uses the claim"
    return waiting(told)


def definition(obj: Mapping[str, Any]) -> Verdict:
    """Ready when its names are its own and the resource is served."""
    conditions = fields.conditions(obj)
    accepted, established = conditions.get("NamesAccepted"), conditions.get("Established")
    # Other definitions hold the names; it lasts until these are gone, so it is no failure for good.
    if accepted is not None and accepted.status == fields.FALSE:
        return stuck(str(accepted))
    return _only_when_true("Established", established)


def api_service(obj: Mapping[str, Any]) -> Verdict:
    """Ready when the server behind it answers."""
    return _only_when_true("Available", fields.conditions(obj).get("Available"))


def namespace(obj: Mapping[str, Any]) -> Verdict:
    """Ready unless it is on its way out."""
    phase = fields.text(fields.mapping(obj, "status"), "phase") or "Active"
    return ready("the phase is Active") if phase == "Active" else waiting(f"the phase is {cut(phase)}, not Active")


def service(obj: Mapping[str, Any]) -> Verdict:
    """Ready when it exists; one with a load balancer, when that has an address."""
    spec = fields.mapping(obj, "spec")
    if fields.text(spec, "type") != "LoadBalancer":
        return ready("it exists")
    # With addresses of its own it is reachable without any load balancer, and there may be none.
    if spec.get("externalIPs"):
        return ready("it has external addresses")
    balancer = fields.mapping(obj, "status", "loadBalancer")
    if any(fields.text(each, "ip") or fields.text(each, "hostname") for each in fields.mappings(balancer, "ingress")):
        return ready("its load balancer has an address")
    return waiting("its load balancer has no address yet")


def _only_when_true(type_: str, condition: fields.Condition | None) -> Verdict:
    if condition is None:
        return waiting(f"there is no condition {type_} yet")
    return ready(str(condition)) if condition.status == fields.TRUE else waiting(str(condition))


RULES: Final[Mapping[tuple[str, str], Callable[[Mapping[str, Any]], Verdict]]] = {
    ("batch", "Job"): job,
    ("", "PersistentVolumeClaim"): volume_claim,
    ("apiextensions.k8s.io", "CustomResourceDefinition"): definition,
    ("apiregistration.k8s.io", "APIService"): api_service,
    ("", "Namespace"): namespace,
    ("", "Service"): service,
}
"""The rules by group and kind."""
