"""One pass over a document: expressions become values where they can, and stubs override.

A pass never looks at what it has already made itself: references see the document as it was before the pass. Nodes that
a pass leaves as they are stay the same objects, so that the end is noticed, and what holds no expression any more is
not visited again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.spiff import nodes
from landform.spiff.controls import control_of, requires_template, run_control
from landform.spiff.embedding import expression_text
from landform.spiff.errors import Overspent
from landform.spiff.expressions.base import Expr, Literal, is_resolved_node
from landform.spiff.expressions.merging import Marked, Merge
from landform.spiff.expressions.templates import Substitution, TemplateValue
from landform.spiff.grammar import parse
from landform.spiff.info import CLEAN, Info
from landform.spiff.listflow import flow_list
from landform.spiff.nodes import Issue, Map, Node, Whole, injects, is_default, overridden, same
from landform.spiff.parsing import ParseError
from landform.spiff.values import type_name

if TYPE_CHECKING:
    from landform.spiff.environment import Environment


class Pass:
    """The passes over one document."""

    def __init__(self) -> None:
        self.settled: dict[int, tuple[Node, tuple[str, ...], tuple[str, ...], bool, bool]] = {}
        """Nodes that no pass will change again at that place, by their id."""

    def flow_entry(self, node: Node, env: Environment, step: str, override: bool, template: bool) -> Node:
        """The entry of a map or list after this pass."""
        known = self.settled.get(id(node))
        if known is not None and known[1][-1:] == (step,) and self._stays(known, node, env, override):
            return node
        if node.note is nodes.PLAIN and _is_scalar(node.value, env) and not (override and env.overridden):
            path, stub_path = (*env.path, step), (*env.stub_path, step)
            self.settled[id(node)] = node, path, stub_path, override, env.no_merge
            return node
        return self.flow(node, env.with_step(step), override, template)

    @staticmethod
    def _stays(known: tuple[Any, ...], node: Node, env: Environment, override: bool) -> bool:
        """Whether an entry is the node that is known, at the same place."""
        return bool(
            known[0] is node
            and known[1][:-1] == env.path
            and known[2][:-1] == env.stub_path
            and known[3] == override
            and known[4] == env.no_merge
        )

    def flow(self, root: Node, env: Environment, override: bool, template: bool) -> Node:
        """The node after this pass; the same object if nothing has changed."""
        env.state.meter.step()
        if len(env.path) > env.state.meter.budgets.nesting:
            deepest = env.state.meter.budgets.nesting
            raise Overspent(f"{root.source}: {env.path[0]}: maps and lists are nested more than {deepest} deep")
        node = self.flow_untagged(root, env, override, template)
        if node.note.tag:
            node = _set_tag(root, node, env)
        if node is not root and same(root, node):
            node = root
        if self._is_settled(node, env) if node is root else _is_final(node, env):
            self.settled[id(node)] = node, env.path, env.stub_path, override, env.no_merge
        return node

    def _is_settled(self, node: Node, env: Environment) -> bool:
        """Whether no pass will change a node that this pass has left as it was."""
        value = node.value
        kind = type(value)
        if node.note.tag:
            return False
        if kind is dict:
            return all(id(entry) in self.settled for entry in value.values())
        if kind is list:
            return all(id(entry) in self.settled for entry in value)
        return _is_scalar(value, env)

    def flow_untagged(self, root: Node, env: Environment, override: bool, template: bool) -> Node:
        """The node after this pass, before it gets its name."""
        note = root.note
        if note.redirect is not None:
            env = env.redirected(note.redirect)
        value = root.value
        if note.replace:
            return self._override(root, env, override, note)
        is_expression = isinstance(value, Expr)
        if note.merged and not is_expression:
            return root
        if is_expression:
            finished, root, note = self._flow_expression(root, env, override, template)
            if finished:
                return root
        elif type(value) is dict:
            control, fault = control_of(root, env)
            if fault:
                return issue_node(env, root, True, True, Issue(fault))
            root = self._flow_map(root, env, not control, template)
            if not control or type(root.value) is dict:
                return root
        elif type(value) is list:
            return flow_list(self, root, env, template)
        elif type(value) is str:
            parsed = parsed_text(root, env)
            if parsed is not root:
                return parsed
        return self._override(root, env, override, note)

    def _override(self, root: Node, env: Environment, override: bool, note: nodes.Note) -> Node:
        """What the stubs have at this place, if they override; the note is that of the node before the pass."""
        own = root.note
        if note.merged or own.merged or own.replace or own.redirect or not override or env.no_merge:
            return root
        found = env.find_in_stubs(env.stub_path)
        if found is None or is_default(found.note.flags) or own.flags & nodes.INJECTED:
            return root
        root = substituted(found).named(note.key_name)
        if note.replace:
            root = root.marked(replace=True, redirect=note.redirect)
        elif note.redirect is not None:
            root = root.marked(redirect=note.redirect)
        return root.add_flags(overridden(note.flags))

    def _flow_expression(
        self, root: Node, env: Environment, override: bool, template: bool
    ) -> tuple[bool, Node, nodes.Note]:
        """The value of an expression; whether that is all, else the node to override and the note that counts."""
        note = root.note
        if root.source != env.source:
            env = env.with_source(root.source)
        marked = as_marked(root.value, template)
        if marked is not None and marked.tag and not note.tag:
            root = root.marked(tag=marked.tag)
        value, info, ok = self._evaluate(root, marked, env)
        flags = note.flags | info.flags
        kept = root.template
        if flags & nodes.DYNAMIC:
            if not isinstance(value, TemplateValue) and kept is None:
                _, info, ok = info.fail("dynamic marker for non-template value node")
            elif kept is None:
                kept, value = value, Substitution(Literal(value))
        if not ok:
            failed = issue_node(env, root, True, False, info.issue)
            return not override, failed, note._replace(flags=flags, replace=note.replace or info.replace)
        result = _with_hints(self._made(value, kept, info, root, env), info, note, flags, root.note.tag)
        after = note._replace(
            flags=flags,
            key_name=info.key_name or note.key_name,
            redirect=result.note.redirect,
            replace=result.note.replace,
        )
        final = isinstance(result.value, Expr) or result.note.merged or not override or result.note.preferred
        return final, result, after

    def _evaluate(self, root: Node, marked: Marked | None, env: Environment) -> tuple[Any, Info, bool]:
        if marked is not None and marked.is_template:
            prepared = marked.template_node(root)
            info = CLEAN._replace(flags=marked.flags)
            if prepared is None:
                return info.fail("empty template value")
            return TemplateValue(env.path, prepared, root, env), info, True
        try:
            value: tuple[Any, Info, bool] = root.value.evaluate(env, False)
            return value
        except Overspent as error:
            raise _located(error, root, env) from None
        except RecursionError:
            raise _located(Overspent("the expression is nested too deep"), root, env) from None

    @staticmethod
    def _made(value: Any, kept: Any, info: Info, root: Node, env: Environment) -> Node:
        """The node for a value."""
        result = Node(value, info.source or root.source)
        if kept is not None:
            result = result.add_flags(nodes.INJECTED | nodes.DYNAMIC)
            result.template = kept
        if type(value) is str:
            result = parsed_text(result, env)  # a result may be an expression again
        if info.issue.text:
            result = issue_node(env, result, False, info.failed, info.issue)
        return result

    def _flow_map(self, root: Node, env: Environment, override: bool, template: bool) -> Node:
        return _MapFlow(self, root, env, override, template).run()


def _is_scalar(value: Any, env: Environment) -> bool:
    """Whether a value is a scalar that is no expression."""
    kind = type(value)
    return kind in _SCALARS and (kind is not str or expression_text(value, env.state.interpolate) is None)


def _is_final(node: Node, env: Environment) -> bool:
    """Whether a new value needs no further pass: plain data without any note, at a place that no stub has."""
    levels = env.state.meter.budgets.nesting - len(env.path)
    return node.note is nodes.PLAIN and _is_plain(node.value, env, levels) and not env.overridden


def _is_plain(value: Any, env: Environment, levels: int) -> bool:
    """Whether a value is data without expressions and notes, nested no deeper than so many levels."""
    kind = type(value)
    if kind is not dict and kind is not list:
        return _is_scalar(value, env)
    if levels <= 0 or (kind is dict and any(key.startswith(("<<", "key:")) for key in value)):
        return False
    env.state.meter.step(len(value))
    for node in value.values() if kind is dict else value:
        if node.note is not nodes.PLAIN or not _is_plain(node.value, env, levels - 1):
            return False
    return True


_SCALARS = {str, int, Whole, float, bool, bytes, type(None)}


def _with_hints(result: Node, info: Info, note: nodes.Note, flags: int, tag: str) -> Node:
    """The node of a value with everything that is known about it."""
    own = result.note
    if info is CLEAN and note is nodes.PLAIN and not tag:
        return result
    redirect = info.redirect if info.redirect is not None else note.redirect
    replace = note.replace or info.replace
    changed = own._replace(
        undefined=own.undefined or info.undefined,
        preferred=own.preferred or note.preferred or info.preferred,
        key_name=info.key_name or own.key_name,
        redirect=redirect if redirect is not None else own.redirect,
        replace=own.replace or replace,
        merged=own.merged or (not replace and (note.merged or info.merged)),
        flags=own.flags | flags,
        tag=tag or own.tag,
    )
    return result if changed == own else result.with_note(changed)


def _located(error: Overspent, root: Node, env: Environment) -> Overspent:
    """The error with the innermost node and expression that it stopped."""
    if getattr(error, "located", False):
        return error
    place = ".".join(env.path) or "(root)"
    text = str(root.value)
    shown = text if len(text) <= 200 else text[:200] + "..."
    located = Overspent(f"{root.source}: {place}: (( {shown} )): {error}")
    located.located = True
    return located


def _set_tag(root: Node, node: Node, env: Environment) -> Node:
    if node.note.failed or node.note.undefined or not is_resolved_node(node, env):
        return node
    tag = node.note.tag
    stream = not tag.startswith("*")
    fault = env.state.tags.set(tag.removeprefix("*"), untagged(node), env.path, local=True, stream=stream)
    if fault is None:
        return node
    if node.value is None:
        node = node.with_value(root.value)
    return node.with_issue(True, True, Issue(fault))


def untagged(node: Node) -> Node:
    """The node with no tag anywhere below it."""
    value = node.value
    if type(value) is dict:
        value = {key: untagged(_no_tag(entry)) for key, entry in value.items()}
    elif type(value) is list:
        value = [untagged(_no_tag(entry)) for entry in value]
    else:
        return node
    return node.with_value(value)


def _no_tag(node: Node) -> Node:
    return node.marked(tag="") if node.note.tag else node


def parsed_text(node: Node, env: Environment) -> Node:
    """The node with the expression that its text stands for; the node itself if it is no expression."""
    text = expression_text(node.value, env.state.interpolate)
    if text is None:
        return node
    try:
        return node.with_value(parse(text, env.path, env.stub_path))
    except ParseError:
        return node


def issue_node(env: Environment, node: Node, error: bool, failed: bool, issue: Issue) -> Node:
    """The node with a reason why it has no value, and with the place where it was first tried."""
    path = node.note.issue.path
    if path is None:
        path = env.path or None
    return node.with_issue(error, failed, issue._replace(path=path))


def substituted(node: Node) -> Node:
    """A stub's node; a dynamic template is evaluated where it lands."""
    template = node.value if isinstance(node.value, TemplateValue) else node.template
    if node.note.flags & nodes.DYNAMIC and isinstance(template, TemplateValue):
        result = Node(Substitution(Literal(template)), "<substitute>")
        result.template = template
        return result.add_flags(nodes.INJECTED | nodes.DYNAMIC | node.note.flags)
    return node


def as_marked(expression: Expr, template: bool) -> Marked | None:
    """The markers of an expression; where a template is required, any expression is one."""
    if isinstance(expression, Marked):
        return expression
    return Marked(("&template",), expression) if template else None


def is_optional_merge(node: Node) -> bool:
    """Whether an insertion may be left out if the stubs have nothing there."""
    return isinstance(node.value, Merge) and not node.value.required


class _MapFlow:
    """One pass over a map."""

    def __init__(self, passes: Pass, root: Node, env: Environment, override: bool, template: bool) -> None:
        self.passes = passes
        self.root = root
        self.outside = env
        self.env = env.with_scope(root.value)
        self.override = override
        self.template = template
        self.stub = env.find_in_stubs(env.stub_path)
        self.flags = self.stub.note.flags & (nodes.TEMPORARY | nodes.STATE) if self.stub is not None else 0
        self.tag = root.note.tag
        self.process = True
        self.merged = False
        self.redirect = root.note.redirect
        self.replace = root.note.replace
        self.fault: str | None = None
        self.entries: Map = {}
        self.left_out: Map = {}

    def run(self) -> Node:
        rest: Node | None = None
        key = "<<"
        entries: Map = self.root.value
        if "<<" in entries or "<<<" in entries:
            key = "<<" if "<<" in entries else "<<<"
            if key == "<<" and "<<<" in entries:
                return self.root.with_issue(True, True, Issue("multiple merge keys not allowed"))
            inserted = self._insert(entries[key])
            if inserted is _UNDEFINED:
                return self.root.marked(undefined=True)
            rest = inserted
        if self.template:
            self.process = False
        if not self.replace:
            self._take_entries(entries, key, rest)
        self._inject()
        return self._result()

    def _insert(self, node: Node) -> Node | None:
        """Handles the insertion; what is left of it, if anything."""
        initial = type(node.value) is str
        base = self.passes.flow_untagged(node, self.env, False, False)
        if same(node, base):
            base = node
        if base.note.undefined:
            return _UNDEFINED
        if isinstance(base.value, Expr):
            return self._insert_later(base, initial)
        if base.note.redirect is not None:
            self.redirect = base.note.redirect
            self.env = self.env.redirected(self.redirect)
        self.merged = self.merged or base.note.merged
        self.replace = base.note.replace
        if type(base.value) is dict:
            self.entries.update(base.value)
            return None
        broken = type(base.value) is str and expression_text(base.value, self.env.state.interpolate) is not None
        if broken:
            return base
        if base.value is not None:
            self.fault = f"require map value for '<<' insert, found '{type_name(base.value)}'"
        return None

    def _insert_later(self, base: Node, initial: bool) -> Node | None:
        marked = as_marked(base.value, self.template)
        if marked is not None:
            self.tag = marked.tag or self.tag
            self.flags |= marked.flags
            if marked.is_template:
                self.template = True
                return marked.template_node(self.root)
        if not initial and is_optional_merge(base):
            return None
        self.process = False
        return base

    def _take_entries(self, entries: Map, merge_key: str, rest: Node | None) -> None:
        flow_entry, env = self.passes.flow_entry, self.env
        controls = env.state.controls
        implied = bool(self.flags & (nodes.IMPLIED | nodes.DEFAULT))
        for key in sorted(entries):
            node: Node | None = entries[key]
            if key == merge_key:
                node = rest
                if node is None:
                    continue
            elif self.process and node is not None:
                template = controls and requires_template(key)
                node = flow_entry(node, env, key, self.override, template)
            if node is None:
                continue
            if node.note.undefined:
                self.left_out[key] = node
                continue
            if implied and not node.note.flags & nodes.IMPLIED:
                node = node.add_flags(nodes.IMPLIED)
            self.entries[key] = node

    def _inject(self) -> None:
        """Adds the entries of a stub that are marked for it."""
        if self.merged:
            self.flags |= nodes.INJECTED
        elif self.stub is not None and not self.flags & nodes.INJECTED and type(self.stub.value) is dict:
            for key, node in self.stub.value.items():
                if injects(node.note.flags) and key not in self.entries:
                    self.entries[key] = substituted(node).add_flags(nodes.INJECT | nodes.INJECTED)

    def _result(self) -> Node:
        value: Any = self.entries
        if self.template:
            inner = Node(value, self.root.source)
            value = TemplateValue(self.env.path, inner, self.root, self.outside)
        note = self.root.note
        node = self.root.with_value(value)
        changed = note._replace(redirect=self.redirect, replace=note.replace or self.replace)
        if changed != note:
            node = node.with_note(changed)
        if self.fault is not None:
            node = node.with_issue(True, True, Issue(self.fault))
        elif note.failed:
            node = node.with_issue(True, True, note.issue)
        elif self.env.state.controls:
            node = run_control(node, self.left_out, self.env)
        return _updated(node, self.flags, self.tag)


_UNDEFINED = Node(None, "")


def _updated(node: Node, flags: int, tag: str) -> Node:
    note = node.note
    if flags | note.flags != note.flags or (tag and tag != note.tag):
        return node.marked(flags=note.flags | flags, tag=tag or note.tag)
    return node
