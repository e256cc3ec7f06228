"""Mistakes planted into the engine: the truths of the core find each of them, so they can fail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import pytest
from tests.simulation.test_core_scenarios import SCENARIOS

from landform.deployers.library import decisions, exports, statuses
from landform.executions import abandonment, items
from landform.installations import controller, deleting, exporting, predecessors, states
from landform.runtime.shards import Shards
from landform.testing.simulation import run

if TYPE_CHECKING:
    from collections.abc import Callable


class Mistake(NamedTuple):
    """A function of the engine that does something else."""

    where: Any
    name: str
    instead: Callable[..., Any]
    scenario: str
    truth: str
    """What is found to be broken."""

    seeds: tuple[int, ...] = (0,)


_finished = statuses.finished
_secret = exports._secret


def _ends_before_it_is_finished(*args: Any) -> Any:
    return msgspec.structs.replace(_finished(*args), job_id_finished=None)


def _has_no_phase_yet(*args: Any) -> Any:
    return msgspec.structs.replace(_finished(*args), phase="Progressing")


def _without_owner(*args: Any) -> Any:
    made = _secret(*args)
    return {**made, "metadata": {**made["metadata"], "ownerReferences": []}}


MISTAKES = {
    "siblings are waited for in their first job only": Mistake(
        predecessors,
        "_is_unfinished",
        lambda snapshot, predecessor: not predecessor.status.job_id_finished,
        "core: tree started again during a job",
        "no installation begins before its predecessors",
    ),
    "order of items is not heeded": Mistake(
        items,
        "dependencies",
        lambda item: (),
        "core: items in line",
        "no item runs before its predecessors",
    ),
    "importers are not looked at before a deletion": Mistake(
        deleting,
        "_importers",
        lambda snapshot: [],
        "core: importer in the way of deletion",
        "nothing is uninstalled before its importers",
    ),
    "the end of an item is written without its job": Mistake(
        statuses,
        "finished",
        _ends_before_it_is_finished,
        "core: one installation",
        "final phase and finished job are one write",
    ),
    "a job is finished without a final phase": Mistake(
        statuses,
        "finished",
        _has_no_phase_yet,
        "core: one installation",
        "final phase and finished job are one write",
    ),
    "exports are not written": Mistake(
        exporting,
        "write",
        lambda snapshot, exports: [],
        "core: one installation",
        "success is true",
    ),
    "templates forget": Mistake(
        states,
        "read",
        lambda snapshot, blueprint: {},
        "core: state of a template",
        "never changes",
    ),
    "the end of an execution wakes nobody": Mistake(
        controller,
        "_owner",
        lambda execution: (),
        "core: one installation",
        "every job ends",
    ),
    "what outlives its parent is forgotten": Mistake(
        abandonment,
        "of_items",
        lambda snapshot: [],
        "core: finalizers are taken off by hand",
        "every job ends",
    ),
    "exported values belong to nobody": Mistake(
        exports,
        "_secret",
        _without_owner,
        "core: one is deleted",
        "nothing is left behind",
    ),
    "replicas do not heed their leases": Mistake(
        Shards,
        "_why_not",
        lambda self, root: "",
        "core: two replicas",
        "nobody writes what another replica owns",
        tuple(range(8)),
    ),
    "deployers work without a job": Mistake(
        decisions,
        "decide",
        lambda item, is_due: decisions.Step.WORK,
        "core: one installation",
        "deployers leave finished items alone",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_found(mistake: Mistake, monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = next(each for each in SCENARIOS if each.name == mistake.scenario)
    monkeypatch.setattr(mistake.where, mistake.name, mistake.instead)
    found = {violation.invariant for seed in mistake.seeds for violation in run(scenario, seed).violations}
    assert mistake.truth in found
