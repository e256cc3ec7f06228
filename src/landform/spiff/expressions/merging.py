"""Expressions about merging: `merge`, `auto` and markers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.spiff import nodes
from landform.spiff.expressions.base import Expr, is_resolved
from landform.spiff.expressions.references import Reference
from landform.spiff.finding import find, find_text
from landform.spiff.info import CLEAN, Result, join
from landform.spiff.nodes import Issue, Node

if TYPE_CHECKING:
    from landform.spiff.environment import Environment

TEMPLATE = "&template"
_FLAGS = {
    "&temporary": nodes.TEMPORARY,
    "&local": nodes.LOCAL,
    "&inject": nodes.INJECT,
    "&default": nodes.DEFAULT,
    "&state": nodes.STATE,
    "&dynamic": nodes.DYNAMIC,
}
_JOBS = Reference(("", "jobs"))


class Merge(Expr):
    """`merge`: the value at this or another path in the stubs."""

    __slots__ = ("key_name", "none", "path", "redirect", "replace", "required")

    def __init__(
        self, path: tuple[str, ...], *, redirect: bool, replace: bool, required: bool, none: bool, key_name: str
    ) -> None:
        self.path = path
        self.redirect = redirect
        self.replace = replace
        self.required = required
        self.none = none
        self.key_name = key_name

    def includes_merge(self) -> bool:
        return not self.redirect

    def evaluate(self, env: Environment, locally: bool) -> Result:
        info = CLEAN._replace(key_name=self.key_name, redirect=self.path if self.redirect else None)
        if self.none:
            return None, info._replace(merged=True), True
        node = env.find_in_stubs(self.path)
        if node is None:
            return info.fail(f"'{'.'.join(self.path)}' not found in any stub")
        info = info._replace(replace=self.replace, merged=True, source=node.source, flags=node.note.flags)
        return node.value, info, True

    def __str__(self) -> str:
        words = " replace" if self.replace else ""
        if self.key_name:
            words += " on " + self.key_name
        if self.required and not self.redirect and words:
            words = " required"
        return f"merge{words} {'.'.join(self.path)}" if self.redirect else "merge" + words


class Auto(Expr):
    """`auto`: the size of a BOSH resource pool, summed up from the jobs that use it."""

    __slots__ = ("path",)

    def __init__(self, path: tuple[str, ...]) -> None:
        self.path = path

    def evaluate(self, env: Environment, locally: bool) -> Result:
        if len(self.path) != 3 or self.path[0] != "resource_pools" or self.path[2] != "size":
            return CLEAN.fail("auto only allowed for size entry in resource pools")
        jobs, info, ok = _JOBS.evaluate(env, False)
        if not ok:
            return None, info._replace(issue=Issue("no jobs found")), False
        if not is_resolved(jobs, env):
            return self, info, True
        if type(jobs) is not list:
            return info.fail("jobs must be a list")
        _, colon, name = self.path[1].partition(":")
        pool = name if colon else self.path[1]
        size = 0
        for job in jobs:
            if find_text(job, "resource_pool", env.state.controls) == pool:
                instances = find(job, ("instances",), env.state.controls)
                if instances is None or type(instances.value) is not int:
                    return None, info, False
                size += instances.value
        return size, info, True

    def __str__(self) -> str:
        return "auto"


class Marked(Expr):
    """`&marker &marker ( expression )`: a value with a special role."""

    __slots__ = ("expression", "markers")

    def __init__(self, markers: tuple[str, ...], expression: Expr | None = None) -> None:
        self.markers = markers
        self.expression = expression

    @property
    def is_template(self) -> bool:
        """Whether the value is kept as it is written."""
        return TEMPLATE in self.markers

    @property
    def tag(self) -> str:
        """The name that the value gets, if any."""
        return next((marker[5:] for marker in self.markers if marker.startswith("&tag:")), "")

    @property
    def flags(self) -> int:
        """The flags of the markers."""
        flags = 0
        for marker in self.markers:
            flags |= _FLAGS.get(marker, 0)
        return flags

    def includes_merge(self) -> bool:
        return self.expression is not None and self.expression.includes_merge()

    def evaluate(self, env: Environment, locally: bool) -> Result:
        if self.is_template:
            return CLEAN.refuse("&template only usable as marker for templates")
        info = CLEAN._replace(flags=self.flags)
        if self.expression is None:
            return None, info, True
        value, own, ok = self.expression.evaluate(env, locally)
        return value, join(own, info), ok

    def template_node(self, original: Node) -> Node | None:
        """The node that a template of this expression is made of."""
        if self.expression is None:
            return None
        return original.with_value(f"(( {self.expression} ))").add_flags(self.flags)

    def __str__(self) -> str:
        markers = " ".join(self.markers)
        return markers if self.expression is None else f"{markers} ({self.expression})"


class MarkedGroup(Expr):
    """The `( expression )` behind markers; it is printed as it was written."""

    __slots__ = ("expression", "text")

    def __init__(self, text: str, expression: Expr) -> None:
        self.text = text
        self.expression = expression

    def includes_merge(self) -> bool:
        return self.expression.includes_merge()

    def evaluate(self, env: Environment, locally: bool) -> Result:
        return self.expression.evaluate(env, locally)

    def __str__(self) -> str:
        return self.text
