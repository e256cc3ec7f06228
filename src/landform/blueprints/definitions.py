"""What a blueprint says: its imports, its exports and its executions.

>>> from landform.blueprints import files
>>> text = "imports: [{name: cluster, targetType: kubernetes-cluster}]"
>>> blueprint = read(files.from_inline({"blueprint.yaml": text}))
>>> str(blueprint.imports[0].type), blueprint.imports[0].target_type
('target', 'landscaper.gardener.cloud/kubernetes-cluster')
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from landform.api.names import DOMAIN
from landform.api.nodes import Node, Notes
from landform.api.structs import API_VERSION
from landform.blueprints import documents
from landform.blueprints.errors import DefinitionError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from landform.blueprints.documents import Document
    from landform.blueprints.files import BlueprintFiles

FILE: Final = "blueprint.yaml"
"""The file at the root of every blueprint."""

KIND: Final = "Blueprint"


class FlowType(enum.StrEnum):
    """What is imported or exported; exports are data or a target only."""

    DATA = "data"
    TARGET = "target"
    TARGET_LIST = "targetList"
    TARGET_MAP = "targetMap"


class ExecutionType(enum.StrEnum):
    """What an execution is: a template in one of two languages, or a program that becomes a deploy item."""

    GO_TEMPLATE = "GoTemplate"
    SPIFF = "Spiff"
    CONTAINER = "Container"
    SCRIPT = "Script"


PROGRAMS: Final = frozenset({ExecutionType.CONTAINER, ExecutionType.SCRIPT})
"""Types of deploy executions that are a program, with its settings written in place."""


@dataclass(frozen=True)
class ImportDefinition:
    """Something that the blueprint needs."""

    name: str

    type: str
    """See `FlowType`; empty if it is not given and does not follow from schema and targetType."""

    schema: Any = None
    """JSON schema of data; None if there is none."""

    target_type: str = ""
    """Type of the Targets, with its domain."""

    required: bool = True
    """Whether it is an error if there is no value."""

    default: Any = None
    """Value of an optional data import that is not given; None if there is none."""

    imports: tuple[ImportDefinition, ...] = ()
    """Imports that count only if this one has a value."""


@dataclass(frozen=True)
class ExportDefinition:
    """Something that the blueprint gives."""

    name: str

    type: str
    """``data`` or ``target``; empty if it is not given and does not follow from schema and targetType."""

    schema: Any = None
    """JSON schema of data; None if there is none."""

    target_type: str = ""
    """Type of the Target, with its domain."""


@dataclass(frozen=True)
class Execution:
    """A template that is rendered, or a program that becomes a deploy item."""

    name: str
    """Name; also the key of the template's state."""

    type: str
    """See `ExecutionType`."""

    file: str = ""
    """File of the blueprint with the template or script; `template` wins over it."""

    template: Any = None
    """The template in place: a text, or for Spiff also a structure. None if there is none."""

    settings: Mapping[str, Any] = field(default_factory=dict)
    """All other fields: of a program, its settings and those of its deploy item."""

    place: str = ""
    """Where it stands in the blueprint, such as ``deployExecutions[0]``."""


@dataclass(frozen=True)
class SubinstallationDefinition:
    """An InstallationTemplate, in a file or in place."""

    file: str = ""
    """File of the blueprint with the template; wins over `template`."""

    template: Mapping[str, Any] | None = None
    """The template in place, as it is written."""

    place: str = ""
    """Where it stands in the blueprint, such as ``subinstallations[0]``."""


@dataclass(frozen=True)
class Blueprint:
    """All that `blueprint.yaml` says."""

    annotations: Mapping[str, str] = field(default_factory=dict)
    local_types: Mapping[str, Any] = field(default_factory=dict)
    """JSON schemas by name, for ``local://`` references."""

    imports: tuple[ImportDefinition, ...] = ()
    import_executions: tuple[Execution, ...] = ()
    exports: tuple[ExportDefinition, ...] = ()
    subinstallations: tuple[SubinstallationDefinition, ...] = ()
    subinstallation_executions: tuple[Execution, ...] = ()
    deploy_executions: tuple[Execution, ...] = ()
    export_executions: tuple[Execution, ...] = ()
    unknown_fields: tuple[str, ...] = ()
    """Paths of fields that have no meaning; ignored, but worth a word when somebody checks the blueprint."""


def read(files: BlueprintFiles) -> Blueprint:
    """The blueprint of a folder; FileError or DefinitionError if its `blueprint.yaml` cannot be read.

    Only its shape is checked here, and types that are not given are inferred; `rules.validate` knows the rules.
    """
    document = documents.load(files, FILE)
    if not isinstance(document.value, dict):
        raise DefinitionError(FILE, "this must be a map with apiVersion, kind, imports and so on")
    notes = Notes()
    reader = _Reader()
    blueprint = reader.blueprint(Node(document.value, "", notes))
    _raise_faults(document, notes)
    return blueprint


def _raise_faults(document: Document, notes: Notes) -> None:
    if notes.faults:
        first, *others = (f"{document.place(fault.field)}: {fault}" for fault in notes.faults)
        place, _, problem = first.partition(": ")
        raise DefinitionError(place, "\n".join([problem, *others]))


class _Reader:
    """Reads the parts of a blueprint; a value of the wrong type is noted by its Node, an unknown field here."""

    def __init__(self) -> None:
        self._unknown: list[str] = []

    def blueprint(self, root: Node) -> Blueprint:
        self._check_header(root)
        known = ("apiVersion", "kind", "jsonSchemaVersion", "annotations", "localTypes", "imports", "exports")
        executions = ("importExecutions", "subinstallationExecutions", "deployExecutions", "exportExecutions")
        self._note_unknown(root, *known, "subinstallations", *executions)
        parts = {field: tuple(self._executions(root[field])) for field in executions}
        return Blueprint(
            annotations={key: value.text() for key, value in root["annotations"].entries()},
            local_types={key: value.value for key, value in root["localTypes"].entries()},
            imports=self._imports(root["imports"]),
            import_executions=parts["importExecutions"],
            exports=tuple(map(self._export, root["exports"].elements())),
            subinstallations=tuple(map(self._subinstallation, root["subinstallations"].elements())),
            subinstallation_executions=parts["subinstallationExecutions"],
            deploy_executions=parts["deployExecutions"],
            export_executions=parts["exportExecutions"],
            unknown_fields=tuple(self._unknown),
        )

    def _check_header(self, root: Node) -> None:
        for name, wanted in (("apiVersion", API_VERSION), ("kind", KIND)):
            if root[name].is_set and root[name].text() != wanted:
                root[name].invalid(f"must be {wanted}")

    def _imports(self, nodes: Node) -> tuple[ImportDefinition, ...]:
        return tuple(map(self._import, nodes.elements()))

    def _import(self, node: Node) -> ImportDefinition:
        self._note_unknown(node, "name", "type", "schema", "targetType", "required", "default", "imports")
        self._note_unknown(node["default"], "value")
        required = node["required"]
        return ImportDefinition(
            name=node["name"].text(),
            type=_flow_type(node),
            schema=_schema(node["schema"]),
            target_type=_target_type(node),
            required=required.value is None or _boolean(required),
            default=node["default"]["value"].value,
            imports=self._imports(node["imports"]),
        )

    def _export(self, node: Node) -> ExportDefinition:
        self._note_unknown(node, "name", "type", "schema", "targetType")
        schema = _schema(node["schema"])
        return ExportDefinition(node["name"].text(), _flow_type(node), schema, _target_type(node))

    def _executions(self, nodes: Node) -> Iterator[Execution]:
        for node in nodes.elements():
            settings = {key: value.value for key, value in node.entries() if key not in _EXECUTION_FIELDS}
            execution = Execution(
                name=node["name"].text(),
                type=node["type"].text(),
                file=node["file"].text(),
                template=node["template"].value,
                settings=settings,
                place=node.path,
            )
            if execution.type not in PROGRAMS:
                self._note_unknown(node, *_EXECUTION_FIELDS)
            yield execution

    def _subinstallation(self, node: Node) -> SubinstallationDefinition:
        template = {key: value.value for key, value in node.entries() if key != "file"}
        return SubinstallationDefinition(node["file"].text(), template or None, node.path)

    def _note_unknown(self, node: Node, *known: str) -> None:
        if isinstance(node.value, dict):
            prefix = f"{node.path}." if node.path else ""
            self._unknown.extend(f"{prefix}{key}" for key in node.value if key not in known)


_EXECUTION_FIELDS = ("name", "type", "file", "template")


def _flow_type(node: Node) -> str:
    given = node["type"].text()
    has_schema, has_target_type = node["schema"].value is not None, node["targetType"].is_set
    if given or has_schema == has_target_type:
        return given
    return FlowType.DATA if has_schema else FlowType.TARGET


def _target_type(node: Node) -> str:
    """The type of a Target with its domain, for every kind of import and export.

    The original leaves the domain out for maps, so that a short type never fits there.
    """
    name = node["targetType"].text()
    return name if not name or "/" in name else f"{DOMAIN}/{name}"


def _schema(node: Node) -> Any:
    if not isinstance(node.value, bool | dict | None):
        node.invalid("a JSON schema is a map")
    return node.value


def _boolean(node: Node) -> bool:
    if not isinstance(node.value, bool):
        node.invalid("must be true or false")
    return bool(node.value)


def all_imports(imports: tuple[ImportDefinition, ...]) -> Iterator[ImportDefinition]:
    """Imports and those that are conditional on them, each before what depends on it."""
    for definition in imports:
        yield definition
        yield from all_imports(definition.imports)
