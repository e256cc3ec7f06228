"""Schedules: items that are deployed again and again, and Installations that start by themselves."""

from __future__ import annotations

from tests.simulation.scenarios.core import truths
from tests.simulation.scenarios.core.acts import applied, deleted, idle, in_turn, later, run_again
from tests.simulation.scenarios.core.landscapes import Item, Part
from tests.simulation.scenarios.core.shapes import QUICK, chain, family
from tests.simulation.scenarios.core.stories import APART, REPLICAS, story

BROKEN = ("MockFailed", "children failed", "DeployItemsFailed")
KEPT_FRESH = Part("p0", items=(Item(every="5s", delay="1s"), Item("side", after=("main",))))
FRESH_CHILD = family("root", Part("p0", items=(Item(every="5s", delay="1s"),)), Part("p1", ("p0",)))
NIGHTLY = Part("p0", items=QUICK, automatic={"succeededReconcile": {"interval": "15s"}})
STUBBORN = Part(
    "p0",
    items=(Item(phase="Failed", delay="0s"),),
    automatic={"failedReconcile": {"numberOfReconciles": 2, "interval": "10s"}},
    ends="Failed",
)

SCENARIOS = [
    story(
        "core: jobs arrive in passes",
        in_turn(applied(KEPT_FRESH), run_again("p0", times=3)),
        [KEPT_FRESH],
        eventually=[truths.passes_go_on(5.0)],
        never_rests=True,
    ),
    story(
        "core: changes arrive in passes",
        in_turn(applied(KEPT_FRESH), later(9.0), applied(KEPT_FRESH.revised()), later(9.0), applied(KEPT_FRESH)),
        [KEPT_FRESH],
        eventually=[truths.passes_go_on(5.0)],
        fails=["CheckObservedGeneration"],
        never_rests=True,
    ),
    story(
        "core: passes below a tree",
        in_turn(applied(FRESH_CHILD), run_again("root", times=2, longest=9.0)),
        [FRESH_CHILD],
        eventually=[truths.passes_go_on(5.0)],
        never_rests=True,
        processes=APART,
    ),
    story(
        "core: passes with two replicas",
        in_turn(applied(KEPT_FRESH), run_again("p0", times=2)),
        [KEPT_FRESH],
        eventually=[truths.passes_go_on(5.0)],
        never_rests=True,
        processes=REPLICAS,
    ),
    story(
        "core: deletion arrives in a pass",
        in_turn(applied(KEPT_FRESH), idle("p0"), later(9.0), deleted("p0")),
        [],
    ),
    story(
        "core: starts again after success",
        in_turn(applied(NIGHTLY), later(20.0), run_again("p0")),
        [NIGHTLY],
        eventually=[truths.jobs_go_on("p0", 15.0)],
        never_rests=True,
    ),
    story(
        "core: tries again after failure",
        in_turn(applied(STUBBORN), idle("p0")),
        [STUBBORN],
        fails=BROKEN,
        eventually=[truths.jobs_were_tried("p0", 3)],
    ),
    story(
        "core: mended while it tries again",
        in_turn(applied(STUBBORN), later(15.0), applied(chain(1)[0].revised())),
        [chain(1)[0].revised()],
        fails=[*BROKEN, "CheckObservedGeneration"],
    ),
]
