"""``landform render``: what a blueprint makes of given imports, without any cluster or registry."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from landform.blueprints import definitions, exports, installationtemplates, items, programs, rules, values
from landform.blueprints.definitions import PROGRAMS, FlowType
from landform.blueprints.questions import Unanswered
from landform.blueprints.schemas import Schemas
from landform.blueprints.templating import rendering
from landform.blueprints.templating.rendering import Exported, Inputs
from landform.cli import printing, render_inputs

if TYPE_CHECKING:
    from landform.blueprints.values import Imports
    from landform.cli.render_inputs import Source

_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
_PARTS = {"imports": "imports", "subinstallations": "subinstallations", "items": "deployItems", "exports": "exports"}
"""What can be shown, and what it is called in the output."""


@click.command()
@click.argument("path", type=click.Path(path_type=Path, exists=True))
@click.option(
    "-f",
    "--imports",
    "import_files",
    type=_FILE,
    multiple=True,
    help="File with `imports:` and values by name below it. May be repeated; the last value counts.",
)
@click.option(
    "--set",
    "settings",
    metavar="NAME=VALUE",
    multiple=True,
    help="Value of one import, read as YAML. May be repeated; wins over files.",
)
@click.option(
    "--state",
    "state_file",
    type=_FILE,
    help="File with `state:`, what templates remember; the output of an earlier render is one.",
)
@click.option(
    "--component-descriptor",
    "descriptor_file",
    type=_FILE,
    help="File with the blueprint's component descriptor; further documents in it are those that it refers to.",
)
@click.option(
    "--export-data",
    "export_file",
    type=_FILE,
    help="File with `deployitems:`, `dataobjects:` and `targets:`, for the exports.",
)
@click.option(
    "--show",
    type=click.Choice([*_PARTS, "all"]),
    default="all",
    show_default=True,
    help="What to show; all has exports only with --export-data.",
)
@click.option(
    "-o", "--output", type=click.Choice(["yaml", "json"]), default="yaml", show_default=True, help="How to show it."
)
def render(
    path: Path,
    import_files: tuple[Path, ...],
    settings: tuple[str, ...],
    state_file: Path | None,
    descriptor_file: Path | None,
    export_file: Path | None,
    show: str,
    output: str,
) -> None:
    """Render the blueprint at PATH with given imports, and show what becomes of it.

    PATH is the folder of a blueprint, or a file with an Installation whose blueprint is inline. Nothing is deployed,
    and no cluster or registry is asked. What is wrong with the blueprint itself is listed on stderr.
    """
    source = render_inputs.source(path)
    shown = list(_PARTS) if show == "all" else [show]
    if show == "all" and export_file is None:
        shown.remove("exports")
    try:
        begun = _begin(source, render_inputs.imports(import_files, settings), state_file, descriptor_file)
        result = _Rendering(source, begun, export_file).parts(shown)
    except Unanswered as unanswered:
        raise click.ClickException(
            f"the blueprint needs the {unanswered.question}; render works offline and cannot find it out"
        ) from None
    printing.show_data(result, output)


@dataclass(frozen=True)
class _Begun:
    """A blueprint with its imports."""

    inputs: Inputs
    imports: Imports
    schemas: Schemas


def _begin(source: Source, given: dict[str, Any], state_file: Path | None, descriptor_file: Path | None) -> _Begun:
    """Read the blueprint, hold the imports against it and run its import executions."""
    blueprint = definitions.read(source.files)
    for fault in rules.validate(blueprint):
        click.echo(f"warning: {definitions.FILE}: {fault}", err=True)
    component = render_inputs.component(descriptor_file, source.spec)
    schemas = Schemas(blueprint.local_types, source.files, component)
    mappings = source.field("importDataMappings")
    imports = values.construct(blueprint, render_inputs.given(blueprint, given), mappings, schemas)
    if not mappings:  # which see whatever is given
        _warn_of_strangers(given, imports)
    inputs = Inputs(
        blueprint=blueprint,
        files=source.files,
        imports=imports.values,
        component=component,
        blueprint_definition=source.spec.get("blueprint"),
        component_definition=source.spec.get("componentDescriptor"),
        states=render_inputs.states(state_file),
    )
    for rendered in rendering.render_imports(inputs):
        inputs = inputs.with_bindings(rendered.bindings)
    return _Begun(inputs, replace(imports, values=inputs.imports), schemas)


def _warn_of_strangers(given: dict[str, Any], imports: Imports) -> None:
    for name in given:
        if name not in imports.values:
            click.echo(f"warning: {name} is given, but the blueprint does not import it", err=True)


class _Rendering:
    """Renders the parts that are asked for, in the order in which an Installation does."""

    def __init__(self, source: Source, begun: _Begun, export_file: Path | None) -> None:
        self._source = source
        self._begun = begun
        self._inputs = begun.inputs
        self._export_file = export_file
        self._states: dict[str, Any] = {}

    def parts(self, shown: list[str]) -> dict[str, Any]:
        """What is shown, under the name that it has in a blueprint; with the states that a next render would need."""
        makers = {
            "imports": lambda: self._begun.imports.values,
            "subinstallations": self._subinstallations,
            "items": self._items,
            "exports": self._exports,
        }
        result = {_PARTS[part]: makers[part]() for part in shown}
        return {**result, **({"state": self._states} if self._states else {})}

    def _subinstallations(self) -> list[Any]:
        rendered = rendering.render_subinstallations(self._inputs)
        self._keep(rendered.states)
        templates = installationtemplates.prepare(
            rendered.value, self._inputs.blueprint, self._inputs.files, self._begun.imports
        )
        return [_plain(template) for template in templates]

    def _items(self) -> list[Any]:
        inputs = self._inputs
        rendered = rendering.render_deploy_items(inputs)
        self._keep(rendered.states)
        definitions_ = {"blueprint": inputs.blueprint_definition, "component_descriptor": inputs.component_definition}
        of_programs = [
            programs.item(execution, inputs.imports, inputs.files, **definitions_)
            for execution in inputs.blueprint.deploy_executions
            if execution.type in PROGRAMS
        ]
        found = items.read([*rendered.value, *of_programs], self._begun.imports, self._source.namespace)
        return [_plain(item) for item in found]

    def _exports(self) -> dict[str, Any]:
        rendered = rendering.render_exports(self._inputs, render_inputs.exported(self._export_file, self._scope()))
        self._keep(rendered.states)
        return exports.declared(self._inputs.blueprint, rendered.value, self._begun.schemas)

    def _scope(self) -> Exported:
        """The own imports, as they stand in the inner scope."""
        entries = values.inner_scope(self._inputs.blueprint, self._begun.imports)
        data = {entry.definition.name: entry.value for entry in entries if entry.definition.type == FlowType.DATA}
        targets = {entry.definition.name: entry.value for entry in entries if entry.definition.type != FlowType.DATA}
        return Exported(dataobjects=data, targets=targets)

    def _keep(self, states: Any) -> None:
        self._states |= states
        self._inputs = self._inputs.with_states(states)


def _plain(value: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))
