"""What a deployer remembers of an item's program: the provider status, for people and for the next deployer; pure.

Its shape is the original's: `lastOperation` and `podStatus`, and beside them the fields that its documentation shows
(`message`, `reason`, `state`, `image`, `imageID`). Landform's own are `sandbox`, `jobID`, `exported` and
`podStatus.lastFailedJobID`: by these a deployer that was killed knows what it need not do again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import msgspec

from landform.api.errors import ErrorCode, OperationFailed
from landform.deployers.programs.contract.contract import Operation
from landform.deployers.programs.contract.outcomes import End
from landform.kit.clocks import rfc3339

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from landform.deployers.programs.contract.identities import RunId
    from landform.deployers.programs.contract.outcomes import Outcome
    from landform.deployers.programs.contract.sandboxes import Progress

KIND: Final = "ProviderStatus"

_CONTAINERS: Final = ("containerStatus", "initContainerStatus", "waitContainerStatus")


class _PodStatus(msgspec.Struct, rename="camel", omit_defaults=True):
    pod_name: str = ""
    last_run: str = ""
    last_successful_job_id: str = msgspec.field(name="lastSuccessfulJobID", default="")
    last_failed_job_id: str = msgspec.field(name="lastFailedJobID", default="")
    container_status: dict[str, Any] = {}
    init_container_status: dict[str, Any] = {}
    wait_container_status: dict[str, Any] = {}


class _Status(msgspec.Struct, rename="camel", omit_defaults=True):
    last_operation: str = ""
    pod_status: _PodStatus = msgspec.field(default_factory=_PodStatus)
    message: str = ""
    reason: str = ""
    sandbox: str = ""
    job_id: str = msgspec.field(name="jobID", default="")
    exported: bool = False


@dataclass(frozen=True)
class Memory:
    """What is known of the last run of an item's program."""

    operation: Operation | None = None
    """What the last run was to do; None: no program of the item ever began."""

    job: str = ""
    """The job that it belonged to."""

    sandbox: str = ""
    """Where it ran."""

    succeeded: str = ""
    """The last job whose program succeeded and whose exports were taken over."""

    failed: str = ""
    """The last job whose program failed."""

    exported: bool = False
    """Whether the program of the job that succeeded has exported something."""

    message: str = ""
    reason: str = ""
    last_run: str = ""
    pod_name: str = ""
    containers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By the names of their fields in `podStatus`."""

    @property
    def is_of_original(self) -> bool:
        """Whether the last run was the original Landscaper's, which says no sandbox."""
        return self.operation is not None and not self.sandbox

    def is_of(self, run: RunId) -> bool:
        """Whether the last run is this one."""
        return (self.operation, self.job) == (run.operation, run.job)

    def has_succeeded(self, run: RunId) -> bool:
        """Whether the run need not be done any more."""
        return self.is_of(run) and self.succeeded == run.job

    def has_failed(self, run: RunId) -> bool:
        """Whether the run has failed, which is not mended by doing it again."""
        return self.is_of(run) and self.failed == run.job

    def begun(self, run: RunId, sandbox: str, image: str | None, now: datetime) -> Memory:
        """A new run is about to begin."""
        known = {"image": image} if image else {}
        return Memory(
            operation=run.operation,
            job=run.job,
            sandbox=sandbox,
            succeeded=self.succeeded,
            last_run=rfc3339(now),
            containers={"containerStatus": known} if known else {},
        )

    def with_progress(self, progress: Progress) -> Memory:
        """The run is so far."""
        said = progress.status
        containers: dict[str, Any] = dict(self.containers)
        for name in _CONTAINERS:
            if isinstance(found := said.get(name), dict):
                containers[name] = {**containers.get(name, {}), **found}
        return replace(
            self,
            pod_name=str(said.get("podName") or self.pod_name),
            message=progress.message,
            reason=str(progress.step),
            containers=containers,
        )

    def ended(self, outcome: Outcome) -> Memory:
        """The program has come to its end."""
        known = {**self.containers.get("containerStatus", {})}
        terminated = _terminated(outcome)
        known["state"] = {"terminated": terminated}
        known["reason"] = terminated["reason"]
        if outcome.message:
            known["message"] = outcome.message
        if outcome.exit_code is not None:
            known["exitCode"] = outcome.exit_code
        return replace(self, reason=terminated["reason"], containers={**self.containers, "containerStatus": known})

    def success(self, run: RunId, *, exported: bool) -> Memory:
        """The run is done and what it left is taken over."""
        return replace(self, succeeded=run.job, failed="", exported=exported, message="", reason="Completed")

    def failure(self, run: RunId, reason: str, message: str) -> Memory:
        """The run has failed."""
        return replace(self, failed=run.job, reason=reason, message=message)

    def plain(self, api_version: str) -> dict[str, Any]:
        """The provider status."""
        status = _Status(
            last_operation=str(self.operation or ""),
            pod_status=_PodStatus(
                pod_name=self.pod_name,
                last_run=self.last_run,
                last_successful_job_id=self.succeeded,
                last_failed_job_id=self.failed,
                container_status=dict(self.containers.get("containerStatus", {})),
                init_container_status=dict(self.containers.get("initContainerStatus", {})),
                wait_container_status=dict(self.containers.get("waitContainerStatus", {})),
            ),
            message=self.message,
            reason=self.reason,
            sandbox=self.sandbox,
            job_id=self.job,
            exported=self.exported,
        )
        main = self.containers.get("containerStatus", {})
        flat = {name: main[name] for name in ("state", "image", "imageID") if main.get(name)}
        return {"apiVersion": api_version, "kind": KIND, **msgspec.to_builtins(status), **flat}


def read(status: Any) -> Memory:
    """What a provider status remembers; OperationFailed if it is none."""
    if not status:
        return Memory()
    try:
        found = msgspec.convert(status, _Status)
        operation = Operation(found.last_operation) if found.last_operation else None
    except (msgspec.ValidationError, ValueError) as fault:
        raise OperationFailed(
            "InitContainerOperation",
            "DecodeProviderStatus",
            f"status.providerStatus is none of this deployer: {fault}",
            codes=(ErrorCode.CONFIGURATION_PROBLEM,),
        ) from fault
    pod = found.pod_status
    return Memory(
        operation=operation,
        job=found.job_id or pod.last_successful_job_id,
        sandbox=found.sandbox,
        succeeded=pod.last_successful_job_id,
        failed=pod.last_failed_job_id,
        exported=found.exported,
        message=found.message,
        reason=found.reason,
        last_run=pod.last_run,
        pod_name=pod.pod_name,
        containers={
            name: content
            for name, content in zip(
                _CONTAINERS, (pod.container_status, pod.init_container_status, pod.wait_container_status), strict=True
            )
            if content
        },
    )


def _terminated(outcome: Outcome) -> dict[str, Any]:
    """The end of a program as Kubernetes tells that of a container."""
    words = {End.EXITED: "Completed" if outcome.succeeded else "Error", End.SIGNALED: "Error"}
    words |= {End.OUT_OF_MEMORY: "OOMKilled"}
    told: dict[str, Any] = {"reason": outcome.reason or words.get(outcome.end, str(outcome.end))}
    for name, value in (
        ("exitCode", outcome.exit_code),
        ("signal", outcome.signal),
        ("message", outcome.message or None),
        ("startedAt", rfc3339(outcome.started) if outcome.started else None),
        ("finishedAt", rfc3339(outcome.finished) if outcome.finished else None),
    ):
        if value is not None:
            told[name] = value
    return told
