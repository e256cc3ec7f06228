"""ClusterRoles that gather the rules of others by their labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from landform.cluster.resources import Unstructured


def aggregated_rules(cluster_roles: Iterable[Unstructured]) -> dict[str, list[Unstructured]]:
    """The rules that each ClusterRole with an ``aggregationRule`` has, by its name.

    Gathering goes through other gathering roles (``admin`` gathers ``edit``, which gathers ``view``), so the result is
    what Kubernetes' controller reaches after its last round. Rules written into a gathering role itself do not count.
    """
    by_name = {role["metadata"]["name"]: role for role in cluster_roles}
    return {name: _unique(_gather(name, by_name, {name})) for name, role in by_name.items() if _gathers(role)}


def selects(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    """Whether a LabelSelector object matches these labels; an empty selector matches all, a broken one nothing."""
    wanted = selector.get("matchLabels") or {}
    expressions = selector.get("matchExpressions") or ()
    return all(labels.get(key) == value for key, value in wanted.items()) and all(
        _satisfies(expression, labels) for expression in expressions
    )


def _gather(name: str, by_name: Mapping[str, Unstructured], seen: set[str]) -> Iterator[Unstructured]:
    for selector in by_name[name]["aggregationRule"].get("clusterRoleSelectors") or ():
        for other in sorted(by_name):
            if other in seen or not selects(selector, by_name[other]["metadata"].get("labels") or {}):
                continue
            seen.add(other)
            if _gathers(by_name[other]):
                yield from _gather(other, by_name, seen)
            else:
                yield from by_name[other].get("rules") or ()


def _gathers(role: Unstructured) -> bool:
    return role.get("aggregationRule") is not None


def _unique(rules: Iterable[Unstructured]) -> list[Unstructured]:
    unique: list[Unstructured] = []
    for rule in rules:
        if rule not in unique:
            unique.append(rule)
    return unique


def _satisfies(expression: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    key, values = expression.get("key", ""), expression.get("values") or ()
    match expression.get("operator"):
        case "In":
            return key in labels and labels[key] in values
        case "NotIn":
            return key not in labels or labels[key] not in values
        case "Exists":
            return key in labels
        case "DoesNotExist":
            return key not in labels
        case _:
            return False
