"""Role-based access control: who may do what, as a pure decision over roles and bindings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from landform.cluster.errors import Forbidden
from landform.embedded.access.aggregation import aggregated_rules
from landform.embedded.access.rules import FULL_AUTHORITY, Attributes, Rule
from landform.embedded.access.users import User, service_account_name
from landform.embedded.access.wording import aggregated, qualified
from landform.kit.quoting import quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from landform.cluster.resources import Unstructured

__all__ = ["GROUP", "Attributes", "Decision", "Policy", "UnknownRole", "forbidden", "forbidden_message"]

GROUP = "rbac.authorization.k8s.io"
"""The API group of roles and bindings."""

# How many users' grants a policy remembers; a policy is replaced whenever a role or binding changes.
_REMEMBERED = 4096

# The API server never writes text that a browser could take for HTML.
_HARMLESS = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


class UnknownRole(Exception):
    """A binding names a role that does not exist; the text is the API server's."""


class Decision(NamedTuple):
    """An answer, and the API server's words for how it came about."""

    allowed: bool
    reason: str


class _Subject(NamedTuple):
    """Whom a binding names. A ServiceAccount stands here as the user it is."""

    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class _Grant:
    """What one binding gives to one of its subjects."""

    binding: tuple[int, int]
    """Which binding: cluster-wide ones first, then as they were given. Decides only which of several is named."""

    position: int
    """Which of its subjects."""

    rules: tuple[Rule, ...]
    source: str
    """The binding in words."""

    problem: str = ""
    """Why there are no rules: the role is missing."""


_Index = dict[_Subject, list[_Grant]]


class Policy:
    """All roles and bindings at one moment, indexed by subject. Never changes; build another one instead.

    A decision looks only at the bindings that name the user, his groups or his ServiceAccount.
    """

    def __init__(self, roles: Mapping[tuple[str, str, str], tuple[Rule, ...]]) -> None:
        self._roles = roles
        self._everywhere: _Index = {}
        self._by_namespace: dict[str, _Index] = {}
        self._remembered: dict[tuple[str, tuple[str, ...], str], tuple[_Grant, ...]] = {}

    @classmethod
    def build(
        cls,
        roles: Iterable[Unstructured],
        cluster_roles: Iterable[Unstructured],
        role_bindings: Iterable[Unstructured],
        cluster_role_bindings: Iterable[Unstructured],
    ) -> Policy:
        """The policy of these objects."""
        policy = cls(_compiled(roles, cluster_roles))
        for position, binding in enumerate(cluster_role_bindings):
            policy._index(binding, "", (0, position), policy._everywhere)
        for position, binding in enumerate(role_bindings):
            namespace = binding["metadata"]["namespace"]
            policy._index(binding, namespace, (1, position), policy._by_namespace.setdefault(namespace, {}))
        return policy

    def allows(self, wanted: Attributes) -> bool:
        """Whether the user may do it."""
        return self.decide(wanted).allowed

    def decide(self, wanted: Attributes) -> Decision:
        """Whether the user may do it, and by which binding; if not, which bindings of his name missing roles."""
        if wanted.user.is_admin:
            return Decision(True, "")
        problems = []
        for grant in self._grants(wanted.user, wanted.namespace):
            if any(rule.allows(wanted) for rule in grant.rules):
                return Decision(True, f"RBAC: allowed by {grant.source}")
            if grant.problem:
                problems.append(grant.problem)
        return Decision(False, f"RBAC: {aggregated(problems)}" if problems else "")

    def rules_for(self, user: User, namespace: str) -> list[Rule]:
        """Every rule that applies to the user in the namespace, cluster-wide ones included."""
        own = [rule for grant in self._grants(user, namespace) for rule in grant.rules]
        return [*FULL_AUTHORITY, *own] if user.is_admin else own

    def problems_for(self, user: User, namespace: str) -> list[str]:
        """What is wrong with bindings that name the user: their roles are missing."""
        return [grant.problem for grant in self._grants(user, namespace) if grant.problem]

    def role_rules(self, role_ref: Mapping[str, str], namespace: str) -> tuple[Rule, ...]:
        """The rules of the role that a binding in this namespace names; UnknownRole if there is none."""
        kind, name = role_ref.get("kind", ""), role_ref.get("name", "")
        if kind not in ("Role", "ClusterRole"):
            raise UnknownRole(f"unsupported role reference kind: {quote(kind)}")
        key = (kind, namespace if kind == "Role" else "", name)
        if key not in self._roles:
            raise UnknownRole(f"{kind.lower()}.{GROUP} {quote(name)} not found")
        return self._roles[key]

    def _index(self, binding: Unstructured, namespace: str, which: tuple[int, int], index: _Index) -> None:
        role_ref = binding.get("roleRef") or {}
        rules: tuple[Rule, ...] = ()
        problem = ""
        try:
            rules = self.role_rules(role_ref, namespace)
        except UnknownRole as error:
            problem = str(error)
        for position, given in enumerate(binding.get("subjects") or ()):
            subject = _subject(given, namespace)
            if subject is not None:
                source = _source(binding, role_ref, given, namespace)
                index.setdefault(subject, []).append(_Grant(which, position, rules, source, problem))

    def _grants(self, user: User, namespace: str) -> tuple[_Grant, ...]:
        key = (user.name, user.groups, namespace)
        known = self._remembered.get(key)
        if known is None:
            if len(self._remembered) >= _REMEMBERED:
                self._remembered.clear()
            known = self._remembered[key] = self._collected(user, namespace)
        return known

    def _collected(self, user: User, namespace: str) -> tuple[_Grant, ...]:
        indexes = [self._everywhere]
        if namespace in self._by_namespace:
            indexes.append(self._by_namespace[namespace])
        found = [grant for index in indexes for subject in _subjects_of(user) for grant in index.get(subject, ())]
        # A binding that names the user in several ways counts once, by the first of them.
        first: dict[tuple[int, int], _Grant] = {}
        for grant in sorted(found, key=lambda grant: (grant.binding, grant.position)):
            first.setdefault(grant.binding, grant)
        return tuple(first.values())


def forbidden_message(wanted: Attributes, reason: str = "") -> str:
    """That the user may not do it, in the API server's words."""
    refusal = _refusal(wanted).translate(_HARMLESS)
    because = f"{refusal}: {reason}" if reason else refusal
    if wanted.path is not None or not wanted.resource:
        return f"forbidden: {because}"
    what = qualified(wanted.group, wanted.resource)
    return f"{what} {quote(wanted.name)} is forbidden: {because}" if wanted.name else f"{what} is forbidden: {because}"


def forbidden(wanted: Attributes, reason: str = "") -> Forbidden:
    """The error to answer with when the user may not do it."""
    named = {"name": wanted.name, "group": wanted.group, "kind": wanted.resource}
    return Forbidden(forbidden_message(wanted, reason), details={key: value for key, value in named.items() if value})


def _refusal(wanted: Attributes) -> str:
    user, verb = quote(wanted.user.name), wanted.verb
    if wanted.path is not None:
        return f"User {user} cannot {verb} path {quote(wanted.path)}"
    scope = f"in the namespace {quote(wanted.namespace)}" if wanted.namespace else "at the cluster scope"
    what = f"resource {quote(wanted.full_resource)} in API group {quote(wanted.group)}"
    return f"User {user} cannot {verb} {what} {scope}"


def _compiled(
    roles: Iterable[Unstructured], cluster_roles: Iterable[Unstructured]
) -> dict[tuple[str, str, str], tuple[Rule, ...]]:
    """The rules of every role by kind, namespace and name."""
    cluster_roles = list(cluster_roles)
    gathered = aggregated_rules(cluster_roles)
    compiled = {}
    for role in roles:
        metadata = role["metadata"]
        compiled["Role", metadata["namespace"], metadata["name"]] = _rules(role.get("rules"))
    for role in cluster_roles:
        name = role["metadata"]["name"]
        compiled["ClusterRole", "", name] = _rules(gathered.get(name, role.get("rules")))
    return compiled


def _rules(rules: Iterable[Unstructured] | None) -> tuple[Rule, ...]:
    return tuple(Rule.from_dict(rule) for rule in rules or ())


def _subject(given: Mapping[str, str], binding_namespace: str) -> _Subject | None:
    kind, name = given.get("kind"), given.get("name", "")
    if kind in ("User", "Group"):
        return _Subject(kind, name)
    namespace = given.get("namespace") or binding_namespace
    if kind == "ServiceAccount" and namespace:
        return _Subject("User", service_account_name(namespace, name))
    return None


def _subjects_of(user: User) -> Iterator[_Subject]:
    yield _Subject("User", user.name)
    for group in dict.fromkeys(user.groups):
        yield _Subject("Group", group)


def _source(
    binding: Unstructured, role_ref: Mapping[str, str], subject: Mapping[str, str], binding_namespace: str
) -> str:
    metadata = binding["metadata"]
    kind, name = subject.get("kind", ""), subject.get("name", "")
    if kind == "ServiceAccount":
        name = f"{name}/{subject.get('namespace') or binding_namespace}"
    bound = (
        f"RoleBinding {quote(metadata['name'] + '/' + binding_namespace)}"
        if binding_namespace
        else (f"ClusterRoleBinding {quote(metadata['name'])}")
    )
    role = f"{role_ref.get('kind', '')} {quote(role_ref.get('name', ''))}"
    return f"{bound} of {role} to {kind} {quote(name)}"
