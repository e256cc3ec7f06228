"""Template state: what an execution remembers from one rendering to the next.

Where a state is kept follows from its key, the kind of the execution and its name. Deploy and sub-installation
executions of one name have the same key, so they share their state, and the one that renders later sees what the
other one left: sub-installations are rendered first. Blueprints rely on that, so it stays; give them different names
where it is not wanted. Export executions never share with others.
"""

from __future__ import annotations

import enum


class ExecutionKind(enum.StrEnum):
    """What an execution renders; the value is how messages call it."""

    IMPORT = "import"
    SUBINSTALLATION = "subinstallation"
    DEPLOY = "deploy"
    EXPORT = "export"


_PREFIXES = {
    ExecutionKind.SUBINSTALLATION: "deploy",
    ExecutionKind.DEPLOY: "deploy",
    ExecutionKind.EXPORT: "export",
}


def key(kind: ExecutionKind, name: str) -> str | None:
    """The key of an execution's state; None for import executions, which have none.

    >>> key(ExecutionKind.SUBINSTALLATION, "main") == key(ExecutionKind.DEPLOY, "main") == "deploymain"
    True
    """
    prefix = _PREFIXES.get(kind)
    return None if prefix is None else prefix + name
