"""Which names objects may have: Kubernetes' rules, by resource."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from landform.embedded.catalog import GroupResource

if TYPE_CHECKING:
    from collections.abc import Callable

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_SERVICE = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")

_LABEL_TEXT = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with"
    " an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is"
    " '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
_SUBDOMAIN_TEXT = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and"
    " end with an alphanumeric character (e.g. 'example.com', regex used for validation is"
    r" '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
_SERVICE_TEXT = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character,"
    " and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is"
    " '[a-z]([-a-z0-9]*[a-z0-9])?')"
)


def _rule(pattern: re.Pattern[str], text: str, longest: int) -> Callable[[str], str | None]:
    def check(name: str) -> str | None:
        if len(name) > longest:
            return f"must be no more than {longest} characters"
        return None if pattern.fullmatch(name) else text

    return check


is_label = _rule(_LABEL, _LABEL_TEXT, 63)
is_subdomain = _rule(_SUBDOMAIN, _SUBDOMAIN_TEXT, 253)
is_service_name = _rule(_SERVICE, _SERVICE_TEXT, 63)


def is_path_segment(name: str) -> str | None:
    """RBAC's rule: anything that fits into one segment of a URL."""
    if name in (".", ".."):
        return f"may not be '{name}'"
    for bad in ("/", "%"):
        if bad in name:
            return f"may not contain '{bad}'"
    return None


_RULES: dict[GroupResource, Callable[[str], str | None]] = {
    GroupResource("", "namespaces"): is_label,
    GroupResource("", "services"): is_service_name,
    **{
        GroupResource("rbac.authorization.k8s.io", plural): is_path_segment
        for plural in ("roles", "rolebindings", "clusterroles", "clusterrolebindings")
    },
}


def name_fault(resource: GroupResource, name: str) -> str | None:
    """What is wrong with an object's name, if anything."""
    return _RULES.get(resource, is_subdomain)(name)


LONGEST_GENERATED_BASE = 58
"""A generateName is cut to this length, so that five characters can follow within 63."""
