"""Which requests the API takes, whatever the OpenAPI version they are written down in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from landform.cluster.interface import PatchType
from landform.embedded.kinds.library import META

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from landform.embedded.catalog import ResourceType, Subresource

_WRITE = {"dryRun": "string", "fieldManager": "string", "fieldValidation": "string"}
_PATCH = {**_WRITE, "force": "boolean"}
_DELETE = {
    "dryRun": "string",
    "gracePeriodSeconds": "integer",
    "orphanDependents": "boolean",
    "propagationPolicy": "string",
}
_LIST = {
    "allowWatchBookmarks": "boolean",
    "continue": "string",
    "fieldSelector": "string",
    "labelSelector": "string",
    "limit": "integer",
    "resourceVersion": "string",
    "resourceVersionMatch": "string",
    "sendInitialEvents": "boolean",
    "timeoutSeconds": "integer",
    "watch": "boolean",
}


@dataclass(frozen=True)
class Operation:
    """One request that may be made."""

    path: str
    method: str
    action: str
    """Kubernetes' verb for it: get, list, post, put, patch, delete, deletecollection."""

    id: str
    group: str
    version: str
    kind: str
    """The kind it is about."""

    answer: str
    """Definition of the answer."""

    body: str = ""
    """Definition of the request's body, if there is one."""

    consumes: tuple[str, ...] = ("*/*",)
    query: Mapping[str, str] | None = None
    """Query parameters and their types."""

    @property
    def path_parameters(self) -> list[str]:
        return [name for name in ("name", "namespace") if f"{{{name}}}" in self.path]


def prefix_of(group: str, version: str) -> str:
    """Where a group version is served."""
    return f"/apis/{group}/{version}" if group else f"/api/{version}"


def list_definition_of(type_: ResourceType) -> str:
    """Name of the definition of a type's list."""
    return type_.definition_name.rpartition(".")[0] + "." + type_.list_kind


def operations_of(type_: ResourceType) -> Iterator[Operation]:
    """Every request about a type."""
    prefix = prefix_of(type_.group, type_.version)
    scope = "/namespaces/{namespace}" if type_.namespaced else ""
    collection = f"{prefix}{scope}/{type_.plural}"
    if type_.namespaced and "list" in type_.verbs:
        yield _operation(type_, f"{prefix}/{type_.plural}", "list", suffix="ForAllNamespaces")
    for verb in ("list", "create", "deletecollection"):
        if verb in type_.verbs:
            yield _operation(type_, collection, verb)
    for verb in ("get", "update", "patch", "delete"):
        if verb in type_.verbs:
            yield _operation(type_, f"{collection}/{{name}}", verb)
    for subresource in type_.subresources:
        for verb in ("get", "create", "update", "patch"):
            if verb in subresource.verbs:
                path = f"{collection}/{{name}}/{subresource.name}"
                yield _operation(type_, path, verb, subresource=subresource)


def _operation(
    type_: ResourceType, path: str, verb: str, *, suffix: str = "", subresource: Subresource | None = None
) -> Operation:
    method, action, prefix, query = {
        "list": ("get", "list", "list", _LIST),
        "create": ("post", "post", "create", _WRITE),
        "deletecollection": ("delete", "deletecollection", "delete", {**_LIST, **_DELETE}),
        "get": ("get", "get", "read", {"resourceVersion": "string"}),
        "update": ("put", "put", "replace", _WRITE),
        "patch": ("patch", "patch", "patch", _PATCH),
        "delete": ("delete", "delete", "delete", _DELETE),
    }[verb]
    taken = subresource or type_
    # The API server speaks of a custom kind's scale as of the kind itself.
    spoken_of = type_ if type_.custom else taken
    scope = "Namespaced" if type_.namespaced and not suffix else ""
    if verb == "deletecollection":
        scope = "Collection" + scope
    end = suffix if subresource is None else subresource.name.capitalize()
    return Operation(
        path=path,
        method=method,
        action=action,
        id=f"{prefix}{_camel(type_.group)}{type_.version.capitalize()}{scope}{type_.kind}{end}",
        group=spoken_of.group,
        version=spoken_of.version,
        kind=spoken_of.kind,
        answer=_answer(type_, verb, taken.definition_name),
        body=_body(verb, taken.definition_name),
        consumes=_patch_types(type_) if verb == "patch" else ("*/*",),
        query=query,
    )


def _answer(type_: ResourceType, verb: str, definition: str) -> str:
    if verb == "list":
        return list_definition_of(type_)
    return META + "Status" if verb in ("delete", "deletecollection") else definition


def _body(verb: str, definition: str) -> str:
    bodies = {"create": definition, "update": definition, "patch": META + "Patch"}
    return bodies.get(verb, META + "DeleteOptions" if verb.startswith("delete") else "")


def _patch_types(type_: ResourceType) -> tuple[str, ...]:
    """The patches a type takes; strategic ones only built-in kinds, whose merge keys are known."""
    return tuple(sorted(patch.value for patch in PatchType if not (type_.custom and patch is PatchType.STRATEGIC)))


def _camel(group: str) -> str:
    return "".join(part.capitalize() for part in group.removesuffix(".k8s.io").split(".")) if group else "Core"
