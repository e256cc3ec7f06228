"""Evaluating whole documents: passes until nothing changes, stubs from right to left, and what is left at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.spiff import nodes
from landform.spiff.embedding import expression_text, unescaped
from landform.spiff.environment import Environment
from landform.spiff.errors import Overspent, SpiffError
from landform.spiff.expressions.base import Expr
from landform.spiff.expressions.lambdas import LambdaValue
from landform.spiff.expressions.merging import Auto, Merge
from landform.spiff.expressions.templates import TemplateValue
from landform.spiff.finding import find
from landform.spiff.flow import Pass
from landform.spiff.grammar import parse
from landform.spiff.nodes import Issue, Node
from landform.spiff.parsing import ParseError
from landform.spiff.unresolved import Unresolved, in_order, message
from landform.spiff.values import go_text

if TYPE_CHECKING:
    from collections.abc import Callable, Container

MOST_PASSES = 1000
"""How often a document may be walked through; most settle after four passes."""
_UNWRITTEN = nodes.TEMPORARY | nodes.LOCAL


class DocumentEngine:
    """Evaluates documents."""

    def flow(self, env: Environment, document: Node, override: bool) -> tuple[Node, list[Unresolved]]:
        """Evaluates a document until nothing changes; with the nodes that have no value."""
        passes = Pass()
        result = document
        for _ in range(MOST_PASSES):
            here = env.with_list_scope(document.value) if type(document.value) is list else env
            after = passes.flow(result, here, override, False)
            if after.note.undefined:
                result = Node(None, "__ctx").marked(undefined=True)
                break
            if env.state.specials:
                _update_scopes(after, after, here, passes.settled)
            if after is result:
                break
            result = after
        else:
            raise Overspent(f"{document.source}: the document still changes after {MOST_PASSES} passes")
        if env.state.specials:
            _deactivate(result)
        return result, _unresolved(result, ())

    def cascade(self, outer: Environment, template: Node, stubs: list[Node]) -> Node:
        """Evaluates a document with stubs, the right-most one first; raises SpiffError."""
        tags = outer.state.tags if outer.outer is None else None
        prepared: list[Node] = []
        for stub in reversed(stubs):
            if tags is not None:
                tags.reset_stream()
            prepared.insert(0, _cleaned(self._nested(outer, stub, prepared), _not_local))
        if tags is not None:
            tags.reset_stream()
        interpolate = outer.state.interpolate

        def output(node: Node) -> Node | None:
            return None if node.note.flags & _UNWRITTEN else unescaped(node, interpolate)

        result = _cleaned(self._nested(outer, template, prepared), output)
        if tags is not None:
            tags.push(result)
        return result

    def _nested(self, outer: Environment, document: Node, stubs: list[Node]) -> Node:
        env = Environment(outer.state, document.source, list(stubs), outer)
        result, unresolved = self.flow(env, document, True)
        if unresolved:
            raise SpiffError(message(unresolved))
        return result


def _not_local(node: Node) -> Node | None:
    return None if node.note.flags & nodes.LOCAL else node


def _cleaned(node: Node, keep: Callable[[Node], Node | None]) -> Node:
    """The node with every entry below it kept, changed or dropped."""
    value = node.value
    if type(value) is dict:
        kept = ((key, keep(entry)) for key, entry in value.items())
        return node.with_value({key: _cleaned(entry, keep) for key, entry in kept if entry is not None})
    if type(value) is list:
        entries = (keep(entry) for entry in value)
        return node.with_value([_cleaned(entry, keep) for entry in entries if entry is not None])
    return node


def state_of(node: Node) -> Node:
    """The part of a result that is marked to be kept: marked entries whole, of others nothing."""
    value = node.value
    if type(value) is dict:
        return node.with_value({key: entry for key, entry in value.items() if entry.note.flags & nodes.STATE})
    if type(value) is list:
        return node.with_value([entry for entry in value if entry.note.flags & nodes.STATE])
    return node


def _update_scopes(node: Node, root: Node, env: Environment, settled: Container[int]) -> None:
    """Lets lambdas and templates see the document as the last pass has left it; settled nodes hold none."""
    value = node.value
    kind = type(value)
    if kind is dict or kind is list:
        for entry in value.values() if kind is dict else value:
            if id(entry) not in settled:
                _update_scopes(entry, root, env, settled)
    elif isinstance(value, LambdaValue | TemplateValue) and value.resolver.active and node is not root:
        scope = value.resolver.scope
        while scope is not None and scope.path is not None:
            found = find(root, scope.path, env.state.controls, raw=True)
            if found is not None:
                scope.entries = found.value if type(found.value) is dict else None
            scope = scope.next


def _deactivate(node: Node) -> None:
    """Keeps the scopes of lambdas and templates as they are: their document is finished."""
    value = node.value
    if type(value) is dict:
        for entry in value.values():
            _deactivate(entry)
    elif type(value) is list:
        for entry in value:
            _deactivate(entry)
    elif isinstance(value, LambdaValue | TemplateValue):
        value.resolver.active = False


def _unresolved(root: Node, context: tuple[str, ...]) -> list[Unresolved]:
    """The nodes without a value at and below a node."""
    value = root.value
    found: list[Unresolved] = []
    own: Unresolved | None = None
    if type(value) is dict:
        for key, entry in value.items():
            found += _unresolved(entry, (*context, key))
    elif type(value) is list:
        for index, entry in enumerate(value):
            found += _unresolved(entry, (*context, f"[{index}]"))
    elif isinstance(value, Expr):
        own = Unresolved(root, f"(( {value} ))", context, _other_path(root, context))
    elif type(value) is str:
        own = _unreadable(root, context)
    if own is None and root.note.failed:
        own = Unresolved(root, _shown(value), context, _other_path(root, context))
    return in_order([*found, own]) if own is not None else in_order(found) if found else found


def _shown(value: object) -> str:
    return "<map>" if type(value) is dict else "<list>" if type(value) is list else go_text(value)


def _unreadable(node: Node, context: tuple[str, ...]) -> Unresolved | None:
    """A text that should be an expression and is none."""
    text = expression_text(node.value)
    if text is None:
        return None
    try:
        parse(text, ("dummy",), ("dummy",))
    except ParseError as error:
        return Unresolved(node.with_issue(True, False, Issue(str(error))), node.value, context, ())
    return None


def _other_path(node: Node, context: tuple[str, ...]) -> tuple[str, ...]:
    """The path in the stubs, or where the expression was written if that is not where it is."""
    if isinstance(node.value, Auto | Merge):
        return node.value.path
    written = node.note.issue.path
    if written is None or written == context:
        return ()
    if context and len(written) > len(context) and written[: len(context)] == context:
        return ("..", *written[len(context) :])
    return written
