"""What the provider status remembers."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from landform.api.errors import OperationFailed
from landform.deployers.programs.contract.contract import Operation
from landform.deployers.programs.contract.identities import ItemId, RunId
from landform.deployers.programs.contract.outcomes import End, Outcome
from landform.deployers.programs.contract.sandboxes import Progress, Step
from landform.deployers.programs.runs import failures, memory
from landform.deployers.programs.runs.memory import Memory

VERSION = "container.deployer.landscaper.gardener.cloud/v1alpha1"
RUN = RunId(ItemId("n", "i", "u"), "job-1", Operation.RECONCILE)
NOW = datetime(2030, 1, 1, tzinfo=UTC)
BEGUN = Memory().begun(RUN, "kubernetes", "example/x:1", NOW)


def test_it_comes_back_as_it_was() -> None:
    told = BEGUN.with_progress(Progress(Step.RUNNING, status={"podName": "p", "initContainerStatus": {"exitCode": 0}}))
    told = told.ended(Outcome(End.EXITED, 0, started=NOW, finished=NOW)).success(RUN, exported=True)
    assert memory.read(told.plain(VERSION)) == told
    assert told.has_succeeded(RUN)
    assert memory.read(None) == Memory()


def test_people_find_the_fields_of_the_original_and_of_its_documentation() -> None:
    status = {"podName": "a-pod", "containerStatus": {"imageID": "sha256:1"}}
    told = BEGUN.with_progress(Progress(Step.RUNNING, status=status))
    failed = told.ended(Outcome(End.OUT_OF_MEMORY, 137, message="512Mi were too little")).failure(
        RUN, "OutOfMemory", "m"
    )
    assert failed.plain(VERSION) == {
        "apiVersion": VERSION,
        "kind": "ProviderStatus",
        "lastOperation": "RECONCILE",
        "podStatus": {
            "podName": "a-pod",
            "lastRun": "2030-01-01T00:00:00Z",
            "lastFailedJobID": "job-1",
            "containerStatus": {
                "image": "example/x:1",
                "imageID": "sha256:1",
                "exitCode": 137,
                "reason": "OOMKilled",
                "message": "512Mi were too little",
                "state": {"terminated": {"reason": "OOMKilled", "exitCode": 137, "message": "512Mi were too little"}},
            },
        },
        "message": "m",
        "reason": "OutOfMemory",
        "state": {"terminated": {"reason": "OOMKilled", "exitCode": 137, "message": "512Mi were too little"}},
        "image": "example/x:1",
        "imageID": "sha256:1",
        "sandbox": "kubernetes",
        "jobID": "job-1",
    }


def test_a_status_of_the_original_says_which_job_succeeded() -> None:
    found = memory.read(
        {"kind": "ProviderStatus", "lastOperation": "RECONCILE", "podStatus": {"lastSuccessfulJobID": "job-1"}}
    )
    assert found.has_succeeded(RUN)
    assert not found.has_succeeded(RunId(RUN.item, "job-1", Operation.DELETE))
    assert found.is_of_original
    assert not BEGUN.is_of_original
    assert not Memory().is_of_original


def test_what_is_no_status_is_an_error_of_the_configuration() -> None:
    with pytest.raises(OperationFailed, match="DecodeProviderStatus"):
        memory.read({"podStatus": 1})
    with pytest.raises(OperationFailed, match="DecodeProviderStatus"):
        memory.read({"lastOperation": "EXPLODE"})


@pytest.mark.parametrize(
    ("outcome", "reason", "message"),
    [
        (Outcome(End.EXITED, 3), "ProgramFailed", "the program ended with exit code 3"),
        (Outcome(End.SIGNALED, signal=11), "ProgramKilled", "the program was ended by signal 11 (SIGSEGV)"),
        (Outcome(End.SIGNALED, signal=99), "ProgramKilled", "the program was ended by signal 99"),
        (Outcome(End.OUT_OF_MEMORY, 137), "OutOfMemory", "the program was ended because it ran out of memory"),
        (
            Outcome(End.NOT_STARTED, reason="ErrImagePull", message="no such image"),
            "ErrImagePull",
            "the program was not started: ErrImagePull: no such image",
        ),
        (Outcome(End.LOST, reason="Evicted"), "Evicted", "nobody knows how the program ended: Evicted"),
    ],
)
def test_a_failure_says_how_the_program_ended(outcome: Outcome, reason: str, message: str) -> None:
    failure = failures.of_outcome(outcome, "")
    assert (failure.reason, failure.message) == (reason, message)
    assert failures.of_outcome(outcome, "last\nline").message == f"{message}; it printed last:\nlast\nline"
    assert "last\n" not in str(failures.of_outcome(outcome, "last\nline"))
