"""The one condition that says what an object waits for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from landform.api import jobs, scopes, waiting
from landform.api.conditions import ConditionType, find
from landform.api.deployitems import DeployItemStatus
from landform.api.waiting import PATIENCE, Wait, WaitReason
from landform.kit.ids import RandomIds

SINCE = datetime(2030, 1, 1, tzinfo=UTC)
LATER = SINCE + timedelta(seconds=30)
FOR_DB = Wait(WaitReason.PREDECESSOR, "sub-installation db-abcde (db) is in phase Progressing")
FOR_ITEM = Wait(WaitReason.CHILDREN, "deploy item shop-base-abcde (base) is in phase Init")


def test_nothing_is_written_within_the_first_second() -> None:
    assert waiting.settle(None, FOR_DB, since=SINCE, now=SINCE) == (None, SINCE + PATIENCE)


def test_a_process_that_is_behind_with_its_work_is_patient() -> None:
    early, late = SINCE + timedelta(seconds=5), SINCE + timedelta(seconds=10)
    assert waiting.settle(None, FOR_DB, since=SINCE, now=early, under_pressure=True) == (None, early + PATIENCE)
    said, _ = waiting.settle(None, FOR_DB, since=SINCE, now=late, under_pressure=True)
    assert find(said, ConditionType.WAITING) is not None


def test_after_a_second_it_is_said() -> None:
    said, again = waiting.settle(None, FOR_DB, since=SINCE, now=SINCE + PATIENCE)
    condition = find(said, ConditionType.WAITING)
    assert again is None
    assert condition is not None
    assert (condition.reason, condition.message) == ("Predecessor", FOR_DB.message)


def test_what_is_said_already_is_not_written_again() -> None:
    said, _ = waiting.settle(None, FOR_DB, since=SINCE, now=SINCE + PATIENCE)
    again, _ = waiting.settle(said, FOR_DB, since=SINCE, now=LATER)
    assert again is said


def test_another_reason_is_said_at_once_by_who_stands_still_already() -> None:
    said, _ = waiting.settle(None, FOR_DB, since=SINCE, now=LATER)
    moved, again = waiting.settle(said, FOR_ITEM, since=LATER, now=LATER)
    condition = find(moved, ConditionType.WAITING)
    assert again is None
    assert condition is not None
    assert condition.message == FOR_ITEM.message


def test_who_moves_on_says_nothing_any_more() -> None:
    said, _ = waiting.settle(None, FOR_DB, since=SINCE, now=LATER)
    assert waiting.settle(said, None, since=LATER, now=LATER) == ((), None)
    assert waiting.settle(None, None, since=LATER, now=LATER) == (None, None)


def test_a_scheduled_pass_belongs_to_the_job_whose_results_it_looks_after() -> None:
    first = jobs.pass_id("4f1c", RandomIds())
    second = jobs.pass_id(first, RandomIds())
    assert jobs.base(first) == jobs.base(second) == jobs.base("4f1c") == "4f1c"
    assert jobs.is_pass(second)
    assert not jobs.is_pass("4f1c")
    assert len({first, second, "4f1c"}) == 3


def test_an_object_without_job_ids_is_not_busy() -> None:
    assert not jobs.is_busy(DeployItemStatus())
    assert not jobs.is_busy(DeployItemStatus(job_id="a", job_id_finished="a"))
    assert jobs.is_busy(DeployItemStatus(job_id="b", job_id_finished="a"))


def test_a_child_has_one_name_for_each_parent_and_part() -> None:
    assert scopes.child_name("uid-1", "db", "db") == scopes.child_name("uid-1", "db", "db")
    assert scopes.child_name("uid-1", "db", "db") != scopes.child_name("uid-2", "db", "db")
    assert scopes.child_name("uid-1", "db", "db").startswith("db-")
