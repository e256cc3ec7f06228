"""Processes: deployers and controllers that crash or stand still, and replicas that lose their leases."""

from __future__ import annotations

from tests.simulation.scenarios.core.acts import (
    applied,
    at_once,
    crashed,
    deleted,
    frozen,
    idle,
    in_turn,
    later,
    run_again,
)
from tests.simulation.scenarios.core.landscapes import Item, Part
from tests.simulation.scenarios.core.shapes import DOMAIN, EARLY, QUICK, chain, family, tree
from tests.simulation.scenarios.core.stories import APART, REPLICAS, TWO_DEPLOYERS, story

ONE = Part("p0", items=QUICK)
SLOW = Part("p0", items=(Item(delay="4s"), Item("side", delay="2s")))
PAIR = family("root", Part("p0", items=QUICK), Part("p1", ("p0",), items=QUICK))
FREEZE = 12.0

SCENARIOS = [
    story("core: deployer apart", applied(ONE), [ONE], processes=APART, exhaustive=True),
    story("core: deployer crashes", at_once(applied(SLOW), crashed("deployer", times=3)), [SLOW], processes=APART),
    story(
        "core: controllers crash",
        at_once(applied(tree(2)), crashed("controllers", times=3)),
        [tree(2)],
        given=DOMAIN,
        processes=APART,
    ),
    story(
        "core: engine crashes during deletion",
        in_turn(applied(PAIR), idle("root"), at_once(deleted("root"), crashed("engine", times=3, longest=2.0))),
        [],
    ),
    story(
        "core: one of two deployers stands still",
        at_once(applied(SLOW), frozen("deployer-a", "deployer-b", seconds=FREEZE)),
        [SLOW],
        processes=TWO_DEPLOYERS,
    ),
    story("core: two replicas", applied(*chain(2)), chain(2), processes=REPLICAS, fails=EARLY),
    story(
        "core: a replica stands still",
        at_once(applied(PAIR, SLOW), frozen("replica-a", "replica-b", seconds=FREEZE)),
        [PAIR, SLOW],
        processes=REPLICAS,
    ),
    story(
        "core: replicas crash",
        at_once(in_turn(applied(PAIR), run_again("root")), crashed("replica-a", "replica-b", times=3)),
        [PAIR],
        processes=REPLICAS,
    ),
    story(
        "core: replicas lose their leases during deletion",
        in_turn(applied(PAIR), later(8.0), at_once(deleted("root"), frozen("replica-a", "replica-b", seconds=FREEZE))),
        [],
        processes=REPLICAS,
    ),
    story(
        "core: replicas in two namespaces",
        at_once(applied(PAIR), run_again("root")),
        {"north": [PAIR], "south": [PAIR]},
        processes=REPLICAS,
    ),
]
