"""References: names, paths, tags, and what is picked from the value of another expression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.spiff.expressions.base import Expr, Literal, is_locally_resolved, is_resolved, is_resolved_node
from landform.spiff.finding import find
from landform.spiff.info import CLEAN, Info, Result
from landform.spiff.nodes import Issue, Node, dynaml_node
from landform.spiff.values import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from landform.spiff.environment import Environment
    from landform.spiff.tags import Tag


_SPECIAL = ("", "_", "__", "___", "__ctx")
"""First steps that do not lead to a node from which the next step goes on."""


class Reference(Expr):
    """`a.b.[1]`, `.a.b` from the root, `tag::a.b`; the first step of an absolute path is empty."""

    __slots__ = ("path", "tag")

    def __init__(self, path: tuple[str, ...], tag: str = "") -> None:
        self.path = path
        self.tag = tag

    def evaluate(self, env: Environment, locally: bool) -> Result:
        if self.tag:
            return self._tagged(env, locally)
        if self.path[0] == "":
            return self.find(lambda path: env.find_from_root(path[1:]), env, locally)
        return self.find(env.find_reference, env, locally)

    def _tagged(self, env: Environment, locally: bool) -> Result:
        whole = self.path == ("",)
        if self.tag in ("doc:0", "doc.0"):
            if whole:
                return CLEAN.fail("no reference to actual document possible")
            return self.find(env.find_from_root, env, locally)
        tags = env.state.tags.matching(self.tag)
        if not tags:
            return CLEAN.fail(f"tag '{self.tag}' not found")
        if whole:
            if len(tags) == 1 or tags[0].name == self.tag:
                return tags[0].node.value, CLEAN, True
            return CLEAN.fail(f"found multiple tags for '{self.tag}': {', '.join(tag.name for tag in tags)}")
        return self._first_of(tags, env, locally)

    def _first_of(self, tags: list[Tag], env: Environment, locally: bool) -> Result:
        """The value below the shortest tag that has one."""
        best: tuple[Tag, Result] | None = None
        for tag in tags:
            if best is not None and best[0].level < tag.level:
                break
            found = find(tag.node, self.path, env.state.controls)
            result = self.find(lambda _, found=found: found, env, locally)  # type: ignore[misc]
            if not result[2]:
                continue
            if tag.name == self.tag:
                return result
            if best is not None:
                return best[1][1].fail(f"ambigious tag resolution for {self}: {best[0].name} <-> {tag.name}")
            best = tag, result
        return best[1] if best is not None else (None, CLEAN, False)

    def find(self, finder: Callable[[tuple[str, ...]], Node | None], env: Environment, locally: bool) -> Result:
        """The value at the path; every step on the way must be there and complete."""
        path = self.path
        node: Node | None = None
        by_step = path[0] not in _SPECIAL
        for end in range(1, len(path) + 1):
            if node is None or not by_step:
                node = finder(path[:end])
            else:
                node = find(node, path[end - 1 : end], env.state.controls, raw=True)
            if node is None:
                return CLEAN.fail(f"'{'.'.join(path[:end])}' not found")
            if not is_locally_resolved(node.value, env):
                state = "unresolved" if isinstance(node.value, Expr) else "not complete"
                return self._wait(node, f"'{'.'.join(path[:end])}' {state}")
        if node is None:
            return CLEAN.fail("empty reference")
        if not locally and not node.resolved and not is_resolved_node(node, env):
            return self._wait(node, f"'{self}' unresolved")
        key_name = node.note.key_name
        return node.value, Info(key_name=key_name) if key_name else CLEAN, True

    def _wait(self, node: Node, reason: str) -> Result:
        failed = node.note.failed or node.note.error
        return self, Info(issue=Issue(reason), failed=failed), True

    def __str__(self) -> str:
        tag = f"{self.tag}::" if self.tag else ""
        return tag + ("." if self.path == ("",) else ".".join(self.path))


def _finder(value: Any, env: Environment) -> Callable[[tuple[str, ...]], Node | None]:
    root = dynaml_node(value)
    controls = env.state.controls
    return lambda path: find(root, path, controls)


class Qualified(Expr):
    """`(expression).a.b`."""

    __slots__ = ("expression", "reference")

    def __init__(self, expression: Expr, reference: Reference) -> None:
        self.expression = expression
        self.reference = reference

    def evaluate(self, env: Environment, locally: bool) -> Result:
        root, info, ok = self.expression.evaluate(env, locally)
        if not ok:
            return None, info, False
        locally = locally or info.raw
        if not is_locally_resolved(root, env):
            if isinstance(root, Expr) and root is not self.expression:
                return Qualified(root, self.reference), info, True
            return self, info, True
        if not locally and not is_resolved(root, env):
            return self, info, True
        return self.reference.find(_finder(root, env), env, locally)

    def __str__(self) -> str:
        return f"({self.expression}).{self.reference}"


class Indexed(Expr):
    """`root[expression]`: a field, an index or a whole path that is computed."""

    __slots__ = ("index", "root")

    def __init__(self, root: Expr, index: Expr) -> None:
        self.root = root
        self.index = index

    def evaluate(self, env: Environment, locally: bool) -> Result:
        # the entry may have a value while its neighbours still wait
        root, info, ok = self.root.evaluate(env, locally or isinstance(self.root, Reference))
        if not ok:
            return None, info, False
        if not is_locally_resolved(root, env):
            return self, info, True
        index, _, ok = self.index.evaluate(env, locally or info.raw)
        if not ok:
            return None, info, False
        if not is_resolved(index, env):
            return self, info, True
        path = self._path(root, index)
        if isinstance(path, str):
            return info.fail(path)
        value, info, ok = Reference(path).find(_finder(root, env), env, True)
        if not ok:
            return None, info, False
        return (value if is_resolved(value, env) else self), info, True

    @staticmethod
    def _path(root: Any, index: Any) -> tuple[str, ...] | str:
        """The steps that an index stands for, or what is wrong with it."""
        if type(index) is list and len(index) == 1:
            index = index[0].value
        index = counted(index)
        if type(index) is int:
            return (f"[{index}]",) if type(root) is list else "index requires array expression"
        if type(index) is str:
            return (index,)
        if type(index) is not list:
            return "index or field name required for reference qualifier"
        if not index:
            return "at least one index or field name required for reference qualifier"
        steps = [_index_step(node.value) for node in index]
        return "index or field name required for reference qualifier" if None in steps else tuple(map(str, steps))

    def __str__(self) -> str:
        return f"{self.root}.{self.index}"


def _index_step(value: Any) -> str | None:
    value = counted(value)
    if type(value) is int:
        return f"[{value}]"
    return value if type(value) is str else None


class Range(Expr):
    """`[first..last]`: whole numbers up or down, both ends included."""

    __slots__ = ("first", "last")

    def __init__(self, first: Expr | None, last: Expr | None) -> None:
        self.first = first
        self.last = last

    def limits(self, env: Environment, size: int | None) -> tuple[tuple[int, int] | None, Any, bool]:
        """Both ends for a list of that size (None: no list); without them info and whether to wait."""
        if self.first is None and self.last is None and size is not None:
            return None, CLEAN.fail("slice operator requires start or end index")[1], False
        if size is None and (self.first is None or self.last is None):
            return None, CLEAN.fail("range expression requires start and end index")[1], False
        first, last = 0, (size or 0) - 1
        info = CLEAN
        waits = False
        for end in (self.first, self.last):
            if end is None:
                continue
            value, info, ok = end.evaluate(env, False)
            if not ok:
                return None, info, False
            if isinstance(value, Expr):
                waits, value = True, 0
            value = 0 if value is None else counted(value)
            if type(value) is not int:
                return None, info._replace(issue=Issue("integer operand required")), False
            if end is self.first:
                first = value
                last = -1 if value < 0 and self.last is None else last
            else:
                last = value
                first = -(size or 0) if value < 0 and self.first is None else first
        return (None, info, True) if waits else ((first, last), info, True)

    def evaluate(self, env: Environment, locally: bool) -> Result:
        limits, info, ok = self.limits(env, None)
        if limits is None:
            return (self if ok else None), info, ok
        first, last = limits
        step = 1 if first <= last else -1
        env.state.meter.step(abs(last - first) + 1)
        source = env.source
        return [dynaml_node(number, source) for number in range(first, last + step, step)], CLEAN, True

    def __str__(self) -> str:
        return f"[{_end(self.first)}..{_end(self.last)}]"


def _end(end: Expr | None) -> str:
    return "%!s(<nil>)" if end is None else str(end)


class Slice(Expr):
    """`list[first..last]`: the entries from one to another."""

    __slots__ = ("expression", "range")

    def __init__(self, expression: Expr, limits: Range) -> None:
        self.expression = expression
        self.range = limits

    def evaluate(self, env: Environment, locally: bool) -> Result:
        entries, info, ok = self.expression.evaluate(env, locally)
        if not ok:
            return None, info, False
        if not is_locally_resolved(entries, env) or not (locally or is_resolved(entries, env)):
            return self, info, True
        if type(entries) is not list:
            return info.fail("slice requires array expression")
        limits, _, ok = self.range.limits(env, len(entries))
        if limits is None:
            return (self if ok else None), info, ok
        first, last = limits
        size = len(entries)
        if first > last:
            return [], info, True
        if first < 0:
            if last >= 0:
                return info.fail("mixed negative and non-negative range not possible for slice")
            if first < -size:
                return info.fail(f"slice out of range ({first} < -length {size})")
            return entries[first : last + 1 or None], info, True
        if last >= size:
            return info.fail(f"slice out of range ({last} >= length {size})")
        return entries[first : last + 1], info, True

    def __str__(self) -> str:
        return f"{self.expression}.[{self.range}]"


class ProjectedEntry(Expr):
    """The entry that the rest of a projection is applied to; only for the printed form."""

    __slots__ = ()

    def __str__(self) -> str:
        return ""


class Projection(Expr):
    """`list.[*].a.b`: the rest of the chain for every entry of a list or map."""

    __slots__ = ("expression", "links")

    def __init__(self, expression: Expr, links: Sequence[Link]) -> None:
        self.expression = expression
        self.links = links

    def evaluate(self, env: Environment, locally: bool) -> Result:
        value, info, ok = self.expression.evaluate(env, False)
        if not ok:
            return None, info, False
        if isinstance(value, Expr):
            return (self if value is self.expression else Projection(value, self.links)), info, False
        if type(value) is dict:
            entries = [node for _, node in sorted(value.items())]
        elif type(value) is list:
            if not self.links:
                return value, info, True
            entries = value
        else:
            return info.fail("only map or list allowed for projection")
        projected = []
        for node in entries:
            env.state.meter.step()
            result, _, ok = chained(Literal(node.value), self.links).evaluate(env, locally)
            if not ok:
                return None, info, False
            projected.append(dynaml_node(result, env.source))
        return projected, info, True

    def __str__(self) -> str:
        return f"{self.expression}.[*] {chained(ProjectedEntry(), self.links)}"


class Link:
    """One step of a chain: what to build around the expression before it."""

    __slots__ = ("build", "parts")

    def __init__(self, build: Callable[..., Expr], *parts: Any) -> None:
        self.build = build
        self.parts = parts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Link) and self.build is other.build and self.parts == other.parts

    __hash__ = None  # type: ignore[assignment]


def chained(expression: Expr, links: Sequence[Link]) -> Expr:
    """The expression with all steps of a chain around it."""
    for link in links:
        expression = link.build(expression, *link.parts)
    return expression
