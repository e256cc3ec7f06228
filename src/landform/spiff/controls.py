"""Control structures in YAML, a feature that is off by default: `<<if`, `<<switch`, `<<type`, `<<for`, `<<merge`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from landform.kit.quoting import quote
from landform.spiff.expressions.base import is_resolved, is_resolved_node
from landform.spiff.expressions.lambdas import Arguments, LambdaValue, call
from landform.spiff.loops import run_loop
from landform.spiff.nodes import Issue, Map, Node, dynaml_node
from landform.spiff.values import equivalent, short, shorten, type_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from landform.spiff.environment import Environment

_OPTIONS: dict[str, tuple[str, ...]] = {
    "if": ("then", "else"),
    "switch": ("default", "cases"),
    "type": ("default",),
    "for": ("do", "mapkey"),
    "merge": (),
}
_ALL_OPTIONS = {option for options in _OPTIONS.values() for option in options}
_TEMPLATES = {"<<do", "<<mapkey"}


@dataclass(frozen=True)
class Control:
    """A map that is a control structure."""

    name: str
    node: Node
    value: Node
    fields: Map
    options: Map
    env: Environment

    def issue(self, text: str) -> tuple[Node, bool]:
        """The control structure as a node that has failed for good."""
        node = Node(f"<{self.name} control>", self.node.source)
        return node.with_issue(True, True, Issue(text)), False

    def is_ready(self) -> bool:
        """Whether everything that decides has a value."""
        value = self.value
        return (
            (value.note.undefined or (not value.note.failed and is_resolved_node(value, self.env)))
            and all(is_resolved_node(node, self.env, failed_too=True) for node in self.options.values())
            and is_resolved(self.fields, self.env, failed_too=True)
        )

    def chosen(self, node: Node | None) -> tuple[Node, bool]:
        """The chosen node, or nothing."""
        if node is None:
            return dynaml_node(None, self.env.source).marked(undefined=True), True
        return node, node.note.undefined or (not node.note.failed and is_resolved_node(node, self.env))


def requires_template(key: str) -> bool:
    """Whether the value of an option is evaluated later, once for every round."""
    return key in _TEMPLATES


def control_of(node: Node, env: Environment) -> tuple[bool, str | None]:
    """Whether a node is a control structure, or what is wrong with it."""
    control, fault = _find(node, {}, env)
    return control is not None, fault


def _find(node: Node, left_out: Map, env: Environment) -> tuple[Control | None, str | None]:
    if not env.state.controls or type(node.value) is not dict:
        return None, None
    name = ""
    value: Node | None = None
    options: Map = {}
    fields: Map = {}
    for key, entry in (*sorted(node.value.items()), *sorted(left_out.items())):
        word = key[2:] if key.startswith("<<") else ""
        if not key.startswith("<<"):
            fields[key] = entry
        elif word in ("", "<") or word.startswith("!"):
            continue
        elif word in _OPTIONS:
            if value is not None:
                return None, f'multiple controls "<<{name}" and {quote(key)}'
            name, value = word, entry
        elif word in _ALL_OPTIONS:
            options[word] = entry
        else:
            return None, f"unknown control or control option {quote(key)}"
    if value is None:
        return None, f"control options [{' '.join(sorted(options))}] without control" if options else None
    for option in options:
        if option not in _OPTIONS[name]:
            return None, f"invalid option {quote(option)} for control {quote(name)}"
    whole = node.with_value({**node.value, **left_out}) if left_out else node
    return Control(name, whole, value, fields, options, env), None


def run_control(node: Node, left_out: Map, env: Environment) -> Node:
    """The node that a control structure stands for; other nodes as they are."""
    control, fault = _find(node, left_out, env)
    if control is None:
        return node if fault is None else node.with_issue(True, True, Issue(fault))
    result, resolved = _RUN[control.name](control)
    return result.add_flags(node.note.flags) if resolved and node.note.flags else result


def _without_fields(control: Control) -> tuple[Node, bool] | None:
    if control.fields:
        return control.issue(f"no regular fields [{' '.join(sorted(control.fields))}] allowed")
    return None if control.is_ready() else (control.node, False)


def _run_if(control: Control) -> tuple[Node, bool]:
    stopped = _without_fields(control)
    if stopped:
        return stopped
    condition = control.value.value
    if condition is not None and type(condition) is not bool:
        return control.issue(f"invalid condition value type: {type_name(condition)}")
    return control.chosen(control.options.get("then" if condition else "else"))


def _run_switch(control: Control) -> tuple[Node, bool]:
    if control.value.note.undefined:
        return control.chosen(None)
    cases = control.options.get("cases")
    if cases is None:
        return _select(control, control.value.value) if control.is_ready() else (control.node, False)
    stopped = _without_fields(control)
    if stopped:
        return stopped
    if type(cases.value) is not list:
        return control.issue("cases must be a list")
    for index, case in enumerate(cases.value):
        outcome = _try_case(control, index, case)
        if outcome is not None:
            return outcome
    if "default" in control.options:
        return control.chosen(control.options["default"])
    return control.issue(f"invalid switch value: {shorten(short(control.value.value))}")


def _try_case(control: Control, index: int, case: Node) -> tuple[Node, bool] | None:
    """The outcome if a case fits or is wrong."""
    if type(case.value) is not dict:
        return control.issue(f"case {index} requires field 'case'")
    fields: Map = case.value
    for key in sorted(fields):
        if key not in ("case", "match", "value"):
            return control.issue(f"case {index} invalid field {quote(key)}")
    if "case" not in fields and "match" not in fields:
        return control.issue(f"case {index} requires 'case' or `'match' field")
    fits = "case" not in fields or equivalent(fields["case"], control.value)
    matcher = fields["match"].value if "match" in fields else None
    if isinstance(matcher, LambdaValue):
        through, result, _, ok = call(matcher, Arguments([control.value.value]), control.env)
        if ok and not through:
            return control.node, False
        if ok and type(result) is not bool:
            return control.issue(f"case {index} boolean match result required, but got {type_name(result)}")
        fits = fits and ok and bool(result)
    return control.chosen(fields.get("value")) if fits else None


def _run_type(control: Control) -> tuple[Node, bool]:
    if not control.is_ready():
        return control.node, False
    return _select(control, "undef" if control.value.note.undefined else type_name(control.value.value))


def _select(control: Control, key: Any) -> tuple[Node, bool]:
    if key is not None and type(key) is not str:
        return control.issue(f"invalid switch value type: {type_name(key)}")
    found = control.fields.get(key) if key is not None else None
    found = found if found is not None else control.options.get("default")
    if found is not None:
        return control.chosen(found)
    return control.issue(f"invalid switch value: {quote(key) if key is not None else '%!q(<nil>)'}")


def _run_merge(control: Control) -> tuple[Node, bool]:
    if not control.is_ready():
        return control.node, False
    fields = {key: node for key, node in control.fields.items() if not node.note.undefined}
    value = control.value.value
    if type(value) is dict:
        fields.update(value)
    elif type(value) is list:
        for index, entry in enumerate(value):
            if entry.value is None:
                continue
            if type(entry.value) is not dict:
                return control.issue(f"entry {index}: invalid entry type: {type_name(value)}")
            fields.update(entry.value)
    elif value is not None:
        return control.issue(f"invalid value type: {type_name(value)}")
    return dynaml_node(fields, control.env.source), True


def _run_for(control: Control) -> tuple[Node, bool]:
    stopped = _without_fields(control)
    return stopped if stopped else run_loop(control)


_RUN: dict[str, Callable[[Control], tuple[Node, bool]]] = {
    "if": _run_if,
    "switch": _run_switch,
    "type": _run_type,
    "for": _run_for,
    "merge": _run_merge,
}
