"""The data-flow graph: who must wait for whom, because one imports what the other exports.

It knows flows only, so it is the same for Installations that exist and for templates of those that will.

>>> db = Flow("db", exports_data=frozenset({"url"}))
>>> web = Flow("web", imports_data=frozenset({"url"}))
>>> cycle([db, web])
[]
>>> cycle([Flow("db", imports_data=frozenset({"user"}), exports_data=frozenset({"url"})),
...        Flow("web", imports_data=frozenset({"url"}), exports_data=frozenset({"user"}))])
['db', 'web']
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from landform.api import item_rules
from landform.blueprints.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from landform.api.installations import InstallationExports, InstallationImports, TargetImport

ARROW: Final = " -{depends_on}-> "
"""What stands between the names of a circle."""

_NONE: Final[frozenset[str]] = frozenset()


@dataclass(frozen=True)
class Flow:
    """What one Installation takes from its scope and what it gives to it, by the names in that scope."""

    name: str
    imports_data: frozenset[str] = _NONE
    imports_targets: frozenset[str] = _NONE
    exports_data: frozenset[str] = _NONE
    exports_targets: frozenset[str] = _NONE


def flow(name: str, imports: InstallationImports, exports: InstallationExports) -> Flow:
    """The flow of an Installation or of a template for one.

    Lists and maps of the parent, and elements of them such as ``clusters[eu]``, come from above: no sibling gives them.
    """
    return Flow(
        name,
        imports_data=frozenset(item.data_ref for item in imports.data or () if item.data_ref),
        imports_targets=frozenset(
            ref for item in imports.targets or () for ref in _targets(item) if not is_element(ref)
        ),
        exports_data=frozenset(item.data_ref for item in exports.data or ()),
        exports_targets=frozenset(item.target for item in exports.targets or () if item.target),
    )


def is_element(reference: str) -> bool:
    """Whether a reference names one element of a list or map, such as ``clusters[eu]``."""
    return reference.endswith("]") and "[" in reference


def _targets(item: TargetImport) -> Iterable[str]:
    if item.target:
        return (item.target,)
    return item.targets or (item.target_map or {}).values()


def _exporters(flows: Iterable[Flow]) -> Iterator[tuple[str, str, list[str]]]:
    """Every exported name with its kind and those who export it."""
    by_name: dict[tuple[str, str], list[str]] = defaultdict(list)
    for each in flows:
        for kind, exports in (("data", each.exports_data), ("target", each.exports_targets)):
            for name in sorted(exports):
                by_name[kind, name].append(each.name)
    return ((kind, name, exporters) for (kind, name), exporters in by_name.items())


def _ambiguous(kind: str, name: str, exporters: list[str]) -> str:
    names = " and ".join(sorted(exporters))
    return f"the {kind} {name!r} is exported more than once, by {names}: give one of the exports another name"


def cycle(flows: Iterable[Flow]) -> list[str]:
    """Names along a circle of dependencies, each depending on the next and the last on the first; empty if none."""
    everyone = list(flows)
    takers = _dependencies(everyone)
    return next(item_rules.cycles(takers), [])


def _dependencies(flows: list[Flow]) -> dict[str, list[str]]:
    """For each name those whose exports it imports, itself included if it imports its own."""
    data: dict[str, list[str]] = defaultdict(list)
    targets: dict[str, list[str]] = defaultdict(list)
    for each in flows:
        for name in each.exports_data:
            data[name].append(each.name)
        for name in each.exports_targets:
            targets[name].append(each.name)
    return {
        each.name: sorted(
            {exporter for name in each.imports_data for exporter in data.get(name, ())}
            | {exporter for name in each.imports_targets for exporter in targets.get(name, ())}
        )
        for each in flows
    }


def check(flows: Iterable[Flow]) -> None:
    """GraphError if two flows export the same name, or if they depend on each other (or on themselves) in a circle."""
    everyone = list(flows)
    faults = [_ambiguous(kind, name, who) for kind, name, who in _exporters(everyone) if len(who) > 1]
    if faults:
        raise GraphError("\n".join(faults))
    circle = cycle(everyone)
    if circle:
        raise GraphError(f"the sub-installations depend on each other in a circle: {ARROW.join([*circle, circle[0]])}")
