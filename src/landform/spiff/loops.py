"""The `<<for` control: a body for every combination of some variables."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from landform.kit.quoting import quote
from landform.spiff.expressions.base import Expr, Literal
from landform.spiff.expressions.templates import Substitution, TemplateValue
from landform.spiff.nodes import Issue, List, Map, Node, dynaml_node
from landform.spiff.values import plain_text, short, shorten, type_name

if TYPE_CHECKING:
    from landform.spiff.controls import Control

_NAME = re.compile("[a-zA-Z0-9_]+")


@dataclass(frozen=True)
class Variable:
    """A name that takes every entry of a list or map in turn."""

    name: str
    index: str
    entries: list[tuple[Any, Node]]


class LoopError(Exception):
    """The variables of a loop are not written as they should be."""


def run_loop(control: Control) -> tuple[Node, bool]:
    """The list or map of all rounds."""
    if "do" not in control.options:
        return control.issue("do field required")
    if control.value.note.undefined:
        return control.chosen(None)
    key = control.options.get("mapkey")
    if key is not None and not isinstance(key.value, TemplateValue):
        return control.issue("mapkey must be an expression")
    try:
        variables = _variables(control.value.value)
    except LoopError as error:
        return control.issue(str(error))
    return _Rounds(control, variables, None if key is None else Substitution(Literal(key.value))).run()


def _variables(value: Any) -> list[Variable]:
    """The variables; the last one changes fastest."""
    if type(value) is dict:
        found = [_from_entry(key, node) for key, node in value.items()]
        return sorted(found, key=lambda variable: (variable.name, variable.index))
    if type(value) is list:
        return [_from_specification(node) for node in value]
    raise LoopError(f"value field must be map but got {type_name(value)}")


def _from_entry(key: str, node: Node) -> Variable:
    parts = [part.strip() for part in key.split(",")]
    if len(parts) > 2:
        raise LoopError(f"invalid control variable spec {quote(key)}")
    return _variable(parts[-1], parts[0] if len(parts) == 2 else "", node)


def _from_specification(node: Node) -> Variable:
    fields = node.value
    if type(fields) is not dict:
        raise LoopError(f"control variable list entry requires may but got {type_name(fields)}")
    if "name" not in fields:
        raise LoopError("control variable list entry requires name field")
    index = fields["index"].value if "index" in fields else ""
    if type(index) is not str:
        raise LoopError(f"control index variable name must be of type string but got {type_name(index)}")
    if "values" not in fields:
        raise LoopError("control variable list entry requires values field")
    name = fields["name"].value if type(fields["name"].value) is str else ""
    variable = _variable(name, index, fields["values"])
    if len(fields) > 3:
        raise LoopError("control variable list entry requires two or three fields: name, values and optionally index")
    for key in sorted(fields):
        if key not in ("name", "values", "index"):
            raise LoopError(f"invalid control variable list entry field {quote(key)}")
    return variable


def _variable(name: str, index: str, node: Node) -> Variable:
    value = node.value
    if type(value) is list:
        entries = list(enumerate(value))
    elif type(value) is dict:
        entries = sorted(value.items(), key=lambda item: item[0])
    else:
        raise LoopError(f"control variable {quote(name)} requires list or map value, but got {type_name(value)}")
    for kind, word in (("range", name), ("index", index or "index")):
        if not _NAME.search(word):
            raise LoopError(f"invalid {kind} variable name {quote(word)} (must be {_NAME.pattern})")
    return Variable(name, index or f"index-{name}", entries)


class _Rounds:
    """All rounds of a loop."""

    def __init__(self, control: Control, variables: list[Variable], key: Substitution | None) -> None:
        self.control = control
        self.variables = variables
        self.key = key
        body = control.options["do"]
        self.body = body
        self.template = Substitution(Literal(body.value)) if isinstance(body.value, TemplateValue) else None
        self.results: list[tuple[str, Node]] = []
        self.issues: list[Issue] = []
        self.done = True

    def run(self) -> tuple[Node, bool]:
        for combination in product(*(variable.entries for variable in self.variables)):
            self.control.env.state.meter.step()
            self._round(combination)
        if not self.done:
            if self.issues:
                issue = Issue("error evaluating body", None, tuple(self.issues))
                return self.control.node.with_issue(True, True, issue), False
            return self.control.node, False
        value: Map | List = dict(self.results) if self.key is not None else [node for _, node in self.results]
        return dynaml_node(value, self.control.env.source), True

    def _round(self, combination: tuple[tuple[Any, Node], ...]) -> None:
        names: Map = {}
        for variable, (index, node) in zip(self.variables, combination, strict=True):
            names[variable.name] = node
            names[variable.index] = Node(index, "for")
        env = self.control.env.with_names(names)
        key: str | None = ""
        if self.key is not None:
            value, info, ok = self.key.evaluate(env, False)
            key = value
            if not ok:
                self._wrong(combination, info.issue)
            if info.undefined or value is None:
                key = None
            elif type(value) is not str:
                self._wrong(combination, Issue(f"map key must be string, but found {type_name(value)}"))
                key = None
        if self.template is None:
            self.results.append((key or "", self.body))
            return
        value, info, ok = self.template.evaluate(env, False)
        if not ok:
            self._wrong(combination, info.issue)
        elif isinstance(value, Expr):
            self.done = False
        elif key is not None and not info.undefined:
            self.results.append((key, dynaml_node(value, self.control.env.source)))

    def _wrong(self, combination: tuple[tuple[Any, Node], ...], issue: Issue) -> None:
        self.done = False
        shown = [
            f" {variable.name}[{plain_text(index)}]={shorten(short(node.value))}"
            for variable, (index, node) in zip(self.variables, combination, strict=True)
        ]
        self.issues.append(issue._replace(text=f"control variables: {';'.join(reversed(shown))}: {issue.text}"))
