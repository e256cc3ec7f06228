"""Which names objects may have: Kubernetes' rules, by resource."""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.embedded.catalog import GroupResource
from landform.kit import names

if TYPE_CHECKING:
    from landform.kit.names import Problems

LONGEST_GENERATED_BASE = 58
"""A generateName is cut to this length, so that five characters can follow within 63."""

_RULES: dict[GroupResource, Problems] = {
    GroupResource("", "namespaces"): names.label,
    GroupResource("", "services"): names.dns_1035_label,
    GroupResource("", "events"): names.path_segment,
    GroupResource("events.k8s.io", "events"): names.path_segment,
    **{
        GroupResource("rbac.authorization.k8s.io", plural): names.path_segment
        for plural in ("roles", "rolebindings", "clusterroles", "clusterrolebindings")
    },
}


def name_problems(resource: GroupResource, name: str) -> list[str]:
    """What is wrong with an object's name."""
    return _RULES.get(resource, names.subdomain)(name)
