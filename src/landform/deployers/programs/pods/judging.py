"""What the status of a pod means for its run: still going, or over without the wait container; pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeAlias

from landform.deployers.programs.contract.outcomes import End, Outcome, Result
from landform.deployers.programs.contract.sandboxes import Progress, Step
from landform.deployers.programs.pods.endings import outcome_of
from landform.deployers.programs.pods.handover import INIT, MAIN, WAIT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.deployers.programs.pods.settings import PodSettings

_FINAL = ("ErrImageNeverPull", "InvalidImageName", "ErrInvalidImageName")
"""Reasons of a waiting container that do not pass."""

_CRASHES = 2
"""So often a wait container is started again before the run is given up; the program does not start without it."""

_TROUBLE = (
    "ErrImagePull",
    "ImagePullBackOff",
    "RegistryUnavailable",
    "ImageInspectError",
    "SignatureValidationFailed",
    "CreateContainerConfigError",
    "CreateContainerError",
    "RunContainerError",
)
"""Reasons that may pass: the kubelet tries again."""


@dataclass(frozen=True)
class Going:
    """The run has not ended."""

    progress: Progress
    trouble: str = ""
    """The container that the kubelet cannot start now; whoever watches remembers since when."""

    until: datetime | None = None
    """When to judge again although nothing changes."""


@dataclass(frozen=True)
class Over:
    """The run has ended, and the wait container will not tell of it."""

    result: Result


Judgement: TypeAlias = Going | Over


@dataclass(frozen=True)
class Observation:
    """What is known of a run."""

    pod: Mapping[str, Any] | None
    now: datetime
    troubled_since: datetime | None = None
    """Since when the kubelet has been unable to start a container."""


def judge(seen: Observation, settings: PodSettings) -> Judgement:
    """What has become of a run whose result is not there yet."""
    pod = seen.pod
    if pod is None:
        return _lost("PodDeleted", "its pod is gone: somebody deleted it before its result was there")
    states = {name: _state(pod, name) for name in (INIT, MAIN, WAIT)}
    for finding in (_ended(pod, states), _overdue(seen, pod, settings), _crashing(pod, states)):
        if finding is not None:
            return finding
    return _troubled(seen, pod, states, settings) or Going(_progress(pod, states), until=_deadline(pod, settings))


def is_over(pod: Mapping[str, Any]) -> bool:
    """Whether nothing of the pod runs any more, and nothing will."""
    if _phase(pod) in ("Succeeded", "Failed"):
        return True
    if "deletionTimestamp" not in pod["metadata"]:
        return False
    # No grace left: the kubelet has ended it, its node is gone, or it never had one.
    return pod["metadata"].get("deletionGracePeriodSeconds") == 0 or not pod.get("spec", {}).get("nodeName")


def has_main_started(pod: Mapping[str, Any]) -> bool:
    """Whether the program has begun."""
    return not _state(pod, MAIN).keys().isdisjoint(("running", "terminated"))


def has_main_ended(pod: Mapping[str, Any]) -> bool:
    """Whether the program has ended."""
    return "terminated" in _state(pod, MAIN)


def status_fields(pod: Mapping[str, Any]) -> dict[str, Any]:
    """The fields for the provider status."""
    keys = {"containerStatus": MAIN, "initContainerStatus": INIT, "waitContainerStatus": WAIT}
    statuses = {key: _container_fields(_status(pod, name)) for key, name in keys.items()}
    said = {"podName": pod["metadata"]["name"], "lastRun": pod["metadata"].get("creationTimestamp"), **statuses}
    return {key: value for key, value in said.items() if value}


def _container_fields(status: Mapping[str, Any]) -> dict[str, Any]:
    state = status.get("state") or {}
    name: str = next(iter(state), "")
    details: Mapping[str, Any] = state.get(name) or {}
    said = {
        "message": details.get("message"),
        "reason": "Running" if name == "running" else details.get("reason"),
        "state": state,
        "image": status.get("image"),
        "imageID": status.get("imageID"),
        "exitCode": details.get("exitCode"),
    }
    return {key: value for key, value in said.items() if value not in (None, "", {})}


def _ended(pod: Mapping[str, Any], states: Mapping[str, Mapping[str, Any]]) -> Over | None:
    """The end of a pod by itself, by the kubelet, or by somebody who deleted it."""
    main, wait = states[MAIN].get("terminated"), _last_end(_status(pod, WAIT))
    staged = states[INIT].get("terminated")
    if staged is not None and staged.get("exitCode"):
        message = f"its inputs could not be staged: {_words(staged)}"
        return Over(Result(Outcome(End.NOT_STARTED, reason="StagingFailed", message=message)))
    if main is not None and wait and ("terminated" in states[WAIT] or is_over(pod)):
        fault = f"its state and exports were not collected: {_why_uncollected(pod, wait)}"
        return Over(Result(_with_cause(main, pod), fault=fault))
    if not is_over(pod):
        return None
    started = _has_started(states)
    reason, message = _cause(pod)
    if main is not None:
        outcome = _with_cause(main, pod)
    else:
        outcome = Outcome(End.LOST if started else End.NOT_STARTED, reason=reason, message=message)
    return Over(Result(outcome, fault="its state and exports were not collected: its pod has ended" if started else ""))


def _why_uncollected(pod: Mapping[str, Any], wait: Mapping[str, Any]) -> str:
    if "deletionTimestamp" in pod["metadata"]:
        return "the pod was deleted before that"
    reason = "" if wait.get("reason") in ("Error", "Completed", None) else f" ({wait['reason']})"
    return f"the wait container ended with exit code {wait.get('exitCode')}{reason}: {_words(wait)}".removesuffix(": ")


def _with_cause(main: Mapping[str, Any], pod: Mapping[str, Any]) -> Outcome:
    """The outcome of an ended program; if others ended its pod, their reason is the one that counts."""
    is_stopped = "deletionTimestamp" in pod["metadata"]
    outcome = outcome_of(main, is_stopped=is_stopped)
    if outcome.succeeded or not (is_stopped or pod.get("status", {}).get("reason")):
        return outcome
    reason, message = _cause(pod)
    if outcome.reason:
        return replace(outcome, message=outcome.message or message)
    return replace(outcome, reason=reason, message=message)


def _cause(pod: Mapping[str, Any]) -> tuple[str, str]:
    """Why a pod is over: in the words of the cluster, if it has any."""
    status = pod.get("status", {})
    if status.get("reason"):
        return status["reason"], str(status.get("message", "")).strip()
    for condition in status.get("conditions") or ():
        if condition.get("type") == "DisruptionTarget" and condition.get("status") == "True":
            return str(condition.get("reason", "")), str(condition.get("message", "")).strip()
    if "deletionTimestamp" in pod["metadata"]:
        return "PodDeleted", "its pod was deleted"
    return "PodFailed", str(status.get("message", "") or "its pod has failed without a reason").strip()


def _overdue(seen: Observation, pod: Mapping[str, Any], settings: PodSettings) -> Over | None:
    """A pod that should be gone, but whose node says nothing."""
    deadline = _deadline(pod, settings)
    if deadline is None or seen.now < deadline:
        return None
    node = pod.get("spec", {}).get("nodeName", "")
    return _lost("NodeLost", f"its node {node} gives no sign: the pod should be gone since {_due(pod)}")


def _deadline(pod: Mapping[str, Any], settings: PodSettings) -> datetime | None:
    """When a pod counts as lost that is to be deleted, or of which nothing is known."""
    due = _due(pod)
    return due + settings.lost_after if due is not None else None


def _due(pod: Mapping[str, Any]) -> datetime | None:
    """When a deleted pod should be gone, or since when the cluster has heard nothing of one."""
    if text := pod["metadata"].get("deletionTimestamp"):
        return datetime.fromisoformat(text)
    if _phase(pod) != "Unknown":
        return None
    changes = [each.get("lastTransitionTime") for each in pod["status"].get("conditions") or ()]
    return max((datetime.fromisoformat(change) for change in changes if change), default=None)


def _crashing(pod: Mapping[str, Any], states: Mapping[str, Mapping[str, Any]]) -> Over | None:
    """A wait container that ends again and again, so that the program is not even started."""
    status = _status(pod, WAIT)
    if _has_started(states) or status.get("restartCount", 0) < _CRASHES:
        return None
    ended = _last_end(status) or (status.get("lastState") or {}).get("terminated") or {}
    message = f"the wait container ends again and again, with exit code {ended.get('exitCode')}: {_words(ended)}"
    return Over(Result(Outcome(End.NOT_STARTED, reason="CrashLoopBackOff", message=message.removesuffix(": "))))


def _troubled(
    seen: Observation, pod: Mapping[str, Any], states: Mapping[str, Mapping[str, Any]], settings: PodSettings
) -> Judgement | None:
    """A container that the kubelet cannot start."""
    for name, state in states.items():
        waiting = state.get("waiting") or {}
        reason = str(waiting.get("reason", ""))
        if reason not in (*_FINAL, *_TROUBLE):
            continue
        message = _trouble_words(pod, name, waiting)
        since = seen.troubled_since or seen.now
        until = since + settings.image_patience
        if reason in _FINAL or seen.now >= until:
            return Over(Result(_unstarted(states, reason, message)))
        return Going(_progress(pod, states, message), trouble=name, until=until)
    return None


def _unstarted(states: Mapping[str, Mapping[str, Any]], reason: str, message: str) -> Outcome:
    """The end of a run that is given up. If the wait container is the one, the program itself may be running."""
    return Outcome(End.LOST if _has_started(states) else End.NOT_STARTED, reason=reason, message=message)


def _trouble_words(pod: Mapping[str, Any], name: str, waiting: Mapping[str, Any]) -> str:
    image = _status(pod, name).get("image", "")
    said = str(waiting.get("message", "")).strip()
    return f"container {name} (image {image}): {said or waiting.get('reason')}"


def _progress(pod: Mapping[str, Any], states: Mapping[str, Mapping[str, Any]], message: str = "") -> Progress:
    if "terminated" in states[MAIN]:
        step = Step.COLLECTING
    else:
        step = Step.RUNNING if "running" in states[MAIN] else Step.STAGING
    return Progress(step, message or _waiting_for(pod, step), status_fields(pod))


def _waiting_for(pod: Mapping[str, Any], step: Step) -> str:
    if "deletionTimestamp" in pod["metadata"]:
        return "the pod is being deleted by somebody"
    for condition in pod.get("status", {}).get("conditions") or ():
        if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
            return f"the pod has no node yet: {condition.get('message') or condition.get('reason')}"
    return "the pod is being prepared" if step is Step.STAGING else ""


def _lost(reason: str, message: str) -> Over:
    fault = "its state and exports were not collected: nobody knows what it left"
    return Over(Result(Outcome(End.LOST, reason=reason, message=message), fault=fault))


def _phase(pod: Mapping[str, Any]) -> str:
    return str(pod.get("status", {}).get("phase", ""))


def _status(pod: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    kind = "containerStatuses" if name == MAIN else "initContainerStatuses"
    found = [each for each in pod.get("status", {}).get(kind) or () if each.get("name") == name]
    return found[0] if found else {}


def _state(pod: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    return _status(pod, name).get("state") or {}


def _last_end(status: Mapping[str, Any]) -> Mapping[str, Any]:
    """How a container ended that does not run now, or ended before it was to be started again; empty if never."""
    state, last = status.get("state") or {}, status.get("lastState") or {}
    return state.get("terminated") or ({} if "running" in state else last.get("terminated")) or {}


def _has_started(states: Mapping[str, Mapping[str, Any]]) -> bool:
    return not states[MAIN].keys().isdisjoint(("running", "terminated"))


def _words(terminated: Mapping[str, Any]) -> str:
    return str(terminated.get("message", "")).strip()


def waited(judgement: Judgement, seen: Observation) -> datetime | None:
    """Since when the kubelet has been unable to start a container, for the next observation."""
    if isinstance(judgement, Going) and judgement.trouble:
        return seen.troubled_since or seen.now
    return None


def seconds_until(moment: datetime | None, now: datetime) -> float | None:
    """How long until the moment; None if there is none."""
    return None if moment is None else max((moment - now) / timedelta(seconds=1), 0.0)
