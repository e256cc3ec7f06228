"""The nodes of a parsed template; each can write itself back as Go does in its error messages."""

from __future__ import annotations

from dataclasses import dataclass, field

from landform.gotemplate.quoting import quote


@dataclass(slots=True)
class Node:
    """A piece of a template that starts at a position of its text."""

    position: int

    def text(self) -> str:
        """The node as error messages show it."""
        raise NotImplementedError


@dataclass(slots=True)
class Listing(Node):
    """Nodes that are rendered one after the other."""

    nodes: list[Node] = field(default_factory=list)

    def text(self) -> str:
        return "".join(node.text() for node in self.nodes)


@dataclass(slots=True)
class Text(Node):
    """Text that stands for itself."""

    value: str

    def text(self) -> str:
        return self.value


@dataclass(slots=True)
class Identifier(Node):
    """The name of a function."""

    name: str

    def text(self) -> str:
        return self.name


@dataclass(slots=True)
class Variable(Node):
    """A variable and the fields that follow it."""

    names: list[str]

    def text(self) -> str:
        return ".".join(self.names)


@dataclass(slots=True)
class Dot(Node):
    """The value in hand."""

    def text(self) -> str:
        return "."


@dataclass(slots=True)
class Nil(Node):
    """The untyped nil constant."""

    def text(self) -> str:
        return "nil"


@dataclass(slots=True)
class Field(Node):
    """Fields of the value in hand."""

    names: list[str]

    def text(self) -> str:
        return "." + ".".join(self.names)


@dataclass(slots=True)
class Bool(Node):
    """A boolean constant."""

    value: bool

    def text(self) -> str:
        return "true" if self.value else "false"


@dataclass(slots=True)
class Number(Node):
    """A number constant, under each type that can hold it."""

    source: str
    whole: int | None = None
    unsigned: int | None = None
    real: float | None = None
    imaginary: complex | None = None

    def text(self) -> str:
        return self.source


@dataclass(slots=True)
class String(Node):
    """A string constant and its literal."""

    literal: str
    value: str

    def text(self) -> str:
        return self.literal


@dataclass(slots=True)
class Command(Node):
    """A word and its arguments."""

    arguments: list[Node] = field(default_factory=list)

    def text(self) -> str:
        return " ".join(_enclosed(argument) for argument in self.arguments)


@dataclass(slots=True)
class Pipe(Node):
    """Commands that hand their value on, and the variables that take the last one."""

    line: int
    assigns: bool = False
    variables: list[Variable] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)

    def text(self) -> str:
        commands = " | ".join(command.text() for command in self.commands)
        if not self.variables:
            return commands
        names = ", ".join(variable.text() for variable in self.variables)
        return f"{names} {'=' if self.assigns else ':='} {commands}"


@dataclass(slots=True)
class Chain(Node):
    """A term followed by fields."""

    node: Node
    names: list[str]

    def text(self) -> str:
        return ".".join([_enclosed(self.node), *self.names])


@dataclass(slots=True)
class Action(Node):
    """A pipeline whose value is printed, unless it goes to a variable."""

    pipe: Pipe

    def text(self) -> str:
        return "{{" + self.pipe.text() + "}}"


@dataclass(slots=True)
class Branch(Node):
    """What `if`, `with` and `range` share."""

    pipe: Pipe
    body: Listing
    otherwise: Listing | None

    keyword = ""

    def text(self) -> str:
        otherwise = "{{else}}" + self.otherwise.text() if self.otherwise is not None else ""
        return f"{{{{{self.keyword} {self.pipe.text()}}}}}{self.body.text()}{otherwise}{{{{end}}}}"


class If(Branch):
    """Renders one of two bodies."""

    __slots__ = ()
    keyword = "if"


class With(Branch):
    """Renders one of two bodies, the first with the value in hand."""

    __slots__ = ()
    keyword = "with"


class Range(Branch):
    """Renders a body for each element."""

    __slots__ = ()
    keyword = "range"


class Break(Node):
    """Leaves the loop."""

    __slots__ = ()

    def text(self) -> str:
        return "{{break}}"


class Continue(Node):
    """Goes on with the next element."""

    __slots__ = ()

    def text(self) -> str:
        return "{{continue}}"


class End(Node):
    """Closes a block; not part of the finished tree."""

    __slots__ = ()

    def text(self) -> str:
        return "{{end}}"


class Else(Node):
    """Begins the other body; not part of the finished tree."""

    __slots__ = ()

    def text(self) -> str:
        return "{{else}}"


@dataclass(slots=True)
class Call(Node):
    """Renders another template."""

    name: str
    pipe: Pipe | None

    def text(self) -> str:
        argument = " " + self.pipe.text() if self.pipe is not None else ""
        return f"{{{{template {quote(self.name)}{argument}}}}}"


def _enclosed(node: Node) -> str:
    return f"({node.text()})" if isinstance(node, Pipe) else node.text()


def is_empty(node: Node) -> bool:
    """Whether the node renders to nothing but white space, whatever the data."""
    if isinstance(node, Listing):
        return all(is_empty(child) for child in node.nodes)
    return isinstance(node, Text) and not node.value.strip()
