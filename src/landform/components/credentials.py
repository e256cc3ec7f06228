"""Credentials for registries, and which of them belong to a request."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from landform.components.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

OCI_REGISTRY = "OCIRegistry"
HELM_REPOSITORY = "HelmChartRepository"


@dataclass(frozen=True)
class Credentials:
    """What proves who we are. Never shown: neither in a log nor in an error."""

    username: str = field(default="", repr=False)
    password: str = field(default="", repr=False)
    identity_token: str = field(default="", repr=False)
    """A token that is exchanged for others, in the place of a password."""

    certificate_authority: str = field(default="", repr=False)
    """Certificates in PEM form that the registry's own must lead to; empty means those of the system."""


@dataclass(frozen=True)
class Identity:
    """Who credentials are for: a registry, or a part of it. What is empty fits everything."""

    type: str = OCI_REGISTRY
    hostname: str = ""
    port: str = ""
    scheme: str = ""
    path: str = ""
    """Repositories, by the segments that they begin with."""


@dataclass(frozen=True)
class Consumer:
    """Credentials and who they are for."""

    identity: Identity
    credentials: Credentials
    explicit: bool = True
    """Written into an OCM configuration, not taken from a docker one: of two that fit equally well it is preferred."""


def best(consumers: Iterable[Consumer], request: Identity) -> Credentials | None:
    """The credentials that fit a request best; None if there are none.

    Of two with the same identity the later counts. Where the original leaves it to chance, the one that says less
    about the port wins, then the earlier.
    """
    latest = {(consumer.identity, consumer.explicit): consumer for consumer in consumers}
    fitting = [consumer for consumer in latest.values() if _fits(consumer.identity, request)]
    if not fitting:
        return None
    return max(fitting, key=lambda consumer: _specificity(consumer, request)).credentials


def from_docker(document: str | bytes | Mapping[str, Any], where: str) -> list[Consumer]:
    """The credentials of a docker configuration. Paths in its keys are dropped: they count for the whole host."""
    value: Any = document
    if isinstance(document, str | bytes):
        try:
            value = msgspec.json.decode(document)
        except msgspec.DecodeError:
            # Not the error itself: it might quote the text.
            raise ConfigurationError(f"{where} is not a docker configuration: it is not JSON") from None
    auths = value.get("auths") if isinstance(value, dict) else None
    if not isinstance(auths, dict):
        return []
    found = []
    for key, entry in auths.items():
        credentials = _docker_entry(entry if isinstance(entry, dict) else {}, key, where)
        if credentials is not None:
            found.append(Consumer(_docker_identity(key), credentials, explicit=False))
    return found


def _docker_identity(key: str) -> Identity:
    host = key.partition("://")[2] or key
    host = host.partition("/")[0]
    hostname, colon, port = host.rpartition(":")
    if not colon or not port.isdecimal():
        hostname, port = host, ""
    return Identity(hostname="docker.io" if hostname == "index.docker.io" else hostname, port=port)


def _docker_entry(entry: Mapping[str, Any], key: str, where: str) -> Credentials | None:
    username, password = str(entry.get("username") or ""), str(entry.get("password") or "")
    if entry.get("auth"):
        try:
            text = base64.b64decode(str(entry["auth"])).decode()
        except (binascii.Error, ValueError):
            raise ConfigurationError(f'the entry "{key}" of {where} has an "auth" that is not base64') from None
        username, _, password = text.rstrip("\0").partition(":")
    if not username:
        return None  # also if there is a token: without a user the original does not take it either
    token = str(entry.get("identitytoken") or "")
    return Credentials(*(part.rstrip("\n") for part in (username, password, token)))


def _fits(entry: Identity, request: Identity) -> bool:
    return (
        request.type in ("", entry.type)
        and _compatible(entry.hostname, request.hostname)
        and _compatible(entry.port, request.port)
        and _compatible(entry.scheme, request.scheme)
        and _begins(_segments(request.path), _segments(entry.path))
    )


def _compatible(one: str, other: str) -> bool:
    return not one or not other or one == other


def _begins(path: list[str], prefix: list[str]) -> bool:
    return path[: len(prefix)] == prefix


def _segments(path: str) -> list[str]:
    return path.split("/") if path else []


def _specificity(consumer: Consumer, request: Identity) -> tuple[bool, bool, bool, int, bool, bool]:
    entry = consumer.identity
    return (
        bool(entry.hostname),
        bool(entry.port and request.port),
        bool(entry.scheme and request.scheme),
        len(_segments(entry.path)),
        consumer.explicit,
        not (entry.port and not request.port),
    )
