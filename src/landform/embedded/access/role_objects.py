"""Roles and bindings as objects: what is filled in before they are stored, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.cluster.errors import Cause
from landform.embedded.access.bodies import invalid, invalid_value, required_value, unsupported_value
from landform.embedded.access.rbac import GROUP

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from landform.cluster.resources import Unstructured

KINDS = ("Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding")
"""The kinds that this module knows."""

_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")


def with_defaults(obj: Unstructured) -> Unstructured:
    """The object with the API groups of a binding's role and subjects filled in; roles have no defaults."""
    if obj.get("kind") not in ("RoleBinding", "ClusterRoleBinding"):
        return obj
    role_ref = obj.get("roleRef") or {}
    filled = {**obj, "roleRef": {**role_ref, "apiGroup": role_ref.get("apiGroup") or GROUP}}
    if obj.get("subjects"):
        filled["subjects"] = [_with_group(subject) for subject in obj["subjects"]]
    return filled


def check(obj: Unstructured, *, old: Unstructured | None = None) -> None:
    """Invalid, with all faults in the API server's words, if the role or binding (with defaults) has any."""
    kind = obj["kind"]
    if kind in ("Role", "ClusterRole"):
        faults = [*_role_faults(obj, namespaced=kind == "Role"), *_aggregation_faults(obj)]
    else:
        faults = [*_binding_faults(obj, namespaced=kind == "RoleBinding"), *_change_faults(obj, old)]
    if faults:
        raise invalid(GROUP, kind, obj["metadata"].get("name", ""), faults)


def _with_group(subject: Mapping[str, Any]) -> dict[str, Any]:
    if subject.get("kind") in ("User", "Group") and not subject.get("apiGroup"):
        return {**subject, "apiGroup": GROUP}
    return dict(subject)


def _role_faults(role: Unstructured, *, namespaced: bool) -> Iterator[Cause]:
    for index, rule in enumerate(role.get("rules") or ()):
        path = f"rules[{index}]"
        if not rule.get("verbs"):
            yield required_value(f"{path}.verbs", "verbs must contain at least one value")
        if rule.get("nonResourceURLs"):
            yield from _path_rule_faults(rule, path, namespaced=namespaced)
            continue
        if not rule.get("apiGroups"):
            yield required_value(f"{path}.apiGroups", "resource rules must supply at least one api group")
        if not rule.get("resources"):
            yield required_value(f"{path}.resources", "resource rules must supply at least one resource")


def _path_rule_faults(rule: Mapping[str, Any], path: str, *, namespaced: bool) -> Iterator[Cause]:
    urls, field = rule["nonResourceURLs"], f"{path}.nonResourceURLs"
    if namespaced:
        yield invalid_value(field, urls, "namespaced rules cannot apply to non-resource URLs")
    if rule.get("apiGroups") or rule.get("resources") or rule.get("resourceNames"):
        yield invalid_value(field, urls, "rules cannot apply to both regular resources and non-resource URLs")


def _aggregation_faults(role: Unstructured) -> Iterator[Cause]:
    if role["kind"] != "ClusterRole" or role.get("aggregationRule") is None:
        return
    path = "aggregationRule.clusterRoleSelectors"
    selectors = role["aggregationRule"].get("clusterRoleSelectors")
    if not selectors:
        yield required_value(path, "at least one clusterRoleSelector required if aggregationRule is non-nil")
    for index, selector in enumerate(selectors or ()):
        for position, expression in enumerate(selector.get("matchExpressions") or ()):
            yield from _expression_faults(expression, f"{path}[{index}].matchExpressions[{position}]")


def _expression_faults(expression: Mapping[str, Any], path: str) -> Iterator[Cause]:
    operator, values = expression.get("operator"), expression.get("values")
    if operator in ("In", "NotIn") and not values:
        yield required_value(f"{path}.values", "must be specified when `operator` is 'In' or 'NotIn'")
    elif operator in ("Exists", "DoesNotExist") and values:
        yield Cause(
            "FieldValueForbidden",
            "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
            f"{path}.values",
        )
    elif operator not in _OPERATORS:
        yield invalid_value(f"{path}.operator", operator or "", "not a valid selector operator")


def _binding_faults(binding: Unstructured, *, namespaced: bool) -> Iterator[Cause]:
    role_ref = binding.get("roleRef") or {}
    group, kind, name = (role_ref.get(key) or "" for key in ("apiGroup", "kind", "name"))
    kinds = ["Role", "ClusterRole"] if namespaced else ["ClusterRole"]
    if group != GROUP:
        yield unsupported_value("roleRef.apiGroup", group, [GROUP])
    if kind not in kinds:
        yield unsupported_value("roleRef.kind", kind, kinds)
    if not name:
        yield required_value("roleRef.name", "")
    elif name in (".", ".."):
        yield invalid_value("roleRef.name", name, f"may not be '{name}'")
    else:
        yield from (
            invalid_value("roleRef.name", name, f"may not contain '{part}'") for part in ("/", "%") if part in name
        )
    for index, subject in enumerate(binding.get("subjects") or ()):
        yield from _subject_faults(subject, f"subjects[{index}]", namespaced=namespaced)


def _subject_faults(subject: Mapping[str, Any], path: str, *, namespaced: bool) -> Iterator[Cause]:
    kind, group = subject.get("kind") or "", subject.get("apiGroup") or ""
    if not subject.get("name"):
        yield required_value(f"{path}.name", "")
    if kind == "ServiceAccount":
        if group:
            yield unsupported_value(f"{path}.apiGroup", group, [""])
        if not namespaced and not subject.get("namespace"):
            yield required_value(f"{path}.namespace", "")
    elif kind in ("User", "Group"):
        if group != GROUP:
            yield unsupported_value(f"{path}.apiGroup", group, [GROUP])
    else:
        yield unsupported_value(f"{path}.kind", kind, ["ServiceAccount", "User", "Group"])


def _change_faults(binding: Unstructured, old: Unstructured | None) -> Iterator[Cause]:
    """A binding keeps its role for life: whoever may change its subjects must not thereby get to choose the role."""
    if old is None or old.get("roleRef") == binding.get("roleRef"):
        return
    role_ref = binding.get("roleRef") or {}
    titles = {"APIGroup": "apiGroup", "Kind": "kind", "Name": "name"}
    said = {title: role_ref.get(key) or "" for title, key in titles.items()}
    yield invalid_value("roleRef", said, "cannot change roleRef")
