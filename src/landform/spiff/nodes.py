"""Nodes: the values of a document with what merging and markers say about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from landform.spiff.errors import Overspent

if TYPE_CHECKING:
    from landform.spiff.environment import Environment

MOST_VALUES = 500_000
"""How many values a map or list may have with all below: a list that holds itself twice, again and again, has many."""

SELF = "_"
DOCUMENT = "__"
OUTERMOST = "___"
MERGE_KEYS = ("<<", "<<<")

TEMPORARY = 0x001
LOCAL = 0x002
INJECT = 0x004
STATE = 0x008
DEFAULT = 0x010
DYNAMIC = 0x020
INJECTED = 0x040
IMPLIED = 0x080
NO_MERGE = 0x100


class Issue(NamedTuple):
    """Why a node has no value."""

    text: str = ""
    path: tuple[str, ...] | None = None
    """Where the expression stands, if it was moved since."""
    nested: tuple[Issue, ...] = ()
    sequence: bool = False
    """The nested issues are the calls on the way to the cause, not a list of failed nodes."""


NO_ISSUE = Issue()


class Note(NamedTuple):
    """What is known about a node besides its value."""

    redirect: tuple[str, ...] | None = None
    """The path in the stubs that counts instead of the node's own; empty: none."""
    replace: bool = False
    preferred: bool = False
    merged: bool = False
    key_name: str = ""
    """The field that names the entries of a list."""
    error: bool = False
    failed: bool = False
    undefined: bool = False
    issue: Issue = NO_ISSUE
    tag: str = ""
    flags: int = 0


PLAIN = Note()


class RawInt(int):
    """A whole number that operators do not accept until it is stored in a node (a few functions yield such)."""


class Whole(int):
    """A whole number from outside, where all numbers are floats.

    It counts as a whole number wherever the language asks for one, and as a float where that makes a difference that
    documents rely on: in a division and in formats.
    """


_CONTAINERS = {dict, list}


def _size(value: Any) -> int:
    """The size of a map or list; raises Overspent if it is more than any document needs."""
    size = 1
    for node in value.values() if type(value) is dict else value:
        size += node.size
    if size > MOST_VALUES:
        raise Overspent(f"a value has more than {MOST_VALUES} parts")
    return size


class Node:
    """A value with its source and its note; never changed once it is made."""

    __slots__ = ("note", "resolved", "resolver", "size", "source", "template", "value")

    def __init__(self, value: Any, source: str, note: Note = PLAIN) -> None:
        self.value: Any = int(value) if type(value) is RawInt else value
        self.source = source
        self.note = note
        self.template: Any = None
        self.resolver: Environment | None = None
        self.resolved = False
        """Known to hold no expression; found out once and remembered."""
        self.size = 1 if type(value) not in _CONTAINERS else _size(value)
        """How many values there are with all below, even if some of them are the same object."""

    def with_value(self, value: Any) -> Node:
        """The same node with another value."""
        node = Node(value, self.source, self.note)
        node.template = self.template
        node.resolver = self.resolver
        return node

    def with_note(self, note: Note) -> Node:
        """The same node with another note."""
        node = Node(self.value, self.source, note)
        node.template = self.template
        node.resolver = self.resolver
        node.resolved = self.resolved
        return node

    def marked(self, **changes: Any) -> Node:
        """The same node with some parts of its note changed."""
        return self.with_note(self.note._replace(**changes))

    def add_flags(self, flags: int) -> Node:
        """The same node with these flags too."""
        return self.with_note(self.note._replace(flags=self.note.flags | flags))

    def named(self, key_name: str) -> Node:
        """The same node with another key field, if there is one."""
        return self.marked(key_name=key_name) if key_name else self

    def with_issue(self, error: bool, failed: bool, issue: Issue) -> Node:
        """The same node with a reason why it has no value; an empty reason keeps the former one."""
        if self.note is PLAIN:
            return self.with_note(Note(error=error, failed=failed, issue=issue if issue.text else NO_ISSUE))
        return self.marked(error=error, failed=failed, issue=issue if issue.text else self.note.issue)


Map = dict[str, Node]
List = list[Node]


def injects(flags: int) -> bool:
    """Whether a stub's node is added to maps that lack it."""
    return bool(flags & (INJECT | DEFAULT))


def is_default(flags: int) -> bool:
    """Whether a stub's node never overrides."""
    return flags & (DEFAULT | INJECT) == DEFAULT


def is_implied(flags: int) -> bool:
    """Whether a node is only part of a default value and is not found on its own."""
    return flags & (IMPLIED | DEFAULT) == IMPLIED


def overridden(flags: int) -> int:
    """The flags of a node that takes the place of one with these flags."""
    return (flags | INJECT) & ~DEFAULT if is_default(flags) else flags


def same(old: Node, new: Node) -> bool:
    """Whether a pass has left a node as it was; entries are compared by identity."""
    if old is new:
        return True
    if old.note != new.note or old.source != new.source or old.template is not new.template:
        return False
    before, after = old.value, new.value
    if before is after:
        return True
    if type(before) is not type(after):
        return False
    if type(before) is dict:
        return len(before) == len(after) and all(after.get(key) is node for key, node in before.items())
    if type(before) is list:
        return len(before) == len(after) and all(map(_identical, before, after))
    return bool(before == after)


def _identical(one: Node, other: Node) -> bool:
    return one is other


def dynaml_node(value: Any, source: str = "") -> Node:
    """A node that an expression made while it was evaluated for a source."""
    if not source:
        source = "dynaml"
    elif not source.startswith("dynaml@"):
        source = "dynaml@" + source
    return Node(value, source)
