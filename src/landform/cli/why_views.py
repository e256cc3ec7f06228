"""How a chain of causes is shown to people: one line for each step, the root cause last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

if TYPE_CHECKING:
    from landform.insight.causes import Chain, Step


def lines(chain: Chain) -> list[Text]:
    """The steps, each a little further to the right, and what to do next."""
    last = len(chain.steps) - 1
    shown = [_line(step, place, chain, is_last=place == last) for place, step in enumerate(chain.steps)]
    return [*shown, *([Text(chain.advice, "bold")] if chain.advice else [])]


def _line(step: Step, depth: int, chain: Chain, *, is_last: bool) -> Text:
    title = f" ({step.title})" if step.title else ""
    phase = f" [{step.phase}]" if step.phase else ""
    style = "" if not is_last else "green" if chain.is_fine else "red"
    arrow = f"{'  ' * (depth - 1)}└ " if depth else ""
    return Text.assemble(
        (arrow, "dim"), f"{step.kind} {step.name}{title}", (phase, "dim"), ": ", (step.says.strip(), style)
    )
