"""Sources: the text of an execution's template, and where in the blueprint's files it stands."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from landform.blueprints.definitions import FILE, ExecutionType
from landform.blueprints.templating.errors import TemplatingError

if TYPE_CHECKING:
    from landform.blueprints.definitions import Execution
    from landform.blueprints.files import BlueprintFiles


@dataclass(frozen=True)
class Source:
    """The text of a template."""

    text: str
    file: str
    """The file that it stands in."""
    before: int = 0
    """How many lines of the file stand before its first one."""
    is_structure: bool = False
    """Whether it was written as YAML in place, so that this text is only its data, not what its author wrote."""


def read(execution: Execution, files: BlueprintFiles, subject: str) -> Source:
    """The template of an execution: what is written in place, else its file. `subject` names the execution."""
    template = execution.template
    if isinstance(template, str) and template:
        return Source(template, FILE)
    if template is not None and template != "":
        if execution.type != ExecutionType.SPIFF:
            raise TemplatingError("a GoTemplate must be a text; write `template: |`", execution=subject, file=FILE)
        return Source(json.dumps(template, ensure_ascii=False, indent=2), FILE, is_structure=True)
    if execution.file:
        content = files.read(execution.file, wanted_by=subject)
        return Source(content.decode("utf-8", "surrogateescape"), execution.file)
    raise TemplatingError("no template found: give a template or a file", execution=subject, file=FILE)


def as_written(source: Source, files: BlueprintFiles) -> Source:
    """The source with what stands before it in its file; only needed to tell somebody about a place in it."""
    if source.file != FILE or not files.exists(FILE):
        return source
    written = files.read(FILE).decode("utf-8", "replace")
    if source.is_structure:
        return Source(written, FILE, is_structure=True)
    before = _lines_before([line.strip() for line in source.text.splitlines()], written)
    return Source(source.text, FILE, before) if before is not None else source


def _lines_before(lines: list[str], written: str) -> int | None:
    """How many lines stand before a block of lines in a text; None if it is not there line by line."""
    stripped = [line.strip() for line in written.splitlines()]
    for start in range(len(stripped) - len(lines) + 1):
        if stripped[start : start + len(lines)] == lines:
            return start
    return None
