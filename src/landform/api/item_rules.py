"""The rules for Executions, DeployItems and Targets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from landform.api import executions, faults
from landform.api.installation_rules import check_duration
from landform.api.nodes import Node
from landform.kit import names

if TYPE_CHECKING:
    from collections.abc import Iterator

_TYPE_RULE = "the type says which deployer is responsible"
_IMMUTABLE_TYPE_RULE = "the type cannot be changed; create another DeployItem instead"
_LONGEST_CYCLE = 20


def check_target(obj: Node, old: Node | None) -> None:
    """Note what is wrong with a Target."""
    spec = obj["spec"]
    given = [field for field in ("config", "secretRef") if spec[field].value is not None]
    if len(given) > 1:
        # Only the names: the fields hold credentials.
        spec.notes.add(faults.invalid(spec.path, given, "give at most one of config, secretRef"))


def check_deploy_item(obj: Node, old: Node | None) -> None:
    """Note what is wrong with a DeployItem."""
    spec = obj["spec"]
    type_ = spec["type"].required_text(_TYPE_RULE)
    _check_target_reference(spec["target"])
    check_duration(spec["timeout"])
    if old is not None and old["spec"]["type"].text() != type_:
        spec.notes.add(
            faults.immutable(spec["type"].path, type_, "the type cannot be changed; create another DeployItem instead")
        )


def check_execution(obj: Node, old: Node | None) -> None:
    """Note what is wrong with an Execution."""
    _check_items(_deploy_items(obj["spec"]))


def _deploy_items(spec: Node) -> Node:
    """The list of items, inflated if it is compressed, under the path of the plain one."""
    plain, compressed = spec["deployItems"], spec["deployItemsCompressed"]
    if not compressed.text():
        return plain
    try:
        items = msgspec.json.decode(executions.inflate(compressed.text()))
    except (ValueError, msgspec.DecodeError, RecursionError) as exc:
        spec.notes.add(faults.invalid(compressed.path, compressed.text(), f"must be gzipped JSON in base64: {exc}"))
        return plain
    return Node(items, plain.path, spec.notes)


def _check_items(items: Node) -> None:
    seen: set[str] = set()
    unique = True
    for item in items.elements():
        name = item["name"].required_text("every deploy item needs a name")
        if name in seen:
            unique = False
            item.notes.add(faults.duplicate(item.path, name))
        elif name:
            seen.add(name)
        _check_item(item)
    # Dependencies go by name: with one name for two items they mean nothing.
    if unique:
        _check_dependencies(items, seen)


def _check_item(item: Node) -> None:
    item["type"].required_text(_TYPE_RULE)
    _check_target_reference(item["target"])
    check_duration(item["timeout"])
    for key, label in item["labels"].entries():
        for text, problems in ((key, names.qualified(key)), (label.text(), names.label_value(label.text()))):
            if problems:
                item.notes.add(faults.invalid(item["labels"].path, text, "; ".join(problems)))


def _check_target_reference(target: Node) -> None:
    if target.is_set:
        target["name"].required_text("the Target must be named")
        target["namespace"].required_text("the namespace of the Target must be named too")


def _check_dependencies(items: Node, names: set[str]) -> None:
    graph: dict[str, list[str]] = {}
    for item in items.elements():
        wanted = [(other, other.text()) for other in item["dependsOn"].elements()]
        graph[item["name"].text()] = [name for _, name in wanted if name in names]
        for other, name in wanted:
            if name not in names:
                other.notes.add(faults.not_found(other.path, name, "no deploy item has this name"))
    for cycle in cycles(graph):
        way = " -> ".join([*cycle, cycle[0]] if len(cycle) <= _LONGEST_CYCLE else [*cycle[:_LONGEST_CYCLE], "..."])
        items.notes.add(faults.invalid(items.path, cycle, f"the dependencies form a cycle: {way}"))


def cycles(graph: dict[str, list[str]]) -> Iterator[list[str]]:
    """Cycles in a graph, each in the order of its edges: none if it has none, else at least one.

    At most one per part of the graph that hangs together, so that their number stays small; every node is met once.
    """
    done: set[str] = set()
    for start in graph:
        if start not in done:
            cycle = _cycle_from(start, graph, done)
            if cycle:
                yield cycle


def _cycle_from(start: str, graph: dict[str, list[str]], done: set[str]) -> list[str]:
    """The first cycle met, depth first; empty if none is. With its own stack: chains may be longer than Python's."""
    path, position, pending = [start], {start: 0}, [iter(graph[start])]
    while path:
        following = next(pending[-1], None)
        if following is None:
            pending.pop()
            del position[path[-1]]
            done.add(path.pop())
        elif following in position:
            done.update(path)
            return path[position[following] :]
        elif following not in done:
            position[following] = len(path)
            path.append(following)
            pending.append(iter(graph[following]))
    return []
