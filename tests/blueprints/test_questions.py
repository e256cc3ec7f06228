"""Questions that only others can answer."""

from __future__ import annotations

import pytest

from landform.blueprints.questions import Answers, Question, Unanswered


def test_an_unanswered_question_says_what_is_asked() -> None:
    with pytest.raises(Unanswered, match="content of a, 1") as unanswered:
        Answers().ask("content", "a", "1")
    assert unanswered.value.question == Question("content", ("a", "1"))


def test_an_answer_is_given_again_and_again_also_if_it_is_nothing() -> None:
    answers = Answers().with_answer(Question("content", ("a",)), None)
    assert answers.ask("content", "a") is None
    assert answers.ask("content", "a") is None


def test_a_failure_is_an_answer_too() -> None:
    answers = Answers({Question("content", ("a",)): LookupError("gone")})
    with pytest.raises(LookupError, match="gone"):
        answers.ask("content", "a")


def test_answers_are_not_changed_by_more_of_them() -> None:
    first = Answers()
    first.with_answer(Question("content", ("a",)), 1)
    with pytest.raises(Unanswered):
        first.ask("content", "a")
