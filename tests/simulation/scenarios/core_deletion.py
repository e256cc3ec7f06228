"""Deletion: of single Installations, chains and trees, at any moment, with importers in the way, or failed before."""

from __future__ import annotations

from tests.simulation.scenarios.core.acts import (
    annotated,
    applied,
    deleted,
    forced,
    gone,
    idle,
    in_turn,
    later,
)
from tests.simulation.scenarios.core.landscapes import Item, Part
from tests.simulation.scenarios.core.shapes import DOMAIN, EARLY, QUICK, chain, diamond, family, tree
from tests.simulation.scenarios.core.stories import story

from landform.api.names import Annotation

BROKEN = ("MockFailed", "children failed", "DeployItemsFailed")
ONE = Part("p0", items=QUICK)
SLOW = Part("p0", items=(Item(delay="8s"),))
BAD_TREE = family("root", Part("p0", items=(Item(phase="Failed"), Item("side"))), Part("p1", ("p0",)))
PAIR = family("root", Part("p0", items=QUICK), Part("p1", ("p0",), items=QUICK))
LINE = Part("p0", items=(Item("side", after=("main",), delay="0s"), *QUICK))
NOBODY = Part("p0", items=(Item(type="example.com/nobody"),))

SCENARIOS = [
    story("core: one is deleted", in_turn(applied(ONE), idle("p0"), deleted("p0")), [], exhaustive=True),
    story("core: one is deleted at any moment", in_turn(applied(ONE), later(3.0), deleted("p0")), []),
    story("core: one is deleted during its work", in_turn(applied(SLOW), later(9.0), deleted("p0")), []),
    story(
        "core: children are deleted",
        in_turn(applied(PAIR), idle("root"), deleted("root")),
        [],
        exhaustive=True,
    ),
    story("core: tree is deleted", in_turn(applied(tree(3)), idle("root"), deleted("root")), [], given=DOMAIN),
    story(
        "core: tree is deleted during its job",
        in_turn(applied(tree(2)), later(5.0), deleted("root")),
        [],
        given=DOMAIN,
    ),
    story(
        "core: failed tree is deleted",
        in_turn(applied(BAD_TREE), idle("root"), deleted("root")),
        [],
        fails=[*BROKEN, *EARLY],
    ),
    story(
        "core: chain is deleted in any order",
        in_turn(applied(*chain(3)), idle("p0", "p1", "p2"), deleted("p0", "p1", "p2", longest=3.0)),
        [],
        fails=EARLY,
    ),
    story(
        "core: diamond is deleted at any moment",
        in_turn(applied(*diamond()), later(5.0), deleted("top", "left", "right", "bottom", longest=1.0)),
        [],
        fails=EARLY,
    ),
    story(
        "core: importer in the way of deletion",
        in_turn(applied(*chain(2)), idle("p0", "p1"), deleted("p0"), later(8.0), deleted("p1")),
        [],
        fails=EARLY,
        exhaustive=True,
    ),
    story(
        "core: importer in the way is ignored",
        in_turn(
            applied(*chain(2)),
            idle("p0", "p1"),
            deleted("p0"),
            later(8.0),
            annotated("p0", Annotation.DELETE_IGNORE_SUCCESSORS),
            gone("p0"),
        ),
        [chain(2)[1]],
        past={"p0": "p01()"},
        fails=EARLY,
    ),
    story(
        "core: deleted without uninstallation",
        in_turn(applied(tree(2)), later(5.0), annotated("root", Annotation.DELETE_WITHOUT_UNINSTALL), deleted("root")),
        [],
        given=DOMAIN,
    ),
    story(
        "core: deleted and created again",
        in_turn(applied(PAIR), later(4.0), deleted("root"), gone("root"), applied(PAIR.revised())),
        [PAIR.revised()],
    ),
    story(
        "core: finalizers are taken off by hand",
        in_turn(applied(LINE), idle("p0"), deleted("p0"), forced("p0")),
        [],
        exhaustive=True,
    ),
    story(
        "core: finalizers of a tree are taken off by hand",
        in_turn(applied(PAIR), idle("root"), later(2.0), deleted("root"), later(0.2), forced("root")),
        [],
    ),
    story(
        "core: nobody deploys or uninstalls",
        in_turn(
            applied(NOBODY),
            later(6.0),
            deleted("p0"),
            later(6.0),
            annotated("p0", Annotation.DELETE_WITHOUT_UNINSTALL),
            gone("p0"),
        ),
        [],
        fails=["PickupTimeout", "children failed", "DeployItemsFailed", "UndeletedSubobjects"],
    ),
]
