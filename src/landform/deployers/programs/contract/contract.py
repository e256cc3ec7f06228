"""The contract between Landform and a program: where its files are, and which variables name them; pure."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

USER: Final = 1000
"""The user that a program runs as."""

GROUP: Final = 3000
"""Its group."""

FILES_GROUP: Final = 2000
"""The group that its files belong to; the program is in it."""

SHARED: Final = PurePosixPath("/data/ls/shared")
"""Where a container finds its files."""


@dataclass(frozen=True)
class Owner:
    """Whom files belong to."""

    user: int
    group: int


class Operation(enum.StrEnum):
    """What a program is to do."""

    RECONCILE = "RECONCILE"
    DELETE = "DELETE"


@dataclass(frozen=True)
class Layout:
    """Where the files of one run are, below one folder."""

    base: PurePosixPath

    @property
    def imports(self) -> PurePosixPath:
        """The imports as JSON; not there if the item has none."""
        return self.base / "imports" / "import.json"

    @property
    def exports(self) -> PurePosixPath:
        """Where the program writes its exports, as JSON or YAML."""
        return self.base / "exports" / "values"

    @property
    def component_descriptors(self) -> PurePosixPath:
        """The list of resolved component descriptors as JSON; not there if the item names no component."""
        return self.base / "component_descriptor.json"

    @property
    def target(self) -> PurePosixPath:
        """The target with its content as JSON; the text ``null`` if the item has none."""
        return self.base / "targets" / "target.json"

    @property
    def content(self) -> PurePosixPath:
        """The folder with the blueprint's files."""
        return self.base / "content"

    @property
    def state(self) -> PurePosixPath:
        """The folder that is kept from one run to the next."""
        return self.base / "state"

    @property
    def script(self) -> PurePosixPath:
        """The text of a script item."""
        return self.base / "script" / "run"


def environment(layout: Layout, operation: Operation) -> dict[str, str]:
    """The variables that every program gets; some paths have a second name from an older document."""
    exports, state = str(layout.exports), str(layout.state)
    return {
        "OPERATION": operation,
        "IMPORTS_PATH": str(layout.imports),
        "EXPORTS_PATH": exports,
        "EXPORT_PATH": exports,
        "STATE_PATH": state,
        "STATE": state,
        "TARGET_PATH": str(layout.target),
        "COMPONENT_DESCRIPTOR_PATH": str(layout.component_descriptors),
        "CONTENT_PATH": str(layout.content),
    }
