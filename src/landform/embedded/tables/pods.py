"""The row of a pod, whose STATUS tells what its containers are up to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.embedded.tables import ages
from landform.embedded.tables.parts import (
    AGE,
    NONE,
    Printer,
    age_of,
    at,
    condition_status,
    count_at,
    items_at,
    printer,
    text,
    text_at,
    wide,
)

if TYPE_CHECKING:
    from datetime import datetime

    from landform.cluster.resources import Unstructured

_FINISHED = {"Succeeded": "The pod has completed successfully.", "Failed": "The pod failed."}


def row_conditions(pod: Unstructured) -> list[dict[str, Any]]:
    """What a row says of a pod that is done, so that clients can hide it."""
    phase = text_at(pod, "status", "phase")
    if phase not in _FINISHED:
        return []
    return [{"type": "Completed", "status": "True", "reason": phase, "message": _FINISHED[phase]}]


def _cells(pod: Unstructured, now: datetime) -> list[Any]:
    summary = _Summary(pod)
    ips = items_at(pod, "status", "podIPs")
    return [
        f"{summary.ready}/{summary.total}",
        summary.reason,
        summary.restarts_text(now),
        age_of(pod, now),
        text_at(ips[0], "ip", absent=NONE) if ips else NONE,
        text_at(pod, "spec", "nodeName", absent=NONE),
        text_at(pod, "status", "nominatedNodeName", absent=NONE),
        _readiness_gates(pod),
    ]


PODS: Printer = printer(
    (
        text("Ready"),
        text("Status"),
        text("Restarts"),
        AGE,
        wide("IP"),
        wide("Node"),
        wide("Nominated Node"),
        wide("Readiness Gates"),
    ),
    _cells,
)


def _readiness_gates(pod: Unstructured) -> str:
    gates = items_at(pod, "spec", "readinessGates")
    if not gates:
        return NONE
    passed = sum(condition_status(pod, gate.get("conditionType", "")) == "True" for gate in gates)
    return f"{passed}/{len(gates)}"


class _Summary:
    """One word for the state of all containers, and the counts beside it."""

    def __init__(self, pod: Unstructured) -> None:
        self._pod = pod
        sidecars = {c.get("name") for c in items_at(pod, "spec", "initContainers") if _is_sidecar(c)}
        self.total = len(items_at(pod, "spec", "containers")) + len(sidecars)
        self.ready = 0
        self.reason = text_at(pod, "status", "reason") or text_at(pod, "status", "phase")
        self._restarted: list[Unstructured] = []
        if any(c.get("reason") == "SchedulingGated" for c in items_at(pod, "status", "conditions")):
            self.reason = "SchedulingGated"
        initializing = self._initialize(sidecars)
        if not initializing or condition_status(pod, "Initialized") == "True":
            self._run(sidecars)
        if "deletionTimestamp" in pod["metadata"]:
            self._delete()

    def restarts_text(self, now: datetime) -> str:
        """How often containers were restarted, and when last."""
        restarts = sum(count_at(status, "restartCount") for status in self._restarted)
        ended = (at(status, "lastState", "terminated", "finishedAt") for status in self._restarted)
        last = max((moment for moment in ended if moment), default="")
        return f"{restarts} ({ages.since(last, now)} ago)" if restarts and last else str(restarts)

    def _initialize(self, sidecars: set[Any]) -> bool:
        """Look at the init containers up to the first that is not done; whether there is such a one."""
        statuses = items_at(self._pod, "status", "initContainerStatuses")
        for index, status in enumerate(statuses):
            self._restarted.append(status)
            terminated = at(status, "state", "terminated")
            if terminated is not None and not terminated.get("exitCode"):
                continue
            if status.get("name") in sidecars and status.get("started"):
                self.ready += bool(status.get("ready"))
                continue
            waiting = text_at(status, "state", "waiting", "reason")
            if terminated is not None:
                self.reason = "Init:" + _ending(terminated)
            elif waiting not in ("", "PodInitializing"):
                self.reason = "Init:" + waiting
            else:
                self.reason = f"Init:{index}/{len(items_at(self._pod, 'spec', 'initContainers'))}"
            return True
        return False

    def _run(self, sidecars: set[Any]) -> None:
        """Look at the containers; the first one that does not run gives the reason."""
        init = items_at(self._pod, "status", "initContainerStatuses")
        statuses = items_at(self._pod, "status", "containerStatuses")
        self._restarted = [s for s in init if s.get("name") in sidecars] + statuses
        running = 0
        for status in reversed(statuses):
            waiting = text_at(status, "state", "waiting", "reason")
            terminated = at(status, "state", "terminated")
            if waiting:
                self.reason = waiting
            elif terminated is not None:
                self.reason = _ending(terminated)
            elif status.get("ready") and at(status, "state", "running") is not None:
                running += 1
        self.ready += running
        if self.reason == "Completed" and running:
            self.reason = "Running" if condition_status(self._pod, "Ready") == "True" else "NotReady"

    def _delete(self) -> None:
        if text_at(self._pod, "status", "reason") == "NodeLost":
            self.reason = "Unknown"
        elif text_at(self._pod, "status", "phase") not in _FINISHED:
            self.reason = "Terminating"


def _is_sidecar(container: Unstructured) -> bool:
    """Whether an init container keeps running beside the others."""
    return container.get("restartPolicy") == "Always"


def _ending(terminated: Unstructured) -> str:
    """Why a container ended."""
    if reason := text_at(terminated, "reason"):
        return reason
    if signal := count_at(terminated, "signal"):
        return f"Signal:{signal}"
    return f"ExitCode:{count_at(terminated, 'exitCode')}"
