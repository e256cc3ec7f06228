"""Programs in a blueprint: deploy executions of type Container and Script become deploy items of that type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from landform.api.names import DOMAIN, ItemType
from landform.blueprints.definitions import ExecutionType
from landform.blueprints.errors import Fault, ItemError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from landform.blueprints.definitions import Execution
    from landform.blueprints.files import BlueprintFiles

KIND: Final = "ProviderConfiguration"

_ITEM_FIELDS: Final = ("target", "labels", "dependsOn", "timeout", "updateOnChangeOnly", "onDelete")
"""Settings that belong to the deploy item; all others are the program's own."""


@dataclass(frozen=True)
class _Program:
    type: ItemType
    api_version: str


_PROGRAMS: Final[Mapping[str, _Program]] = {
    ExecutionType.CONTAINER: _Program(ItemType.CONTAINER, f"container.deployer.{DOMAIN}/v1alpha1"),
    ExecutionType.SCRIPT: _Program(ItemType.SCRIPT, f"script.deployer.{DOMAIN}/v1alpha1"),
}


def item(
    execution: Execution,
    import_values: Mapping[str, Any],
    files: BlueprintFiles,
    *,
    blueprint: Mapping[str, Any] | None = None,
    component_descriptor: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The deploy item of a program, in the form that a template would render.

    The program gets the values of all imports, and the blueprint and component descriptor as the Installation defines
    them, unless its settings say otherwise.
    """
    program = _PROGRAMS[execution.type]
    settings = {name: value for name, value in execution.settings.items() if name not in _ITEM_FIELDS}
    config: dict[str, Any] = {"importValues": dict(import_values)}
    if blueprint:
        config["blueprint"] = dict(blueprint)
    if component_descriptor:
        config["componentDescriptor"] = dict(component_descriptor)
    config |= settings | _script(execution, files)
    return {
        "name": execution.name,
        "type": str(program.type),
        **{name: execution.settings[name] for name in _ITEM_FIELDS if name in execution.settings},
        "config": {**config, "apiVersion": program.api_version, "kind": KIND},
    }


def _script(execution: Execution, files: BlueprintFiles) -> dict[str, str]:
    """The script that stands in a file of the blueprint, in place: who runs it need not find the file."""
    title = f'{execution.type} execution "{execution.name}"'
    if execution.template is not None:
        raise ItemError(title, [Fault("template", "a program has no template; write its settings in place")])
    if not execution.file:
        return {}
    if execution.type != ExecutionType.SCRIPT:
        raise ItemError(title, [Fault("file", "only a Script has a file; the program of a Container is in its image")])
    if "script" in execution.settings:
        raise ItemError(title, [Fault("file", "give either a file or a script in place")])
    try:
        return {"script": files.read(execution.file, wanted_by=title).decode()}
    except UnicodeDecodeError:
        raise ItemError(title, [Fault("file", f"{execution.file!r} is not a text in UTF-8")]) from None
