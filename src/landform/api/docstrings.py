"""The documentation of fields: the string that stands below each of them in the source.

Python does not keep these strings, so they are read from the source, once per module, and only when somebody asks.
"""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def of_struct(struct: type) -> str:
    """What a struct is, as its docstring says it."""
    return _reflow(struct.__doc__ or "")


def of_fields(struct: type) -> dict[str, str]:
    """What each field of a struct is, inherited ones included, by its name in Python."""
    found: dict[str, str] = {}
    for cls in reversed(struct.__mro__):
        found |= _of_module(cls.__module__).get(cls.__qualname__, {})
    return found


@functools.cache
def _of_module(name: str) -> Mapping[str, dict[str, str]]:
    """The field documentation of all classes of a module; empty for modules without source."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[name]))
    except (OSError, TypeError):
        return {}
    return {node.name: dict(_pairs(node.body)) for node in tree.body if isinstance(node, ast.ClassDef)}


def _pairs(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    """Each annotated name that is directly followed by a string."""
    for field, below in itertools.pairwise(body):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, _reflow(text)


def _reflow(text: str) -> str:
    """The text with one line per paragraph, and code between single backticks."""
    paragraphs = inspect.cleandoc(text).replace("``", "`").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
