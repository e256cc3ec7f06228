"""What an Installation says of values that came after its job, and when a job for them begins; decided without I/O."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, cast

import pytest

from landform.api import conditions, jobs
from landform.api.conditions import Condition, ConditionStatus, ConditionType
from landform.api.executions import Execution, ExecutionSpec, ExecutionStatus
from landform.api.installations import (
    AutomaticReconcile,
    BlueprintDefinition,
    Installation,
    InstallationSpec,
    InstallationStatus,
)
from landform.api.names import Annotation
from landform.api.phases import Phase, TransitionTimes
from landform.api.structs import ObjectMeta
from landform.installations import latedata

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from landform.installations.snapshot import Snapshot

NOW = datetime(2030, 1, 1, 12, tzinfo=UTC)
JOB = "4f1c"


def ago(seconds: float) -> datetime:
    return NOW - timedelta(seconds=seconds)


def said(message: str = "item base has values", seconds: float = 5, status: str = ConditionStatus.TRUE) -> Condition:
    """What something below says of late data."""
    moment = ago(seconds)
    return Condition(
        type=ConditionType.LATE_DATA,
        status=status,
        reason="ExportsRenewed",
        message=message,
        last_transition_time=moment,
        last_update_time=moment,
    )


def below(*said: Condition) -> Execution:
    return Execution(metadata=ObjectMeta(name="e"), spec=ExecutionSpec(), status=ExecutionStatus(conditions=said))


@dataclass
class Scene:
    """As much of a snapshot as the decisions look at."""

    below: Sequence[Execution] = field(default_factory=lambda: [below(said())])
    is_wanted: bool = True
    phase: str = Phase.SUCCEEDED
    job: str = JOB
    begun: datetime | None = field(default_factory=lambda: ago(60))
    generation: int = 1
    annotations: Mapping[str, str] = field(default_factory=dict)
    starts_itself: bool = True
    is_deleted: bool = False
    now: datetime = NOW
    said: tuple[Condition, ...] = ()

    @property
    def installation(self) -> Installation:
        automatic = AutomaticReconcile(late_data=self.is_wanted)
        spec = InstallationSpec(blueprint=BlueprintDefinition(), automatic_reconcile=automatic)
        return Installation(metadata=ObjectMeta(name="shop", generation=self.generation), spec=spec)

    @property
    def status(self) -> InstallationStatus:
        return InstallationStatus(
            phase=self.phase,
            job_id=self.job,
            job_id_finished=self.job,
            observed_generation=1,
            transition_times=TransitionTimes(trigger_time=self.begun) if self.begun is not None else None,
            conditions=self.said or None,
        )

    @property
    def due(self) -> datetime | None:
        return latedata.due(cast("Snapshot", self))

    @property
    def told(self) -> str | None:
        status = latedata.stated(cast("Snapshot", self), self.status)
        found = conditions.find(status.conditions, ConditionType.LATE_DATA)
        return found.message if found is not None else None


def test_what_came_late_is_told_by_the_root_with_what_becomes_of_it() -> None:
    assert Scene().told == "item base has values; a job that publishes them begins by itself"


@pytest.mark.parametrize(
    ("scene", "advice"),
    [
        (Scene(is_wanted=False), "set spec.automaticReconcile.lateData: true to have that done"),
        (Scene(generation=2), "because the specification has changed since the last one: reconcile this installation"),
        (
            Scene(phase=Phase.FAILED, begun=ago(1)),
            "the last job could not publish them: reconcile this installation when it can",
        ),
        (Scene(starts_itself=False), "item base has values"),
        (Scene(is_deleted=True), "item base has values"),
    ],
    ids=["not-wanted", "changed", "failed", "child", "deleted"],
)
def test_what_people_can_do_about_it_is_told(scene: Scene, advice: str) -> None:
    assert (scene.told or "").endswith(advice)


def test_of_several_the_latest_is_told() -> None:
    assert (Scene(below=[below(said("old", 9)), below(said("new", 1), said("older", 8))]).told or "").startswith("new;")


def test_what_is_over_is_not_told_any_more() -> None:
    for quiet in ([], [below()], [below(said(status=ConditionStatus.FALSE))]):
        assert Scene(below=quiet, said=(said(),)).told is None


def test_who_has_a_job_says_nothing_new() -> None:
    assert Scene(phase=Phase.PROGRESSING).told is None
    assert Scene(phase=Phase.PROGRESSING, below=[], said=(said("as before"),)).told == "as before"


def test_a_job_begins_at_once_after_one_of_another_kind() -> None:
    assert Scene(begun=ago(1)).due == NOW


def test_a_job_begins_so_long_after_the_last_of_its_kind() -> None:
    renewal = jobs.renewal_id(JOB)
    assert Scene(job=renewal, begun=ago(10)).due == ago(10) + latedata.EVERY
    assert Scene(job=renewal, begun=ago(100)).due == ago(100) + latedata.EVERY
    assert Scene(job=renewal, begun=None).due == NOW


@pytest.mark.parametrize(
    "scene",
    [
        Scene(below=[]),
        Scene(is_wanted=False),
        Scene(starts_itself=False),
        Scene(is_deleted=True),
        Scene(phase=Phase.PROGRESSING),
        Scene(generation=2),
        Scene(annotations={Annotation.OPERATION: "reconcile"}),
        Scene(phase=Phase.FAILED, begun=ago(1)),
    ],
    ids=["nothing-new", "not-wanted", "child", "deleted", "busy", "changed", "asked", "failed-with-it"],
)
def test_no_job_begins_by_itself(scene: Scene) -> None:
    assert scene.due is None


def test_what_changes_after_a_failed_job_is_another_chance() -> None:
    assert Scene(phase=Phase.FAILED, begun=ago(9)).due == NOW
    assert (Scene(phase=Phase.FAILED, begun=ago(9)).told or "").endswith("begins by itself")
