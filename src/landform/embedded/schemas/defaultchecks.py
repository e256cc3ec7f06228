"""Whether the defaults of a CRD's schema are valid and hold nothing that the schema does not know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.cluster.errors import Cause
from landform.embedded.schemas import causes, explaining, objectmeta, pruning
from landform.embedded.schemas.defaulting import copied
from landform.embedded.schemas.rules import rules_of
from landform.kit.patches import same

if TYPE_CHECKING:
    from collections.abc import Iterable

    from landform.embedded.schemas.nodes import Node


def check_defaults(node: Node, path: str) -> list[Cause]:
    """All faults of the defaults in a structural schema."""
    return list(_check(node, path, is_root=True))


def _check(node: Node, path: str, *, is_root: bool = False) -> Iterable[Cause]:
    if node.has_default and node.default is not None:
        yield from _check_default(node, f"{path}.default")
    if node.items is not None:
        yield from _check(node.items, f"{path}.items")
    for name, inner in node.properties.items():
        if is_root and name in objectmeta.META_FIELDS:
            continue  # defaults are forbidden there, which is reported elsewhere
        yield from _check(inner, f"{path}.properties[{name}]")


def _check_default(node: Node, path: str) -> Iterable[Cause]:
    if not same(pruning.pruned_part(node, copied(node.default)), node.default):
        yield causes.invalid(path, node.default, "must not have unknown fields")
    rules = rules_of(node)
    embedded = objectmeta.faults(rules, node.default, path)
    if embedded:
        yield from embedded
        return
    for cause in explaining.explain(rules, node.default):
        field = path if cause.field == explaining.NOWHERE else f"{path}.{cause.field}"
        yield Cause(cause.reason, cause.message, field)
