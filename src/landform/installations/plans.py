"""What a blueprint makes of an Installation's imports: children before they work, exports after. Pure."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from landform.api import anyjson
from landform.api.conditions import ConditionType
from landform.api.errors import ErrorCode, OperationFailed
from landform.blueprints import exports, installationtemplates, items, programs, values
from landform.blueprints.definitions import PROGRAMS
from landform.blueprints.errors import BlueprintError
from landform.blueprints.schemas import Schemas
from landform.blueprints.templating import rendering
from landform.blueprints.templating.rendering import Exported, Inputs
from landform.installations import states, writing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from landform.api.executions import DeployItemTemplate
    from landform.blueprints.definitions import Blueprint
    from landform.blueprints.installationtemplates import InstallationTemplate
    from landform.blueprints.values import Imports, ImportValue, ScopeEntry
    from landform.installations.snapshot import Snapshot
    from landform.installations.sources import Sources


class StepFailed(OperationFailed):
    """A step of the work failed; `condition` is the statement that is not true then."""

    def __init__(self, operation: str, reason: str, condition: ConditionType, error: BlueprintError) -> None:
        codes = [ErrorCode.FOR_INFO_ONLY] if condition == ConditionType.RECONCILE_EXECUTION else []
        super().__init__(operation, reason, str(error), codes=codes)
        self.condition = condition


@dataclass(frozen=True)
class Plan:
    """What is to be created."""

    scope: list[ScopeEntry]
    templates: list[InstallationTemplate]
    items: Sequence[DeployItemTemplate]
    states: Mapping[str, Any]
    """What executions want to remember."""


@dataclass(frozen=True)
class Blueprinting:
    """A blueprint with the imports of an Installation."""

    blueprint: Blueprint
    inputs: Inputs
    imports: Imports
    schemas: Schemas


def begin(
    snapshot: Snapshot, sources: Sources, given: Mapping[str, ImportValue], operations: tuple[str, str]
) -> Blueprinting:
    """Hold the imports against the blueprint and run its import executions."""
    constructing, rendering_imports = operations
    with _step(constructing, ConditionType.VALIDATE_IMPORTS):
        blueprint = sources.blueprint
        schemas = Schemas(blueprint.local_types, sources.files, sources.component, snapshot.known.answers)
        mappings = _mappings(snapshot.installation.spec.import_data_mappings)
        imports = values.construct(blueprint, given, mappings, schemas)
    inputs = Inputs(
        blueprint=blueprint,
        files=sources.files,
        imports=imports.values,
        component=sources.component,
        blueprint_definition=writing.plain(snapshot.installation.spec.blueprint),
        component_definition=sources.component_definition,
        states=states.read(snapshot, blueprint),
        answers=snapshot.known.answers,
        surroundings=snapshot.chance,
    )
    with _step(rendering_imports, ConditionType.VALIDATE_IMPORTS):
        for rendered in rendering.render_imports(inputs):
            inputs = inputs.with_bindings(rendered.bindings)
    return Blueprinting(blueprint, inputs, replace(imports, values=inputs.imports), schemas)


def plan(snapshot: Snapshot, begun: Blueprinting) -> Plan:
    """What the blueprint wants below the Installation."""
    blueprint, inputs, imports = begun.blueprint, begun.inputs, begun.imports
    with _step("CreateOrUpdateImports", ConditionType.CREATE_IMPORTS):
        scope = values.inner_scope(blueprint, imports)
    with _step("EnsureSubinstallations", ConditionType.ENSURE_SUB_INSTALLATIONS):
        rendered = rendering.render_subinstallations(inputs)
        templates = installationtemplates.prepare(rendered.value, blueprint, inputs.files, imports)
    inputs = inputs.with_states(rendered.states)
    with _step("ReconcileExecution", ConditionType.RECONCILE_EXECUTION):
        deployed = rendering.render_deploy_items(inputs)
        wanted = items.read([*deployed.value, *_programs(inputs)], imports, snapshot.namespace)
    return Plan(scope, templates, wanted, {**rendered.states, **deployed.states})


@dataclass(frozen=True)
class Exporting:
    """What is to be exported."""

    exports: exports.Exports
    states: Mapping[str, Any]


def export(snapshot: Snapshot, begun: Blueprinting, exported: Exported) -> Exporting:
    """What the blueprint exports."""
    with _step("ConstructExports", ConditionType.CREATE_EXPORTS):
        rendered = rendering.render_exports(begun.inputs, exported)
        spec = snapshot.installation.spec
        built = exports.construct(
            begun.blueprint, rendered.value, _mappings(spec.export_data_mappings), spec.exports, begun.schemas
        )
    return Exporting(built, rendered.states)


def _programs(inputs: Inputs) -> list[dict[str, Any]]:
    """The deploy items of executions that are programs."""
    return [
        programs.item(
            execution,
            inputs.imports,
            inputs.files,
            blueprint=inputs.blueprint_definition,
            component_descriptor=inputs.component_definition,
        )
        for execution in inputs.blueprint.deploy_executions
        if execution.type in PROGRAMS
    ]


def _mappings(raw: Mapping[str, anyjson.AnyJSON] | None) -> dict[str, Any]:
    return {name: anyjson.value(value) for name, value in (raw or {}).items()}


@contextmanager
def _step(operation: str, condition: ConditionType) -> Iterator[None]:
    try:
        yield
    except BlueprintError as error:
        raise StepFailed(operation, error.reason, condition, error) from None
