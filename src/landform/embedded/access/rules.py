"""One rule of a role: what it allows, what it covers of another rule, and how it is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from landform.embedded.access.wording import quoted_list

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from landform.embedded.access.users import User

ANY = "*"


@dataclass(frozen=True, slots=True)
class Attributes:
    """What someone wants to do: a verb on a resource, or on a path that is no resource.

    As on the API server, a request for one Namespace has that namespace's name in `namespace` as well as in `name`,
    so a Role in the namespace can give the right to read it.
    """

    user: User
    verb: str
    group: str = ""
    resource: str = ""
    subresource: str = ""
    name: str = ""
    namespace: str = ""
    path: str | None = None
    """The URL path of a request that is not for a resource, such as ``/version``; None for resources."""

    @property
    def full_resource(self) -> str:
        """The resource with its subresource: ``pods/log``."""
        return f"{self.resource}/{self.subresource}" if self.subresource else self.resource


@dataclass(frozen=True, slots=True)
class Rule:
    """One PolicyRule, with every missing list empty."""

    verbs: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()

    @classmethod
    def from_dict(cls, rule: dict[str, Any]) -> Rule:
        """The rule as it stands in a Role or ClusterRole; nulls in it say nothing."""
        fields = ("verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs")
        return cls(*(tuple(each for each in rule.get(field) or () if each is not None) for field in fields))

    def allows(self, wanted: Attributes) -> bool:
        """Whether this rule alone gives the right."""
        if not _has(self.verbs, wanted.verb):
            return False
        if wanted.path is not None:
            return any(_url_covers(url, wanted.path) for url in self.urls)
        return (
            _has(self.groups, wanted.group)
            and self._has_resource(wanted.full_resource, wanted.subresource)
            and (not self.names or wanted.name in self.names)
        )

    def covers(self, single: Rule) -> bool:
        """Whether this rule gives everything that `single`, a part made by `parts`, gives."""
        names = not self.names or _has_all(self.names, single.names) if single.names else not self.names
        return (
            names
            and all(_has(self.verbs, verb) for verb in single.verbs)
            and all(_has(self.groups, group) for group in single.groups)
            and all(self._has_resource(each, each.partition("/")[2]) for each in single.resources)
            and all(any(_url_covers(url, each) for url in self.urls) for each in single.urls)
        )

    def parts(self) -> Iterator[Rule]:
        """The same rights as rules with one group, resource, verb and name each."""
        for group in self.groups:
            for resource in self.resources:
                for verb in self.verbs:
                    for name in self.names or (None,):
                        yield Rule((verb,), (group,), (resource,), (name,) if name is not None else ())
        for url in self.urls:
            for verb in self.verbs:
                yield Rule((verb,), urls=(url,))

    def _has_resource(self, full_resource: str, subresource: str) -> bool:
        return _has(self.resources, full_resource) or (bool(subresource) and f"*/{subresource}" in self.resources)

    def __str__(self) -> str:
        written = [
            ("APIGroups", self.groups),
            ("Resources", self.resources),
            ("NonResourceURLs", self.urls),
            ("ResourceNames", self.names),
            ("Verbs", self.verbs),
        ]
        return "{" + ", ".join(f"{label}:{quoted_list(values)}" for label, values in written if values) + "}"


FULL_AUTHORITY = (Rule((ANY,), (ANY,), (ANY,)), Rule((ANY,), urls=(ANY,)))
"""What members of ``system:masters`` and holders of ``cluster-admin`` have."""


def uncovered(held: Iterable[Rule], wanted: Iterable[Rule]) -> list[Rule]:
    """The parts of the wanted rules that no held rule gives."""
    held = tuple(held)
    return [part for rule in wanted for part in rule.parts() if not any(own.covers(part) for own in held)]


def compacted(parts: Iterable[Rule]) -> list[Rule]:
    """Parts that differ only in their verb, joined; for messages."""
    joined: dict[Rule, list[str]] = {}
    whole: list[Rule] = []
    for part in parts:
        if part.urls:
            whole.append(part)
        else:
            joined.setdefault(Rule((), part.groups, part.resources, part.names), []).extend(part.verbs)
    return whole + [Rule(tuple(verbs), rule.groups, rule.resources, rule.names) for rule, verbs in joined.items()]


def _has(allowed: tuple[str, ...], wanted: str) -> bool:
    return wanted in allowed or ANY in allowed


def _has_all(allowed: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    return all(each in allowed for each in wanted)


def _url_covers(pattern: str, path: str) -> bool:
    return pattern == path or (pattern.endswith(ANY) and path.startswith(pattern.rstrip(ANY)))
