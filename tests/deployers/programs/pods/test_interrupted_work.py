"""A deployer that is killed before or after any of its writes: whoever comes next goes on."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from tests.deployers.programs.pods.nodes import ITEM, NAMESPACE, ORDER, RUN, SETTINGS, World, ended, status, world

from landform.cluster.resources import SECRETS, SERVICE_ACCOUNTS
from landform.deployers.programs.contract import labels
from landform.deployers.programs.contract.outcomes import End, Outcome, Result
from landform.deployers.programs.pods.permissions import ROLE_BINDINGS, ROLES
from landform.deployers.programs.pods.podspecs import PODS
from landform.deployers.programs.pods.sandbox import PodSandbox
from landform.kit.surroundings import Surroundings
from landform.testing import time

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from landform.cluster.interface import Cluster

GOOD = Result(Outcome(End.EXITED, exit_code=0), exports=b"{}")
MOST = 20
"""More writes than any of it takes."""


class Killed(Exception):
    """The process is gone."""


class MortalHost:
    """A host for a process that is killed at its write of this number, before or after it is done."""

    def __init__(self, home: Cluster, number: int, *, after: bool) -> None:
        self._left = number
        self._after = after
        self.is_dead = False
        self.get, self.list, self.watch = home.get, home.list, home.watch
        self.discover, self.version, self.close = home.discover, home.version, home.close
        self.create, self.replace = self._mortal(home.create), self._mortal(home.replace)
        self.patch, self.delete = self._mortal(home.patch), self._mortal(home.delete)
        self.delete_collection = self._mortal(home.delete_collection)

    def _mortal(self, write: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def wrapped(*args: Any, **kwargs: Any) -> Any:
            self._left -= 1
            self.is_dead = self.is_dead or self._left < 0
            if self.is_dead and not (self._after and self._left == -1):
                raise Killed
            answer = await write(*args, **kwargs)
            if self.is_dead:
                raise Killed
            return answer

        return wrapped


async def _killed(w: World, number: int, after: bool, work: Callable[[PodSandbox], Awaitable[object]]) -> bool:
    """Do it in a process that is killed at a write; False if it takes fewer."""
    host: Any = MortalHost(w.home, number, after=after)
    sandbox = PodSandbox(host, NAMESPACE, "gardener", SETTINGS, Surroundings(clock=w.clock))
    try:
        await work(sandbox)
    except Killed:
        return True
    finally:
        await sandbox.close()
    return False


async def _left(w: World) -> list[str]:
    found = []
    for resource in (PODS, SECRETS, ROLES, ROLE_BINDINGS, SERVICE_ACCOUNTS):
        objects = (await w.home.list(resource, namespace=NAMESPACE)).items
        found += [each["kind"] for each in objects if labels.ITEM_TOKEN in (each["metadata"].get("labels") or {})]
    return found


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_run_that_was_cut_short_while_it_began_begins_and_ends(after: bool) -> None:
    async def scenario() -> int:
        for number in range(MOST):
            async with world() as w:
                if not await _killed(w, number, after, lambda sandbox: sandbox.begin(ORDER)):
                    return number
                if number or after:
                    assert await w.sandbox.items() == [ITEM], "whatever there is can be found"
                await w.sandbox.begin(ORDER)
                assert await w.sandbox.runs() == [RUN]
                assert len((await w.home.list(PODS, namespace=NAMESPACE)).items) == 1
                await w.collect(GOOD)
                assert await w.finished() == GOOD
                await w.sandbox.forget(ITEM)
                assert await _left(w) == []
        raise AssertionError(f"it takes {MOST} writes and more")

    assert time.run(scenario()) >= 7


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_result_is_not_lost_while_its_run_is_being_removed(after: bool) -> None:
    async def scenario() -> int:
        for number in range(MOST):
            async with world() as w:
                await w.sandbox.begin(ORDER)
                await w.say(status("Succeeded", init=ended(), main=ended(), wait=ended()))
                await w.collect(GOOD)
                assert await w.finished() == GOOD
                if not await _killed(w, number, after, lambda sandbox: sandbox.remove(RUN)):
                    return number
                await asyncio.sleep(1)
                if await w.sandbox.has(RUN):
                    assert await w.finished() == GOOD
                    await w.sandbox.remove(RUN)
                assert not (await w.home.list(PODS, namespace=NAMESPACE)).items
                assert await w.sandbox.items() == [ITEM]
                assert not await w.sandbox.has(RUN)
        raise AssertionError(f"it takes {MOST} writes and more")

    assert time.run(scenario()) >= 4


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_an_item_that_was_half_forgotten_is_found_until_nothing_is_left(after: bool) -> None:
    async def scenario() -> int:
        for number in range(MOST):
            async with world() as w:
                await w.sandbox.begin(ORDER)
                if not await _killed(w, number, after, lambda sandbox: sandbox.forget(ITEM)):
                    return number
                await asyncio.sleep(1)
                if await _left(w):
                    assert await w.sandbox.items() == [ITEM]
                    await w.sandbox.forget(ITEM)
                assert await _left(w) == []
        raise AssertionError(f"it takes {MOST} writes and more")

    assert time.run(scenario()) >= 5
