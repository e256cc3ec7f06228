"""Templates: parts of a document that are evaluated where they are used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.spiff.expressions.base import Expr
from landform.spiff.info import CLEAN, Info, Result
from landform.spiff.nodes import SELF, Node, dynaml_node
from landform.spiff.unresolved import as_issue, has_reason
from landform.spiff.values import Special, equivalent, short, shorten

if TYPE_CHECKING:
    from landform.spiff.environment import Environment
    from landform.spiff.unresolved import Unresolved


class TemplateValue(Special):
    """A template with the place it was written at."""

    __slots__ = ("original", "path", "prepared", "resolver")
    type_name = "template"

    def __init__(self, path: tuple[str, ...], prepared: Node, original: Node, resolver: Environment) -> None:
        resolver.state.specials += 1
        self.path = path
        self.prepared = prepared
        self.original = original
        self.resolver = resolver

    def equivalent(self, other: Special) -> bool:
        return isinstance(other, TemplateValue) and equivalent(self.original, other.original)

    def __str__(self) -> str:
        return f"<template {'/'.join(self.path)}: {shorten(short(self.prepared.value))}>"


class Substitution(Expr):
    """`*template`: a copy of a template, evaluated here."""

    __slots__ = ("template",)

    def __init__(self, template: Expr) -> None:
        self.template = template

    def evaluate(self, env: Environment, locally: bool) -> Result:
        value, info, ok = self.template.evaluate(env, False)
        if not ok or isinstance(value, Expr):
            return self, info, ok
        if not isinstance(value, TemplateValue):
            return info.fail("template value required")
        own = dynaml_node(value, env.source)
        own.resolver = value.resolver
        inside = env.with_names({SELF: own})
        env.state.meter.enter()
        result, unresolved = env.state.engine.flow(inside, fresh_copy(value.prepared), False)
        env.state.meter.leave()
        info = CLEAN._replace(undefined=True) if result.note.undefined else CLEAN
        if not unresolved:
            return result.value, info._replace(source=result.source), True
        if has_reason(unresolved):
            return failed_document(info, self, unresolved, f"resolution of template '{'.'.join(value.path)}' failed")
        return self, info, True

    def __str__(self) -> str:
        return f"*({self.template})"


def failed_document(info: Info, value: Any, unresolved: list[Unresolved], text: str) -> Result:
    """The result of an expression whose inner document has nodes without a value."""
    issue, error, failed = as_issue(unresolved, text)
    return (None if error else value), info._replace(issue=issue, error=error, failed=failed), False


def fresh_copy(node: Node) -> Node:
    """The node with everything below it as it was written, without notes."""
    value = node.value
    if type(value) is list:
        value = [fresh_copy(entry) for entry in value]
    elif type(value) is dict:
        value = {key: fresh_copy(entry) for key, entry in value.items()}
    return Node(value, node.source)
