"""Acting as someone else, for those who may."""

from __future__ import annotations

import urllib.parse
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from landform.cluster.errors import BadRequest
from landform.embedded.access.rbac import Policy, forbidden
from landform.embedded.access.rules import Attributes
from landform.embedded.access.users import (
    ANONYMOUS_NAME,
    AUTHENTICATED,
    UNAUTHENTICATED,
    User,
    service_account_groups,
    split_service_account_name,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_EXTRA = "impersonate-extra-"
_AUTHENTICATION = "authentication.k8s.io"


@dataclass
class _Wish:
    """Whom the headers name."""

    user: str = ""
    uid: str = ""
    groups: list[str] = field(default_factory=list)
    extra: dict[str, list[str]] = field(default_factory=dict)


def impersonate(user: User, headers: Iterable[tuple[str, str]], policy: Policy) -> User:
    """The user that the Impersonate-* headers name, or `user` himself if there are none.

    Forbidden, in the API server's words, unless the policy gives `user` the verb ``impersonate`` on every part.
    """
    wish = _wish(headers)
    if not (wish.user or wish.uid or wish.groups or wish.extra):
        return user
    if not wish.user:
        raise BadRequest("the request has Impersonate-Group, -Uid or -Extra headers without impersonating a user")
    for wanted in _required(user, wish):
        decision = policy.decide(wanted)
        if not decision.allowed:
            raise forbidden(wanted, decision.reason)
    extra = {key: tuple(values) for key, values in wish.extra.items()}
    return User(wish.user, _groups(wish), wish.uid, extra)


def _wish(headers: Iterable[tuple[str, str]]) -> _Wish:
    wish = _Wish()
    for header, value in headers:
        name = header.lower()
        if name == "impersonate-user":
            wish.user = wish.user or value
        elif name == "impersonate-uid":
            wish.uid = wish.uid or value
        elif name == "impersonate-group":
            wish.groups.append(value)
        elif name.startswith(_EXTRA):
            wish.extra.setdefault(urllib.parse.unquote(name.removeprefix(_EXTRA)), []).append(value)
    return wish


def _required(user: User, wish: _Wish) -> Iterator[Attributes]:
    """The rights that the impersonator needs."""
    account = split_service_account_name(wish.user)
    if account is not None:
        yield Attributes(user, "impersonate", "", "serviceaccounts", name=account[1], namespace=account[0])
    else:
        yield Attributes(user, "impersonate", "", "users", name=wish.user)
    for group in wish.groups:
        yield Attributes(user, "impersonate", "", "groups", name=group)
    for key, values in wish.extra.items():
        for value in values:
            yield Attributes(user, "impersonate", _AUTHENTICATION, "userextras", key, value)
    if wish.uid:
        yield Attributes(user, "impersonate", _AUTHENTICATION, "uids", name=wish.uid)


def _groups(wish: _Wish) -> tuple[str, ...]:
    """The groups of the impersonated user: those given, or those he has by nature, and whether he is known."""
    groups = list(wish.groups)
    account = split_service_account_name(wish.user)
    if account is not None and not groups:
        groups.extend(service_account_groups(account[0]))
    if wish.user == ANONYMOUS_NAME:
        return (*groups, *(() if UNAUTHENTICATED in groups else (UNAUTHENTICATED,)))
    if AUTHENTICATED in groups or UNAUTHENTICATED in groups:
        return tuple(groups)
    return (*groups, AUTHENTICATED)
