"""Pods as tests write them, and what became of them."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cluster.controlplane.plane import ControlPlane

POLL_INTERVAL = 0.05
DEADLINE = 60.0

Pod = dict[str, Any]

RESTRICTED: Pod = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "readOnlyRootFilesystem": True,
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}
"""A container's security context that the restricted level of pod security asks for, and a read-only root."""


def container(image: str, *command: str, name: str = "main", **more: object) -> Pod:
    """A container that runs a command of an image that the node has."""
    return {"name": name, "image": image, "command": list(command), "imagePullPolicy": "Never", **more}


def pod(name: str, *containers: Pod, **spec: object) -> Pod:
    """A pod that is not started again when it ends."""
    defaults = {"restartPolicy": "Never", "terminationGracePeriodSeconds": 1, "automountServiceAccountToken": False}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": defaults | {"containers": list(containers)} | spec,
    }


def create(plane: ControlPlane, namespace: str, *documents: Pod) -> None:
    """Create objects, after the namespace's default service account, without which pods are refused."""
    plane.kubectl("wait", "--for=create", "serviceaccount/default", f"--namespace={namespace}", "--timeout=60s")
    listed = {"apiVersion": "v1", "kind": "List", "items": list(documents)}
    plane.kubectl("create", f"--namespace={namespace}", "--filename=-", input=json.dumps(listed))


def wait_until(plane: ControlPlane, namespace: str, name: str, holds: Callable[[Pod], bool]) -> Pod:
    """Read the pod until its status is as wanted; the error shows the last one."""
    end = time.monotonic() + DEADLINE
    while True:
        status: Pod = json.loads(plane.kubectl("get", "pod", name, f"--namespace={namespace}", "-o=json"))["status"]
        if holds(status):
            return status
        assert time.monotonic() < end, f"pod {name} was not so after {DEADLINE:.0f} s: {json.dumps(status, indent=1)}"
        time.sleep(POLL_INTERVAL)


def wait_for_end(plane: ControlPlane, namespace: str, name: str) -> Pod:
    """The status of a pod that has ended, well or not."""
    return wait_until(plane, namespace, name, lambda status: status.get("phase") in ("Succeeded", "Failed"))


def logs(plane: ControlPlane, namespace: str, name: str, container: str = "main") -> str:
    """What a container printed, as the kubelet tells the API server."""
    return plane.kubectl("logs", name, f"--container={container}", f"--namespace={namespace}")
