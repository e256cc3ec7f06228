"""What is special about single kinds: how a Secret, a Namespace or one of Landform's kinds is prepared and checked.

One module for each family of kinds. A strategy is a few pure functions over plain JSON data; kinds that are not named
here follow their schema alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from landform.api.structs import GROUP
from landform.embedded.catalog import GroupResource
from landform.embedded.strategies import (
    configmaps,
    definitions,
    events,
    landform,
    leases,
    namespaces,
    roles,
    secrets,
    usual_values,
)
from landform.embedded.strategies.strategy import Strategy, Unchangeable

if TYPE_CHECKING:
    from landform.embedded.catalog import ResourceType

__all__ = ["Strategy", "Unchangeable", "strategy_of"]

_RBAC = "rbac.authorization.k8s.io"
_BY_RESOURCE: dict[GroupResource, Strategy] = {
    GroupResource("", "secrets"): secrets.STRATEGY,
    GroupResource("", "configmaps"): configmaps.STRATEGY,
    GroupResource("", "namespaces"): namespaces.STRATEGY,
    GroupResource("", "events"): events.STRATEGY,
    GroupResource("events.k8s.io", "events"): events.STRATEGY,
    GroupResource("coordination.k8s.io", "leases"): leases.STRATEGY,
    GroupResource("apiextensions.k8s.io", "customresourcedefinitions"): definitions.STRATEGY,
    **{
        GroupResource(_RBAC, plural): roles.STRATEGY
        for plural in ("roles", "rolebindings", "clusterroles", "clusterrolebindings")
    },
}


def strategy_of(type_: ResourceType) -> Strategy:
    """What is special about this kind."""
    if type_.group == GROUP:
        return landform.STRATEGY
    return _BY_RESOURCE.get(type_.group_resource) or Strategy(usual_values.prepare_for(type_.group_resource))
