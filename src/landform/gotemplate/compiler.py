"""Compiles the trees of a template into Python functions.

Each template becomes a function of the render's state and the value in hand. Bodies that nest deeply become functions
of their own, because Python limits how far blocks may nest.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from landform.gotemplate import runtime
from landform.gotemplate.codes import Code, Note, Program, Value
from landform.gotemplate.expressions import DEEPEST, Expressions, unlocal
from landform.gotemplate.nodes import Action, Break, Call, Continue, If, Listing, Node, Range, Text, With
from landform.gotemplate.quoting import quote
from landform.gotemplate.values import MISSING, Int

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from landform.gotemplate.functions import Function

FILENAME = "<go template>"
_LONGEST = 300  # nodes in one Python function

_FIELDS: dict[str, Callable[[Any, str], Any]] = {
    "default": runtime.field,
    "zero": runtime.field_or_zero,
    "error": runtime.field_or_error,
}


def compile_trees(
    trees: Mapping[str, Listing], functions: Mapping[str, Function], builtins: Mapping[str, Function], mode: str
) -> tuple[dict[str, Callable[[runtime.State, Any], None]], dict[tuple[str, int], Note]]:
    """The compiled templates by name, and the node behind each line of their source."""
    program = Program(
        {
            "__builtins__": {"type": type, "dict": dict, "str": str, "list": list, "bool": bool, "float": float},
            "M": MISSING,
            "Int": Int,
            "field": _FIELDS[mode],
            "printed": runtime.printed,
            "method": runtime.method,
            "invoke": runtime.invoke,
            "fit": runtime.fit,
            "items": runtime.items,
            "pairs": runtime.pairs,
            "fail": runtime.fail,
        }
    )
    entries = {name: f"template{index}" for index, name in enumerate(trees)}
    for name, tree in trees.items():
        Statements(name, program, functions, builtins, mode, entries).compile(tree)
    names, notes = program.build(FILENAME)
    return {name: names[entry] for name, entry in entries.items()}, notes


class Statements(Expressions):
    """Compiles the nodes of one template."""

    def __init__(
        self,
        name: str,
        program: Program,
        functions: Mapping[str, Function],
        builtins: Mapping[str, Function],
        mode: str,
        entries: Mapping[str, str],
    ) -> None:
        super().__init__(name, program, functions, builtins, mode)
        self._entries = entries

    def compile(self, tree: Listing) -> None:
        """Adds the template's function to the program."""
        self._code = code = self._program.code("S, dot", self._entries[self._name])
        code.emit("w = S.write")
        code.emit("")  # the line of the variables, which are counted only at the end
        place = len(code.lines) - 1
        self._at = tree
        self._listing(tree, Value("dot", missing=True, nil=True))
        slots = self._scope.slots
        code.lines[place] = (
            f"\tV = [dot{', None' * (slots - 1)}]" if slots < 50 else f"\tV = [dot] + [None] * {slots - 1}"
        )

    def _listing(self, listing: Listing, dot: Value) -> None:
        nodes = listing.nodes
        if len(nodes) <= _LONGEST:
            for node in nodes:
                self._node(node, dot)
            return
        for start in range(0, len(nodes), _LONGEST):
            self._outlined(Listing(listing.position, nodes[start : start + _LONGEST]), dot)

    def _node(self, node: Node, dot: Value) -> None:
        self._at = node
        if isinstance(node, Text):
            self._code.emit(f"w({self._program.constant(node.value)})")
        elif isinstance(node, Action):
            self._action(node, dot)
        elif isinstance(node, If | With):
            self._branch(node, dot)
        elif isinstance(node, Range):
            self._range(node, dot)
        elif isinstance(node, Call):
            self._call(node, dot)
        elif isinstance(node, Break | Continue):
            self._jump(node)

    def _action(self, action: Action, dot: Value) -> None:
        value = self._pipeline(action.pipe, dot)
        if action.pipe.variables:
            return
        self._at = action
        if value.kind == "string":
            self._code.emit(f"w({value.source})")
        else:
            source = value.source
            self._code.emit(f"w({source} if type({source}) is str else printed({source}))", self._note())

    def _branch(self, branch: If | With, dot: Value) -> None:
        mark = self._scope.mark()
        value = self._pipeline(branch.pipe, dot)
        inner = Value(self._owned(value), value.kind) if isinstance(branch, With) else dot
        with self._code.block(f"if {inner.source if isinstance(branch, With) else value.source}:"):
            self._body(branch.body, inner)
        if branch.otherwise is not None:
            with self._code.block("else:"):
                self._body(branch.otherwise, dot)
        self._scope.forget(mark)

    def _body(self, listing: Listing, dot: Value) -> None:
        """The nodes of a block, in a function of their own when they lie too deep."""
        if self._code.depth <= DEEPEST:
            self._listing(listing, dot)
        else:
            self._outlined(listing, dot)

    def _outlined(self, listing: Listing, dot: Value) -> None:
        outer = self._code
        self._code = inner = self._program.code("S, dot, V")
        inner.emit("w = S.write")
        self._listing(listing, replace(dot, source="dot", boxed=unlocal(dot.boxed)))
        self._code = outer
        self._call_body(outer, inner, dot)

    def _call_body(self, outer: Code, inner: Code, dot: Value) -> None:
        """Calls a body that became a function; it gives back 1 for break and 2 for continue."""
        jump = self._keep(f"{inner.name}(S, {dot.source}, V)")
        if outer.loops:
            outer.emit(f"if {jump} == 1: break")
            outer.emit(f"if {jump} == 2: continue")
        else:
            outer.emit(f"if {jump}: return {jump}")

    def _jump(self, node: Node) -> None:
        word = "break" if isinstance(node, Break) else "continue"
        if not self._code.loops:
            word = f"return {1 if isinstance(node, Break) else 2}"
        self._code.emit(word)

    def _range(self, loop: Range, dot: Value) -> None:
        mark = self._scope.mark()
        variables = loop.pipe.variables
        value = self._pipeline(loop.pipe, dot)
        slots = [slot for variable in variables if (slot := self._scope.find(variable.names[0])) is not None]
        if len(slots) == 2 and not loop.pipe.assigns:
            slots = [slots[1] - 1, slots[1]]
        code = self._code
        elements = self._keep(value.source)
        boxed = self._keep(f"type({elements}) is list or type({elements}) is dict")
        if slots:
            # The local variable does not outlive the loop, as the template's own may; a slot without a name does.
            hidden = self._scope.declare("")
            code.emit(f"V[{hidden}] = {boxed}")
            self._scope.box(slots[-1], f"V[{hidden}]")
        if len(slots) > 1:
            code.emit(f"{elements} = pairs({elements})", self._note())
            target = f"V[{slots[0]}], "
        else:
            code.emit(f"if type({elements}) is not list: {elements} = items({elements})", self._note())
            target = ""
        element = "e" + self._temporary()
        with code.block(f"if {elements}:"):
            code.loops += 1
            with code.block(f"for {target}{element} in S.loop({elements}):"):
                if slots:
                    code.emit(f"V[{slots[-1]}] = {element}")
                self._body(loop.body, Value(element, missing=True, nil=True, boxed=boxed))
            code.loops -= 1
        if loop.otherwise is not None:
            with code.block("else:"):
                self._body(loop.otherwise, dot)
        self._scope.forget(mark)

    def _call(self, call: Call, dot: Value) -> None:
        entry = self._entries.get(call.name)
        if entry is None:
            self._code.emit(f"fail({f'template {quote(call.name)} not defined'!r})", self._note(call))
            return
        argument = Value("M") if call.pipe is None else self._pipeline(call.pipe, dot)
        self._code.emit(f"S.enter({entry}, {argument.source})", self._note(call))
