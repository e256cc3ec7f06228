"""Reports: from what a template engine says to an error that shows the author the place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from landform.blueprints.templating import excerpts, sources
from landform.blueprints.templating.errors import TemplatingError
from landform.blueprints.templating.excerpts import Place
from landform.blueprints.templating.masking import MASK, Mask

if TYPE_CHECKING:
    from landform.blueprints.templating.gofunctions import Inclusion
    from landform.blueprints.templating.runs import Run
    from landform.blueprints.templating.sources import Source
    from landform.gotemplate import TemplateError
    from landform.gotemplate.tracing import Trace

NO_VALUE = "<no value>"
"""What a GoTemplate prints for a value that is not there."""

_MOST_LISTED = 5
"""How many missing values a message names."""

_FAIL = "error calling fail: "
_SPIFF_NODE = re.compile(r"^\t*\(\( ?(?P<expression>.*?) ?\)\)\tin ", re.MULTILINE)
_SPIFF_PLACE = re.compile(r"line (?P<line>\d+), column (?P<column>\d+)")


class Report:
    """Makes the errors of one run."""

    def __init__(self, run: Run, source: Source) -> None:
        self._run = run
        self._source = sources.as_written(source, run.files)
        self._mask = Mask(run.secrets(), [source.text, NO_VALUE, *run.public()])

    def template_failed(self, error: TemplateError, included: Inclusion | None) -> TemplatingError:
        """A GoTemplate, or a file that it includes, cannot be parsed or stops."""
        source = self._source
        if included is not None:
            error, source = included.error, sources.Source(included.text, included.path)
        problem = self._problem(error)
        place = _characters(source.text, error.line, error.column) if error.line else None
        return self._error(problem, source=source, place=place)

    def _problem(self, error: TemplateError) -> str:
        """What the engine says, without values; the node is a part of the template and can be shown."""
        if error.reason.startswith(_FAIL):  # the author's own words, and whatever values they put between them
            reason = _FAIL + self._mask.excerpt(error.reason.removeprefix(_FAIL))
        else:
            reason = self._mask.message(error.reason)
        return f"at <{error.node}>: {reason}" if error.node else reason

    def no_value(self, output: str, trace: Trace | None) -> TemplatingError:
        """A GoTemplate prints something that is not there."""
        offsets = [match.start() for match in re.finditer(re.escape(NO_VALUE), output)]
        actions: list[str] = []
        for offset in offsets:
            piece = trace.piece(offset) if trace else None
            if piece is not None and piece.action and piece.action not in actions:
                actions.append(piece.action)
        named = ", ".join(actions[:_MOST_LISTED]) + (" and others" if len(actions) > _MOST_LISTED else "")
        verb = "have" if len(actions) > 1 else "has"
        problem = f'{named or "something"} {verb} no value, so the output contains "{NO_VALUE}"'
        return self._output_error(problem, output, offsets[0], trace)

    def undecodable(self, problem: str, output: str, offset: int | None, trace: Trace | None) -> TemplatingError:
        """What was rendered is no YAML."""
        problem = f"the output is not valid YAML: {self._mask.message(problem)}"
        return self._output_error(problem, output, offset, trace)

    def unexpected(self, problem: str) -> TemplatingError:
        """What was rendered is not what the execution must give."""
        return TemplatingError(problem, execution=self._run.subject, file=self._source.file)

    def spiff_failed(self, error: Exception) -> TemplatingError:
        """A Spiff template has nodes without a value, or is no YAML."""
        text = str(error)
        place = _spiff_place(self._source.text, text)
        problem = self._mask.message(re.sub(r"\t+", "  ", text).replace("\n", "\n  "))
        return self._error(problem, source=self._source, place=place)

    def _output_error(self, problem: str, output: str, offset: int | None, trace: Trace | None) -> TemplatingError:
        if offset is None:
            return self.unexpected(problem)
        place = excerpts.place_of(output, offset)
        position = trace.position(offset) if trace else None
        origin = excerpts.place_of(self._source.text, position) if position is not None else None
        shown = excerpts.excerpt(output, place, as_shown=self._mask.excerpt)
        item = excerpts.item_name(output, place.line)
        masked = self._mask.excerpt(item) if item is not None else None
        if masked is not None and MASK in masked and origin is not None:
            masked = excerpts.item_name(self._source.text, origin.line)
        title = f"output, {place}"
        return self._error(problem, source=self._source, place=origin, item=masked, output=(title, shown))

    def _error(
        self,
        problem: str,
        *,
        source: Source,
        place: Place | None,
        item: str | None = None,
        output: tuple[str, str] | None = None,
    ) -> TemplatingError:
        shown = []
        if place is not None:
            item = item or self._item(source, place.line)
            shown.append(("template", excerpts.excerpt(source.text, place, column=place.column, before=source.before)))
            place = Place(place.line + source.before, place.column)
        return TemplatingError(
            problem,
            execution=self._run.subject,
            file=source.file,
            item=item,
            place=place,
            excerpts=[*shown, *([output] if output else [])],
        )

    def _item(self, source: Source, line: int) -> str | None:
        """The item in the template at a line; in a whole blueprint, the nearest name may be the execution's own."""
        name = excerpts.item_name(source.text, line)
        return None if source.is_structure and name == self._run.execution.name else name


def _characters(text: str, line: int, column: int | None) -> Place:
    """The place that Go counts in bytes from 0, in characters from 1."""
    if column is None:
        return Place(line)
    lines = text.split("\n")
    own = lines[line - 1] if line <= len(lines) else ""
    before = own.encode("utf-8", "surrogateescape")[:column]
    return Place(line, len(before.decode("utf-8", "surrogateescape")) + 1)


def _spiff_place(text: str, message: str) -> Place | None:
    """Where the first expression stands that a message of spiff names."""
    node = _SPIFF_NODE.search(message)
    if node is not None:
        words = map(re.escape, node["expression"].split())
        found = re.search(r"\(\(\s*" + r"\s*".join(words), text)
        return excerpts.place_of(text, found.start()) if found else None
    place = _SPIFF_PLACE.search(message)
    return Place(int(place["line"]), int(place["column"])) if place else None
