"""Import values: from what an Installation is given to what its blueprint sees, and what goes into its inner scope."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from landform.api import scopes
from landform.blueprints import mappings
from landform.blueprints.definitions import FlowType
from landform.blueprints.errors import BlueprintError, Fault, ImportNotFound, InvalidDefault, InvalidValue, SchemaError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from landform.blueprints.definitions import Blueprint, ImportDefinition
    from landform.blueprints.schemas import Schemas

TARGETS = frozenset({FlowType.TARGET, FlowType.TARGET_LIST, FlowType.TARGET_MAP})
"""The types of imports whose values are Targets."""


@dataclass(frozen=True)
class ImportValue:
    """What an Installation is given under the name of one of its imports."""

    type: FlowType

    value: Any
    """Data; or whole Targets as JSON: one, a list of them, or a map of them."""

    source: str = ""
    """Where it comes from, for messages, such as ``DataObject db-url``."""


@dataclass(frozen=True)
class Imports:
    """The values of a blueprint's imports."""

    values: Mapping[str, Any] = field(default_factory=dict)
    """By name, as templates see them; imports without a value are not in it."""

    sources: Mapping[str, str] = field(default_factory=dict)
    """By name, where each value comes from, for people."""

    targets: Mapping[str, ImportValue] = field(default_factory=dict)
    """The imported Targets by name of the import; deploy items refer to these, whatever templates make of `values`."""


@dataclass(frozen=True)
class ScopeEntry:
    """One object of the inner scope: a value of a data import, a Target, or one of several."""

    definition: ImportDefinition
    value: Any
    index: int | None = None
    """Position in a list of Targets."""

    key: str | None = None
    """Key in a map of Targets."""

    @property
    def name(self) -> str:
        """What it is called in the scope: the import's name, for elements with their position or key."""
        element = self.index if self.index is not None else self.key
        return self.definition.name if element is None else scopes.element_name(self.definition.name, element)


def construct(
    blueprint: Blueprint,
    given: Mapping[str, ImportValue],
    import_mappings: Mapping[str, Any],
    schemas: Schemas,
) -> Imports:
    """The values of all imports that are active. A mapping comes first, then what is given, then a default.

    Raises ImportNotFound with all that is missing, InvalidValue, MappingError or SchemaError.
    """
    construction = _Construction(given, import_mappings, schemas)
    construction.add(blueprint.imports)
    construction.check_missing()
    return Imports(construction.values, construction.sources, construction.targets)


def active_imports(imports: Iterable[ImportDefinition], values: Mapping[str, Any]) -> Iterator[ImportDefinition]:
    """The imports that count: conditional ones only if what they are conditional on is data with a value."""
    for definition in imports:
        yield definition
        if definition.type == FlowType.DATA and definition.name in values:
            yield from active_imports(definition.imports, values)


def inner_scope(blueprint: Blueprint, imports: Imports) -> list[ScopeEntry]:
    """What sub-installations find in the Installation's inner scope."""
    entries: list[ScopeEntry] = []
    for definition in active_imports(blueprint.imports, imports.values):
        if definition.name in imports.values:
            entries.extend(_entries(definition, imports.values[definition.name]))
        elif definition.required:
            raise ImportNotFound(f'import "{definition.name}" has no value')
    return entries


def _entries(definition: ImportDefinition, value: Any) -> Iterator[ScopeEntry]:
    if definition.type not in TARGETS:
        yield ScopeEntry(definition, value)
        return
    # An import execution may have put anything in the place of the Targets.
    for place, target in _elements(definition, value):
        index = place if isinstance(place, int) else None
        yield ScopeEntry(definition, target, index, place if isinstance(place, str) else None)


class _Construction:
    """Values on their way."""

    def __init__(self, given: Mapping[str, ImportValue], import_mappings: Mapping[str, Any], schemas: Schemas) -> None:
        self.values: dict[str, Any] = {}
        self.sources: dict[str, str] = {}
        self.targets: dict[str, ImportValue] = {}
        self._given = given
        self._mappings = import_mappings
        self._schemas = schemas
        self._missing: list[str] = []

    def add(self, definitions: Iterable[ImportDefinition]) -> None:
        for definition in definitions:
            match definition.type:
                case FlowType.DATA:
                    self._add_data(definition)
                case FlowType.TARGET | FlowType.TARGET_LIST | FlowType.TARGET_MAP:
                    self._add_targets(definition)
                case unknown:
                    raise BlueprintError(f'import "{definition.name}" has the unknown import type {unknown!r}')

    def check_missing(self) -> None:
        if self._missing:
            raise ImportNotFound("\n".join(self._missing))

    def _add_data(self, definition: ImportDefinition) -> None:
        found = self._data(definition)
        if found is None:
            if definition.required:
                self._note_missing(definition, "dataRef, secretRef or configMapRef, or an entry in importDataMappings")
            return
        value, source = found
        self._check_schema(definition, value, source)
        self.values[definition.name] = value
        self.sources[definition.name] = source
        self.add(definition.imports)

    def _data(self, definition: ImportDefinition) -> tuple[Any, str] | None:
        name = definition.name
        if name in self._mappings:
            values = {key: given.value for key, given in self._given.items()}
            title = f'import data mapping "{name}"'
            return mappings.evaluate(self._mappings[name], values, title), title
        given = self._given.get(name)
        if given is not None and given.type == FlowType.DATA:
            return given.value, given.source or f'import "{name}"'
        if not definition.required and definition.default is not None:
            return definition.default, _DEFAULT
        return None

    def _check_schema(self, definition: ImportDefinition, value: Any, source: str) -> None:
        title = f'import "{definition.name}"'
        if definition.schema is None:
            raise SchemaError(f"{title} has no JSON schema")
        try:
            faults = self._schemas.faults(definition.schema, value)
        except SchemaError as exc:
            raise SchemaError(f"{title}: {exc}") from exc
        if faults and source == _DEFAULT:
            raise InvalidDefault(f"the default of {title} does not fit its schema", faults)
        if faults:
            raise InvalidValue(f"the value of {title} ({source}) does not fit its schema", faults)

    def _add_targets(self, definition: ImportDefinition) -> None:
        given = self._given.get(definition.name)
        if given is None or given.type != definition.type:
            if definition.required:
                self._note_missing(definition, _WAYS[definition.type])
            return
        faults = list(_target_faults(definition, given.value))
        if faults:
            raise InvalidValue(f'import "{definition.name}" wants Targets of type {definition.target_type}', faults)
        self.values[definition.name] = given.value
        self.targets[definition.name] = given
        self.sources[definition.name] = given.source or f'import "{definition.name}"'

    def _note_missing(self, definition: ImportDefinition, ways: str) -> None:
        given = self._given.get(definition.name)
        instead = f"; under its name the Installation imports a {given.type}" if given else f"; give it by {ways}"
        self._missing.append(f'import "{definition.name}" ({definition.type}) is required but has no value{instead}')


_DEFAULT = "default of the blueprint"
_WAYS: Mapping[str, str] = {
    FlowType.TARGET: "target",
    FlowType.TARGET_LIST: "targets or targetListRef",
    FlowType.TARGET_MAP: "targetMap or targetMapRef",
}


def _target_faults(definition: ImportDefinition, value: Any) -> Iterator[Fault]:
    for place, target in _elements(definition, value):
        actual = target["spec"].get("type")
        if actual != definition.target_type:
            name = target.get("metadata", {}).get("name", "")
            yield Fault("" if place is None else f"[{place}]", f"Target {name} is of type {actual}")


def _elements(definition: ImportDefinition, value: Any) -> Iterator[tuple[int | str | None, Any]]:
    """Every Target of a value, with its position or key; InvalidValue if the value is none of its type."""
    match definition.type, value:
        case FlowType.TARGET, Mapping():
            elements: list[tuple[int | str | None, Any]] = [(None, value)]
        case FlowType.TARGET_LIST, list() | tuple():
            elements = list(enumerate(value))
        case FlowType.TARGET_MAP, Mapping():
            elements = list(value.items())
        case _:
            raise InvalidValue(f'import "{definition.name}"', [Fault("", f"the value is not a {definition.type}")])
    for place, target in elements:
        if not isinstance(target, Mapping) or not isinstance(target.get("spec"), Mapping):
            where = "" if place is None else f"[{place}]"
            raise InvalidValue(f'import "{definition.name}"', [Fault(where, "this is not a Target: it has no spec")])
    return iter(elements)
