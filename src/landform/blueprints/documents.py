"""YAML files of a blueprint: what they say, and where in the text they say it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

from landform.blueprints.errors import DefinitionError
from landform.kit import yamls

if TYPE_CHECKING:
    from landform.blueprints.files import BlueprintFiles

_STEP = re.compile(r"\[([^\]]*)\]|([^.\[]+)")


@dataclass(frozen=True)
class Document:
    """One YAML file, read."""

    path: str
    """The file, relative to the blueprint's root."""

    text: str
    """What is written in it."""

    value: Any
    """What it means, as JSON data."""

    def place(self, field: str) -> str:
        """Where a field stands, such as ``blueprint.yaml, line 3, column 5``; `field` is like ``imports[2].name``.

        If the field is not there, the place of what should hold it.
        """
        mark = _mark(yaml.compose(self.text, yamls.Loader), field)
        return self.path if mark is None else f"{self.path}, line {mark.line + 1}, column {mark.column + 1}"


def load(files: BlueprintFiles, path: str, *, wanted_by: str = "") -> Document:
    """A YAML file of the blueprint; DefinitionError with line and column if it is none."""
    content = files.read(path, wanted_by=wanted_by)
    try:
        text = content.decode()
    except UnicodeDecodeError as exc:
        raise DefinitionError(path, f"byte {exc.start + 1} is not part of a text in UTF-8") from exc
    try:
        return Document(path, text, yamls.load(text))
    except yaml.MarkedYAMLError as exc:
        mark = exc.problem_mark
        place = f"{path}, line {mark.line + 1}, column {mark.column + 1}" if mark else path
        raise DefinitionError(place, f"this is not valid YAML: {exc.problem or exc.context}") from exc
    except (yaml.YAMLError, ValueError) as exc:
        raise DefinitionError(path, f"this is not valid YAML: {exc}") from exc


def _mark(node: yaml.Node | None, field: str) -> yaml.Mark | None:
    mark = node.start_mark if node is not None else None
    for index, name in _STEP.findall(field):
        node, mark = _inner(node, index or name, mark)
        if node is None:
            break
    return mark


def _inner(node: yaml.Node | None, step: str, mark: yaml.Mark | None) -> tuple[yaml.Node | None, yaml.Mark | None]:
    """The node that a step leads to, and where it stands: that of a map's entry begins with its key."""
    if isinstance(node, yaml.SequenceNode) and step.isdecimal() and int(step) < len(node.value):
        inner = node.value[int(step)]
        return inner, inner.start_mark
    if isinstance(node, yaml.MappingNode):
        for key, inner in node.value:
            if key.value == step:
                return inner, key.start_mark
    return None, mark
