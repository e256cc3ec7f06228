"""Items whose cluster may disappear before they do: then nothing is left to be uninstalled.

A TargetSync makes Targets for the clusters (shoots) of a Gardener project. An item with
`onDelete.skipUninstallIfClusterRemoved` is noted with the name of its cluster when it is stored, and when it is to be
uninstalled, the Gardener is asked whether that cluster is still there.
"""

from __future__ import annotations

import asyncio
import base64
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from landform.api import anyjson, names
from landform.api.names import Annotation, Label
from landform.cluster import kubeconfig
from landform.cluster.errors import ClusterError, ConfigurationError, NotFound
from landform.cluster.http import HttpCluster, Limits
from landform.cluster.kinds import DEPLOY_ITEMS, TARGETS
from landform.cluster.resources import SECRETS, untyped
from landform.executions import items
from landform.runtime.errors import Terminal
from landform.runtime.intents import Emit
from landform.runtime.recorders import EventType

if TYPE_CHECKING:
    from landform.api.deployitems import DeployItem
    from landform.api.executions import DeployItemTemplate
    from landform.api.references import LocalSecretReference
    from landform.api.targets import Target
    from landform.api.targetsyncs import TargetSync
    from landform.cluster.interface import Reader
    from landform.cluster.resources import ObjectKey
    from landform.executions.snapshot import Snapshot
    from landform.runtime.intents import Hands, Patch

SHOOTS = untyped("core.gardener.cloud/v1beta1", "Shoot", "shoots")
PATIENCE = 10.0
"""Seconds that the Gardener has for its answer."""

_KUBECONFIG = "kubeconfig"
_SERVER = re.compile(r"https://api\.([^./:]+)")


def may_go(wish: DeployItemTemplate) -> bool:
    """Whether the item wishes that its cluster is looked for."""
    return bool(wish.on_delete and wish.on_delete.skip_uninstall_if_cluster_removed and wish.target)


def may_be_gone(item: DeployItem) -> bool:
    """Whether it is to be found out if the item's cluster is still there."""
    wished = item.spec.on_delete and item.spec.on_delete.skip_uninstall_if_cluster_removed and item.spec.target
    return bool(wished and _cluster_name(item))


def name_of(server: str) -> str:
    """The name of the cluster whose API is at a URL; empty if the URL is not a shoot's."""
    found = _SERVER.match(server)
    return found[1] if found else ""


def _cluster_name(item: DeployItem) -> str:
    return (item.metadata.annotations or {}).get(Annotation.CLUSTER_NAME, "")


@dataclass(frozen=True)
class StoredWithCluster:
    """Store an item with the name of its cluster, if a TargetSync has made its Target; Terminal if that has no name."""

    snapshot: Snapshot
    wish: DeployItemTemplate
    item: DeployItem | None

    async def perform(self, hands: Hands, root: ObjectKey) -> None:
        stored = items.stored(self.snapshot, self.wish, self.item, cluster=await self._cluster())
        await stored.perform(hands, root)

    async def _cluster(self) -> str:
        reader, name = self.snapshot.reader, self.wish.target.name if self.wish.target else ""
        try:
            target = await reader.get(TARGETS, name, namespace=self.snapshot.key.namespace)
        except NotFound:
            return ""  # the deployer says so
        if (target.metadata.labels or {}).get(Label.TARGET_SYNC) != names.TARGET_SYNC_OK:
            return ""
        try:
            server = kubeconfig.parse(await _kubeconfig_of(reader, target), source=f"Target {name}").server
        except (NotFound, ConfigurationError, ValueError) as error:
            raise self._unnamed(str(error)) from error
        cluster = name_of(server)
        if not cluster:
            raise self._unnamed(f"the server {server} is not that of a shoot (https://api.<name>...)")
        return cluster

    def _unnamed(self, why: str) -> Terminal:
        message = f"deploy item {self.wish.name} has skipUninstallIfClusterRemoved, but its cluster has no name: {why}"
        return Terminal("ClusterName", message)


async def _kubeconfig_of(reader: Reader, target: Target) -> str:
    namespace, name = target.metadata.namespace or "", target.metadata.name
    if target.spec.secret_ref is not None:
        return await _from_secret(reader, namespace, target.spec.secret_ref)
    content = anyjson.value(target.spec.config)
    if isinstance(content, dict) and isinstance(content.get(_KUBECONFIG), str):
        return str(content[_KUBECONFIG])
    raise ConfigurationError(f"Target {name} has no kubeconfig")


async def _from_secret(reader: Reader, namespace: str, reference: LocalSecretReference) -> str:
    secret = await reader.get(SECRETS, reference.name, namespace=namespace)
    key = reference.key or _KUBECONFIG
    encoded = (secret.get("data") or {}).get(key)
    if encoded is None:
        raise ConfigurationError(f"Secret {reference.name} has no key {key!r}")
    return base64.b64decode(encoded).decode()


@dataclass(frozen=True)
class UninstallIfThere:
    """Have an item uninstalled, or let it go at once if its cluster has gone or is going.

    If that cannot be found out the item is uninstalled as usual: a deletion must not hang on a Gardener that does
    not answer. What then happens is the deployer's to say.
    """

    item: DeployItem
    triggered: Patch[DeployItem]
    target_syncs: tuple[TargetSync, ...]
    reader: Reader

    async def perform(self, hands: Hands, root: ObjectKey) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                gone = await self._is_gone()
        except (ClusterError, TimeoutError, ValueError) as error:
            gone = False
            message = f"uninstalling, because it is unknown whether cluster {_cluster_name(self.item)} still exists: "
            said = str(error) or "no answer in time"
            await Emit(DEPLOY_ITEMS, self.item, EventType.WARNING, "ClusterUnknown", message + said).perform(
                hands, root
            )
        await (items.released(self.item) if gone else self.triggered).perform(hands, root)

    async def _is_gone(self) -> bool:
        if len(self.target_syncs) != 1:
            raise ConfigurationError(f"there must be one TargetSync in the namespace, not {len(self.target_syncs)}")
        spec = self.target_syncs[0].spec
        text = await _from_secret(self.reader, self.item.metadata.namespace or "", spec.secret_ref)
        connection = kubeconfig.parse(text, source=f"Secret {spec.secret_ref.name}")
        garden = HttpCluster(connection, limits=Limits(request_seconds=PATIENCE, retry_seconds=0.0))
        try:
            shoot = await garden.get(SHOOTS, _cluster_name(self.item), namespace=spec.source_namespace)
        except NotFound:
            return True
        finally:
            await garden.close()
        return "deletionTimestamp" in shoot["metadata"]
