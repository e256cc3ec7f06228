"""One pass over a list: insertions, entries with names, and entries that stubs inject."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from landform.spiff import nodes
from landform.spiff.controls import control_of
from landform.spiff.embedding import expression_text
from landform.spiff.expressions.base import Expr
from landform.spiff.expressions.merging import Marked, Merge
from landform.spiff.expressions.templates import TemplateValue
from landform.spiff.finding import find, find_text, insertion
from landform.spiff.nodes import Issue, List, Node, injects, same

if TYPE_CHECKING:
    from landform.spiff.environment import Environment

NO_KEY = "<<<NO LIST KEY>>"
"""The name of the key field of a list whose entries have none."""


class Passes(Protocol):
    """What a list needs for its entries."""

    def flow(self, root: Node, env: Environment, override: bool, template: bool) -> Node:
        """The node after this pass."""

    def flow_entry(self, node: Node, env: Environment, step: str, override: bool, template: bool) -> Node:
        """The entry of a map or list after this pass."""

    def flow_untagged(self, root: Node, env: Environment, override: bool, template: bool) -> Node:
        """The node after this pass, before it gets its name."""


def flow_list(passes: Passes, root: Node, env: Environment, template: bool) -> Node:
    """The list after this pass."""
    if root.note.merged:
        return root
    return _ListFlow(passes, root, env, template).run()


class _ListFlow:
    """One pass over a list."""

    def __init__(self, passes: Passes, root: Node, env: Environment, template: bool) -> None:
        self.passes = passes
        self.root = root
        self.env = env
        self.template = template
        self.stub = env.find_in_stubs(env.stub_path)
        self.flags = self.stub.note.flags & (nodes.TEMPORARY | nodes.STATE) if self.stub is not None else 0
        self.tag = root.note.tag
        self.process = True
        self.merged = root.note.merged
        self.key_name = root.note.key_name
        self.replaced = root.note.replace
        self.redirect = root.note.redirect
        self.entries: List = []

    def run(self) -> Node:
        self._splice()
        value: Any = self._controlled()
        if self.process:
            value = self._flow_entries(value)
        root = self.root.named(self.key_name).with_value(value)
        if self.replaced:
            root = root.marked(replace=True, redirect=self.redirect)
        elif self.redirect is not None:
            root = root.marked(redirect=self.redirect)
        if self.flags | root.note.flags != root.note.flags:
            return root.add_flags(self.flags)
        return root.marked(tag=self.tag) if self.tag and self.tag != root.note.tag else root

    def _splice(self) -> None:
        """Collects the entries with all insertions done that can be done."""
        entries: List = self.root.value
        no_merge = bool(self.root.note.flags & nodes.NO_MERGE)
        for node in entries:
            found = insertion(node)
            if found is not None and isinstance(found[0].value, Expr) and found[0].value.includes_merge():
                # entries of a list with a merge are not merged again: their order would change
                no_merge = True
        for node in entries:
            found = insertion(node)
            kept = node if found is None else self._insert(node, *found)
            if kept is None:
                if self.replaced and not self.process:
                    break
                continue
            kept, key_name = _without_key_mark(kept)
            self.key_name = key_name or self.key_name
            self.entries.append(kept)
        if no_merge:
            self.flags |= nodes.NO_MERGE

    def _insert(self, node: Node, inserted: Node, key: str) -> Node | None:
        """Handles an insertion; the entry that is left of it, if any."""
        initial = type(inserted.value) is str
        result = self.passes.flow_untagged(inserted, self.env, False, False)
        if same(inserted, result):
            result = inserted
        self.key_name = result.note.key_name or self.key_name
        if isinstance(result.value, Expr):
            left = self._insert_later(inserted, result, key, initial)
            return node if left is not None and same(node, left) else left
        if type(result.value) is list:
            added = _new_entries(result.value, self.root.value, self.key_name)
            self.merged = True
            self.replaced = result.note.replace
            self.redirect = result.note.redirect
            if self.replaced:
                self.entries = added
                self.process = False
                return None
            self.entries += added
        elif type(result.value) is str and expression_text(result.value, self.env.state.interpolate) is not None:
            return node
        self.redirect = result.note.redirect
        self.merged = self.merged or result.note.merged
        return None

    def _insert_later(self, inserted: Node, result: Node, key: str, initial: bool) -> Node | None:
        if not initial and isinstance(inserted.value, Merge) and not inserted.value.required:
            return None
        marked = result.value if isinstance(result.value, Marked) else None
        if marked is None and self.template:
            marked = Marked(("&template",), result.value)
        left: Node | None = result
        if marked is not None:
            self.flags |= marked.flags
            self.tag = marked.tag or self.tag
            if marked.is_template:
                self.template = True
                self.process = False
                left = marked.template_node(self.root)
                if left is None:
                    return None
        self.process = False
        return self.root.with_value({key: left})

    def _controlled(self) -> Any:
        """The entries with control structures replaced, or a template of them."""
        if self.template:
            self.process = False
            return TemplateValue(self.env.path, Node(self.entries, self.root.source), self.root, self.env)
        if not self.env.state.controls:
            return self.entries
        entries: List = []
        for node in self.entries:
            control, fault = control_of(node, self.env)
            if fault:
                node = node.with_issue(True, True, Issue(fault))
            elif control:
                node = self.passes.flow_untagged(node, self.env, False, False)
                if type(node.value) is list:
                    entries += node.value
                    continue
                self.process = False
            entries.append(node)
        return entries

    def _flow_entries(self, entries: List) -> List:
        env = self.env if self.redirect is None else self.env.redirected(self.redirect)
        unique = self._names_are_unique(entries, env)
        no_merge = bool(self.flags & nodes.NO_MERGE)
        result: List = []
        for index, node in enumerate(entries):
            step, keyed, resolved, _ = self._step(index, node, env, unique)
            if not keyed and no_merge and not node.note.merged:
                node = node.marked(merged=True)
            if resolved:
                node = self.passes.flow_entry(node, env, step, False, False)
            if not node.note.undefined:
                result.append(node)
        return self._injected(result)

    def _names_are_unique(self, entries: List, env: Environment) -> bool:
        """Whether entries can be told apart by their names."""
        if self.key_name == NO_KEY:
            return False
        names = set()
        for index, node in enumerate(entries):
            step, _, resolved, named = self._step(index, node, env, True)
            if not resolved or not named or step in names:
                return False
            names.add(step)
        return True

    def _step(self, index: int, node: Node, env: Environment, unique: bool) -> tuple[str, bool, bool, bool]:
        """The step of an entry in paths; whether it is a name, whether it is known, whether it may be unique."""
        key = self.key_name or "name"
        step = f"[{index}]"
        if type(node.value) is not dict:
            return step, False, True, False
        if unique:
            name = find_text(node, key, env.state.controls)
            if name is not None:
                return f"{key}:{name}", True, True, True
        found = find(node, (key,), env.state.controls, raw=True)
        if found is not None and found.value is not None:
            value = found.value
            if isinstance(value, Expr):
                value = self.passes.flow(found, env.with_step(step), False, False).value
                if isinstance(value, Expr):
                    return step, False, False, False
            if type(value) is str and unique:
                return f"{key}:{value}", True, True, True
        return step, False, True, False

    def _injected(self, entries: List) -> List:
        if self.merged:
            self.flags |= nodes.INJECTED
        elif self.stub is not None and not self.root.note.flags & nodes.INJECTED:
            self.flags |= nodes.INJECTED
            if type(self.stub.value) is list:
                return [*(node for node in self.stub.value if injects(node.note.flags)), *entries]
        return entries


def _without_key_mark(node: Node) -> tuple[Node, str]:
    """The entry with `key:field` renamed to `field`, and the name of the field."""
    entries = node.value
    if type(entries) is not dict:
        return node, ""
    marks = [key[4:] for key in sorted(entries) if key.startswith("key:")]
    if not marks:
        return node, ""
    names = [mark.removeprefix("!") for mark in marks]
    key_name = names[0] if len(set(names)) == 1 and marks[0] == names[0] else NO_KEY
    renamed = {key[4:].removeprefix("!") if key.startswith("key:") else key: entry for key, entry in entries.items()}
    return node.with_value(renamed), key_name


def _new_entries(added: List, own: List, key_name: str) -> List:
    """The entries to insert: those whose name is not already in the list."""
    key = key_name or "name"
    there = Node(own, "list", nodes.Note(key_name=key))
    result = []
    for node in added:
        name = find_text(node, key, False, raw=True)
        if name is not None and find(there, (name,), False, raw=True) is not None:
            continue
        result.append(node.marked(merged=True))
    return result
