"""The children of an Installation as its blueprint wants them: sub-Installations and one Execution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from landform.api import anyjson, executions, scopes
from landform.api.errors import OperationFailed
from landform.api.installations import (
    BlueprintDefinition,
    ComponentDescriptorDefinition,
    ComponentDescriptorReference,
    InlineBlueprint,
    InstallationSpec,
    RemoteBlueprintReference,
    SubInstallationCache,
    SubInstallationName,
)
from landform.api.names import TRUE, Annotation, Finalizer, Label
from landform.api.references import ObjectReference
from landform.cluster.kinds import EXECUTIONS, INSTALLATIONS
from landform.components import uris
from landform.components.children import child_of
from landform.components.errors import ComponentError
from landform.installations import relations, writing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from landform.api.executions import DeployItemTemplate
    from landform.api.installations import Installation
    from landform.blueprints.installationtemplates import InstallationTemplate
    from landform.components.children import Child
    from landform.installations.snapshot import Snapshot
    from landform.installations.sources import Sources
    from landform.runtime.intents import Intent

_BASE_LENGTH: Final = 52
"""So many characters of a template's name begin the name of its Installation; more would leave no room."""


@dataclass(frozen=True)
class Changes:
    """What must be done about the children, and what the status says of them."""

    intents: list[Intent]
    cache: SubInstallationCache | None
    execution_ref: ObjectReference | None
    has_orphans: bool
    """Whether something must be gone before the others may start."""


def arrange(
    snapshot: Snapshot,
    sources: Sources,
    templates: Sequence[InstallationTemplate],
    items: Sequence[DeployItemTemplate],
) -> Changes:
    """Create, change and delete children until they are as wanted.

    A child that is being deleted though it is wanted is an orphan too: when it is gone, the next look creates it anew.
    """
    existing = {relations.template_name(child): child for child in snapshot.children}
    names = {template.name or "" for template in templates}
    orphans = [child for child in snapshot.children if _is_orphan(child, names)]
    intents: list[Intent] = []
    active = []
    for template in templates:
        name = template.name or ""
        child = existing.get(name)
        active.append(SubInstallationName(spec_name=name, object_name=_object_name(snapshot, name, child)))
        if child not in orphans:
            intents.extend(_ensure(snapshot, sources, template, child))
    intents.extend(_discard(orphan) for orphan in orphans)
    intents.extend(_arrange_execution(snapshot, items))
    orphaned = tuple(orphan.metadata.name or "" for orphan in orphans)
    cache = SubInstallationCache(active_subs=tuple(active) or None, orphaned_subs=orphaned or None)
    return Changes(
        intents=intents,
        cache=cache if active or orphaned else None,
        execution_ref=ObjectReference(name=snapshot.name, namespace=snapshot.namespace) if items else None,
        has_orphans=bool(orphans) or _execution_must_go(snapshot, items),
    )


def _is_orphan(child: Installation, wanted: set[str]) -> bool:
    return child.metadata.deletion_timestamp is not None or relations.template_name(child) not in wanted


def _discard(orphan: Installation) -> Intent:
    """Delete an orphan, though siblings may import from it: they will not, or the blueprint is wrong."""
    annotations = {str(Annotation.DELETE_IGNORE_SUCCESSORS): TRUE}
    if orphan.metadata.deletion_timestamp is not None:
        return writing.annotate(INSTALLATIONS, orphan, Annotation.DELETE_IGNORE_SUCCESSORS, TRUE)
    return writing.Discard(INSTALLATIONS, orphan, annotations)


def _object_name(snapshot: Snapshot, template: str, child: Installation | None) -> str:
    if child is not None:
        return child.metadata.name or ""
    return scopes.child_name(snapshot.uid, template[:_BASE_LENGTH].rstrip("-"), template)


def _ensure(
    snapshot: Snapshot, sources: Sources, template: InstallationTemplate, child: Installation | None
) -> list[Intent]:
    name = template.name or ""
    metadata = {
        "name": _object_name(snapshot, name, child),
        "namespace": snapshot.namespace,
        "labels": {str(Label.ENCOMPASSED_BY): snapshot.name},
        "annotations": {str(Annotation.SUBINSTALLATION_NAME): name, **_passed_on(snapshot)},
        "finalizers": [str(Finalizer.LANDSCAPER)],
        "ownerReferences": [writing.owner_reference(snapshot.installation, controller=True)],
    }
    spec = writing.plain(_spec(snapshot, sources, template))
    return writing.ensure(INSTALLATIONS, child, {"metadata": metadata, "spec": spec})


def _passed_on(snapshot: Snapshot) -> dict[str, str | None]:
    """Annotations that children have if, and only if, their parent has them."""
    return {str(Annotation.CACHE_HELM_CHARTS): snapshot.annotations.get(Annotation.CACHE_HELM_CHARTS)}


def _spec(snapshot: Snapshot, sources: Sources, template: InstallationTemplate) -> InstallationSpec:
    blueprint, component = _made_from(sources, template)
    return InstallationSpec(
        context=snapshot.installation.spec.context,
        component_descriptor=component,
        blueprint=blueprint,
        imports=template.imports,
        import_data_mappings=template.import_data_mappings,
        exports=template.exports,
        export_data_mappings=template.export_data_mappings,
        optimization=template.optimization,
    )


def _made_from(
    sources: Sources, template: InstallationTemplate
) -> tuple[BlueprintDefinition, ComponentDescriptorDefinition | None]:
    """Blueprint and component of a sub-Installation; without a component if its parent has none."""
    given = template.blueprint
    if given is None or not given.ref:
        inline = InlineBlueprint(filesystem=given.filesystem if given else anyjson.of({}))
        return BlueprintDefinition(inline=inline), _definition(sources.component_definition)
    try:
        uri = uris.parse(given.ref)
        if uri.resource is None:
            raise ComponentError(f"the URI {given.ref!r} leads to no resource")
        reference = BlueprintDefinition(ref=RemoteBlueprintReference(resource_name=uri.resource))
        if not uri.references or sources.component is None:
            return reference, _definition(sources.component_definition)
        is_inline = "inline" in (sources.component_definition or {})
        return reference, _of(child_of(sources.component, given.ref, parent_is_inline=is_inline))
    except ComponentError as error:
        message = f'the blueprint of sub-installation "{template.name}" cannot be found'
        raise OperationFailed("EnsureSubinstallations", "ResolveBlueprint", message, cause=error) from error


def _definition(plain: Mapping[str, Any] | None) -> ComponentDescriptorDefinition | None:
    if not plain:
        return None
    reference = plain.get("ref")
    return ComponentDescriptorDefinition(
        ref=_reference(reference) if reference else None, inline=anyjson.of(plain.get("inline"))
    )


def _reference(plain: Mapping[str, Any]) -> ComponentDescriptorReference:
    return ComponentDescriptorReference(
        repository_context=anyjson.of(plain.get("repositoryContext")),
        component_name=plain["componentName"],
        version=plain["version"],
    )


def _of(child: Child) -> ComponentDescriptorDefinition:
    """The component of a child: written out if its parent carries the descriptor in itself."""
    if child.reference is None:
        return ComponentDescriptorDefinition(inline=anyjson.of(child.inline))
    context = child.reference.repository_context
    plain = {
        "componentName": child.reference.name,
        "version": child.reference.version,
        "repositoryContext": dict(context) if context else None,
    }
    return ComponentDescriptorDefinition(ref=_reference(plain))


def _arrange_execution(snapshot: Snapshot, items: Sequence[DeployItemTemplate]) -> list[Intent]:
    if _execution_must_go(snapshot, items):
        execution = snapshot.own_execution
        if execution is None or execution.metadata.deletion_timestamp is not None:
            return []
        return [writing.Discard(EXECUTIONS, execution, {})]
    if not items:
        return []
    if snapshot.execution is not None and snapshot.own_execution is None:
        message = f"there is an Execution {snapshot.name} that does not belong to this Installation; delete it first"
        raise OperationFailed("ReconcileExecution", "CreateOrUpdateExecution", message)
    metadata = {
        "name": snapshot.name,
        "namespace": snapshot.namespace,
        "annotations": _passed_on(snapshot),
        "finalizers": [str(Finalizer.LANDSCAPER)],
        "ownerReferences": [writing.owner_reference(snapshot.installation, controller=True)],
    }
    spec = {"context": snapshot.installation.spec.context, "deployItemsCompressed": executions.compress(items)}
    return writing.ensure(EXECUTIONS, snapshot.own_execution, {"metadata": metadata, "spec": spec})


def _execution_must_go(snapshot: Snapshot, items: Sequence[DeployItemTemplate]) -> bool:
    execution = snapshot.own_execution
    return execution is not None and (not items or execution.metadata.deletion_timestamp is not None)
