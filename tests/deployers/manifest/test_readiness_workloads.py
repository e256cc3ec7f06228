"""The kinds that run pods are ready by their numbers, and say which number is missing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landform.deployers.manifest import readiness
from landform.deployers.manifest.readiness import Verdict

COUNTS = st.integers(0, 4)


def condition(type_: str, status: str, reason: str = "", message: str = "") -> dict[str, str]:
    return {"type": type_, "status": status, "reason": reason, "message": message}


def workload(kind: str, spec: dict[str, Any], status: dict[str, Any] | None, generation: int = 2) -> dict[str, Any]:
    version = "v1" if kind in ("Pod", "ReplicationController") else "apps/v1"
    metadata = {"name": "web", "namespace": "shop", "generation": generation}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec, "status": status}


def pod(phase: str = "Pending", *conditions: dict[str, str], **status: Any) -> Verdict:
    return readiness.verdict(workload("Pod", {}, {"phase": phase, "conditions": list(conditions), **status}))


def deployment(replicas: int | None, existing: int, updated: int, available: int, **status: Any) -> Verdict:
    counts = {"replicas": existing, "updatedReplicas": updated, "availableReplicas": available}
    spec = {} if replicas is None else {"replicas": replicas}
    return readiness.verdict(workload("Deployment", spec, {"observedGeneration": 2, **counts, **status}))


def test_a_pod_is_ready_by_its_condition() -> None:
    assert pod("Running", condition("Ready", "True")) == Verdict(is_ready=True, why="condition Ready is True")


@pytest.mark.parametrize("phase", ["Succeeded", "Running"])
def test_a_pod_that_has_completed_is_ready(phase: str) -> None:
    assert pod(phase, condition("Ready", "False", "PodCompleted")).is_ready


def test_a_pod_that_succeeded_is_ready_without_any_condition() -> None:
    assert pod("Succeeded").is_ready


def test_a_pod_names_the_containers_that_hold_it_up() -> None:
    found = pod(
        "Pending",
        condition("Ready", "False", "ContainersNotReady", "containers with unready status: [web]"),
        initContainerStatuses=[{"name": "prepare", "state": {"terminated": {"reason": "Completed"}}}],
        containerStatuses=[
            {"name": "web", "state": {"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}}},
            {"name": "log", "state": {"waiting": {"reason": "ContainerCreating"}}},
        ],
    )
    assert found == Verdict(
        is_ready=False,
        why="condition Ready is False: ContainersNotReady: containers with unready status: [web]; "
        "container web is waiting: ImagePullBackOff: no such image",
    )


def test_a_pod_without_a_node_says_what_the_scheduler_says() -> None:
    found = pod("Pending", condition("PodScheduled", "False", "Unschedulable", "0/3 nodes are available"))
    assert found.why == "condition PodScheduled is False: Unschedulable: 0/3 nodes are available"
    assert pod("Pending", condition("PodScheduled", "True")).why == "the pod has no condition Ready yet"


def test_a_pod_that_failed_never_becomes_ready() -> None:
    found = pod("Failed", condition("Ready", "False", "PodFailed"), reason="Evicted", message="out of memory")
    assert found == Verdict(is_ready=False, why="the pod has failed: Evicted: out of memory", is_failed=True)


@pytest.mark.parametrize(
    ("numbers", "why"),
    [
        ((3, 3, 3, 3), "3 of 3 replicas are available"),
        ((0, 0, 0, 0), "0 of 0 replicas are available"),
        ((None, 0, 0, 0), "0 of 0 replicas are available"),
    ],
)
def test_a_deployment_is_ready_when_all_its_numbers_agree(numbers: tuple[int, int, int, int], why: str) -> None:
    assert deployment(*numbers) == Verdict(is_ready=True, why=why)


@pytest.mark.parametrize(
    ("numbers", "why"),
    [
        ((3, 3, 3, 2), "2 of 3 replicas are available"),
        ((3, 3, 1, 3), "1 of 3 replicas are updated"),
        ((3, 4, 3, 3), "4 replicas exist where 3 are wanted"),
        ((3, 2, 3, 3), "2 of 3 replicas exist"),
        ((None, 1, 1, 1), "1 replicas exist where 0 are wanted"),
        ((0, 1, 0, 0), "1 replicas exist where 0 are wanted"),
    ],
)
def test_a_deployment_names_the_number_that_is_missing(numbers: tuple[int, int, int, int], why: str) -> None:
    assert deployment(*numbers) == Verdict(is_ready=False, why=why)


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_a_deployment_is_ready_only_when_four_numbers_are_one(
    wanted: int, existing: int, updated: int, available: int
) -> None:
    found = deployment(wanted, existing, updated, available)
    assert found.is_ready is (wanted == existing == updated == available)


def test_a_deployment_tells_which_conditions_hold_it_up_and_may_still_recover() -> None:
    found = deployment(
        1,
        1,
        1,
        0,
        conditions=[
            condition("Progressing", "False", "ProgressDeadlineExceeded", "timed out"),
            condition("ReplicaFailure", "True", "FailedCreate", "exceeded quota"),
            condition("Available", "False", "MinimumReplicasUnavailable"),
        ],
    )
    assert found == Verdict(
        is_ready=False,
        why="0 of 1 replicas are available; condition ReplicaFailure is True: FailedCreate: exceeded quota; "
        "condition Progressing is False: ProgressDeadlineExceeded: timed out",
        is_stuck=True,
    )


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController"])
@pytest.mark.parametrize("status", [{"observedGeneration": 1}, {}, None])
def test_a_status_of_an_earlier_generation_does_not_count(kind: str, status: dict[str, Any] | None) -> None:
    enough = dict.fromkeys(("replicas", "updatedReplicas", "availableReplicas", "readyReplicas"), 1)
    found = readiness.verdict(workload(kind, {"replicas": 1}, None if status is None else {**enough, **status}))
    seen = (status or {}).get("observedGeneration", 0)
    assert found == Verdict(
        is_ready=False, why=f"generation 2 has not been observed yet, the status is of generation {seen}"
    )


@pytest.mark.parametrize(
    ("spec", "updated", "available", "expected"),
    [
        ({"replicas": 2}, 2, 2, Verdict(is_ready=True, why="2 of 2 replicas are available")),
        ({"replicas": 2}, 3, 3, Verdict(is_ready=True, why="3 of 2 replicas are available")),
        ({"replicas": 2}, 1, 2, Verdict(is_ready=False, why="1 of 2 replicas are updated")),
        ({"replicas": 2}, 2, 1, Verdict(is_ready=False, why="1 of 2 replicas are available")),
        ({"replicas": 0}, 0, 0, Verdict(is_ready=True, why="0 of 0 replicas are available")),
        ({}, 0, 0, Verdict(is_ready=False, why="0 of 1 replicas are updated")),
        ({}, 1, 1, Verdict(is_ready=True, why="1 of 1 replicas are available")),
    ],
)
def test_a_stateful_set_needs_enough_replicas(
    spec: dict[str, Any], updated: int, available: int, expected: Verdict
) -> None:
    status = {"observedGeneration": 2, "updatedReplicas": updated, "availableReplicas": available}
    assert readiness.verdict(workload("StatefulSet", spec, status)) == expected


@pytest.mark.parametrize(
    ("strategy", "max_unavailable", "needed"),
    [
        ("RollingUpdate", 1, 9),
        ("RollingUpdate", "25%", 8),
        ("RollingUpdate", "99%", 1),
        ("RollingUpdate", "100%", 0),
        ("RollingUpdate", "many", 10),
        ("RollingUpdate", None, 10),
        ("OnDelete", 5, 10),
        (None, 5, 10),
    ],
)
def test_a_daemon_set_may_spare_what_an_update_takes_away(
    strategy: str | None, max_unavailable: int | str | None, needed: int
) -> None:
    update = {"type": strategy, "rollingUpdate": {"maxUnavailable": max_unavailable}}

    def scheduled(current: int) -> Verdict:
        status = {"observedGeneration": 2, "desiredNumberScheduled": 10, "currentNumberScheduled": current}
        return readiness.verdict(workload("DaemonSet", {"updateStrategy": update}, status))

    assert [current for current in range(11) if scheduled(current).is_ready] == list(range(needed, 11))


def test_a_daemon_set_says_how_many_pods_it_needs() -> None:
    update = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1}}
    status = {"observedGeneration": 2, "desiredNumberScheduled": 3, "currentNumberScheduled": 1}
    found = readiness.verdict(workload("DaemonSet", {"updateStrategy": update}, status))
    assert found.why == "1 of 3 pods are scheduled, at least 2 must be"


@pytest.mark.parametrize("kind", ["ReplicaSet", "ReplicationController"])
def test_a_replica_set_needs_enough_ready_pods_and_no_refusal(kind: str) -> None:
    def found(ready: int, *conditions: dict[str, str], **spec: int) -> Verdict:
        status = {"observedGeneration": 2, "readyReplicas": ready, "conditions": list(conditions)}
        return readiness.verdict(workload(kind, spec, status))

    refused = condition("ReplicaFailure", "True", "FailedCreate", "exceeded quota")
    assert found(2, replicas=2) == Verdict(is_ready=True, why="2 of 2 replicas are ready")
    assert found(1, replicas=2) == Verdict(is_ready=False, why="1 of 2 replicas are ready")
    assert found(0) == Verdict(is_ready=False, why="0 of 1 replicas are ready")
    assert found(2, refused).why == "condition ReplicaFailure is True: FailedCreate: exceeded quota"
    assert not found(2, {**refused, "status": "Unknown"}).is_ready
    assert found(2, {**refused, "status": "False"}).is_ready
