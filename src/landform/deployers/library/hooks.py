"""Extension hooks: functions that look at a pass of a deployer over an item, and may change its course.

A pass calls them in the order of `HookType`. What several hooks answer becomes one answer by the rules of `combined`;
the answers of the steps become one by those of `merged`. Both are pure.
"""

from __future__ import annotations

import enum
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from landform.api.errors import OperationFailed

if TYPE_CHECKING:
    from landform.api.deployitems import DeployItem
    from landform.api.targets import Target


class HookType(enum.StrEnum):
    """When a hook is called, in the order of a pass."""

    START = "Start"
    """First of all; the hook is told of neither item nor target. Abort ends the pass."""

    DURING_RESPONSIBILITY_CHECK = "DuringResponsibilityCheck"
    """Its answer replaces the verdict: abort means not responsible, no abort means responsible."""

    AFTER_RESPONSIBILITY_CHECK = "AfterResponsibilityCheck"
    """The deployer is responsible. Abort ends the pass."""

    SHOULD_RECONCILE = "ShouldReconcile"
    """An answer without abort has the deployer work though there is no job; abort cannot stop a job."""

    BEFORE_ANY_RECONCILE = "BeforeAnyReconcile"
    """The deployer is about to work. Abort puts that off."""

    BEFORE_DELETE = "BeforeDelete"
    """The deployer is about to uninstall. Abort puts that off."""

    BEFORE_FORCE_RECONCILE = "BeforeForceReconcile"
    """The deployer is about to deploy an item whose operation annotation says ``force-reconcile``."""

    BEFORE_RECONCILE = "BeforeReconcile"
    """The deployer is about to deploy. Abort puts that off."""

    END = "End"
    """The deployer has done its work without an error."""


_UNANIMOUS = frozenset({HookType.DURING_RESPONSIBILITY_CHECK, HookType.SHOULD_RECONCILE})
"""Among hooks of these types one that does not abort is enough to go on."""


@dataclass(frozen=True)
class HookResult:
    """What a hook answers; None instead means that it has nothing to say."""

    abort: bool = False
    """What it means depends on the type of the hook."""

    requeue: bool = False
    """Look at the item again at once."""

    requeue_after: float = 0.0
    """Look at the item again in so many seconds; 0 says nothing."""


NOTHING = HookResult()


@dataclass(frozen=True)
class HookCall:
    """What a hook is told."""

    type: HookType
    item: DeployItem | None
    """As it is in the cache: nobody may change it."""

    target: Target | None
    """The item's target, if it has one."""


Hook = Callable[[HookCall], Awaitable[HookResult | None]]


@dataclass(frozen=True)
class Hooks:
    """Hooks by type, in the order in which they are called. Made once; nothing is added while a deployer runs."""

    by_type: Mapping[HookType, tuple[Hook, ...]] = field(default_factory=dict)

    def with_hook(self, hook: Hook, *types: HookType) -> Hooks:
        """These hooks and one more for each of the types, called after those of the same type."""
        for type_ in types:
            _check(type_)
        return self | Hooks({type_: (hook,) for type_ in types})

    def __or__(self, others: Hooks) -> Hooks:
        """These hooks and after them the others."""
        types = {**self.by_type, **others.by_type}
        return Hooks({type_: (*self.by_type.get(type_, ()), *others.by_type.get(type_, ())) for type_ in types})

    async def call(self, call: HookCall) -> HookResult | None:
        """Ask the hooks of a type one after the other; an error ends it, and no answer counts then."""
        hooks = self.by_type.get(call.type)
        if hooks is None:
            _check(call.type)
            return None
        return combined(call.type, [await hook(call) for hook in hooks])


def _check(type_: str) -> None:
    if not isinstance(type_, HookType):
        known = ", ".join(HookType)
        raise OperationFailed("ExecuteHooks", "UnknownHookType", f'there is no hook type "{type_}"; there are {known}')


def combined(type_: HookType, answers: Iterable[HookResult | None]) -> HookResult | None:
    """What the hooks of one type answer together; None if none of them has anything to say."""
    given = [answer for answer in answers if answer is not None]
    if len(given) < 2:
        return given[0] if given else None
    decide = all if type_ in _UNANIMOUS else any
    return _joined(given, abort=decide(answer.abort for answer in given))


def merged(running: HookResult, answer: HookResult | None) -> HookResult:
    """The answer of the whole pass so far, with that of one more step."""
    if answer is None:
        return running
    return _joined((running, answer), abort=running.abort or answer.abort)


def _joined(answers: Iterable[HookResult], *, abort: bool) -> HookResult:
    answers = tuple(answers)
    requeue = any(answer.requeue for answer in answers)
    delays = [answer.requeue_after for answer in answers if answer.requeue_after > 0]
    return HookResult(abort, requeue, 0.0 if requeue else min(delays, default=0.0))
