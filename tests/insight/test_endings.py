"""When the job that somebody waits for is over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.insight.objects import JOB, failed, installation, succeeded, working

from landform.api.phases import Phase
from landform.cluster.resources import ObjectKey
from landform.insight.endings import Awaited, Ending, deletion, next_job

if TYPE_CHECKING:
    from landform.api.installations import Installation

KEY = ObjectKey("default", "shop")


@pytest.mark.parametrize(
    ("now", "ending"),
    [
        (None, Ending.GONE),
        (installation("shop", uid="another", **succeeded()), Ending.GONE),
        (installation("shop"), Ending.OPEN),
        (installation("shop", **working()), Ending.OPEN),
        (installation("shop", operation="reconcile", **succeeded()), Ending.OPEN),
        (installation("shop", **succeeded()), Ending.SUCCEEDED),
        (installation("shop", **failed()), Ending.FAILED),
    ],
    ids=["gone", "recreated", "not-begun", "works", "asked-again", "succeeded", "failed"],
)
def test_a_first_job_is_over_when_a_final_phase_is_reached(now: Installation | None, ending: Ending) -> None:
    assert next_job(installation("shop")).ending(now) is ending


def test_the_job_before_does_not_count() -> None:
    done = installation("shop", **succeeded())
    assert next_job(done) == Awaited(KEY, "uid-shop", JOB)
    assert next_job(done).ending(done) is Ending.OPEN


def test_a_deletion_that_runs_already_is_the_one_that_is_waited_for() -> None:
    failed_now = installation("shop", phase=Phase.DELETE_FAILED)
    assert deletion(installation("shop", **working(Phase.DELETING))).ending(failed_now) is Ending.FAILED
    assert deletion(installation("shop", **working())).ending(installation("shop", **succeeded())) is Ending.OPEN
    assert deletion(failed_now).ending(failed_now) is Ending.OPEN, "it is to be begun again"
