"""No one gives away rights he does not have: checks before a role or a binding is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from landform.cluster.errors import Forbidden, NotFound
from landform.embedded.access.rbac import GROUP, Policy, UnknownRole
from landform.embedded.access.rules import FULL_AUTHORITY, Attributes, Rule, compacted, uncovered
from landform.embedded.access.wording import aggregated, quoted_list
from landform.kit.quoting import quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from landform.cluster.resources import Unstructured
    from landform.embedded.access.users import User

# Fields that the garbage collector writes: a change of nothing else gives no rights to anyone.
_HOUSEKEEPING = ("ownerReferences", "finalizers", "managedFields", "resourceVersion")


def escalates(policy: Policy, user: User, rules: Iterable[Rule], namespace: str) -> str:
    """Which of the rules the user lacks in the namespace, in the API server's words; empty if he has them all."""
    missing = uncovered(policy.rules_for(user, namespace), rules)
    if not missing:
        return ""
    described = "\n".join(sorted({str(rule) for rule in compacted(missing)}))
    message = (
        f"user {quote(user.name)} (groups={quoted_list(user.groups)}) is attempting to grant RBAC permissions not "
        f"currently held:\n{described}"
    )
    problems = policy.problems_for(user, namespace)
    return f"{message}; resolution errors: [{aggregated(problems)}]" if problems else message


def check_role(policy: Policy, user: User, role: Unstructured, *, old: Unstructured | None = None) -> None:
    """Forbidden unless the user has all rights that the Role or ClusterRole gives, or the verb ``escalate``."""
    resource, namespace, name = _plural(role), _namespace(role), role["metadata"].get("name", "")
    escalate = Attributes(user, "escalate", GROUP, resource, name=name, namespace=namespace)
    if user.is_admin or _is_housekeeping(role, old) or policy.allows(escalate):
        return
    lacking = escalates(policy, user, [Rule.from_dict(rule) for rule in role.get("rules") or ()], namespace)
    if lacking:
        raise _forbidden(resource, name, lacking)
    # Such a role may gather anything later, so only someone who has everything may decide what it gathers.
    if (_gathers(role) or _gathers(old or {})) and escalates(policy, user, FULL_AUTHORITY, ""):
        raise _forbidden(resource, name, "must have cluster-admin privileges to use the aggregationRule")


def check_binding(policy: Policy, user: User, binding: Unstructured, *, old: Unstructured | None = None) -> None:
    """Forbidden unless the user has all rights of the bound role, or the verb ``bind`` on it.

    NotFound if the role does not exist: then no one can say what is given.
    """
    resource, namespace, name = _plural(binding), _namespace(binding), binding["metadata"].get("name", "")
    if user.is_admin or _is_housekeeping(binding, old) or _may_bind(policy, user, binding, namespace):
        return
    try:
        rules = policy.role_rules(binding.get("roleRef") or {}, namespace)
    except UnknownRole as error:
        raise NotFound(str(error)) from error
    lacking = escalates(policy, user, rules, namespace)
    if lacking:
        raise _forbidden(resource, name, lacking)


def _may_bind(policy: Policy, user: User, binding: Unstructured, namespace: str) -> bool:
    role_ref = binding.get("roleRef") or {}
    resource = {"Role": "roles", "ClusterRole": "clusterroles"}.get(role_ref.get("kind", ""))
    if resource is None:
        return False
    group, name = role_ref.get("apiGroup") or GROUP, role_ref.get("name", "")
    return policy.allows(Attributes(user, "bind", group, resource, name=name, namespace=namespace))


def _plural(obj: Unstructured) -> str:
    return f"{str(obj.get('kind', '')).lower()}s"


def _namespace(obj: Unstructured) -> str:
    return str(obj["metadata"].get("namespace", ""))


def _gathers(role: Mapping[str, Any]) -> bool:
    return bool((role.get("aggregationRule") or {}).get("clusterRoleSelectors"))


def _is_housekeeping(new: Unstructured, old: Unstructured | None) -> bool:
    return old is not None and _substance(new) == _substance(old)


def _substance(obj: Unstructured) -> dict[str, Any]:
    metadata = {key: value for key, value in obj["metadata"].items() if key not in _HOUSEKEEPING}
    return {**obj, "metadata": metadata}


def _forbidden(resource: str, name: str, why: str) -> Forbidden:
    details = {"name": name, "group": GROUP, "kind": resource}
    return Forbidden(f"{resource}.{GROUP} {quote(name)} is forbidden: {why}", details=details)
