"""What is next for an item that no run works on, and what its status says; pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from landform.api.deployitems import DeployerInformation, DeployItem, DeployItemSpec, DeployItemStatus
from landform.api.names import Annotation, Finalizer, Label
from landform.api.phases import Phase, TransitionTimes, is_final
from landform.api.structs import API_VERSION, ObjectMeta, OwnerReference
from landform.deployers.library import decisions, records, statuses
from landform.deployers.library.decisions import Step
from landform.kit import patches

NOW = datetime(2030, 1, 1, 12, tzinfo=UTC)
WHO = DeployerInformation(identity="me", name="d", version="1")
OURS = (str(Finalizer.LANDSCAPER),)
BUSY = {"job_id": "2", "job_id_finished": "1"}
DONE = {"job_id": "1", "job_id_finished": "1"}
TEST = {Annotation.OPERATION: "test-reconcile"}
EXECUTION = OwnerReference(api_version=API_VERSION, kind="Execution", name="e", uid="u", controller=True)
KEEP = {Annotation.DELETE_WITHOUT_UNINSTALL: "true"}


def item(
    status: dict[str, Any],
    *,
    finalizers: tuple[str, ...] = OURS,
    deleting: bool = False,
    owner: OwnerReference | None = EXECUTION,
    **more: Any,
) -> DeployItem:
    metadata = ObjectMeta(
        name="one",
        namespace="default",
        generation=1,
        finalizers=finalizers,
        owner_references=(owner,) if owner is not None else None,
        labels=more.pop("labels", None),
        annotations=more.pop("annotations", None),
        deletion_timestamp=NOW if deleting else None,
    )
    return DeployItem(metadata=metadata, spec=DeployItemSpec(type="x", **more), status=DeployItemStatus(**status))


@pytest.mark.parametrize(
    ("given_item", "is_due", "step"),
    [
        (item({}), False, Step.NOTHING),
        (item({}), True, Step.CLAIM_PASS),
        (item(DONE), False, Step.NOTHING),
        (item(DONE), True, Step.CLAIM_PASS),
        (item(DONE, annotations=TEST), False, Step.CLAIM_TEST),
        (item(DONE, deleting=True), True, Step.NOTHING),
        (item(DONE, deleting=True, annotations=TEST), False, Step.NOTHING),
        (item(BUSY), False, Step.WORK),
        (item(BUSY), True, Step.WORK),
        (item(BUSY, finalizers=()), False, Step.PREPARE),
        (item(BUSY, annotations=TEST), False, Step.PREPARE),
        (item(BUSY, deleting=True), False, Step.WORK),
        (item(BUSY, deleting=True, annotations=KEEP), False, Step.LET_GO),
        (item(BUSY, annotations=KEEP), False, Step.WORK),
        (item(BUSY, deleting=True, finalizers=("other",)), False, Step.NOTHING),
        (item({**BUSY, "phase": "Succeeded", "observed_generation": 1}, update_on_change_only=True), False, Step.SKIP),
        (item({**BUSY, "phase": "Succeeded", "observed_generation": 0}, update_on_change_only=True), False, Step.WORK),
        (item({**BUSY, "phase": "Failed", "observed_generation": 1}, update_on_change_only=True), False, Step.WORK),
        (item({**BUSY, "phase": "Succeeded", "observed_generation": 1}), False, Step.WORK),
    ],
)
def test_the_next_step(given_item: DeployItem, is_due: bool, step: Step) -> None:
    assert decisions.decide(given_item, is_due=is_due) is step


DELETE_FAILED = {**DONE, "phase": "DeleteFailed"}


@pytest.mark.parametrize(
    ("given_item", "step"),
    [
        (item({}, deleting=True, owner=None), Step.CLAIM_DELETION),
        (item(DONE, deleting=True, owner=None), Step.CLAIM_DELETION),
        (item(DONE, deleting=True, owner=None, finalizers=("other",)), Step.NOTHING),
        (item(DONE, deleting=True, owner=None, annotations=KEEP), Step.LET_GO),
        (item(DONE, deleting=True, owner=None, labels={Label.MANAGED_BY: "e"}), Step.NOTHING),
        (item(BUSY, deleting=True, owner=None), Step.WORK),
        (item(BUSY, deleting=True, owner=None, annotations=TEST), Step.PREPARE),
        (item(DELETE_FAILED, deleting=True, owner=None), Step.NOTHING),
        (item(DELETE_FAILED, deleting=True, owner=None, annotations=TEST), Step.CLAIM_DELETION),
        (item(DELETE_FAILED, deleting=True, owner=None, annotations=KEEP), Step.LET_GO),
    ],
)
def test_the_next_step_for_an_item_that_goes_and_belongs_to_nobody(given_item: DeployItem, step: Step) -> None:
    assert decisions.decide(given_item, is_due=False) is step


def begun(
    phase: str | None, init: datetime | None, job: datetime | None = None, *, deleting: bool = False
) -> DeployItem:
    times = TransitionTimes(init_time=init)
    status = {**BUSY, "phase": phase, "transition_times": times, "job_id_generation_time": job}
    return item(status, deleting=deleting)


SOON = NOW + timedelta(seconds=1)


@pytest.mark.parametrize(
    ("given_item", "has_begun"),
    [
        (begun(None, None), False),
        (begun("Progressing", NOW), True),
        (begun("Progressing", NOW, NOW), True),
        (begun("Progressing", NOW, SOON), False),
        (begun("Succeeded", NOW), False),
        (begun("Progressing", None), False),
        (begun("Progressing", NOW, deleting=True), False),
        (begun("Deleting", NOW, deleting=True), True),
        (begun("DeleteFailed", NOW, deleting=True), False),
    ],
)
def test_whether_a_deployer_has_begun_with_the_job(given_item: DeployItem, has_begun: bool) -> None:
    assert records.has_begun(given_item) is has_begun


def test_a_clock_that_is_behind_does_not_begin_before_the_job_was_given() -> None:
    late = item({**BUSY, "job_id_generation_time": NOW + timedelta(minutes=3)})
    record = records.begin(late, WHO, NOW)
    status, _ = statuses.underway(late, record, NOW)
    assert records.has_begun(msgspec.structs.replace(late, status=status))
    assert status.last_reconcile_time == NOW, "schedules count by the own clock"
    assert records.deadline(late, record) == NOW + timedelta(minutes=10)


@pytest.mark.parametrize(
    ("timeout", "seconds"), [(None, 600.0), ("30s", 30.0), ("none", None), ("0s", None), ("-5s", 0.0)]
)
def test_the_deadline(timeout: str | None, seconds: float | None) -> None:
    busy = item(BUSY, timeout=timeout)
    end = records.deadline(busy, records.begin(busy, WHO, NOW))
    assert (None if end is None else (end - NOW).total_seconds()) == seconds


PHASES = st.sampled_from([None, *Phase])
STATUSES = st.builds(
    DeployItemStatus,
    phase=PHASES,
    observed_generation=st.integers(0, 3),
    job_id=st.sampled_from([None, "1", "2", "1.bcdfg"]),
    job_id_finished=st.sampled_from([None, "1", "1.bcdfg"]),
    job_id_generation_time=st.sampled_from([None, NOW, SOON]),
    last_reconcile_time=st.sampled_from([None, NOW]),
    transition_times=st.sampled_from([None, TransitionTimes(), TransitionTimes(trigger_time=NOW, init_time=NOW)]),
)


@given(STATUSES, st.booleans(), st.sampled_from([Phase.SUCCEEDED, Phase.FAILED, Phase.DELETE_FAILED]))
def test_a_final_phase_and_the_finished_job_are_one(status: DeployItemStatus, deleting: bool, phase: Phase) -> None:
    busy = msgspec.structs.replace(item({}, deleting=deleting), status=status)
    record = records.begin(busy, WHO, NOW)
    final = statuses.finished(busy, record, phase, NOW)
    assert (final.job_id, final.job_id_finished, final.phase) == (status.job_id, status.job_id, phase)
    meanwhile, _ = statuses.underway(busy, record, NOW)
    assert (meanwhile.job_id, meanwhile.job_id_finished) == (status.job_id, status.job_id_finished)
    assert not is_final(meanwhile.phase)


@given(STATUSES, STATUSES)
def test_the_change_of_a_status_leads_from_one_to_the_other(old: DeployItemStatus, new: DeployItemStatus) -> None:
    before, after = (msgspec.json.decode(msgspec.json.encode(each)) for each in (old, new))
    assert patches.same(patches.merge_patch(before, statuses.change(old, new)), after)
    assert statuses.change(old, old) == {}
