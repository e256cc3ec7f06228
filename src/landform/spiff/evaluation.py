"""Evaluating a template with everything that belongs to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from landform.spiff.budgets import Budgets, Meter, deep_stack
from landform.spiff.documents import bound, plain, read_one
from landform.spiff.engine import DocumentEngine, state_of
from landform.spiff.environment import Environment, State
from landform.spiff.errors import Overspent, SpiffError
from landform.spiff.functions.foreign import foreign
from landform.spiff.functions.library import FUNCTIONS
from landform.spiff.grammar import parse
from landform.spiff.virtualfiles import VirtualFiles

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from landform.spiff.functions.foreign import Foreign

FEATURES = frozenset({"interpolation", "control"})


@dataclass(frozen=True)
class Outcome:
    """What a template has become."""

    result: Any
    """The processed document as plain data."""
    state: Any
    """The part of it that is marked with `&state`, to be given to the next evaluation; None if there is none."""


def evaluate(
    template_text: str,
    values: Mapping[str, Any] | None = None,
    stubs: Sequence[str] = (),
    state: str | None = None,
    files: Mapping[str, bytes] | None = None,
    features: Iterable[str] = (),
    *,
    functions: Mapping[str, Foreign] | None = None,
    budgets: Budgets | None = None,
) -> Outcome:
    """Processes a template: `values` are bound as outermost names, of several stubs the last is the strongest.

    The former state counts as one more stub, stronger than all others. `files` is all that `read` and its relatives
    can see. `functions` may be called besides the language's own; they take and give plain data, and raise SpiffError
    to say why there is no value. Raises SpiffError with every node that has no value.
    """
    unknown = set(features) - FEATURES
    if unknown:
        raise SpiffError(f"unknown feature flag {min(unknown)!r}; known are {', '.join(sorted(FEATURES))}")
    meter = Meter(budgets or Budgets())
    known = {**foreign(functions), **FUNCTIONS} if functions else FUNCTIONS
    shared = State(DocumentEngine(), meter, VirtualFiles(files or {}), frozenset(features), known, parse)
    try:
        with deep_stack.raised():
            return _evaluate(template_text, values, stubs, state, shared)
    except RecursionError:
        raise Overspent("the document is nested too deep") from None


def _evaluate(
    template_text: str, values: Mapping[str, Any] | None, stubs: Sequence[str], state: str | None, shared: State
) -> Outcome:
    meter = shared.meter
    outer = Environment(shared, "context", [], binds=True)
    if values is not None:
        outer = outer.with_names(bound(values, meter))
    template = read_one("template", template_text, meter)
    documents = [read_one(f"stub{number}", text, meter) for number, text in enumerate(stubs, 1)]
    if state is not None:
        documents.append(read_one("state", state, meter))
    result = shared.engine.cascade(outer, template, documents)
    kept = plain(state_of(result))
    return Outcome(plain(result), kept if kept and isinstance(kept, dict | list) else None)
