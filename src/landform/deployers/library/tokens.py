"""Tokens of ServiceAccounts, asked for when needed and renewed before they end."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from landform.cluster.credentials import Credential, bearer
from landform.cluster.errors import ClusterError, ConfigurationError, NotFound
from landform.cluster.interface import WriteOptions
from landform.cluster.resources import SERVICE_ACCOUNTS
from landform.deployers.library.failures import AccountGone
from landform.kit.clocks import parse_rfc3339

if TYPE_CHECKING:
    from landform.cluster.interface import Writer
    from landform.deployers.library.access import Account
    from landform.kit.clocks import Clock

log = logging.getLogger(__name__)

_USED_SHARE = 0.8
"""A token is replaced when so much of its life is over, as the kubelet does."""


class TokenCredentials:
    """A `Credentials` whose token is that of a ServiceAccount, by TokenRequests to the cluster that has it."""

    def __init__(self, cluster: Writer, namespace: str, account: Account, clock: Clock) -> None:
        self._cluster = cluster
        self._namespace = namespace
        self._account = account
        self._clock = clock
        self._credential: Credential | None = None
        self._renew_at = 0.0
        self._lock = asyncio.Lock()

    async def current(self) -> Credential:
        async with self._lock:
            if self._credential is None or self._clock.monotonic() >= self._renew_at:
                self._credential = await self._request(self._credential)
            return self._credential

    def renew(self, refused: Credential) -> bool:
        if refused == self._credential:
            self._credential = None
        return True

    async def _request(self, last: Credential | None) -> Credential:
        spec: dict[str, Any] = {"expirationSeconds": self._account.seconds}
        if self._account.audiences:
            spec["audiences"] = list(self._account.audiences)
        body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec}
        name, options = self._account.name, WriteOptions(subresource="token")
        try:
            answer = await self._cluster.create(
                SERVICE_ACCOUNTS, body, namespace=self._namespace, name=name, options=options
            )
        except ClusterError as fault:
            if last is None:
                kind = AccountGone if isinstance(fault, NotFound) else ConfigurationError
                raise kind(f"no token for service account {self._namespace}/{name} could be had: {fault}") from fault
            log.warning("no new token for service account %s/%s, the last is used on: %s", self._namespace, name, fault)
            self._renew_at = self._clock.monotonic() + 1.0
            return last
        status = answer["status"]
        life = (parse_rfc3339(status["expirationTimestamp"]) - self._clock.now()).total_seconds()
        self._renew_at = self._clock.monotonic() + life * _USED_SHARE
        return bearer(status["token"])
