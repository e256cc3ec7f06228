"""Templates: parsed and compiled once, rendered many times."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, Literal

from landform.gotemplate import budgets as metering
from landform.gotemplate import tracing
from landform.gotemplate.budgets import Budgets, Meter
from landform.gotemplate.builtins import BUILTINS
from landform.gotemplate.codes import Either
from landform.gotemplate.compiler import FILENAME, compile_trees
from landform.gotemplate.errors import BudgetError, ExecError, Fault, GoError, Overspent, ParseError, TemplateError
from landform.gotemplate.functions import Function, wrapped
from landform.gotemplate.parser import parse
from landform.gotemplate.quoting import quote
from landform.gotemplate.runtime import State
from landform.gotemplate.sprig import SPRIG
from landform.gotemplate.values import MISSING, decoded, encoded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from landform.gotemplate.codes import Note
    from landform.gotemplate.nodes import Listing
    from landform.gotemplate.tracing import Trace

MissingKey = Literal["default", "invalid", "zero", "error"]


class Template:
    """A Go template; rendering the same one in several threads at once is safe."""

    def __init__(
        self,
        text: str,
        name: str = "page",
        functions: Mapping[str, Function | Callable[..., Any]] | None = None,
        missing_key: MissingKey = "default",
        budgets: Budgets | None = None,
    ) -> None:
        """Parses the text; ParseError when it is not a template.

        `functions` are those that the text may call besides Go's own; sprig's unless others are given. `missing_key`
        says what a key that is not in a map gives: nothing ("default" or "invalid"), the zero value, or an error.
        """
        if missing_key not in ("default", "invalid", "zero", "error"):
            raise ValueError(f"unrecognized option: missingkey={missing_key}; use default, invalid, zero or error")
        self.name = name
        self._text = text
        self._budgets = budgets or Budgets()
        if len(text) > self._budgets.text:
            raise ParseError(name, 1, f"the text has {len(text)} characters, more than {self._budgets.text}")
        self._functions = SPRIG if functions is None else {key: wrapped(value) for key, value in functions.items()}
        self._mode = "default" if missing_key == "invalid" else missing_key
        self._compile(parse(name, text, {*BUILTINS, *self._functions}, self._budgets))

    def _compile(self, trees: Mapping[str, Listing]) -> None:
        try:
            self._templates, self._notes = compile_trees(trees, self._functions, BUILTINS, self._mode)
        except RecursionError:
            raise ParseError(self.name, 1, "blocks and parentheses nest too deeply") from None

    def render(self, data: Any = None) -> str:
        """The text that the template makes of the data; ExecError or BudgetError when it cannot."""
        meter = Meter(self._budgets)
        state = State(meter, self._located)
        token = metering.enter(meter)
        try:
            self._templates[self.name](state, MISSING if data is None else data)
            state.measure()
        except Exception as error:
            raise self._located(error) from None
        finally:
            metering.leave(token)
        output = "".join(state.out)
        return output if output.isascii() else _joined(output)

    def trace(self, data: Any = None) -> Trace:
        """What `render` gives, and where in the text each part of it comes from."""
        marked = copy(self)
        trees = parse(self.name, self._text, {*BUILTINS, *self._functions}, self._budgets)
        marked._compile(tracing.mark(trees))
        return tracing.unmarked(marked.render(data))

    def _located(self, error: BaseException) -> BaseException:
        """The error with the place where it happened."""
        if isinstance(error, TemplateError) or not isinstance(error, Exception):
            return error
        note = self._note(error)
        if isinstance(error, Overspent):
            return self._error(BudgetError, f"the render needs {error}; the budget does not allow it", note)
        if isinstance(error, RecursionError):
            return self._error(BudgetError, "templates or values nest too deeply", note)
        if isinstance(error, Fault):
            return self._error(ExecError, str(error), note)
        reason = str(error) if isinstance(error, GoError) else f"{type(error).__name__}: {error}"
        if note is not None and note.call:
            reason = f"error calling {note.call}: {reason}"
        return self._error(ExecError, reason, note)

    def _note(self, error: BaseException) -> Note | None:
        """What the innermost line of the template was doing."""
        note = None
        traceback = error.__traceback__
        while traceback is not None:
            if traceback.tb_frame.f_code.co_filename == FILENAME:
                note = self._notes.get((traceback.tb_frame.f_code.co_name, traceback.tb_lineno), note)
                if note is not None and isinstance(note.node, Either):
                    note = note._replace(node=note.node.chosen(traceback.tb_frame.f_locals))
            traceback = traceback.tb_next
        return note

    def _error(self, kind: type[TemplateError], reason: str, note: Note | None) -> TemplateError:
        if note is None:
            return kind(f"template: {self.name}: {reason}", name=self.name, reason=reason)
        position = note.node.position
        before = self._text[:position]
        line = before.count("\n") + 1
        column = len(encoded(before[before.rfind("\n") + 1 :]))
        node = note.node.text()
        message = f"template: {self.name}:{line}:{column}: executing {quote(note.template)} at <{node}>: {reason}"
        return kind(message, name=self.name, reason=reason, line=line, column=column, node=node)


def _joined(output: str) -> str:
    """The output with bytes that only together are UTF-8 made one character."""
    try:
        output.encode()
    except UnicodeEncodeError:
        return decoded(encoded(output))
    return output
