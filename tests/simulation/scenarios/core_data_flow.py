"""Data flows: chains and diamonds of roots, trees three deep, targets, state of templates, several namespaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.simulation.scenarios.core import truths
from tests.simulation.scenarios.core.acts import applied, in_turn, later, run_again
from tests.simulation.scenarios.core.landscapes import Item, Part
from tests.simulation.scenarios.core.shapes import DOMAIN, EARLY, QUICK, chain, diamond, family, tree
from tests.simulation.scenarios.core.stories import story

if TYPE_CHECKING:
    from tests.simulation.scenarios.core.people import People


async def regions(people: People) -> None:
    await people.target("eu", "us", "ap")


async def founded(people: People) -> None:
    await people.found_namespace()


ONE = Part("p0", items=QUICK)
IN_LINE = Part("p0", items=(Item("main", after=("base",), delay="0s"), Item("base", delay="0s"), Item("side")))
PAIR = family("root", Part("first", ("domain",), items=QUICK), Part("second", ("first",), items=QUICK))
SQUARE = family("root", *diamond())
LISTED = Part("p0", target_list=("eu", "us"))
MAPPED = Part("p0", target_map={"near": "eu", "far": "us"})
KEEPER = Part("p0", remembers=True, items=QUICK)
MIXED = [Part("base"), family("root", Part("inner", ("base",)), imports=("base",)), Part("user", ("root",))]

SCENARIOS = [
    story("core: one installation", applied(ONE), [ONE], exhaustive=True),
    story("core: items in line", applied(IN_LINE), [IN_LINE]),
    story("core: chain of three roots", applied(*chain(3)), chain(3), fails=EARLY),
    story(
        "core: a change flows down a chain",
        in_turn(applied(*chain(3)), later(10.0), applied(chain(3)[0].revised())),
        [chain(3)[0].revised(), *chain(3)[1:]],
        fails=[*EARLY, "CheckImportsHash", "CheckObservedGeneration"],
    ),
    story("core: diamond of roots", applied(*diamond()), diamond(), fails=EARLY),
    story(
        "core: a change flows through a diamond",
        in_turn(applied(*diamond()), later(10.0), applied(diamond()[0].revised(), diamond()[1].revised())),
        [diamond()[0].revised(), diamond()[1].revised(), *diamond()[2:]],
        fails=[*EARLY, "CheckImportsHash", "CheckObservedGeneration"],
    ),
    story("core: two children in line", applied(PAIR), [PAIR], given=DOMAIN, exhaustive=True),
    story("core: diamond of children", applied(SQUARE), [SQUARE]),
    story("core: tree three deep", applied(tree(3)), [tree(3)], given=DOMAIN),
    story("core: tree between roots", applied(*MIXED), MIXED, fails=EARLY),
    story("core: target list", applied(LISTED), [LISTED], begin=regions),
    story("core: target map", applied(MAPPED), [MAPPED], begin=regions),
    story(
        "core: targets come and go",
        in_turn(applied(LISTED), later(6.0), applied(LISTED.revised(target_list=("ap", "us", "eu")))),
        [LISTED.revised(target_list=("ap", "us", "eu"))],
        begin=regions,
        fails=["CheckObservedGeneration"],
    ),
    story(
        "core: state of a template",
        in_turn(applied(KEEPER), run_again("p0", times=2)),
        [KEEPER],
        always=[truths.never_changes("p0")],
        exhaustive=True,
    ),
    story("core: same names in two namespaces", applied(PAIR), {"north": [PAIR], "south": [PAIR]}, given=DOMAIN),
    story(
        "core: a namespace of its own",
        in_turn(founded, applied(ONE)),
        {"fresh": [ONE]},
        prepared=False,
    ),
]
