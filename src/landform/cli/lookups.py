"""Lookups: the object or the kind that somebody names; and where there is none, which one may have been meant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

from landform.api.catalog import KINDS
from landform.cli.suggestions import perhaps
from landform.cluster.codec import key_of
from landform.cluster.errors import ClusterError, NotFound
from landform.cluster.kinds import DEPLOY_ITEMS, EXECUTIONS, INSTALLATIONS
from landform.insight import landscapes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from landform.api.deployitems import DeployItem
    from landform.api.installations import Installation
    from landform.cluster import Cluster, Resource
    from landform.cluster.resources import ObjectKey
    from landform.insight.landscapes import Worker

T = TypeVar("T")

_SHORT_NAMES: Final[dict[str, str]] = {
    "cm": "configmaps",
    "crd": "customresourcedefinitions",
    "crds": "customresourcedefinitions",
    "ev": "events",
    "ns": "namespaces",
    "po": "pods",
    "deploy": "deployments",
    "sa": "serviceaccounts",
    "svc": "services",
    **{short: info.plural for info in KINDS for short in (*info.short_names, info.singular)},
}
"""Names for people in a hurry, as kubectl has them."""

_WORKERS: Final[tuple[Resource[Any], ...]] = (INSTALLATIONS, DEPLOY_ITEMS, EXECUTIONS)


def matching(resources: Sequence[Resource[T]], kind: str) -> Resource[T]:
    """The resource that is meant by its plural, kind, short or full name."""
    wanted = _SHORT_NAMES.get(kind.lower(), kind.lower())
    for resource in resources:
        if wanted in (resource.plural, resource.kind.lower(), str(resource)):
            return resource
    meant = perhaps(kind.lower(), (name for each in resources for name in (each.plural, each.kind.lower())))
    advice = meant or "; `kubectl api-resources` lists those it knows"
    raise ClusterError(f'the cluster does not know the kind "{kind}"{advice}')


async def installation(cluster: Cluster, key: ObjectKey) -> Installation:
    """The Installation of that name."""
    try:
        return await cluster.get(INSTALLATIONS, key.name, namespace=key.namespace)
    except NotFound as error:
        raise await not_found(cluster, INSTALLATIONS, key) from error


async def item(cluster: Cluster, key: ObjectKey) -> DeployItem:
    """The DeployItem that is meant: by its name, or by what its blueprint calls it."""
    try:
        return await cluster.get(DEPLOY_ITEMS, key.name, namespace=key.namespace)
    except NotFound:
        there = (await cluster.list(DEPLOY_ITEMS, namespace=key.namespace)).items
    called = [obj for obj in there if landscapes.title_of(obj) == key.name]
    if len(called) == 1:
        return called[0]
    if called:
        names = ", ".join(sorted(obj.metadata.name or "" for obj in called))
        raise ClusterError(f'"{key.name}" is the name of several in namespace {key.namespace}: {names}; name one')
    titles = [landscapes.title_of(obj) for obj in there]
    if question := perhaps(key.name, titles):
        raise ClusterError(f'deployitems "{key.name}" not found in namespace {key.namespace}{question}')
    raise await not_found(cluster, DEPLOY_ITEMS, key)


async def worker(cluster: Cluster, key: ObjectKey) -> Worker:
    """The Installation, DeployItem or Execution that is meant: by its name, ``kind/name``, or its blueprint's word."""
    kind, _, name = key.name.rpartition("/")
    for resource in [matching(_WORKERS, kind)] if kind else _WORKERS:
        try:
            found: Worker = await cluster.get(resource, name, namespace=key.namespace)
        except NotFound:
            continue
        return found
    return await _by_title(cluster, key._replace(name=name))


async def _by_title(cluster: Cluster, key: ObjectKey) -> Worker:
    """The one object that a blueprint calls so."""
    installations = (await cluster.list(INSTALLATIONS, namespace=key.namespace)).items
    items = (await cluster.list(DEPLOY_ITEMS, namespace=key.namespace)).items
    workers: list[Worker] = [*installations, *items]
    called = [obj for obj in workers if landscapes.title_of(obj) == key.name]
    if len(called) > 1:
        names = ", ".join(sorted(f"{obj.kind.lower()}/{obj.metadata.name}" for obj in called))
        raise ClusterError(f'"{key.name}" is the name of several in namespace {key.namespace}: {names}; name one')
    if not called:
        raise await not_found(cluster, INSTALLATIONS, key)
    return called[0]


async def not_found(cluster: Cluster, resource: Resource[Any], key: ObjectKey) -> ClusterError:
    """The error that there is no such object, with those that may have been meant."""
    there = [key_of(obj) for obj in (await cluster.list(resource.untyped())).items]
    near = [each.name for each in there if each.namespace == key.namespace]
    elsewhere = sorted(each.namespace for each in there if each.name == key.name)
    where = f" in namespace {key.namespace}" if key.namespace else ""
    hint = f"; there is one in namespace {elsewhere[0]}" if elsewhere else perhaps(key.name, near)
    return ClusterError(f'{resource.plural} "{key.name}" not found{where}{hint}')
