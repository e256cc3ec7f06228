"""Where an expression stands: its path, the scopes around it, the stubs below it, and what the evaluation shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from landform.spiff import nodes
from landform.spiff.finding import find
from landform.spiff.nodes import Map, Node, is_implied
from landform.spiff.tags import Tags

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.spiff.budgets import Meter
    from landform.spiff.functions.signature import Function
    from landform.spiff.parsing import Parse
    from landform.spiff.unresolved import Unresolved
    from landform.spiff.virtualfiles import VirtualFiles

VERSION = "v1.7.0-beta-8"
Path = tuple[str, ...]


class Engine(Protocol):
    """What evaluates documents; expressions use it for templates, files and `merge()`."""

    def flow(self, env: Environment, document: Node, override: bool) -> tuple[Node, list[Unresolved]]:
        """Evaluates a document until nothing changes; with the nodes that have no value."""

    def cascade(self, outer: Environment, template: Node, stubs: list[Node]) -> Node:
        """Evaluates a document with stubs; raises SpiffError."""


class State:
    """What all documents of one evaluation share."""

    def __init__(
        self,
        engine: Engine,
        meter: Meter,
        files: VirtualFiles,
        features: frozenset[str],
        functions: Mapping[str, Function],
        parse: Parse,
    ) -> None:
        self.engine = engine
        self.parse = parse
        self.functions = functions
        self.meter = meter
        self.files = files
        self.features = features
        self.interpolate = "interpolation" in features
        self.controls = "control" in features
        self.tags = Tags()
        self.specials = 0
        """How many lambdas and templates have been made; without any, no scope needs to be kept up to date."""


class Scope:
    """The names of one map, lambda call or scope literal, inside the next one."""

    __slots__ = ("entries", "list_entries", "next", "path", "root")

    def __init__(self, outer: Scope | None, path: Path, entries: Map | None, document: bool = True) -> None:
        self.next = outer
        self.path = (path or None) if document else None
        """Where in the document the map stands; None for its root, lambdas and scope literals."""
        self.entries = entries
        self.list_entries: list[Node] | None = None
        self.root: Scope | None = self if outer is None or outer.root is None else outer.root


class Environment:
    """The surroundings of a node; never changed but for `active` and the scopes of lambdas."""

    __slots__ = (
        "_overridden",
        "active",
        "binds",
        "document_source",
        "no_merge",
        "outer",
        "path",
        "scope",
        "source",
        "state",
        "static",
        "stub_path",
        "stubs",
    )

    def __init__(
        self, state: State, source: str, stubs: list[Node], outer: Environment | None = None, binds: bool = False
    ) -> None:
        self.state = state
        self.scope: Scope | None = None
        self.path: Path = ()
        self.stubs = stubs
        self.stub_path: Path = ()
        self.no_merge = False
        self.source = source
        self.document_source = source
        self.static: Map = {}
        self.outer = outer
        self.active = True
        self.binds = binds
        self._overridden: bool | None = None

    def _copy(self) -> Environment:
        copy = Environment.__new__(Environment)
        copy.state = self.state
        copy.scope = self.scope
        copy.path = self.path
        copy.stubs = self.stubs
        copy.stub_path = self.stub_path
        copy.no_merge = self.no_merge
        copy.source = self.source
        copy.document_source = self.document_source
        copy.static = self.static
        copy.outer = self.outer
        copy.active = self.active
        copy.binds = self.binds
        copy._overridden = None
        return copy

    def with_source(self, source: str) -> Environment:
        """The same place, for a node that comes from another document."""
        copy = self._copy()
        copy.source = source
        return copy

    def with_scope(self, entries: Map) -> Environment:
        """The inside of a map."""
        copy = self._copy()
        copy.scope = Scope(self.scope, self.path, entries)
        return copy

    def with_list_scope(self, entries: list[Node]) -> Environment:
        """The inside of a document that is a list."""
        copy = self._copy()
        copy.scope = scope = Scope(self.scope, self.path, None)
        scope.list_entries = entries
        if scope.root is not scope and self.scope is not None:
            scope.entries = self.scope.entries
        return copy

    def with_new_root(self) -> Environment:
        """The same place, for a document that has a root of its own."""
        copy = self._copy()
        copy.scope = Scope(self.scope, self.path, {})
        copy.scope.root = None
        return copy

    def with_names(self, names: Map) -> Environment:
        """The inside of a lambda call or scope literal."""
        copy = self._copy()
        copy.static = {**self.static, **names}
        copy.scope = Scope(self.scope, (), names, document=False)
        return copy

    def with_step(self, step: str) -> Environment:
        """The place of an entry."""
        copy = self._copy()
        copy.path = (*self.path, step)
        copy.stub_path = (*self.stub_path, step)
        return copy

    def redirected(self, path: Path) -> Environment:
        """The same place with another path in the stubs; an empty one switches merging off."""
        copy = self._copy()
        if path:
            copy.stub_path = path
            copy.no_merge = False
        else:
            copy.no_merge = True
        return copy

    def root_entries(self) -> Map | None:
        """The map that is the root of the document."""
        return self.scope.root.entries if self.scope is not None and self.scope.root is not None else None

    def find_from_root(self, path: Path) -> Node | None:
        """The node that an absolute reference names."""
        if self.scope is None or self.scope.root is None:
            return None
        root: Any = self.scope.root.entries
        if self.scope.root.list_entries is not None:
            root = self.scope.root.list_entries
            if path and path[0] == "__map":
                root, path = self._outermost_map(), path[1:]
        return find(Node(root, "scope"), path, self.state.controls, raw=True)

    def _outermost_map(self) -> Map | None:
        found = None
        scope = self.scope
        while scope is not None:
            if scope.entries is not None:
                found = scope.entries
            scope = scope.next
        return found

    def find_reference(self, path: Path) -> Node | None:
        """The node that a relative reference names: the innermost scope with its first step decides."""
        name = path[0]
        if name == "__ctx":
            return find(_context(self), path[1:], self.state.controls, raw=True)
        document_scope = None
        scope = self.scope
        while scope is not None:
            entries = scope.entries
            if entries is not None:
                if document_scope is None and scope.path is not None:
                    document_scope = scope
                found = entries.get(name)
                if found is not None:
                    return self._follow(found, path)
            scope = scope.next
        return self._find_outside(path, document_scope)

    def _follow(self, found: Node, path: Path) -> Node | None:
        if len(path) == 1:
            return found
        if path[0] == nodes.SELF and found.resolver is not None:
            return found.resolver.find_reference(path[1:])
        return find(found, path[1:], self.state.controls, raw=True)

    def _find_outside(self, path: Path, document_scope: Scope | None) -> Node | None:
        if path[0] == nodes.OUTERMOST:
            outermost = self
            while outermost.outer is not None:
                outermost = outermost.outer
            return find(Node(outermost.root_entries(), "__ctx"), path[1:], self.state.controls, raw=True)
        if path[0] == nodes.DOCUMENT and document_scope is not None:
            return self._find_in_document(document_scope, path[1:])
        return self.outer.find_reference(path) if self.outer is not None else None

    def _find_in_document(self, scope: Scope | None, path: Path) -> Node | None:
        if not path:
            return Node(scope.entries, "__ctx") if scope is not None else None
        while scope is not None and scope.entries is not None:
            found = scope.entries.get(path[0])
            if found is not None:
                return find(found, path[1:], self.state.controls, raw=True)
            scope = scope.next
        return None

    @property
    def overridden(self) -> bool:
        """Whether a stub has anything at this path, so that it may override what is here."""
        if self._overridden is None:
            found = (find(stub, self.stub_path, self.state.controls, raw=True) for stub in self.stubs)
            self._overridden = any(node is not None for node in found)
        return self._overridden

    def find_in_stubs(self, path: Path) -> Node | None:
        """The value at a path in the first stub that has one."""
        for stub in self.stubs:
            found = find(stub, path, self.state.controls)
            if found is not None and not is_implied(found.note.flags):
                return found
        return None


def _context(env: Environment) -> Node:
    """What `__ctx` tells about the place of an expression."""
    folder, _, _ = env.document_source.rpartition("/")
    folder = folder or ("/" if env.document_source.startswith("/") else ".")
    outers = []
    bindings: Any = []
    outer = env.outer
    while outer is not None:
        if outer.binds:
            bindings = outer.root_entries() or {}
        entries = outer.root_entries()
        if entries is not None:
            outers.append(_made(entries))
        outer = outer.outer
    context: Map = {
        "VERSION": _made(VERSION),
        "FILE": _made(env.document_source),
        "DIR": _made(folder),
        "RESOLVED_FILE": _made(env.document_source),
        "RESOLVED_DIR": _made(folder),
        "PATHNAME": _made(".".join(env.path)),
        "PATH": _made([_made(step) for step in env.path]),
        "STUBPATH": _made([_made(step) for step in env.stub_path]),
        "BINDINGS": _made(bindings),
    }
    if outers:
        context["OUTER"] = _made(outers)
    return _made(context)


def _made(value: Any) -> Node:
    return Node(value, "__ctx")
