"""What can go wrong when a template is rendered, told so that its author finds the place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.blueprints.errors import BlueprintError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from landform.blueprints.templating.excerpts import Place


class FunctionError(Exception):
    """A function that a template calls has no result; becomes a TemplatingError at the call."""


class TemplatingError(BlueprintError):
    """A template that cannot be rendered, or whose output is not what the execution must give.

    The message names file, execution, item and place, and shows the lines around it of the template and of what was
    rendered. Values that were given to the template are hidden in it.
    """

    reason = "TemplatingFailed"

    def __init__(
        self,
        problem: str,
        *,
        execution: str,
        file: str = "",
        item: str | None = None,
        place: Place | None = None,
        excerpts: Sequence[tuple[str, str]] = (),
    ) -> None:
        """`excerpts` are parts of texts, each with its title."""
        self.problem = problem
        self.execution = execution
        """Which execution, such as ``deploy execution "main"``."""
        self.file = file
        """The file of the blueprint that holds the template."""
        self.item = item
        """Name of the deploy item or sub-installation at the place, if there is one."""
        self.line = place.line if place else None
        """Line of the template, from 1; of the file where the template stands in one."""
        self.column = place.column if place else None
        """Column of the template, from 1."""
        self.excerpts = tuple(excerpts)
        where = [part for part in (file, str(place) if place else "", f'item "{item}"' if item else "") if part]
        head = f"{execution} ({', '.join(where)}): {problem}" if where else f"{execution}: {problem}"
        super().__init__("\n".join([head, *(f"{title}:\n{text}" for title, text in self.excerpts)]))


class ImportsRefused(TemplatingError):
    """An import execution found the imports wrong; `faults` are its own words."""

    reason = "ImportValidationFailed"

    def __init__(self, faults: Sequence[str], *, execution: str, file: str = "") -> None:
        self.faults = tuple(faults)
        super().__init__(f"import validation failed: {', '.join(faults)}", execution=execution, file=file)
