"""What a tree shows of a landscape."""

from __future__ import annotations

import msgspec
import pytest
from tests.insight.objects import NOW, execution, export, failed, installation, item, succeeded, waits, working

from landform.api.phases import Phase
from landform.insight.landscapes import Landscape
from landform.insight.trees import Node, State, first_line, state_of, tree


def drawn(node: Node, depth: int = 0) -> list[str]:
    """One line for each node, to be read at a glance."""
    line = f"{'  ' * depth}{node.kind} {node.name} {node.state}"
    return [line, *(below for child in node.children for below in drawn(child, depth + 1))]


SHOP = Landscape(
    (
        installation("shop", **working()),
        installation("web-2", parent="shop", **working(Phase.INIT, waits("Predecessor", "waits for db-1"))),
        installation("db-1", parent="shop", **working()),
        installation("other", **succeeded()),
    ),
    (execution("shop", **succeeded()), execution("db-1", **working())),
    (item("shop-base-a", "shop", **succeeded()), item("db-1-server-b", "db-1", **failed("no disk\nat all"))),
    (export("url", "http://db", of="db-1"), export("other-url", 1, of="other")),
)


def test_children_stand_below_their_parents_and_strangers_are_left_out() -> None:
    [shop] = [root for root in SHOP.roots() if root.metadata.name == "shop"]
    assert drawn(tree(SHOP, shop, NOW)) == [
        "Installation shop working",
        "  Installation db-1 working",
        "    Execution db-1 working",
        "      DeployItem db-1-server-b failed",
        "  Installation web-2 waiting",
        "  Execution shop succeeded",
        "    DeployItem shop-base-a succeeded",
    ]


def test_a_node_has_what_people_ask_for() -> None:
    root = tree(SHOP, SHOP.roots()[1], NOW)
    database, web, _ = root.children
    [server] = database.children[0].children
    assert (database.title, [each.name for each in database.exports]) == ("db", ["url"])
    assert database.exports[0].value == "http://db"
    assert web.waits_for == "waits for db-1"
    assert (server.title, server.type) == ("server", "landscaper.gardener.cloud/mock")
    assert server.error == "Reconcile: Broken: no disk\nat all"
    assert first_line(server.error) == "Reconcile: Broken: no disk"


def test_a_job_that_runs_is_timed_until_now_and_one_that_is_over_until_its_end() -> None:
    root = tree(SHOP, SHOP.roots()[1], NOW)
    assert (root.seconds, root.children[-1].seconds) == (60, 10)


def test_a_child_whose_parent_is_gone_is_shown_as_a_root() -> None:
    lost = Landscape((installation("lost-1", parent="gone", **succeeded()),))
    assert [root.metadata.name for root in lost.roots()] == ["lost-1"]


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (installation("a"), State.IDLE),
        (installation("a", operation="reconcile"), State.WORKING),
        (installation("a", operation="reconcile", **succeeded()), State.WORKING),
        (installation("a", **working()), State.WORKING),
        (installation("a", **working(says=waits("Retry", "retry"))), State.WAITING),
        (installation("a", **succeeded()), State.SUCCEEDED),
        (installation("a", **failed()), State.FAILED),
        (installation("a", phase=Phase.DELETE_FAILED), State.FAILED),
    ],
    ids=["never-ran", "asked", "asked-again", "working", "waiting", "succeeded", "failed", "delete-failed"],
)
def test_the_state_says_in_a_word_how_an_object_is_doing(made: object, state: State) -> None:
    assert state_of(made) is state  # type: ignore[arg-type]


def test_programs_get_only_what_there_is_to_say() -> None:
    idle = tree(Landscape(), installation("a"), NOW)
    assert msgspec.to_builtins(idle) == {
        "kind": "Installation",
        "namespace": "default",
        "name": "a",
        "state": "idle",
    }


def test_of_two_landscapes_the_later_one_counts() -> None:
    before, after = installation("a", **working()), installation("a", **succeeded())
    merged = Landscape((before, installation("b"))).merged(Landscape((after,)))
    assert [(each.metadata.name, each.status.phase) for each in merged.roots()] == [("a", "Succeeded"), ("b", None)]
