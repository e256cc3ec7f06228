"""The way from an object to what is in its way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.insight.objects import (
    deleted,
    execution,
    failed,
    installation,
    item,
    late,
    succeeded,
    unhealthy,
    unscheduled,
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
    assert told(chain) == ["base: shop imports url that base exports"]
    assert "landform delete base -n default --ignore-successors" in chain.advice
    assert not chain.is_fine


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


def test_an_installation_that_is_deleted_while_its_job_runs_says_so_and_how_to_end_the_job() -> None:
    below = waits(WaitReason.CHILDREN, "execution shop is in phase Progressing")
    landscape = Landscape((deleted(installation("shop", **working(says=below))),), (execution("shop", **working()),))
    chain = asked(landscape)
    assert told(chain)[0] == "shop: is deleted when its job is over: execution shop is in phase Progressing"
    assert chain.advice.endswith("end its job with `landform interrupt shop -n default`.")


def test_parts_that_somebody_deletes_lead_to_the_job_that_can_take_them_away() -> None:
    landscape = Landscape(
        (installation("shop", **succeeded()), installation("db-1", parent="shop", **succeeded())),
        (execution("db-1", **succeeded()),),
        (deleted(item("db-1-server-x", "db-1", **succeeded())),),
    )
    chain = asked(landscape)
    assert told(chain) == [
        "shop: succeeded, but not all below it is well",
        "db-1: succeeded, but not all below it is well",
        "db-1: succeeded, but not all below it is well",
        "db-1-server-x: is to be deleted, which only a job of shop does",
    ]
    assert "landform reconcile shop -n default" in chain.advice
    assert not chain.is_fine


def test_a_part_that_the_running_job_deletes_leads_to_that_job() -> None:
    landscape = Landscape((installation("shop", **working()), deleted(installation("db-1", parent="shop"))))
    assert told(asked(landscape, "db-1"))[0] == "db-1: is deleted by the job of shop"


def test_a_deleted_root_that_nobody_works_on_asks_for_a_controller() -> None:
    chain = asked(Landscape((deleted(installation("shop", **succeeded())),)))
    assert told(chain) == ["shop: is to be deleted, but nobody has taken that up"]
    assert "landform controller" in chain.advice


def test_an_unhealthy_installation_that_names_nobody_leads_to_what_is_deleted() -> None:
    landscape = Landscape(
        (installation("shop", phase=Phase.SUCCEEDED, says=unhealthy("the execution: an item is being deleted")),),
        (execution("shop", **succeeded()),),
        (deleted(item("shop-base-x", "shop", **succeeded())),),
    )
    assert told(asked(landscape))[-1] == "shop-base-x: is to be deleted, which only a job of shop does"


def test_a_root_that_was_changed_after_its_job_is_not_fine() -> None:
    chain = asked(Landscape((installation("shop", generation=2, **succeeded()),)))
    assert told(chain) == ["shop: succeeded, but its spec has changed since, and nobody asks for a job"]
    assert chain.advice == "Start it with `landform reconcile shop -n default`."


def test_a_schedule_that_never_starts_anything_is_told() -> None:
    chain = asked(Landscape((installation("shop", phase=Phase.SUCCEEDED, says=unscheduled("cronSpec: no such day")),)))
    assert told(chain) == ["shop: succeeded, but cronSpec: no such day"]
    assert "landform reconcile shop" in chain.advice


def test_a_misspelt_operation_is_not_blamed_on_the_controller() -> None:
    chain = asked(Landscape((installation("shop", operation="recnocile", **succeeded()),)))
    assert told(chain) == ['shop: is asked to "recnocile", which is nothing that it knows']
    assert "reconcile, renew, interrupt" in chain.advice


@pytest.mark.parametrize(("state", "says"), [({}, "belongs to no Installation"), (failed("no"), "failed: ")])
def test_an_item_of_nobody_is_started_by_its_annotation(state: dict[str, Any], says: str) -> None:
    alone = item("alone", "", **state)
    chain = why(Landscape((), (), (alone,)), alone)
    assert chain.steps[0].says.startswith(says)
    assert "kubectl annotate deployitem alone -n default" in chain.advice


@pytest.mark.parametrize("reason", [WaitReason.NO_DEPLOYER, WaitReason.TARGET, WaitReason.UNINSTALL, WaitReason.RETRY])
def test_what_holds_up_a_deletion_comes_with_a_way_out(reason: WaitReason) -> None:
    held = deleted(item("shop-base-x", "shop", **working(Phase.DELETING, waits(reason, "something"))))
    landscape = Landscape((installation("shop", **working(Phase.DELETING)),), (execution("shop"),), (held,))
    assert why(landscape, held).advice.endswith("`landform delete shop -n default --without-uninstall`.")


def test_a_deletion_that_failed_is_tried_again_with_delete() -> None:
    chain = asked(Landscape((deleted(installation("shop", phase=Phase.DELETE_FAILED, error="no such host")),)))
    assert "`landform delete shop -n default`" in chain.advice
    assert chain.advice.endswith("add --without-uninstall.")
