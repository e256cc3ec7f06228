"""How the answers of hooks become one."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landform.deployers.library import HookCall, HookResult, Hooks, HookType, OperationFailed
from landform.deployers.library.hooks import NOTHING, combined, merged

GO = HookResult()
STOP = HookResult(abort=True)
NOW = HookResult(requeue=True)
SOON = HookResult(requeue_after=5.0)
LATER = HookResult(requeue_after=60.0)

UNANIMOUS = (HookType.DURING_RESPONSIBILITY_CHECK, HookType.SHOULD_RECONCILE)
OTHERS = tuple(type_ for type_ in HookType if type_ not in UNANIMOUS)

RESULTS = st.builds(
    HookResult, abort=st.booleans(), requeue=st.booleans(), requeue_after=st.sampled_from([0.0, 1.0, 9.0])
)
ANSWERS = st.lists(st.none() | RESULTS, max_size=6)


@pytest.mark.parametrize(
    ("answers", "together"),
    [
        ([], None),
        ([None, None], None),
        ([None, STOP], STOP),
        ([HookResult(requeue=True, requeue_after=5.0)], HookResult(requeue=True, requeue_after=5.0)),
        ([GO, STOP], STOP),
        ([SOON, LATER], SOON),
        ([LATER, GO, SOON], SOON),
        ([SOON, NOW], NOW),
        ([STOP, LATER], HookResult(abort=True, requeue_after=60.0)),
    ],
)
def test_one_that_aborts_is_enough(answers: list[HookResult | None], together: HookResult | None) -> None:
    for type_ in OTHERS:
        assert combined(type_, answers) == together


@pytest.mark.parametrize(
    ("answers", "together"),
    [
        ([None, STOP], STOP),
        ([GO, STOP], GO),
        ([STOP, STOP, None], STOP),
        ([STOP, SOON], SOON),
    ],
)
def test_where_hooks_decide_alone_one_that_goes_on_is_enough(
    answers: list[HookResult | None], together: HookResult
) -> None:
    for type_ in UNANIMOUS:
        assert combined(type_, answers) == together


@given(st.sampled_from(list(HookType)), ANSWERS)
def test_the_order_of_the_answers_does_not_matter(type_: HookType, answers: list[HookResult | None]) -> None:
    assert combined(type_, answers) == combined(type_, answers[::-1])


@given(ANSWERS)
def test_what_is_wished_for_is_never_lost_on_the_way(answers: list[HookResult | None]) -> None:
    running = NOTHING
    for answer in answers:
        running = merged(running, answer)
    given = [answer for answer in answers if answer is not None]
    assert running.abort == any(answer.abort for answer in given)
    assert running.requeue == any(answer.requeue for answer in given)
    wishes = [answer.requeue_after for answer in given if answer.requeue_after]
    assert running.requeue_after == (0.0 if running.requeue else min(wishes, default=0.0))


def test_an_error_ends_the_list_and_no_answer_counts() -> None:
    called: list[str] = []

    async def first(call: HookCall) -> HookResult:
        called.append("first")
        return STOP

    async def second(call: HookCall) -> HookResult:
        raise ValueError("no")

    async def third(call: HookCall) -> HookResult:
        called.append("third")
        return STOP

    hooks = Hooks().with_hook(first, HookType.END).with_hook(second, HookType.END).with_hook(third, HookType.END)
    with pytest.raises(ValueError, match="no"):
        asyncio.run(hooks.call(HookCall(HookType.END, None, None)))
    assert called == ["first"]


def test_a_hook_of_no_type_is_never_called() -> None:
    async def hook(call: HookCall) -> HookResult:
        raise AssertionError

    assert Hooks().with_hook(hook) == Hooks()


def test_an_unknown_type_is_an_error() -> None:
    async def hook(call: HookCall) -> None:
        return None

    with pytest.raises(OperationFailed, match="UnknownHookType"):
        Hooks().with_hook(hook, "Sometimes")  # type: ignore[arg-type]
    with pytest.raises(OperationFailed, match="UnknownHookType"):
        asyncio.run(Hooks().call(HookCall("Sometimes", None, None)))  # type: ignore[arg-type]
