"""Objects are ready by the conventions of their kinds, and every object gets a verdict."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landform.deployers.manifest import readiness
from landform.deployers.manifest.readiness import Verdict

READY = {"type": "Ready", "status": "True", "reason": "Succeeded"}
NOT_READY = {"type": "Ready", "status": "False", "reason": "BuildFailed", "message": "no such path"}
STALLED = {"type": "Stalled", "status": "True", "reason": "InvalidPath", "message": "it has no such folder"}
RECONCILING = {"type": "Reconciling", "status": "True", "reason": "Progressing"}
KINDS = {
    "Pod": "v1",
    "ReplicationController": "v1",
    "PersistentVolumeClaim": "v1",
    "Namespace": "v1",
    "Service": "v1",
    "Secret": "v1",
    "Deployment": "apps/v1",
    "StatefulSet": "apps/v1",
    "DaemonSet": "apps/v1",
    "ReplicaSet": "apps/v1",
    "Job": "batch/v1",
    "CustomResourceDefinition": "apiextensions.k8s.io/v1",
    "APIService": "apiregistration.k8s.io/v1",
    "Kustomization": "kustomize.toolkit.fluxcd.io/v1",
}


def verdict(
    kind: str,
    status: Any = None,
    spec: dict[str, Any] | None = None,
    version: str | None = None,
    **metadata: Any,
) -> Verdict:
    obj = {"apiVersion": version or KINDS[kind], "kind": kind, "spec": spec or {}}
    return readiness.verdict({**obj, "metadata": {"name": "a", "generation": 1, **metadata}, "status": status})


def conditions(*found: dict[str, Any], **status: Any) -> dict[str, Any]:
    return {"conditions": list(found), **status}


@pytest.mark.parametrize("status", [None, {}, {"phase": "Whatever"}, conditions(), conditions({"type": "Odd"})])
def test_a_kind_that_says_nothing_about_itself_is_ready(status: Any) -> None:
    assert verdict("Kustomization", status) == Verdict(is_ready=True, why="it exists")


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (conditions(READY), Verdict(is_ready=True, why="condition Ready is True: Succeeded")),
        (
            conditions(NOT_READY),
            Verdict(is_ready=False, why="condition Ready is False: BuildFailed: no such path"),
        ),
        (conditions({"type": "Ready"}), Verdict(is_ready=False, why="condition Ready is Unknown")),
        (
            conditions({"type": "Available", "status": "False"}),
            Verdict(is_ready=False, why="condition Available is False"),
        ),
        (
            conditions(READY, {"type": "Available", "status": "False"}),
            Verdict(is_ready=False, why="condition Available is False"),
        ),
        (
            conditions(READY, RECONCILING),
            Verdict(is_ready=False, why="condition Reconciling is True: Progressing"),
        ),
        (
            conditions(NOT_READY, RECONCILING, STALLED),
            Verdict(is_ready=False, why="condition Stalled is True: InvalidPath: it has no such folder", is_stuck=True),
        ),
        (
            conditions({**STALLED, "status": "False"}, {**RECONCILING, "status": "False"}, READY),
            Verdict(is_ready=True, why="condition Ready is True: Succeeded"),
        ),
    ],
)
def test_custom_resources_are_judged_by_the_usual_conditions(status: dict[str, Any], expected: Verdict) -> None:
    assert verdict("Kustomization", status) == expected


@pytest.mark.parametrize("condition", [READY, STALLED])
@pytest.mark.parametrize("seen", [-1, 0, 4])
def test_a_status_of_an_earlier_generation_says_nothing(condition: dict[str, Any], seen: int) -> None:
    found = verdict("Kustomization", conditions(condition, observedGeneration=seen), generation=5)
    why = f"generation 5 has not been observed yet, the status is of generation {seen}"
    assert found == Verdict(is_ready=False, why=why)


def test_a_status_of_the_present_generation_counts() -> None:
    assert verdict("Kustomization", conditions(READY, observedGeneration=5), generation=5).is_ready
    assert verdict("Kustomization", conditions(STALLED, observedGeneration=5), generation=5).is_stuck


@pytest.mark.parametrize("condition", [READY, STALLED])
def test_a_condition_of_an_earlier_generation_says_nothing_either(condition: dict[str, Any]) -> None:
    found = verdict("Kustomization", conditions({**condition, "observedGeneration": 4}), generation=5)
    assert (found.is_ready, found.is_failed) == (False, False)
    assert f"condition {condition['type']} is True of generation 4" in found.why


def test_a_bad_condition_that_is_over_need_not_be_renewed() -> None:
    over = {**RECONCILING, "status": "False", "observedGeneration": 1}
    assert verdict("Kustomization", conditions(over, {**READY, "observedGeneration": 5}), generation=5).is_ready


def test_the_status_is_believed_rather_than_its_conditions_about_the_generation() -> None:
    status = conditions({**READY, "observedGeneration": 1}, observedGeneration=5)
    assert verdict("Kustomization", status, generation=5).is_ready


@pytest.mark.parametrize(
    ("kind", "status"),
    [("Deployment", {"observedGeneration": 1}), ("Namespace", {"phase": "Active"}), ("Kustomization", {})],
)
def test_what_is_being_deleted_is_not_ready(kind: str, status: Any) -> None:
    assert verdict(kind, status).is_ready
    gone = verdict(kind, status, deletionTimestamp="2024-01-01T00:00:00Z")
    assert gone == Verdict(is_ready=False, why="it is being deleted")
    held = verdict(kind, status, deletionTimestamp="2024-01-01T00:00:00Z", finalizers=["a/b", "c"])
    assert held == Verdict(is_ready=False, why="it is being deleted, held by a/b, c")


def test_a_number_that_is_none_counts_as_absent() -> None:
    assert not verdict("Deployment", {"observedGeneration": True}).is_ready
    assert verdict("Kustomization", conditions(READY, observedGeneration="0"), generation=5).is_ready


def test_a_kind_of_another_group_is_not_mistaken_for_a_known_one() -> None:
    assert verdict("Deployment", {}, {"replicas": 3}, version="example.org/v1").is_ready
    assert verdict("Job", {}, version="example.org/v1").is_ready


@pytest.mark.parametrize(
    ("spec", "status", "expected"),
    [
        (
            {"completions": 3},
            {"succeeded": 1, "active": 1, "failed": 2},
            Verdict(is_ready=False, why="1 of 3 pods have completed, 1 are active, 2 have failed"),
        ),
        ({}, None, Verdict(is_ready=False, why="0 pods have completed, 0 are active, 0 have failed")),
        ({"suspend": True}, {}, Verdict(is_ready=False, why="the job is suspended")),
        (
            {},
            conditions({"type": "Complete", "status": "True"}),
            Verdict(is_ready=True, why="condition Complete is True"),
        ),
        (
            {},
            conditions({"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded"}),
            Verdict(is_ready=False, why="condition Failed is True: BackoffLimitExceeded", is_failed=True),
        ),
        (
            {},
            conditions({"type": "Failed", "status": "False"}),
            Verdict(is_ready=False, why="0 pods have completed, 0 are active, 0 have failed"),
        ),
    ],
)
def test_a_job_is_ready_when_it_is_complete(spec: dict[str, Any], status: Any, expected: Verdict) -> None:
    assert verdict("Job", status, spec) == expected


def test_a_volume_claim_is_ready_when_it_is_bound() -> None:
    assert verdict("PersistentVolumeClaim", {"phase": "Bound"}) == Verdict(is_ready=True, why="the phase is Bound")
    lost = Verdict(is_ready=False, why="the phase is Lost, not Bound", is_stuck=True)
    assert verdict("PersistentVolumeClaim", {"phase": "Lost"}) == lost
    assert verdict("PersistentVolumeClaim").why == "the phase is not known yet, not Bound"
    pending = verdict("PersistentVolumeClaim", {"phase": "Pending"})
    assert not pending.is_ready
    assert "stays so until a pod uses the claim" in pending.why


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (None, Verdict(is_ready=False, why="there is no condition Established yet")),
        (
            conditions({"type": "Established", "status": "False", "reason": "Installing"}),
            Verdict(is_ready=False, why="condition Established is False: Installing"),
        ),
        (
            conditions({"type": "NamesAccepted", "status": "True"}, {"type": "Established", "status": "True"}),
            Verdict(is_ready=True, why="condition Established is True"),
        ),
        (
            conditions(
                {"type": "Established", "status": "True"},
                {"type": "NamesAccepted", "status": "False", "reason": "PluralConflict"},
            ),
            Verdict(is_ready=False, why="condition NamesAccepted is False: PluralConflict", is_stuck=True),
        ),
    ],
)
def test_a_definition_is_ready_when_it_is_established(status: Any, expected: Verdict) -> None:
    assert verdict("CustomResourceDefinition", status) == expected


def test_an_api_service_is_ready_when_it_is_available() -> None:
    assert verdict("APIService").why == "there is no condition Available yet"
    assert verdict("APIService", conditions({"type": "Available", "status": "True"})).is_ready
    refused = verdict("APIService", conditions({"type": "Available", "status": "False", "reason": "MissingEndpoints"}))
    assert refused == Verdict(is_ready=False, why="condition Available is False: MissingEndpoints")


def test_a_namespace_is_ready_unless_it_terminates() -> None:
    assert verdict("Namespace").is_ready
    assert verdict("Namespace", {"phase": "Active"}).is_ready
    assert verdict("Namespace", {"phase": "Terminating"}).why == "the phase is Terminating, not Active"


@pytest.mark.parametrize(
    ("spec", "status", "is_ready"),
    [
        ({}, None, True),
        ({"type": "ClusterIP"}, {"loadBalancer": {}}, True),
        ({"type": "LoadBalancer"}, None, False),
        ({"type": "LoadBalancer"}, {"loadBalancer": {"ingress": []}}, False),
        ({"type": "LoadBalancer"}, {"loadBalancer": {"ingress": [{}]}}, False),
        ({"type": "LoadBalancer"}, {"loadBalancer": {"ingress": [{"ip": "10.0.0.1"}]}}, True),
        ({"type": "LoadBalancer"}, {"loadBalancer": {"ingress": [{"hostname": "lb.example.org"}]}}, True),
        ({"type": "LoadBalancer", "externalIPs": ["10.0.0.2"]}, None, True),
    ],
)
def test_a_service_with_a_load_balancer_needs_its_address(spec: dict[str, Any], status: Any, is_ready: bool) -> None:
    found = verdict("Service", status, spec)
    assert found.is_ready is is_ready
    if not is_ready:
        assert found.why == "its load balancer has no address yet"


def test_what_controllers_write_is_cut_and_made_one_line() -> None:
    found = verdict("Kustomization", conditions({**NOT_READY, "message": "line\n\tand\n" + "x" * 5000}))
    assert found.why.startswith("condition Ready is False: BuildFailed: line and xxx")
    assert found.why.endswith("...")
    assert len(found.why) < 400


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["True", "False", "Ready", "5%", "", "a\nb"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *(
                        "conditions",
                        "type",
                        "status",
                        "reason",
                        "phase",
                        "replicas",
                        "observedGeneration",
                        "generation",
                    ),
                    *("loadBalancer", "ingress", "containerStatuses", "state", "waiting", "updateStrategy"),
                    *("deletionTimestamp", "finalizers", "rollingUpdate", "maxUnavailable", "suspend", "message"),
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.sampled_from(sorted(KINDS)), JSON, JSON, JSON)
def test_every_object_gets_a_verdict_whatever_it_looks_like(kind: str, metadata: Any, spec: Any, status: Any) -> None:
    obj = {"apiVersion": KINDS[kind], "kind": kind, "metadata": metadata, "spec": spec, "status": status}
    found = readiness.verdict(obj)
    assert found.why
    assert "\n" not in found.why
    assert found.is_ready + found.is_failed + found.is_stuck <= 1


@given(JSON, JSON)
def test_an_object_without_a_kind_gets_a_verdict_too(version: Any, kind: Any) -> None:
    assert readiness.verdict({"apiVersion": version, "kind": kind}) == Verdict(is_ready=True, why="it exists")
