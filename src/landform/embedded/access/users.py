"""Users as the API server sees them: a name, groups, and where they come from."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

MASTERS = "system:masters"
"""The group whose members may do everything, whatever the roles say."""

AUTHENTICATED = "system:authenticated"
"""The group of everyone who showed accepted credentials."""

UNAUTHENTICATED = "system:unauthenticated"
"""The group of everyone who showed none."""

SERVICE_ACCOUNTS = "system:serviceaccounts"
"""The group of all ServiceAccounts; with ``:NAMESPACE`` appended, of those in one namespace."""

ADMIN_NAME = "landform:admin"
ANONYMOUS_NAME = "system:anonymous"
SERVICE_ACCOUNT_PREFIX = "system:serviceaccount:"

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")


@dataclass(frozen=True)
class User:
    """Someone who makes requests."""

    name: str
    groups: tuple[str, ...] = ()
    uid: str = ""
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    """What else the authenticator knows, such as the id of the token that was shown."""

    @property
    def is_admin(self) -> bool:
        """Whether RBAC does not apply: the user is in ``system:masters``."""
        return MASTERS in self.groups

    def to_user_info(self) -> dict[str, Any]:
        """The user as the reviews write it; empty fields are left out."""
        info: dict[str, Any] = {}
        if self.name:
            info["username"] = self.name
        if self.uid:
            info["uid"] = self.uid
        if self.groups:
            info["groups"] = list(self.groups)
        if self.extra:
            info["extra"] = {key: list(values) for key, values in self.extra.items()}
        return info


ADMIN = User(ADMIN_NAME, (MASTERS, AUTHENTICATED))
"""Whoever shows the admin token of the data folder."""

ANONYMOUS = User(ANONYMOUS_NAME, (UNAUTHENTICATED,))
"""Whoever shows no credentials."""


def service_account_name(namespace: str, name: str) -> str:
    """The user name of a ServiceAccount."""
    return f"{SERVICE_ACCOUNT_PREFIX}{namespace}:{name}"


def service_account_groups(namespace: str) -> tuple[str, ...]:
    """The groups that a ServiceAccount of this namespace is in by being one."""
    return (SERVICE_ACCOUNTS, f"{SERVICE_ACCOUNTS}:{namespace}")


def split_service_account_name(username: str) -> tuple[str, str] | None:
    """Namespace and name if the user name is that of a ServiceAccount."""
    if not username.startswith(SERVICE_ACCOUNT_PREFIX):
        return None
    parts = username.removeprefix(SERVICE_ACCOUNT_PREFIX).split(":")
    if len(parts) != 2:
        return None
    namespace, name = parts
    if not _LABEL.fullmatch(namespace) or len(name) > 253 or not _SUBDOMAIN.fullmatch(name):
        return None
    return namespace, name
