"""Clients of the clusters that targets name: one for each, shared by all items, renewed when the access changes."""

from __future__ import annotations

import base64
import binascii
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from landform.api.errors import ErrorCode, OperationFailed
from landform.cluster import kubeconfig
from landform.cluster.connections import Connection
from landform.cluster.errors import ConfigurationError
from landform.cluster.http import HttpCluster, Limits
from landform.deployers.library import access
from landform.deployers.library.access import Account, Kubeconfig
from landform.deployers.library.tokens import TokenCredentials
from landform.kit.surroundings import Surroundings

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from landform.cluster.interface import Cluster
    from landform.deployers.library.targets import ResolvedTarget

RETRY_SECONDS = 3.0
"""So long a client tries a request again by itself. Then it is for the library to try again: the item says what is
wrong, and the next try finds access data that have changed."""

MOST_IDLE = 100
"""So many clients that nobody uses are kept, the last used ones."""


@dataclass
class _Entry:
    cluster: Cluster
    users: int = 0


class Clusters:
    """The clients of one process; closed when it is left.

    Invariants:
    - targets with the same content share one client; a target whose content changed gets another;
    - a client is closed only when nobody uses it, or in the end.
    """

    def __init__(
        self,
        home: Cluster,
        *,
        home_connection: Connection | None = None,
        connect: Callable[[Connection], Cluster] | None = None,
        surroundings: Surroundings | None = None,
    ) -> None:
        self.home = home
        """The cluster that Landform's objects live in."""

        self._home_connection = home_connection
        self._surroundings = surroundings or Surroundings()
        self._connect = connect or self._http
        self._entries: OrderedDict[str, _Entry] = OrderedDict()

    def _http(self, connection: Connection) -> Cluster:
        return HttpCluster(connection, surroundings=self._surroundings, limits=Limits(retry_seconds=RETRY_SECONDS))

    def acquire(self, target: ResolvedTarget) -> Cluster:
        """The client for a target, to be given back with `release`; OperationFailed if there is no way to it."""
        entry = self._entries.get(target.fingerprint)
        if entry is None:
            entry = self._entries[target.fingerprint] = _Entry(self._connect(self._connection(target)))
        self._entries.move_to_end(target.fingerprint)
        entry.users += 1
        return entry.cluster

    async def release(self, target: ResolvedTarget) -> None:
        """One user less; what nobody has used for long is closed."""
        self._entries[target.fingerprint].users -= 1
        idle = [fingerprint for fingerprint, entry in self._entries.items() if not entry.users]
        for fingerprint in idle[: max(0, len(idle) - MOST_IDLE)]:
            await self._entries.pop(fingerprint).cluster.close()

    async def __aenter__(self) -> Clusters:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while self._entries:
            _, entry = self._entries.popitem()
            await entry.cluster.close()

    def _connection(self, target: ResolvedTarget) -> Connection:
        if not target.is_kubernetes_cluster:
            raise _problem(target, f"it is of type {target.type}, which is no Kubernetes cluster")
        way = access.read(target)
        try:
            if isinstance(way, Kubeconfig):
                return kubeconfig.parse(way.text, source=str(target), clock=self._surroundings.clock)
            return self._by_token(target, way)
        except ConfigurationError as fault:
            raise _problem(target, str(fault)) from fault

    def _by_token(self, target: ResolvedTarget, account: Account) -> Connection:
        credentials = TokenCredentials(self.home, target.key.namespace, account, self._surroundings.clock)
        if account.server:
            return Connection(account.server, credentials, _authority(target, account.ca), source=str(target))
        if self._home_connection is None:
            raise _problem(
                target, "selfConfig needs the address of Landform's own cluster, which this process was not told"
            )
        return replace(self._home_connection, credentials=credentials, headers=(), source=str(target))


def _authority(target: ResolvedTarget, text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True) or None
    except binascii.Error as fault:
        raise _problem(target, f"oidcConfig.caData is not base64: {fault}") from fault


def _problem(target: ResolvedTarget, message: str) -> OperationFailed:
    return OperationFailed(
        "ConnectToTarget", "TargetNotUsable", f"{target}: {message}", codes=(ErrorCode.CONFIGURATION_PROBLEM,)
    )
