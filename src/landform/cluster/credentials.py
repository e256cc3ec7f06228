"""Who we are to a cluster: credentials that stay, that are read from a file, or that are asked for."""

from __future__ import annotations

import asyncio
import base64
import logging
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from landform.cluster.errors import ConfigurationError
from landform.kit.clocks import SystemClock

if TYPE_CHECKING:
    from pathlib import Path

    from landform.kit.clocks import Clock

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ClientCertificate:
    """A certificate chain and its private key, both as PEM text."""

    certificate: bytes
    key: bytes = field(repr=False)


@dataclass(frozen=True)
class Credential:
    """What is shown to the cluster: a header, a certificate, both or neither."""

    authorization: str = field(default="", repr=False)
    """Value of the Authorization header; empty for none."""

    certificate: ClientCertificate | None = None


class Credentials(Protocol):
    """A source of credentials."""

    async def current(self) -> Credential:
        """What to show now; ConfigurationError if there is nothing to show."""
        ...

    def renew(self, refused: Credential) -> bool:
        """The cluster answered 401 to `refused`: whether asking again may give another credential."""
        ...


@dataclass(frozen=True)
class FixedCredentials:
    """The same credential always."""

    credential: Credential = Credential()

    async def current(self) -> Credential:
        return self.credential

    def renew(self, refused: Credential) -> bool:
        return False


def bearer(token: str, certificate: ClientCertificate | None = None) -> Credential:
    """A token to show, beside an optional certificate."""
    return Credential(f"Bearer {token}", certificate)


def basic(username: str, password: str, certificate: ClientCertificate | None = None) -> Credential:
    """A name and a password to show, beside an optional certificate."""
    encoded = base64.b64encode(f"{username}:{password}".encode()).decode()
    return Credential(f"Basic {encoded}", certificate)


class TokenFileCredentials:
    """A token that someone else keeps fresh in a file, as the kubelet does for pods.

    The file is read again at most once a minute, and at once after a refusal. If it cannot be read any more, the
    last token is used on: it may well be valid still, and the cluster is the one to say.
    """

    REREAD_SECONDS = 60.0
    """Tokens of pods are replaced when a fifth of their life is left, which is minutes at least."""

    def __init__(self, path: Path, *, certificate: ClientCertificate | None = None, clock: Clock | None = None) -> None:
        self._path = path
        self._certificate = certificate
        self._clock = clock or SystemClock()
        self._credential: Credential | None = None
        self._read_at = 0.0

    async def current(self) -> Credential:
        now = self._clock.monotonic()
        if self._credential is None or now - self._read_at >= self.REREAD_SECONDS:
            self._read_at = now
            self._credential = await asyncio.to_thread(self._read, self._credential)
        return self._credential

    def renew(self, refused: Credential) -> bool:
        if refused == self._credential:
            self._read_at = -math.inf
        return True

    def _read(self, last: Credential | None) -> Credential:
        try:
            token = self._path.read_text().strip()
        except (OSError, ValueError) as fault:
            if last is None:
                raise ConfigurationError(f"cannot read the token file {self._path}: {fault}") from fault
            log.warning("cannot read the token file %s again, the last token is used on: %s", self._path, fault)
            return last
        if not token and last is None:
            raise ConfigurationError(f"the token file {self._path} is empty")
        return bearer(token, self._certificate) if token else last or Credential()
