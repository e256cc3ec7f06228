"""Results as Secrets, and ends of containers as outcomes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.deployers.programs.pods.nodes import ended

from landform.deployers.programs.contract.outcomes import End, Outcome, Result
from landform.deployers.programs.pods import results
from landform.deployers.programs.pods.endings import outcome_of
from landform.kit import patches

_MOMENTS = st.one_of(st.none(), st.datetimes(timezones=st.just(UTC)))
_OUTCOMES = st.builds(
    Outcome,
    end=st.sampled_from(End),
    exit_code=st.one_of(st.none(), st.integers(0, 255)),
    signal=st.one_of(st.none(), st.integers(1, 64)),
    reason=st.text(max_size=10),
    message=st.text(max_size=10),
    started=_MOMENTS,
    finished=_MOMENTS,
)


@given(st.builds(Result, _OUTCOMES, st.one_of(st.none(), st.binary(max_size=20)), st.text(max_size=20)))
def test_a_result_comes_back_as_it_was(result: Result) -> None:
    secret = {"metadata": {"name": "result", "resourceVersion": "7"}, "data": {}}
    assert not results.is_complete(secret)
    complete = patches.merge_patch(secret, results.completing(secret, result))
    assert results.is_complete(complete)
    assert results.has_begun(complete)
    assert results.read(complete) == result


@pytest.mark.parametrize(
    ("state", "outcome"),
    [
        pytest.param(ended(), (End.EXITED, 0, None, ""), id="success"),
        pytest.param(ended(3), (End.EXITED, 3, None, ""), id="exit code"),
        pytest.param(ended(143), (End.SIGNALED, 143, 15, ""), id="TERM"),
        pytest.param(ended(137), (End.SIGNALED, 137, 9, ""), id="KILL"),
        pytest.param(ended(255), (End.EXITED, 255, None, ""), id="no such signal"),
        pytest.param(ended(137, "OOMKilled"), (End.OUT_OF_MEMORY, 137, 9, "OOMKilled"), id="memory"),
        pytest.param(ended(128, "StartError"), (End.NOT_STARTED, 128, None, "StartError"), id="no such program"),
        pytest.param(ended(137, "DeadlineExceeded"), (End.SIGNALED, 137, 9, "DeadlineExceeded"), id="other reason"),
    ],
)
def test_how_a_container_ended(state: dict[str, Any], outcome: tuple[End, int, int | None, str]) -> None:
    found = outcome_of(state["terminated"])
    assert (found.end, found.exit_code, found.signal, found.reason) == outcome
    assert found.finished == datetime(2030, 1, 1, 0, 0, 3, tzinfo=UTC)


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (ended(137), "killed (SIGKILL), possibly out of memory"),
        (ended(137, "Error"), "killed (SIGKILL), possibly out of memory"),
        (ended(137, "OOMKilled"), ""),
        (ended(137, "DeadlineExceeded"), ""),
        (ended(143), ""),
    ],
)
def test_a_kill_that_nobody_explains_may_have_been_for_memory(state: dict[str, Any], said: str) -> None:
    assert outcome_of(state["terminated"]).message == said


def test_a_kill_after_the_grace_was_not_for_memory() -> None:
    outcome = outcome_of(ended(137)["terminated"], is_stopped=True)
    assert outcome.message == "it did not end within its grace, and was killed"


def test_a_container_that_never_ran_has_no_times() -> None:
    never = {"exitCode": 128, "reason": "StartError", "startedAt": "1970-01-01T00:00:00Z", "message": "no such file"}
    assert outcome_of(never) == Outcome(End.NOT_STARTED, exit_code=128, reason="StartError", message="no such file")
