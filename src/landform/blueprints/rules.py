"""The rules for blueprints, for people who check one before they use it.

An Installation is not held to them: what does not matter for its own imports does not stop it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.blueprints.definitions import PROGRAMS, ExecutionType, FlowType
from landform.blueprints.errors import Fault

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from landform.blueprints.definitions import Blueprint, Execution, ExportDefinition, ImportDefinition

_EXPORTED = (FlowType.DATA, FlowType.TARGET)
_TEMPLATES = (ExecutionType.GO_TEMPLATE, ExecutionType.SPIFF)


def validate(blueprint: Blueprint) -> list[Fault]:
    """Everything that is wrong with a blueprint, or that it says in vain."""
    return [
        *_imports("imports", blueprint.imports, set()),
        *_exports(blueprint.exports),
        *_subinstallations(blueprint),
        *_executions(blueprint.import_executions, _TEMPLATES),
        *_executions(blueprint.subinstallation_executions, _TEMPLATES),
        *_executions(blueprint.deploy_executions, tuple(ExecutionType)),
        *_executions(blueprint.export_executions, _TEMPLATES),
        *(Fault(place, "this field has no meaning here and is ignored") for place in blueprint.unknown_fields),
    ]


def _imports(place: str, definitions: tuple[ImportDefinition, ...], seen: set[str]) -> Iterator[Fault]:
    for index, definition in enumerate(definitions):
        own = f"{place}[{index}]"
        yield from _name(own, definition.name, seen)
        yield from _flow(own, definition, tuple(FlowType))
        if definition.default is not None and (definition.required or definition.type != FlowType.DATA):
            yield Fault(f"{own}.default", "a default is used only for data with `required: false`")
        if definition.imports and (definition.required or definition.type != FlowType.DATA):
            yield Fault(f"{own}.imports", "conditional imports are allowed only below data with `required: false`")
        yield from _imports(f"{own}.imports", definition.imports, seen)


def _exports(definitions: tuple[ExportDefinition, ...]) -> Iterator[Fault]:
    seen: set[str] = set()
    for index, definition in enumerate(definitions):
        yield from _name(f"exports[{index}]", definition.name, seen)
        yield from _flow(f"exports[{index}]", definition, _EXPORTED)


def _flow(place: str, definition: ImportDefinition | ExportDefinition, types: Collection[FlowType]) -> Iterator[Fault]:
    has_schema, has_target_type = definition.schema is not None, bool(definition.target_type)
    if not definition.type:
        both = "both schema and targetType are given" if has_schema else "neither schema nor targetType is given"
        yield Fault(f"{place}.type", f"the type is missing and cannot be told: {both}")
    elif definition.type not in types:
        yield Fault(f"{place}.type", f"{definition.type!r} is not among the known types {', '.join(types)}")
    elif definition.type == FlowType.DATA:
        if not has_schema:
            yield Fault(f"{place}.schema", "data needs a JSON schema")
        if has_target_type:
            yield Fault(f"{place}.targetType", "data has no targetType")
    else:
        if not has_target_type:
            yield Fault(f"{place}.targetType", f"a {definition.type} needs a targetType")
        if has_schema:
            yield Fault(f"{place}.schema", f"a {definition.type} has no schema")


def _subinstallations(blueprint: Blueprint) -> Iterator[Fault]:
    for definition in blueprint.subinstallations:
        if definition.file and definition.template is not None:
            yield Fault(definition.place, "give either a file or a template in place; the file is used")
        elif not definition.file and definition.template is None:
            yield Fault(definition.place, "give a file or a template in place")


def _executions(executions: tuple[Execution, ...], types: Collection[ExecutionType]) -> Iterator[Fault]:
    seen: set[str] = set()
    for execution in executions:
        yield from _name(execution.place, execution.name, seen)
        if execution.type not in types:
            yield Fault(
                f"{execution.place}.type", f"{execution.type!r} is not among the known types {', '.join(types)}"
            )
        elif execution.type not in PROGRAMS:
            yield from _template(execution)


def _template(execution: Execution) -> Iterator[Fault]:
    if execution.template is None and not execution.file:
        yield Fault(execution.place, "no template found: give a template or a file")
    elif execution.template is not None and execution.file:
        yield Fault(f"{execution.place}.file", "the file is not used, because there is a template in place")
    if execution.type == ExecutionType.GO_TEMPLATE and not isinstance(execution.template, str | None):
        yield Fault(f"{execution.place}.template", "a GoTemplate must be a text; write `template: |`")


def _name(place: str, name: str, seen: set[str]) -> Iterator[Fault]:
    if not name:
        yield Fault(f"{place}.name", "a name is needed here")
    elif name in seen:
        yield Fault(f"{place}.name", f"{name!r} is used twice")
    seen.add(name)
