"""What the status of a pod means."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.deployers.programs.pods.nodes import SETTINGS, ended, running, status, waiting

from landform.deployers.programs.contract.outcomes import End
from landform.deployers.programs.contract.sandboxes import Step
from landform.deployers.programs.pods import judging
from landform.deployers.programs.pods.judging import Going, Observation, Over

NOW = datetime(2030, 1, 1, 1, tzinfo=UTC)
RUNNING = status(init=ended(), main=running(), wait=running())


def pod(said: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    """A pod on a node."""
    return {"metadata": {"name": "pod", **metadata}, "spec": {"nodeName": "node-1"}, "status": said}


def judged(said: dict[str, Any], **metadata: Any) -> judging.Judgement:
    """What is made of it now."""
    return judging.judge(Observation(pod(said, **metadata), NOW), SETTINGS)


def test_a_pod_without_a_node_says_why() -> None:
    condition = {
        "type": "PodScheduled",
        "status": "False",
        "reason": "Unschedulable",
        "message": "0/3 nodes: no memory",
    }
    judgement = judged({"phase": "Pending", "conditions": [condition]})
    assert isinstance(judgement, Going)
    assert judgement.progress.message == "the pod has no node yet: 0/3 nodes: no memory"
    assert judgement.progress.step is Step.STAGING


def test_a_pod_that_is_driven_from_its_node_says_by_whom() -> None:
    condition = {
        "type": "DisruptionTarget",
        "status": "True",
        "reason": "EvictionByEvictionAPI",
        "message": "Eviction API: evicting",
    }
    said = {**status("Failed", init=ended(), main=ended(143), wait=ended(1)), "conditions": [condition]}
    judgement = judged(said, deletionTimestamp="2030-01-01T00:59:00Z", deletionGracePeriodSeconds=0)
    assert isinstance(judgement, Over)
    assert judgement.result.outcome.reason == "EvictionByEvictionAPI"
    assert judgement.result.outcome.signal == 15


def test_a_pod_of_which_nothing_is_known_is_lost_after_a_while() -> None:
    def unknown(since: str) -> dict[str, Any]:
        return {**RUNNING, "phase": "Unknown", "conditions": [{"type": "Ready", "lastTransitionTime": since}]}

    judgement = judged(unknown("2030-01-01T00:58:00Z"))
    assert isinstance(judgement, Going)
    assert judgement.until == NOW + timedelta(minutes=3)
    judgement = judged(unknown("2030-01-01T00:55:00Z"))
    assert isinstance(judgement, Over)
    assert judgement.result.outcome.end is End.LOST


def test_a_wait_container_that_cannot_start_does_not_hide_that_the_program_ran() -> None:
    said = status(init=ended(), main=running(), wait=waiting("ErrImageNeverPull", "not present"))
    judgement = judged(said)
    assert isinstance(judgement, Over)
    assert (judgement.result.outcome.end, judgement.result.outcome.reason) == (End.LOST, "ErrImageNeverPull")


def crashed(times: int, main: dict[str, Any], phase: str = "Pending") -> dict[str, Any]:
    """A pod whose wait container waits to be started again after so many starts."""
    said = status(phase, init=ended(), wait=waiting("CrashLoopBackOff", "back-off"), main=main)
    said["initContainerStatuses"][1] |= {"restartCount": times, "lastState": ended(1, message="no module")}
    return said


def test_a_program_whose_wait_container_crashes_is_given_up_before_it_begins() -> None:
    assert isinstance(judged(crashed(1, waiting("PodInitializing"))), Going)
    judgement = judged(crashed(2, waiting("PodInitializing")))
    assert isinstance(judgement, Over)
    outcome = judgement.result.outcome
    assert (outcome.end, outcome.reason) == (End.NOT_STARTED, "CrashLoopBackOff")
    assert outcome.message == "the wait container ends again and again, with exit code 1: no module"


def test_a_wait_container_that_crashes_is_told_also_while_it_is_tried_again() -> None:
    said = crashed(2, waiting("PodInitializing"))
    said["initContainerStatuses"][1] |= {"state": running()}
    judgement = judged(said)
    assert isinstance(judgement, Over)
    assert judgement.result.outcome.message.endswith("with exit code 1: no module")


def test_a_program_that_runs_goes_on_while_its_wait_container_crashes() -> None:
    assert isinstance(judged(crashed(5, running(), "Running")), Going)
    judgement = judged(crashed(5, ended(), "Succeeded"))
    assert isinstance(judgement, Over)
    assert judgement.result.outcome.succeeded
    assert judgement.result.fault.endswith("the wait container ended with exit code 1: no module")


def test_a_program_that_ended_well_before_its_pod_was_deleted_ended_well_but_left_nothing() -> None:
    said = status("Failed", init=ended(), main=ended(), wait=ended(1))
    judgement = judged(said, deletionTimestamp="2030-01-01T00:59:00Z")
    assert isinstance(judgement, Over)
    assert judgement.result.outcome.succeeded
    assert judgement.result.fault.endswith("the pod was deleted before that")


@pytest.mark.parametrize(
    ("said", "metadata", "over"),
    [
        pytest.param({"phase": "Running"}, {}, False, id="running"),
        pytest.param({"phase": "Succeeded"}, {}, True, id="succeeded"),
        pytest.param(
            {"phase": "Running"},
            {"deletionTimestamp": "2030-01-01T00:00:00Z", "deletionGracePeriodSeconds": 30},
            False,
            id="being deleted",
        ),
        pytest.param(
            {"phase": "Running"},
            {"deletionTimestamp": "2030-01-01T00:00:00Z", "deletionGracePeriodSeconds": 0},
            True,
            id="deleted by its node",
        ),
    ],
)
def test_when_nothing_of_a_pod_runs_any_more(said: dict[str, Any], metadata: dict[str, Any], over: bool) -> None:
    assert judging.is_over(pod(said, **metadata)) is over


def test_a_program_that_runs_is_told_as_the_original_does() -> None:
    fields = judging.status_fields(pod(RUNNING, creationTimestamp="2030-01-01T00:00:00Z"))
    assert fields["lastRun"] == "2030-01-01T00:00:00Z"
    assert fields["containerStatus"]["reason"] == "Running"
    assert fields["initContainerStatus"]["exitCode"] == 0
    assert fields["waitContainerStatus"]["reason"] == "Running"
