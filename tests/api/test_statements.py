"""Conditions, errors and phases follow their rules."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from landform.api import conditions, errors, phases
from landform.api.conditions import Condition, ConditionStatus
from landform.api.errors import Error, ErrorCode, OperationFailed
from landform.api.phases import Phase

EARLY = datetime(2026, 1, 31, 12, tzinfo=UTC)
LATE = EARLY + timedelta(hours=1)


def condition(*, previous: Condition | None = None, now: datetime = EARLY, **changes: str) -> Condition:
    said = {"type": "ValidateImports", "status": "True", "reason": "Fine", "message": "all there", **changes}
    return conditions.updated(previous, **said, now=now)


class TestConditions:
    def test_a_new_one_has_both_times_from_now_in_whole_seconds(self) -> None:
        new = condition(now=EARLY + timedelta(microseconds=5))
        assert (new.last_transition_time, new.last_update_time) == (EARLY, EARLY)

    def test_saying_the_same_again_gives_the_identical_object(self) -> None:
        old = condition()
        assert condition(previous=old, now=LATE) is old

    def test_an_empty_list_of_codes_is_no_difference(self) -> None:
        old = Condition(
            type="ValidateImports",
            status="True",
            last_transition_time=EARLY,
            last_update_time=EARLY,
            reason="Fine",
            message="all there",
            codes=(),
        )
        assert condition(previous=old, now=LATE) is old

    @pytest.mark.parametrize("changes", [{"reason": "Other"}, {"message": "other"}], ids=str)
    def test_other_words_move_only_the_update_time(self, changes: dict[str, str]) -> None:
        new = condition(previous=condition(), now=LATE, **changes)
        assert (new.last_transition_time, new.last_update_time) == (EARLY, LATE)

    def test_other_codes_move_only_the_update_time(self) -> None:
        new = conditions.updated(
            condition(),
            type="ValidateImports",
            status="True",
            reason="Fine",
            message="all there",
            codes=[ErrorCode.TIMEOUT],
            now=LATE,
        )
        assert (new.last_transition_time, new.last_update_time, new.codes) == (EARLY, LATE, ("ERR_TIMEOUT",))

    def test_another_status_moves_both_times(self) -> None:
        new = condition(previous=condition(), now=LATE, status=ConditionStatus.FALSE)
        assert (new.status, new.last_transition_time, new.last_update_time) == ("False", LATE, LATE)

    def test_merging_replaces_by_type_and_appends_the_rest(self) -> None:
        first, second = condition(type="A"), condition(type="B")
        changed, third = condition(type="A", status="False"), condition(type="C")
        assert conditions.merged((first, second), changed, third) == (changed, second, third)

    def test_merging_nothing_new_gives_the_identical_tuple(self) -> None:
        both = (condition(type="A"), condition(type="B"))
        assert conditions.merged(both, condition(type="B")) is both
        assert conditions.merged(None) is None

    def test_a_condition_is_found_by_its_type(self) -> None:
        both = (condition(type="A"), condition(type="B"))
        assert conditions.find(both, "B") is both[1]
        assert conditions.find(both, "C") is None
        assert conditions.find(None, "A") is None


class TestErrors:
    FAILURE = OperationFailed("Reconcile", "NoChart", "not found", codes=[ErrorCode.CONFIGURATION_PROBLEM])

    def test_a_first_error_has_both_times_from_now(self) -> None:
        assert errors.updated(None, self.FAILURE, EARLY + timedelta(microseconds=9)) == Error(
            operation="Reconcile",
            reason="NoChart",
            message="not found",
            codes=("ERR_CONFIGURATION_PROBLEM",),
            last_transition_time=EARLY,
            last_update_time=EARLY,
        )

    def test_success_clears_the_error(self) -> None:
        assert errors.updated(errors.updated(None, self.FAILURE, EARLY), None, LATE) is None
        assert errors.updated(None, None, LATE) is None

    def test_the_same_failure_gives_the_identical_error(self) -> None:
        old = errors.updated(None, self.FAILURE, EARLY)
        assert errors.updated(old, self.FAILURE, LATE) is old

    @pytest.mark.parametrize(
        "failure",
        [
            OperationFailed("Reconcile", "Other", "not found", codes=["ERR_CONFIGURATION_PROBLEM"]),
            OperationFailed("Reconcile", "NoChart", "other", codes=["ERR_CONFIGURATION_PROBLEM"]),
            OperationFailed("Reconcile", "NoChart", "not found"),
        ],
        ids=["reason", "message", "codes"],
    )
    def test_a_difference_moves_only_the_update_time(self, failure: OperationFailed) -> None:
        new = errors.updated(errors.updated(None, self.FAILURE, EARLY), failure, LATE)
        assert new is not None
        assert (new.last_transition_time, new.last_update_time) == (EARLY, LATE)

    def test_another_operation_moves_both_times(self) -> None:
        failure = OperationFailed("Delete", "NoChart", "not found", codes=["ERR_CONFIGURATION_PROBLEM"])
        new = errors.updated(errors.updated(None, self.FAILURE, EARLY), failure, LATE)
        assert new is not None
        assert (new.last_transition_time, new.last_update_time) == (LATE, LATE)

    def test_causes_are_flattened_into_the_outer_message(self) -> None:
        inner = OperationFailed("Pull", "NotFound", "no such tag", codes=[ErrorCode.NO_RETRY])
        middle = OperationFailed("GetChart", "PullFailed", "chart x", cause=inner, codes=[ErrorCode.TIMEOUT])
        outer = OperationFailed("Reconcile", "NoChart", cause=middle, codes=[ErrorCode.FOR_INFO_ONLY])
        error = errors.updated(None, outer, EARLY)
        assert error is not None
        assert (error.operation, error.reason) == ("Reconcile", "NoChart")
        assert error.message == (
            "Op: GetChart - Reason: PullFailed - Message: chart x: Op: Pull - Reason: NotFound - Message: no such tag"
        )
        assert error.codes == ("ERR_NO_RETRY", "ERR_TIMEOUT", "ERR_FOR_INFO_ONLY")

    def test_a_message_that_already_ends_with_its_cause_is_not_lengthened(self) -> None:
        cause = ValueError("broken")
        assert OperationFailed("O", "R", "reading failed: broken", cause=cause).message == "reading failed: broken"

    def test_raising_from_another_exception_sets_the_cause(self) -> None:
        def pull() -> None:
            raise OperationFailed("Pull", "NotFound", "no such tag", codes=["ERR_TIMEOUT"])

        def reconcile() -> None:
            try:
                pull()
            except OperationFailed as exc:
                raise OperationFailed("Reconcile", "NoChart", "chart x") from exc

        with pytest.raises(OperationFailed) as caught:
            reconcile()
        assert caught.value.message == "chart x: Op: Pull - Reason: NotFound - Message: no such tag"
        assert caught.value.codes == ("ERR_TIMEOUT",)
        assert str(caught.value).startswith("Op: Reconcile - Reason: NoChart - Message: chart x: Op: Pull")

    def test_codes_are_found_through_exceptions_of_other_classes(self) -> None:
        inner = OperationFailed("A", "B", codes=["ERR_WEBHOOK"])
        between = RuntimeError("between")
        between.__cause__ = inner
        assert errors.collect_codes(OperationFailed("C", "D", cause=between)) == ("ERR_WEBHOOK",)
        assert errors.collect_codes(ValueError()) == ()
        assert errors.collect_codes(None) == ()

    @pytest.mark.parametrize("code", ErrorCode)
    def test_only_five_codes_are_unrecoverable(self, code: ErrorCode) -> None:
        final = {
            "ERR_CONFIGURATION_PROBLEM",
            "ERR_INTERNAL_PROBLEM",
            "ERR_TIMEOUT",
            "ERR_UNAUTHORIZED",
            "ERR_CYCLIC_DEPENDENCIES",
        }
        assert errors.is_unrecoverable([code.value]) == (code.value in final)

    def test_no_codes_are_not(self) -> None:
        assert not errors.is_unrecoverable(None)


@pytest.mark.parametrize("phase", [*Phase, None, "", "Unknown"])
def test_phases_know_whether_they_are_final_failed_or_deletion(phase: str | None) -> None:
    assert phases.is_final(phase) == (phase in {"Succeeded", "Failed", "DeleteFailed"})
    assert phases.is_failed(phase) == (phase in {"Failed", "DeleteFailed"})
    assert phases.is_deletion(phase) == (phase in {"InitDelete", "TriggerDelete", "Deleting", "DeleteFailed"})
