"""How to get to a Kubernetes cluster, as a Target of that type says it; pure.

The content has one of three forms: a `kubeconfig` (or the whole content is one), an `oidcConfig` or a `selfConfig`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec
import yaml

from landform.api.errors import ErrorCode, OperationFailed
from landform.cluster import kubeconfigfiles
from landform.cluster.errors import ConfigurationError
from landform.kit import yamls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from landform.cluster.kubeconfigfiles import User
    from landform.deployers.library.targets import ResolvedTarget

TOKEN_SECONDS = 86_400
"""How long a token is valid that we ask for, unless the Target says otherwise."""


class _Account(msgspec.Struct):
    name: str


class _Oidc(msgspec.Struct, rename="camel"):
    server: str
    service_account: _Account
    ca_data: str = ""
    audience: list[str] = []
    expiration_seconds: int = TOKEN_SECONDS


class _Self(msgspec.Struct, rename="camel"):
    service_account: _Account
    expiration_seconds: int = TOKEN_SECONDS


@dataclass(frozen=True)
class Kubeconfig:
    """The text of a kubeconfig."""

    text: str = field(repr=False)


@dataclass(frozen=True)
class Account:
    """A token of a ServiceAccount in the Target's namespace, for a cluster that trusts ours or for ours itself."""

    name: str
    audiences: tuple[str, ...]
    seconds: int
    server: str = ""
    """Base URL of the cluster; empty = the one that Landform's objects live in."""

    ca: str = ""
    """The cluster's authority, as base64 text."""


Access = Kubeconfig | Account


def read(target: ResolvedTarget) -> Access:
    """How to get to the cluster; OperationFailed if the content does not say it, or in a way that is not allowed."""
    content = _content(target)
    if not isinstance(content, dict) or content.keys().isdisjoint(("kubeconfig", "oidcConfig", "selfConfig")):
        return _kubeconfig(target, target.content)
    given = content.get("kubeconfig")
    if given is not None:
        return _kubeconfig(target, given if isinstance(given, str) else json.dumps(given))
    try:
        return _account(content)
    except msgspec.ValidationError as fault:
        raise _refused(target, f"its content cannot be used: {fault}") from fault


def _content(target: ResolvedTarget) -> Any:
    if not target.content.strip():
        raise _refused(target, "it holds no access data: neither config nor secretRef says anything")
    try:
        return yamls.load(target.content)
    except (yaml.YAMLError, ValueError):
        return None  # the kubeconfig's own reader says what is wrong with it


def _account(content: dict[str, Any]) -> Account:
    if (given := content.get("oidcConfig")) is not None:
        oidc = msgspec.convert(given, _Oidc)
        name, audiences = oidc.service_account.name, tuple(oidc.audience)
        return Account(name, audiences, oidc.expiration_seconds, oidc.server, oidc.ca_data)
    own = msgspec.convert(content.get("selfConfig"), _Self)
    return Account(own.service_account.name, (), own.expiration_seconds)


def _kubeconfig(target: ResolvedTarget, text: str) -> Kubeconfig:
    """The kubeconfig, if none of its users could read our files, run programs here, or be someone else."""
    try:
        document = kubeconfigfiles.document(text, "its kubeconfig", folder=None)
    except ConfigurationError as fault:
        raise _refused(target, str(fault)) from fault
    for entry in document.users.values():
        if found := list(_forbidden(entry.value)):
            raise _refused(
                target,
                f'user "{entry.name}" of its kubeconfig has {", ".join(found)}; allowed are client-certificate-data,'
                " client-key-data, token, username and password",
            )
    return Kubeconfig(text)


def _forbidden(user: User) -> Iterator[str]:
    if user.client_certificate:
        yield "a client-certificate file"
    if user.client_key:
        yield "a client-key file"
    if user.token_file:
        yield "a tokenFile"
    if user.impersonate or user.impersonate_uid or user.impersonate_groups or user.impersonate_extra:
        yield "impersonation"
    if isinstance(user.auth_provider, dict) and user.auth_provider.get("config"):
        yield "an auth-provider"
    if user.exec is not None:
        yield "an exec program"


def _refused(target: ResolvedTarget, message: str) -> OperationFailed:
    return OperationFailed(
        "ValidateTarget", "ValidateTarget", f"{target}: {message}", codes=(ErrorCode.CONFIGURATION_PROBLEM,)
    )
