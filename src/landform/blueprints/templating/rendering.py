"""Rendering: from a blueprint and its inputs to bindings, sub-installations, deploy items and exports. Pure.

The four steps of an Installation, in their order::

    for rendered in render_imports(inputs):                    # what import executions add to the imports
        inputs = inputs.with_bindings(rendered.bindings)
    subinstallations = render_subinstallations(inputs)         # .value: raw InstallationTemplates, .states: to be kept
    inputs = inputs.with_states(subinstallations.states)
    items = render_deploy_items(inputs)                        # .value: raw deploy items, .states: to be kept
    exports = render_exports(inputs, Exported(...))            # .value: exports by name, .states: to be kept

Each raises Unanswered (landform.blueprints.questions) when a template asks for something that only I/O can tell: find
the answer, and call again with ``inputs.with_answer(question, answer)``. Everything else that goes wrong is a
TemplatingError. The same inputs give the same result, as far as templates do not ask for time or chance; those come
from ``inputs.surroundings``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from landform.blueprints.definitions import PROGRAMS, ExecutionType
from landform.blueprints.questions import Answers
from landform.blueprints.templating import bindings, gotemplates, outputs, spiffs, states
from landform.blueprints.templating.errors import ImportsRefused, TemplatingError
from landform.blueprints.templating.runs import Run
from landform.blueprints.templating.states import ExecutionKind
from landform.gotemplate import Surroundings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from landform.blueprints.definitions import Blueprint, Execution
    from landform.blueprints.files import BlueprintFiles
    from landform.blueprints.questions import Question
    from landform.blueprints.templating.outputs import Output
    from landform.components.versions import ComponentVersion

T = TypeVar("T")

_EXECUTORS = {ExecutionType.GO_TEMPLATE: gotemplates.run, ExecutionType.SPIFF: spiffs.run}


@dataclass(frozen=True)
class Inputs:
    """All that templates of a blueprint can see."""

    blueprint: Blueprint
    files: BlueprintFiles
    imports: Mapping[str, Any] = field(default_factory=dict)
    """Values by name of the import: data, a Target object, a list or a map of them."""
    component: ComponentVersion | None = None
    blueprint_definition: Any = None
    """The Installation's `spec.blueprint`."""
    component_definition: Any = None
    """The Installation's `spec.componentDescriptor`, after overwrites."""
    states: Mapping[str, Any] = field(default_factory=dict)
    """What earlier renderings left, by `states.key`."""
    answers: Answers = field(default_factory=Answers)
    surroundings: Surroundings = field(default_factory=Surroundings)
    """Time and chance for GoTemplates."""

    def with_bindings(self, bindings: Mapping[str, Any]) -> Inputs:
        """These inputs with values that replace imports of the same name and add others."""
        return replace(self, imports={**self.imports, **bindings})

    def with_states(self, changed: Mapping[str, Any]) -> Inputs:
        """These inputs with new states."""
        return replace(self, states={**self.states, **changed})

    def with_answer(self, question: Question, answer: Any) -> Inputs:
        """These inputs with one more answer; an answer that is an exception is raised when it is needed."""
        return replace(self, answers=self.answers.with_answer(question, answer))


@dataclass(frozen=True)
class Exported:
    """What export executions see besides the imports."""

    deployitems: Mapping[str, Any] = field(default_factory=dict)
    """Exports of the deploy items, by name of the item."""
    dataobjects: Mapping[str, Any] = field(default_factory=dict)
    """Data of the inner scope, by key."""
    targets: Mapping[str, Any] = field(default_factory=dict)
    """Targets of the inner scope, by key."""


@dataclass(frozen=True)
class Bindings:
    """What one import execution gave."""

    execution: str
    """Its name."""
    bindings: Mapping[str, Any]
    """Values by name: other ones for imports, or further ones for templates only."""


@dataclass(frozen=True)
class Rendered(Generic[T]):
    """What was rendered."""

    value: T
    states: Mapping[str, Any]
    """States that are new or other than before, by `states.key`; they have to be kept for the next time."""


def render_imports(inputs: Inputs) -> list[Bindings]:
    """What import executions add to the imports or put in their place, in the order in which it counts.

    Each execution sees what those before it gave. ImportsRefused if one of them finds the imports wrong.
    """
    rendered: list[Bindings] = []
    for execution in inputs.blueprint.import_executions:
        output = _output(ExecutionKind.IMPORT, execution, inputs, {})
        if output.errors:
            raise ImportsRefused(output.errors, execution=f'import execution "{execution.name}"')
        inputs = inputs.with_bindings(output.value)
        rendered.append(Bindings(execution.name, output.value))
    return rendered


def render_subinstallations(inputs: Inputs) -> Rendered[list[dict[str, Any]]]:
    """The InstallationTemplates that sub-installation executions give, as they are written."""
    return _lists(ExecutionKind.SUBINSTALLATION, inputs.blueprint.subinstallation_executions, inputs)


def render_deploy_items(inputs: Inputs) -> Rendered[list[dict[str, Any]]]:
    """The deploy items that the templates among the deploy executions give, as they are written.

    Executions that are programs (types Container and Script) have no template and are left out.
    """
    templates = [execution for execution in inputs.blueprint.deploy_executions if execution.type not in PROGRAMS]
    return _lists(ExecutionKind.DEPLOY, templates, inputs)


def render_exports(inputs: Inputs, exported: Exported) -> Rendered[dict[str, Any]]:
    """The values that export executions give; maps of the same name are merged, otherwise the later one wins."""
    more = bindings.export_bindings(exported.deployitems, exported.dataobjects, exported.targets)
    changed: dict[str, Any] = {}
    exports: dict[str, Any] = {}
    for output in _outputs(ExecutionKind.EXPORT, inputs.blueprint.export_executions, inputs, more, changed):
        exports = outputs.merged(exports, output.value)
    return Rendered(exports, changed)


def _lists(kind: ExecutionKind, executions: Iterable[Execution], inputs: Inputs) -> Rendered[list[dict[str, Any]]]:
    changed: dict[str, Any] = {}
    found = [entry for output in _outputs(kind, executions, inputs, {}, changed) for entry in output.value]
    return Rendered(found, changed)


def _outputs(
    kind: ExecutionKind,
    executions: Iterable[Execution],
    inputs: Inputs,
    more: Mapping[str, Any],
    changed: dict[str, Any],
) -> Iterator[Output]:
    """What the executions give, one after the other; notes new states in `changed`, where later ones find them."""
    for execution in executions:
        output = _output(kind, execution, inputs.with_states(changed), more)
        key = states.key(kind, execution.name)
        if key is not None and output.state is not None and output.state != inputs.states.get(key):
            changed[key] = output.state
        yield output


def _output(kind: ExecutionKind, execution: Execution, inputs: Inputs, more: Mapping[str, Any]) -> Output:
    key = states.key(kind, execution.name)
    run = Run(
        kind=kind,
        execution=execution,
        files=inputs.files,
        bindings={**_bindings(inputs), **more},
        component=inputs.component,
        state=inputs.states.get(key) if key is not None else None,
        answers=inputs.answers,
        surroundings=inputs.surroundings,
    )
    for kind_of_template, executor in _EXECUTORS.items():
        if execution.type == kind_of_template:
            return executor(run)
    known = " and ".join(_EXECUTORS)
    raise TemplatingError(f"unknown template type {execution.type!r}; known are {known}", execution=run.subject)


def _bindings(inputs: Inputs) -> dict[str, Any]:
    schema = bindings.schema(inputs.blueprint.annotations, inputs.component)
    return {
        "imports": inputs.imports,
        **bindings.component_bindings(inputs.component, schema),
        "blueprintDef": inputs.blueprint_definition,
        "blueprint": inputs.blueprint_definition,
        "componentDescriptorDef": inputs.component_definition,
    }
