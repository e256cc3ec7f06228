"""What an item wants to have run, however its configuration says it; pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.cluster.resources import ObjectKey
    from landform.deployers.programs.contract.sandboxes import Program


@dataclass(frozen=True)
class Specification:
    """A program and what it is given."""

    program: Program
    """Without what it is pulled with."""

    import_values: Any = field(default=None, repr=False)
    """None: the program finds no file with imports."""

    script: str | None = field(default=None, repr=False)
    """The text of a script."""

    script_file: str = ""
    """Or the file of the blueprint that has it."""

    component_descriptor: Mapping[str, Any] | None = None
    blueprint: Mapping[str, Any] | None = None
    pull_secrets: tuple[ObjectKey, ...] = ()

    @property
    def is_script(self) -> bool:
        """Whether it is a script, which needs no image."""
        return self.program.is_script
