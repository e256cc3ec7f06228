"""One run of one execution: all that its template can see, and what of it may be shown."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from landform.blueprints.questions import Answers
from landform.gotemplate import Surroundings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from landform.blueprints.definitions import Execution
    from landform.blueprints.files import BlueprintFiles
    from landform.blueprints.templating.states import ExecutionKind
    from landform.components.versions import ComponentVersion

_PUBLIC = ("cd", "components", "blueprintDef", "componentDescriptorDef")
"""Bindings that hold nothing secret: whoever reads the blueprint can read them too."""

_MOST_PUBLIC = 4 << 20
"""Most bytes of the blueprint's files that are searched for words that may be shown."""


@dataclass(frozen=True)
class Run:
    """An execution with its bindings."""

    kind: ExecutionKind
    execution: Execution
    files: BlueprintFiles
    bindings: Mapping[str, Any]
    """What the template sees by name, but for its state."""
    component: ComponentVersion | None = None
    state: Any = None
    """What the last rendering left; None if it left nothing."""
    answers: Answers = field(default_factory=Answers)
    surroundings: Surroundings = field(default_factory=Surroundings)

    @property
    def subject(self) -> str:
        """The execution, as messages call it."""
        return f'{self.kind} execution "{self.execution.name}"'

    def secrets(self) -> list[Any]:
        """The values that no message may show."""
        return [self.state, *(value for name, value in self.bindings.items() if name not in (*_PUBLIC, "blueprint"))]

    def public(self) -> Iterator[str]:
        """Texts whose words every message may show."""
        for name in _PUBLIC:
            yield json.dumps(self.bindings.get(name), ensure_ascii=False, default=str)
        left = _MOST_PUBLIC
        for content in self.files.contents().values():
            left -= len(content)
            if left < 0:
                return
            yield content.decode("utf-8", "replace")
