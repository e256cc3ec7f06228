"""Exports: from what export executions rendered to what is written into the Installation's scope."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from landform.api.targets import TargetTemplate
from landform.blueprints import mappings
from landform.blueprints.decoding import NotDecodable, decode
from landform.blueprints.definitions import FlowType
from landform.blueprints.errors import ExportError, Fault, SchemaError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from landform.api.installations import InstallationExports
    from landform.blueprints.definitions import Blueprint, ExportDefinition
    from landform.blueprints.schemas import Schemas


@dataclass(frozen=True)
class ExportedData:
    """A value to be written as a DataObject."""

    name: str
    """Name of the export."""

    ref: str
    """Name in the Installation's scope."""

    value: Any


@dataclass(frozen=True)
class ExportedTarget:
    """A Target to be written."""

    name: str
    """Name of the export."""

    ref: str
    """Name in the Installation's scope."""

    template: TargetTemplate


@dataclass(frozen=True)
class Exports:
    """All that an Installation gives to its scope."""

    data: tuple[ExportedData, ...] = ()
    targets: tuple[ExportedTarget, ...] = ()


def construct(
    blueprint: Blueprint,
    rendered: Mapping[str, Any],
    export_mappings: Mapping[str, Any],
    wanted: InstallationExports,
    schemas: Schemas,
) -> Exports:
    """What is to be written for the exports that the Installation wants.

    What the blueprint does not declare is dropped, what it declares is checked; mappings then replace values or add
    some. Raises ExportError with all faults, MappingError or SchemaError.
    """
    values = declared(blueprint, rendered, schemas)
    values |= _mapped(export_mappings, values)
    faults: list[Fault] = []
    data, targets = [], []
    for export in wanted.data or ():
        if export.name in values:
            data.append(ExportedData(export.name, export.data_ref, values[export.name]))
        else:
            faults.append(Fault(_title(export.name), _missing(export.name, blueprint)))
    for target in wanted.targets or ():
        try:
            if target.name in values:
                targets.append(ExportedTarget(target.name, target.target or "", _target(values[target.name])))
            else:
                faults.append(Fault(_title(target.name), _missing(target.name, blueprint)))
        except NotDecodable as exc:
            faults.append(Fault(_title(target.name), f"this is no Target: {exc.fault}"))
    if faults:
        raise ExportError("the exports of the Installation cannot be written", faults)
    return Exports(tuple(data), tuple(targets))


def declared(blueprint: Blueprint, rendered: Mapping[str, Any], schemas: Schemas) -> dict[str, Any]:
    """The rendered exports that the blueprint declares; ExportError with all that does not fit its declaration."""
    values = {export.name: rendered[export.name] for export in blueprint.exports if export.name in rendered}
    faults = [
        fault
        for export in blueprint.exports
        if export.name in values
        for fault in _faults(export, values[export.name], schemas)
    ]
    if faults:
        raise ExportError("the exports of the blueprint are invalid", faults)
    return values


def _title(name: str) -> str:
    return f'export "{name}"'


def _missing(name: str, blueprint: Blueprint) -> str:
    if any(export.name == name for export in blueprint.exports):
        return "no export execution gives it a value"
    known = ", ".join(export.name for export in blueprint.exports) or "none"
    return f"the blueprint declares no such export, and exportDataMappings have none; declared are: {known}"


def _faults(export: ExportDefinition, value: Any, schemas: Schemas) -> Iterator[Fault]:
    title = _title(export.name)
    match export.type:
        case FlowType.DATA:
            yield from _data_faults(title, export, value, schemas)
        case FlowType.TARGET:
            actual = value.get("type") if isinstance(value, dict) else None
            if actual != export.target_type:
                given = f"of type {actual}" if isinstance(actual, str) else "without a type"
                yield Fault(title, f"a Target of type {export.target_type} is declared, but one {given} is given")
        case unknown:
            yield Fault(title, f"the blueprint declares it with the unknown type {str(unknown)!r}")


def _data_faults(title: str, export: ExportDefinition, value: Any, schemas: Schemas) -> Iterator[Fault]:
    if export.schema is None:
        yield Fault(title, "the blueprint declares no JSON schema for it")
        return
    try:
        faults = schemas.faults(export.schema, value)
    except SchemaError as exc:
        raise SchemaError(f"{title}: {exc}") from exc
    yield from (Fault(title, str(fault)) for fault in faults)


def _mapped(export_mappings: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    visible = {**values, "exports": values}
    return {
        name: mappings.evaluate(mapping, visible, f'export data mapping "{name}"')
        for name, mapping in export_mappings.items()
    }


def _target(value: Any) -> TargetTemplate:
    template = decode(value, TargetTemplate)
    if template.config and template.secret_ref:
        raise NotDecodable(Fault("", "give at most one of config, secretRef"))
    return template
