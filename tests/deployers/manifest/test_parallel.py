"""Many objects at a time: each gets its turn, once, and all that fails is heard of."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landform.api.errors import ErrorCode, OperationFailed
from landform.cluster.errors import Forbidden, Unauthorized, Unreachable
from landform.deployers.library import NoAccess
from landform.deployers.library.failures import AccountGone
from landform.deployers.manifest import parallel
from landform.deployers.manifest.parallel import AT_ONCE
from landform.testing import time


@given(st.integers(0, 5 * AT_ONCE))
def test_each_thing_gets_its_turn_once(count: int) -> None:
    async def double(number: int) -> int:
        await asyncio.sleep(number % 7)
        return 2 * number

    batch = time.run(parallel.each(range(count), double))
    assert sorted(batch.results) == [2 * number for number in range(count)]


def test_so_many_work_at_a_time_and_no_more() -> None:
    running: list[int] = []
    most = 0

    async def work(number: int) -> None:
        nonlocal most
        running.append(number)
        most = max(most, len(running))
        await asyncio.sleep(1)
        running.remove(number)

    time.run(parallel.each(range(3 * AT_ONCE), work))
    assert most == AT_ONCE


def test_what_one_is_refused_does_not_keep_the_others_away() -> None:
    async def refuse_some(number: int) -> int:
        await asyncio.sleep(1)
        if number % 10 == 0:
            raise Forbidden(f"not number {number}")
        return number

    batch = time.run(parallel.each(range(100), refuse_some))
    assert (len(batch.results), len(batch.failures)) == (90, 10)
    with pytest.raises(OperationFailed, match=r"not number 0; .*and 5 more"):
        batch.check("apply", "Apply")


@pytest.mark.parametrize("error", [Unreachable("it is down"), Unauthorized("who are you?"), AccountGone("no account")])
def test_a_cluster_that_lets_nobody_do_anything_is_asked_no_more(error: Exception) -> None:
    tried = 0

    async def fail(number: int) -> None:
        nonlocal tried
        tried += 1
        await asyncio.sleep(1)
        raise error

    batch = time.run(parallel.each(range(1000), fail))
    assert (tried, batch.is_cut) == (AT_ONCE, True)


def test_who_is_not_let_in_is_told_by_the_code() -> None:
    assert parallel.failure("apply", "Apply", [Unauthorized("no")]).codes == (ErrorCode.UNAUTHORIZED,)


def test_access_that_is_gone_is_told_by_the_class() -> None:
    assert isinstance(parallel.failure("apply", "Apply", [AccountGone("no account")]), NoAccess)
