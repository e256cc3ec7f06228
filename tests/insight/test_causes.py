"""The way from an object to what is in its way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.insight.objects import (
    execution,
    failed,
    installation,
    item,
    late,
    succeeded,
    unhealthy,
    waits,
    working,
)

from landform.api.phases import Phase
from landform.api.waiting import WaitReason
from landform.insight.causes import Chain, why
from landform.insight.landscapes import Landscape

if TYPE_CHECKING:
    from landform.insight.landscapes import Worker


def asked(landscape: Landscape, about: str = "shop") -> Chain:
    [start] = [each for each in landscape.installations if each.metadata.name == about]
    return why(landscape, start)


def told(chain: Chain) -> list[str]:
    return [f"{step.name}: {step.says}" for step in chain.steps]


def test_values_that_no_job_has_published_are_told_with_what_to_do() -> None:
    says = late("deploy item db-x (db) exports new values")
    chain = asked(Landscape((installation("shop", phase=Phase.SUCCEEDED, says=says),), (), ()))
    assert told(chain) == ["shop: succeeded, but deploy item db-x (db) exports new values"]
    assert "landform reconcile shop" in chain.advice
    assert not chain.is_fine


def test_waiting_is_followed_over_predecessors_and_children_to_the_item_in_trouble() -> None:
    children = waits(WaitReason.CHILDREN, "sub-installation web-2 (web) is in phase Init")
    predecessor = waits(WaitReason.PREDECESSOR, "predecessor db-1 (db) is in phase Progressing")
    below = waits(WaitReason.CHILDREN, "deploy item db-1-server-x (server) is in phase Progressing")
    readiness = waits(WaitReason.READINESS, "Deployment db/server has 0 of 1 replicas")
    landscape = Landscape(
        (
            installation("shop", **working(says=children)),
            installation("web-2", parent="shop", **working(Phase.INIT, predecessor)),
            installation("db-1", parent="shop", **working()),
        ),
        (execution("db-1", **working(says=below)),),
        (item("db-1-server-x", "db-1", **working(says=readiness)),),
    )
    chain = asked(landscape)
    assert told(chain) == [
        "shop: sub-installation web-2 (web) is in phase Init",
        "web-2: predecessor db-1 (db) is in phase Progressing",
        "db-1: works on what is below it",
        "db-1: deploy item db-1-server-x (server) is in phase Progressing",
        "db-1-server-x: Deployment db/server has 0 of 1 replicas",
    ]
    assert [step.kind for step in chain.steps][-2:] == ["Execution", "DeployItem"]
    assert "timeout" in chain.advice


def test_the_child_that_failed_first_is_the_cause_of_a_failure() -> None:
    landscape = Landscape(
        (
            installation("shop", **failed("children failed")),
            installation("a-1", parent="shop", **failed("predecessor z-1 (z) is not Succeeded", ended=5)),
            installation("z-1", parent="shop", **failed("disk full", ended=9)),
        )
    )
    chain = asked(landscape)
    assert told(chain) == ["shop: failed because of what is below it", "z-1: failed: Reconcile: Broken: disk full"]
    assert chain.advice == "Mend the cause, then start again with `landform reconcile shop -n default`."


def test_a_failed_child_of_an_earlier_job_is_not_to_blame() -> None:
    old = installation("a-1", parent="shop", **failed("long ago"))
    [new_root] = [installation("shop", **failed("template broken"))]
    status = type(new_root.status)(phase="Failed", job_id="job-2", job_id_finished="job-2")
    newer = type(new_root)(metadata=new_root.metadata, spec=new_root.spec, status=status)
    assert told(asked(Landscape((newer, old)))) == ["shop: failed: it left no error"]


def test_a_failure_that_names_an_unfinished_neighbour_leads_there() -> None:
    landscape = Landscape(
        (
            installation("shop", **failed('predecessor "base" has not succeeded')),
            installation("base", **failed("no such chart")),
        )
    )
    assert told(asked(landscape))[-1] == "base: failed: Reconcile: Broken: no such chart"


def test_a_deletion_that_is_held_up_by_an_importer_says_who_it_is() -> None:
    importer = waits(WaitReason.IMPORTER, "shop imports url that base exports")
    landscape = Landscape(
        (installation("base", **working(Phase.INIT_DELETE, importer)), installation("shop", **succeeded()))
    )
    chain = asked(landscape, "base")
    assert told(chain) == ["base: shop imports url that base exports", "shop: succeeded; nothing is in its way"]


def test_a_neighbour_that_is_not_known_is_named_so_that_it_can_be_fetched() -> None:
    wait = waits(WaitReason.IMPORTER, "shop imports url")
    chain = asked(Landscape((installation("base", **working(Phase.INIT_DELETE, wait)),)), "base")
    assert "shop" in chain.unseen
    assert "--ignore-successors" in chain.advice


def test_two_who_wait_for_each_other_are_told_once_each() -> None:
    landscape = Landscape(
        (
            installation("a", **working(says=waits(WaitReason.PREDECESSOR, "b is in phase Init"))),
            installation("b", **working(says=waits(WaitReason.PREDECESSOR, "a is in phase Init"))),
        )
    )
    assert [step.name for step in asked(landscape, "a").steps] == ["a", "b"]


def test_a_succeeded_installation_that_is_no_longer_healthy_leads_to_the_item() -> None:
    landscape = Landscape(
        (installation("shop", phase=Phase.SUCCEEDED, says=unhealthy("execution shop is not healthy")),),
        (execution("shop", phase=Phase.SUCCEEDED, says=unhealthy("deploy item shop-base-x (base) failed")),),
        (item("shop-base-x", "shop", **failed("drifted")),),
    )
    chain = asked(landscape)
    assert [step.kind for step in chain.steps] == ["Installation", "Execution", "DeployItem"]
    assert not chain.is_fine


@pytest.mark.parametrize(
    ("made", "says", "advice"),
    [
        (installation("shop"), "has never run, and nobody asks it to", "Start it with `landform reconcile shop -n def"),
        (
            installation("shop", operation="reconcile"),
            'is asked to "reconcile", but no controller has taken that up',
            "Is a controller running?",
        ),
        (installation("shop", **working()), "works", "It is not stuck"),
        (installation("shop", **succeeded()), "succeeded; nothing is in its way", ""),
        (
            installation("shop", **working(says=waits(WaitReason.MISSING_IMPORT, "import x is missing"))),
            "import x is missing",
            "Create what is missing",
        ),
        (installation("shop", **working(says=waits("Unheard", "of"))), "of", ""),
    ],
    ids=["never-ran", "asked", "working", "fine", "missing-import", "unknown-reason"],
)
def test_a_lone_installation_says_how_it_is(made: Worker, says: str, advice: str) -> None:
    chain = why(Landscape((made,)), made)  # type: ignore[arg-type]
    assert [step.says for step in chain.steps] == [says]
    assert chain.advice.startswith(advice)
    assert chain.is_fine is (made.status.phase == "Succeeded")


def test_a_child_that_was_not_started_points_to_what_holds_up_its_parent() -> None:
    wait = waits(WaitReason.ORPHANS, "sub-installation old-1 is in phase Deleting")
    landscape = Landscape(
        (installation("shop", **working(says=wait)), installation("a-1", parent="shop")),
    )
    assert told(asked(landscape, "a-1")) == ["a-1: has not been started by its parent shop"]
    broken = Landscape((installation("shop", **failed("no blueprint")), installation("a-1", parent="shop")))
    assert told(asked(broken, "a-1"))[-1] == "shop: failed: Reconcile: Broken: no blueprint"
