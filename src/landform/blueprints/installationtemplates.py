"""InstallationTemplates: what the sub-installations of a blueprint are to be.

Those that executions rendered come first, those that stand in the blueprint itself after them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from landform.api import anyjson
from landform.api.anyjson import ABSENT, AnyJSON
from landform.api.installations import (
    NO_EXPORTS,
    NO_IMPORTS,
    InstallationExports,
    InstallationImports,
    Optimization,
)
from landform.api.structs import API_VERSION, OrDefault, Part, use_defaults
from landform.blueprints import documents, graph, templaterules
from landform.blueprints.decoding import NotDecodable, decode
from landform.blueprints.definitions import FlowType, all_imports
from landform.blueprints.errors import Fault, TemplateError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from landform.blueprints.definitions import Blueprint, SubinstallationDefinition
    from landform.blueprints.files import BlueprintFiles
    from landform.blueprints.values import Imports

KIND: Final = "InstallationTemplate"


class TemplateBlueprint(Part):
    """Where the sub-installation's blueprint comes from."""

    ref: str | None = None
    """A ``cd://`` URI of a blueprint resource, from the parent's component."""

    filesystem: AnyJSON = ABSENT
    """The blueprint's files, in place."""

    def __post_init__(self) -> None:
        anyjson.detach(self, "filesystem")


class InstallationTemplate(Part):
    """What one sub-installation is to be."""

    api_version: str | None = None
    kind: str | None = None

    name: str | None = None
    """Name, unique among the sub-installations of the blueprint."""

    blueprint: TemplateBlueprint | None = None

    imports: OrDefault[InstallationImports] = NO_IMPORTS
    """What it gets from the parent's inner scope."""

    import_data_mappings: dict[str, AnyJSON] | None = None
    exports: OrDefault[InstallationExports] = NO_EXPORTS
    """What it gives to the parent's inner scope."""

    export_data_mappings: dict[str, AnyJSON] | None = None
    optimization: Optimization | None = None

    def __post_init__(self) -> None:
        anyjson.detach(self, "import_data_mappings", "export_data_mappings")
        use_defaults(self, imports=NO_IMPORTS, exports=NO_EXPORTS)


def prepare(
    rendered: Sequence[Mapping[str, Any]], blueprint: Blueprint, files: BlueprintFiles, imports: Imports
) -> list[InstallationTemplate]:
    """All sub-installations of a blueprint: read, freed of imports that have no value, and checked.

    Raises TemplateError with all faults, FileError, DefinitionError, or GraphError for circles.
    """
    templates = [read(entry, f"subinstallations[{index}] of the executions") for index, entry in enumerate(rendered)]
    templates += [read(_static(definition, files), definition.place) for definition in blueprint.subinstallations]
    templates = [pruned(template, blueprint, imports) for template in templates]
    check(templates, blueprint, imports)
    return templates


def read(value: Any, place: str) -> InstallationTemplate:
    """One template as it is written; `place` is named if it is none."""
    try:
        template = decode(value, InstallationTemplate)
    except NotDecodable as exc:
        raise TemplateError(title(_name_in(value) or place), [exc.fault]) from None
    faults = [
        Fault(field, f"must be {wanted}")
        for field, given, wanted in (("apiVersion", template.api_version, API_VERSION), ("kind", template.kind, KIND))
        if given not in (None, "", wanted)
    ]
    if faults:
        raise TemplateError(title(template.name or place), faults)
    return template


def title(name: str) -> str:
    """How people are told of a template."""
    return f'sub-installation template "{name}"'


def _name_in(value: Any) -> str:
    name = value.get("name") if isinstance(value, dict) else None
    return name if isinstance(name, str) else ""


def _static(definition: SubinstallationDefinition, files: BlueprintFiles) -> Any:
    if definition.file:
        return documents.load(files, definition.file, wanted_by=definition.place).value
    return definition.template or {}


def pruned(template: InstallationTemplate, blueprint: Blueprint, imports: Imports) -> InstallationTemplate:
    """The template without imports of what the parent may import, but does not have.

    The original leaves Targets in, so that a sub-installation could never pass on an optional one.
    """
    unsatisfied = {
        definition.name: definition.type
        for definition in all_imports(blueprint.imports)
        if definition.name not in imports.values
    }
    data, targets = template.imports.data, template.imports.targets
    kept = InstallationImports(
        data=data and tuple(item for item in data if unsatisfied.get(item.data_ref or "") != FlowType.DATA),
        targets=targets
        and tuple(
            item
            for item in targets
            if unsatisfied.get(item.target or "") != FlowType.TARGET
            and unsatisfied.get(item.target_list_ref or "") != FlowType.TARGET_LIST
            and unsatisfied.get(item.target_map_ref or "") != FlowType.TARGET_MAP
        ),
    )
    return template if kept == template.imports else msgspec.structs.replace(template, imports=kept)


def check(templates: Sequence[InstallationTemplate], blueprint: Blueprint, imports: Imports) -> None:
    """TemplateError with all that breaks the rules, GraphError if the templates depend on each other in a circle."""
    faults = templaterules.faults(templates, blueprint, imports)
    if faults:
        raise TemplateError("the sub-installations of the blueprint are invalid", faults)
    graph.check(flows(templates))


def flows(templates: Sequence[InstallationTemplate]) -> Iterator[graph.Flow]:
    """What flows into and out of each template."""
    return (graph.flow(template.name or "", template.imports, template.exports) for template in templates)
