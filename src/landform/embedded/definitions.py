"""What a CustomResourceDefinition defines: its resource types, its defaults and its status. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from landform.embedded.catalog import Column, ResourceType, Subresource
from landform.embedded.kinds.library import META, describe, library
from landform.embedded.schemas import nodes
from landform.kit.clocks import rfc3339

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from landform.cluster.resources import Unstructured

CUSTOM_VERBS = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")
"""In the order in which the API server lists them for custom resources."""

_VERSION = re.compile(r"v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?")
_STABILITY = {"alpha": 1, "beta": 2, None: 3}


def version_order(version: str) -> tuple[int, int, int, str]:
    """Sorts versions as Kubernetes prefers them: v2, v1, v1beta2, v1beta1, v1alpha1, then other names by alphabet."""
    match = _VERSION.fullmatch(version)
    if match is None:
        return (0, 0, 0, version)
    major, stability, minor = match.groups()
    return (-_STABILITY[stability], -int(major), -int(minor or 0), version)


def defaulted(crd: Unstructured) -> Unstructured:
    """The definition with what its author may leave out: singular, listKind, conversion."""
    spec = dict(crd.get("spec") or {})
    names = dict(spec.get("names") or {})
    if kind := names.get("kind"):
        names["singular"] = names.get("singular") or kind.lower()
        names["listKind"] = names.get("listKind") or f"{kind}List"
    spec["names"] = names
    spec["conversion"] = spec.get("conversion") or {"strategy": "None"}
    return {**crd, "spec": spec}


def types_of(crd: Unstructured) -> list[ResourceType]:
    """The types that the definition serves, preferred version first, under the names it was granted.

    The definition is taken to be valid and defaulted.
    """
    spec = crd["spec"]
    accepted = (crd.get("status") or {}).get("acceptedNames") or {}
    names = accepted if accepted.get("plural") and accepted.get("kind") else spec["names"]
    stored = next((version["name"] for version in spec["versions"] if version.get("storage")), "")
    served = [version for version in spec["versions"] if version.get("served")]
    # Kubernetes' preferred version comes first: the catalog takes the first added for the preferred one.
    served.sort(key=lambda version: version_order(version["name"]))
    return [_type_of(spec, names, version, stored) for version in served]


def _type_of(spec: Unstructured, names: Unstructured, version: Unstructured, stored: str) -> ResourceType:
    group, kind, name = spec["group"], names["kind"], version["name"]
    openapi = _openapi_of(version, group, kind)
    subresources = version.get("subresources") or {}
    definition_name = f"{'.'.join(reversed(group.split('.')))}.{name}.{kind}"
    return ResourceType(
        group=group,
        version=name,
        kind=kind,
        plural=names["plural"],
        singular=names.get("singular") or kind.lower(),
        namespaced=spec["scope"] == "Namespaced",
        list_kind=names.get("listKind") or f"{kind}List",
        short_names=tuple(names.get("shortNames") or ()),
        categories=tuple(names.get("categories") or ()),
        schema=nodes.parse(_checked_schema(version), library()),
        openapi=openapi,
        definition_name=definition_name,
        columns=_columns_of(version),
        status="status" in subresources,
        scale=subresources.get("scale"),
        subresources=_subresources_of(subresources, group, name, kind, definition_name),
        custom=True,
        deprecation=_deprecation_of(version, group, kind),
        verbs=CUSTOM_VERBS,
        stored_version=stored or name,
        selectable_fields=_selectable_fields(version),
    )


def _schema_of(version: Unstructured) -> Unstructured:
    """The schema as its author wrote it."""
    schema = (version.get("schema") or {}).get("openAPIV3Schema")
    return dict(schema) if schema else {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def _checked_schema(version: Unstructured) -> Unstructured:
    """The schema that objects are held against: with apiVersion, kind and all of metadata known."""
    schema = _schema_of(version)
    properties = dict(schema.get("properties") or {})
    # An author may restrict metadata.name; the rest of metadata is as for every kind.
    metadata = {key: value for key, value in (properties.get("metadata") or {}).items() if key != "allOf"}
    properties["apiVersion"] = {"type": "string"}
    properties["kind"] = {"type": "string"}
    properties["metadata"] = {**metadata, "allOf": [{"$ref": f"#/components/schemas/{META}ObjectMeta"}]}
    return {**schema, "properties": properties}


def _openapi_of(version: Unstructured, group: str, kind: str) -> Unstructured:
    """The schema that documents show."""
    schema = _schema_of(version)
    described = library()["io.k8s.api.core.v1.ConfigMap"]["properties"]
    schema["properties"] = dict(schema.get("properties") or {}) | {
        "apiVersion": described["apiVersion"],
        "kind": described["kind"],
        "metadata": described["metadata"],
    }
    schema["x-kubernetes-group-version-kind"] = [{"group": group, "kind": kind, "version": version["name"]}]
    if selectable := _selectable_fields(version):
        schema["x-kubernetes-selectable-fields"] = [{"fieldPath": path} for path in selectable]
    return schema


def _selectable_fields(version: Unstructured) -> tuple[str, ...]:
    return tuple(field["jsonPath"].removeprefix(".") for field in version.get("selectableFields") or ())


def _columns_of(version: Unstructured) -> tuple[Column, ...]:
    columns = tuple(
        Column(
            name=column["name"],
            type=column["type"],
            path=column["jsonPath"],
            format=column.get("format", ""),
            description=column.get("description", ""),
            priority=column.get("priority", 0),
        )
        for column in version.get("additionalPrinterColumns") or ()
    )
    return columns or (_age(),)


def _age() -> Column:
    """What ``kubectl get`` shows of a custom resource whose definition names no columns."""
    description = describe(META + "ObjectMeta", "creationTimestamp")
    return Column("Age", "date", ".metadata.creationTimestamp", description=description)


def _subresources_of(
    declared: Unstructured, group: str, version: str, kind: str, definition_name: str
) -> tuple[Subresource, ...]:
    verbs = ("get", "patch", "update")
    found = []
    if "status" in declared:
        found.append(Subresource("status", group, version, kind, verbs, definition_name))
    if "scale" in declared:
        found.append(Subresource("scale", "autoscaling", "v1", "Scale", verbs, "io.k8s.api.autoscaling.v1.Scale"))
    return tuple(found)


def _deprecation_of(version: Unstructured, group: str, kind: str) -> str:
    if not version.get("deprecated"):
        return ""
    return version.get("deprecationWarning") or f"{group}/{version['name']} {kind} is deprecated"


def established(crd: Unstructured, now: datetime, *, others: Iterable[ResourceType] = ()) -> Unstructured:
    """The status of a definition: the names it gets, whether it is served, the versions ever stored.

    `others` are all served types; those of the definition itself may be among them. What is in use by another resource
    of the group is not granted, and the definition keeps the names it had before.
    """
    status = dict(crd.get("status") or {})
    granted, conflict = _grant_names(crd["spec"], status.get("acceptedNames") or {}, others)
    conditions = [dict(condition) for condition in status.get("conditions") or ()]
    if conflict is None:
        _set_condition(conditions, now, "NamesAccepted", "True", "NoConflicts", "no conflicts found")
        message = "the initial names have been accepted"
        _set_condition(conditions, now, "Established", "True", "InitialNamesAccepted", message)
    else:
        reason, message = conflict
        _set_condition(conditions, now, "NamesAccepted", "False", reason, message)
        # Whoever was served once stays served under the old names.
        if not any(condition["type"] == "Established" for condition in conditions):
            _set_condition(conditions, now, "Established", "False", "NotAccepted", "not all names are accepted")
    stored = list(status.get("storedVersions") or ())
    stored += [v["name"] for v in crd["spec"]["versions"] if v.get("storage") and v["name"] not in stored]
    return {**status, "acceptedNames": granted, "conditions": conditions, "storedVersions": stored}


def is_established(crd: Unstructured) -> bool:
    """Whether the definition's resources are served."""
    conditions = (crd.get("status") or {}).get("conditions") or ()
    return any(c.get("type") == "Established" and c.get("status") == "True" for c in conditions)


def _grant_names(
    spec: Unstructured, accepted: Mapping[str, Any], others: Iterable[ResourceType]
) -> tuple[Unstructured, tuple[str, str] | None]:
    """The names granted, and the reason and message of the last conflict."""
    resources, kinds = _names_in_use(spec["group"], spec["names"]["plural"], others)
    wanted = spec["names"]
    granted = dict(accepted)
    conflict: tuple[str, str] | None = None
    for field, in_use in (
        ("plural", resources),
        ("singular", resources),
        ("shortNames", resources),
        ("kind", kinds),
        ("listKind", kinds),
    ):
        taken = [name for name in _as_list(wanted.get(field)) if name in in_use]
        taken = [name for name in taken if name not in _as_list(accepted.get(field))]
        if taken:
            conflict = (f"{field[0].upper()}{field[1:]}Conflict", _in_use(taken))
        elif wanted.get(field):
            granted[field] = wanted[field]
        else:
            granted.pop(field, None)
    granted.pop("categories", None)
    if wanted.get("categories"):
        granted["categories"] = wanted["categories"]
    # The API server always writes these two, even while nothing is granted.
    return {"plural": "", "kind": "", **granted}, conflict


def _names_in_use(group: str, plural: str, others: Iterable[ResourceType]) -> tuple[set[str], set[str]]:
    """The resource names and the kinds that other resources of the group have."""
    resources: set[str] = set()
    kinds: set[str] = set()
    for other in others:
        if other.group == group and not (other.custom and other.plural == plural):
            resources |= {other.plural, other.singular, *other.short_names}
            kinds |= {other.kind, other.list_kind}
    return resources, kinds


def _in_use(names: list[str]) -> str:
    sentences = [f'"{name}" is already in use' for name in names]
    return sentences[0] if len(sentences) == 1 else f"[{', '.join(sentences)}]"


def _as_list(value: Any) -> list[str]:
    return value if isinstance(value, list) else [value] if value else []


def _set_condition(
    conditions: list[Unstructured], now: datetime, type_: str, status: str, reason: str, message: str
) -> None:
    """Replace the condition in its place; the time is that of the last change of its status."""
    fresh = {"lastTransitionTime": rfc3339(now), "message": message, "reason": reason, "status": status, "type": type_}
    for index, known in enumerate(conditions):
        if known["type"] == type_:
            if known["status"] == status:
                fresh["lastTransitionTime"] = known.get("lastTransitionTime", fresh["lastTransitionTime"])
            conditions[index] = fresh
            return
    conditions.append(fresh)
