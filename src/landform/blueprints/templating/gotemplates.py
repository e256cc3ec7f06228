"""Runs executions of type GoTemplate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from landform.blueprints.templating import gofunctions, outputs, sources
from landform.blueprints.templating.bindings import with_floats
from landform.blueprints.templating.componentfunctions import ComponentFunctions
from landform.blueprints.templating.kubeconfigs import KubeconfigFunctions
from landform.blueprints.templating.reports import NO_VALUE, Report
from landform.blueprints.templating.states import ExecutionKind
from landform.gotemplate import TemplateError
from landform.kit import yamls

if TYPE_CHECKING:
    from landform.blueprints.templating.outputs import Output
    from landform.blueprints.templating.runs import Run
    from landform.blueprints.templating.sources import Source
    from landform.gotemplate.tracing import Trace

_NAME = "execution"
"""What Go's messages call the template of an execution."""


def run(run: Run) -> Output:
    """What an execution gives; Unanswered if it must know more, TemplatingError if it cannot be rendered."""
    source = sources.read(run.execution, run.files, run.subject)
    context = _context(run)
    with gofunctions.entered(context):
        try:
            text = gofunctions.compiled(source.text, _NAME, run.surroundings).render(_data(run))
        except TemplateError as error:
            if context.unanswered is not None:
                raise context.unanswered from None
            raise Report(run, source).template_failed(error, context.failed) from None
    if run.kind is not ExecutionKind.IMPORT and NO_VALUE in text:
        raise Report(run, source).no_value(text, _trace(run, source))
    document = _document(run, source, text)
    try:
        return outputs.read(document, run.kind)
    except outputs.OutputError as error:
        raise Report(run, source).unexpected(str(error)) from None


def _context(run: Run) -> gofunctions.Context:
    return gofunctions.Context(
        files=run.files,
        component=ComponentFunctions(run.component, run.answers),
        kubeconfigs=KubeconfigFunctions(run.answers),
        surroundings=run.surroundings,
    )


def _data(run: Run) -> dict[str, Any]:
    """The bindings, in a copy that the template may change."""
    data: dict[str, Any] = with_floats(run.bindings)
    if run.kind is not ExecutionKind.IMPORT:
        data["state"] = with_floats(run.state) if run.state is not None else {}
    return data


def _document(run: Run, source: Source, text: str) -> Any:
    """The first document of a text; further ones are ignored, as in the original."""
    try:
        return next(yamls.load_all(text), None)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        offset = _offset(text, mark.line, mark.column) if mark is not None else None
        problem = ", ".join(filter(None, (error.context, error.problem)))
        raise Report(run, source).undecodable(problem, text, offset, _trace(run, source)) from None
    except (yaml.YAMLError, ValueError) as error:
        raise Report(run, source).undecodable(str(error), text, None, None) from None


def _offset(text: str, line: int, column: int) -> int:
    """The offset of a place that is counted from 0."""
    lines = text.splitlines(keepends=True)
    return min(sum(map(len, lines[:line])) + column, max(len(text) - 1, 0))


def _trace(run: Run, source: Source) -> Trace | None:
    """Where each part of the output comes from; None if the template does not render a second time."""
    with gofunctions.entered(_context(run)):
        try:
            return gofunctions.compiled(source.text, _NAME, run.surroundings).trace(_data(run))
        except TemplateError:
            return None
