"""Landscapes that people change: orphans, new jobs and changes during a job, failures that are mended, interrupts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.simulation.scenarios.core.acts import (
    annotated,
    applied,
    given,
    idle,
    in_turn,
    interrupted,
    later,
    run_again,
)
from tests.simulation.scenarios.core.landscapes import Item, Part
from tests.simulation.scenarios.core.shapes import DOMAIN, EARLY, QUICK, chain, family, tree
from tests.simulation.scenarios.core.stories import story

from landform.api.names import Annotation

if TYPE_CHECKING:
    from tests.simulation.scenarios.core.people import People

CHANGED = ("CheckObservedGeneration",)
BROKEN = ("MockFailed", "children failed", "DeployItemsFailed")
INTERRUPTED = ("InterruptOperation", "children failed", "DeployItemsFailed")

ONE = Part("p0", items=QUICK)
SLOW = Part("p0", items=(Item(delay="3s"),))
STUCK = Part("p0", items=(Item(delay="1000s"),))
BAD = Part("p0", items=(Item(phase="Failed"),), ends="Failed")
TWO_ITEMS = Part("p0", items=(Item(), Item("side", after=("main",))))
OLD, NEW, KEPT = (Part(name, ("domain",), items=QUICK) for name in ("old", "new", "kept"))
BEFORE, AFTER = family("root", OLD, KEPT), family("root", NEW, KEPT).revised()


async def dithering(people: People) -> None:
    """Somebody cannot make up his mind what a tree is made of."""
    chance = people.world.chance
    for _ in range(4):
        chosen = [part for part in (OLD, NEW) if chance.random() < 0.5]
        await people.apply(family("root", *chosen, KEPT))
        await people.pause(4.0)
    await people.apply(AFTER)


SCENARIOS = [
    story(
        "core: sub-installation is removed",
        in_turn(applied(BEFORE), idle("root"), applied(AFTER)),
        [AFTER],
        given=DOMAIN,
    ),
    story(
        "core: sub-installation is removed during a job",
        in_turn(applied(BEFORE), later(3.0), applied(AFTER)),
        [AFTER],
        given=DOMAIN,
        fails=CHANGED,
    ),
    story("core: children come and go", dithering, [AFTER], given=DOMAIN, fails=CHANGED),
    story(
        "core: item is removed",
        in_turn(applied(TWO_ITEMS), later(6.0), applied(ONE.revised())),
        [ONE.revised()],
        fails=CHANGED,
    ),
    story(
        "core: all items are removed",
        in_turn(applied(ONE), idle("p0"), applied(ONE.revised(items=()))),
        [ONE.revised(items=())],
        exhaustive=True,
    ),
    story("core: started again during a job", in_turn(applied(SLOW), run_again("p0", times=3)), [SLOW]),
    story(
        "core: tree started again during a job",
        in_turn(applied(tree(2)), run_again("root", times=2)),
        [tree(2)],
        given=DOMAIN,
    ),
    story(
        "core: changed during a job",
        in_turn(applied(SLOW), later(4.0), applied(SLOW.revised()), later(4.0), applied(SLOW.revised().revised())),
        [SLOW.revised().revised()],
        fails=CHANGED,
    ),
    story(
        "core: changes start jobs",
        in_turn(applied(SLOW), annotated("p0", Annotation.RECONCILE_IF_CHANGED), later(5.0), applied(SLOW.revised())),
        [SLOW.revised()],
        fails=CHANGED,
    ),
    story(
        "core: export is dropped",
        in_turn(applied(ONE), later(4.0), applied(ONE.revised(exports=False))),
        [ONE.revised(exports=False)],
        fails=CHANGED,
    ),
    story(
        "core: given data changes during a job",
        in_turn(
            given(fact="old"),
            applied(Part("p0", ("fact",))),
            later(4.0),
            given(fact="new"),
            run_again("p0"),
        ),
        [Part("p0", ("fact",))],
        past={"fact": "new"},
        fails=["CheckImportsHash"],
    ),
    story("core: failing item", applied(BAD), [BAD], fails=BROKEN, exhaustive=True),
    story(
        "core: failing item is mended",
        in_turn(applied(BAD), idle("p0"), later(2.0), applied(ONE.revised())),
        [ONE.revised()],
        fails=BROKEN,
    ),
    story(
        "core: failing child is mended",
        in_turn(applied(family("root", BAD, Part("p1", ("p0",)))), idle("root"), applied(family("root", *chain(2)))),
        [family("root", *chain(2))],
        fails=[*BROKEN, *EARLY],
    ),
    story(
        "core: missing import is given",
        in_turn(applied(Part("p0", ("fact",))), idle("p0"), given(fact="true"), run_again("p0")),
        [Part("p0", ("fact",))],
        past={"fact": "true"},
        fails=EARLY,
        exhaustive=True,
    ),
    story(
        "core: interrupted and mended",
        in_turn(applied(STUCK), later(6.0), interrupted("p0"), idle("p0"), applied(ONE.revised())),
        [ONE.revised()],
        fails=INTERRUPTED,
    ),
    story(
        "core: tree is interrupted and mended",
        in_turn(
            applied(family("root", STUCK, Part("p1", ("p0",)))),
            later(6.0),
            interrupted("root"),
            idle("root"),
            applied(family("root", *chain(2))),
        ),
        [family("root", *chain(2))],
        fails=[*INTERRUPTED, *EARLY],
    ),
]
