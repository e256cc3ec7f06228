"""Shapes of landscapes that several scenarios share."""

from __future__ import annotations

from tests.simulation.scenarios.core.landscapes import Item, Part

QUICK = (Item(delay="0s"),)
DOMAIN = {"domain": "example"}
EARLY = ("ImportsSatisfied", "AllPredecessorsSucceeded")
"""For what reasons a root fails that is applied before those it imports from."""


def chain(length: int) -> list[Part]:
    """Roots that each import what the one before exports."""
    names = [f"p{number}" for number in range(length)]
    return [Part(name, imports=tuple(names[place - 1 : place] if place else ())) for place, name in enumerate(names)]


def diamond() -> list[Part]:
    """One that two import from, and one that imports from both."""
    return [Part("top"), Part("left", ("top",)), Part("right", ("top",)), Part("bottom", ("left", "right"))]


def family(name: str, *children: Part, imports: tuple[str, ...] = ()) -> Part:
    """A part with others in it, that imports what they need from outside."""
    given = {child.name for child in children}
    needed = tuple(dict.fromkeys(each for child in children for each in child.imports if each not in given))
    return Part(name, imports or needed, items=(), children=children)


def tree(depth: int, name: str = "root") -> Part:
    """Two parts in each part, so many deep; what the first exports, the second imports."""
    first = Part(f"{name}a", ("domain",), items=QUICK)
    if depth == 1:
        return family(name, first, Part(f"{name}b", ("domain", first.name)))
    return family(name, first, tree(depth - 1, f"{name}b"))
