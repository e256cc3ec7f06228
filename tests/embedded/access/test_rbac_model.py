"""The indexed policy answers like a plain reading of all roles and bindings."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from landform.embedded.access.rbac import Attributes, Policy
from landform.embedded.access.rules import Rule, uncovered
from landform.embedded.access.users import User

NAMESPACES = ["blue", "red"]
USERS = ["ann", "bob", "system:serviceaccount:blue:robot"]
GROUPS = ["devs", "ops", "system:masters"]


def some(*words: str, least: int = 0) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(words), min_size=least, max_size=2, unique=True)


VERBS, API_GROUPS = some("get", "list", "*", least=1), some("", "apps", "*")
RESOURCES = some("pods", "pods/log", "*/log", "pods/*", "*")
RULES = st.one_of(
    st.fixed_dictionaries(
        {"verbs": VERBS, "apiGroups": API_GROUPS, "resources": RESOURCES},
        optional={"resourceNames": some("one", "two")},
    ),
    st.fixed_dictionaries({"verbs": VERBS, "nonResourceURLs": some("/api", "/api/*", "/a*", "*")}),
)
NAMES = st.sampled_from(["r1", "r2", "gone"])
SUBJECTS = st.one_of(
    st.builds(lambda name: {"kind": "User", "name": name}, st.sampled_from(USERS)),
    st.builds(lambda name: {"kind": "Group", "name": name}, st.sampled_from(GROUPS)),
    st.builds(
        lambda ns: {"kind": "ServiceAccount", "name": "robot", "namespace": ns}, st.sampled_from(["", *NAMESPACES])
    ),
)


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[dict[str, Any]], ...]:
    """Roles, cluster roles, role bindings, cluster role bindings."""

    def role(name: str, namespace: str) -> dict[str, Any]:
        return {"metadata": {"name": name, "namespace": namespace}, "rules": draw(st.lists(RULES, max_size=2))}

    def bindings(namespaced: bool) -> list[dict[str, Any]]:
        return [
            {
                "metadata": {"name": f"b{i}", "namespace": draw(st.sampled_from(NAMESPACES)) if namespaced else ""},
                "roleRef": {
                    "kind": draw(st.sampled_from(["Role", "ClusterRole"])) if namespaced else "ClusterRole",
                    "name": draw(NAMES),
                },
                "subjects": draw(st.lists(SUBJECTS, max_size=3)),
            }
            for i in range(draw(st.integers(0, 3)))
        ]

    roles = [role(name, namespace) for name in ("r1", "r2") for namespace in NAMESPACES]
    return roles, [role("r1", ""), role("r2", "")], bindings(True), bindings(False)


WANTED = st.builds(
    Attributes,
    st.builds(User, st.sampled_from(USERS), st.lists(st.sampled_from(GROUPS[:2]), max_size=2).map(tuple)),
    st.sampled_from(["get", "list", "delete"]),
    st.sampled_from(["", "apps", "other"]),
    st.sampled_from(["pods", "secrets"]),
    st.sampled_from(["", "log"]),
    st.sampled_from(["", "one", "three"]),
    st.sampled_from(["", *NAMESPACES]),
    st.sampled_from([None, None, "/api", "/api/v1", "/version"]),
)


def names(subject: dict[str, str], user: User, namespace: str) -> bool:
    if subject["kind"] == "ServiceAccount":
        home = subject["namespace"] or namespace
        return bool(home) and user.name == f"system:serviceaccount:{home}:{subject['name']}"
    return user.name == subject["name"] if subject["kind"] == "User" else subject["name"] in user.groups


def rule_allows(rule: dict[str, list[str]], wanted: Attributes) -> bool:
    if not {"*", wanted.verb} & set(rule["verbs"]):
        return False
    if wanted.path is not None:
        urls = rule.get("nonResourceURLs", [])
        return any(url == wanted.path or (url[-1] == "*" and wanted.path.startswith(url[:-1])) for url in urls)
    resources = {"*", f"{wanted.resource}/{wanted.subresource}" if wanted.subresource else wanted.resource}
    if wanted.subresource:
        resources.add(f"*/{wanted.subresource}")
    names = rule.get("resourceNames", [])
    return (
        bool({"*", wanted.group} & set(rule.get("apiGroups", [])))
        and bool(resources & set(rule.get("resources", [])))
        and (not names or wanted.name in names)
    )


def plain_reading(world: tuple[list[dict[str, Any]], ...], wanted: Attributes) -> bool:
    """Every binding, every subject, every rule, one after the other."""
    roles, cluster_roles, role_bindings, cluster_role_bindings = world
    in_force = [("", each) for each in cluster_role_bindings]
    in_force += [
        (wanted.namespace, each) for each in role_bindings if each["metadata"]["namespace"] == wanted.namespace
    ]
    for namespace, binding in in_force:
        if not any(names(subject, wanted.user, namespace) for subject in binding["subjects"]):
            continue
        candidates = cluster_roles if binding["roleRef"]["kind"] == "ClusterRole" else roles
        home = "" if binding["roleRef"]["kind"] == "ClusterRole" else namespace
        for role in candidates:
            if role["metadata"] == {"name": binding["roleRef"]["name"], "namespace": home} and any(
                rule_allows(rule, wanted) for rule in role["rules"]
            ):
                return True
    return False


@given(worlds(), st.lists(WANTED, min_size=1, max_size=10))
def test_the_index_answers_like_a_plain_reading(
    world: tuple[list[dict[str, Any]], ...], asked: list[Attributes]
) -> None:
    policy = Policy.build(*world)
    for wanted in asked:
        in_scope = wanted if wanted.path is None else Attributes(wanted.user, wanted.verb, path=wanted.path)
        assert policy.allows(in_scope) is plain_reading(world, in_scope)


@given(worlds(), WANTED)
def test_a_right_exists_exactly_if_one_of_the_listed_rules_gives_it(
    world: tuple[list[dict[str, Any]], ...], wanted: Attributes
) -> None:
    policy = Policy.build(*world)
    listed = policy.rules_for(wanted.user, wanted.namespace)
    assert policy.allows(wanted) is any(rule.allows(wanted) for rule in listed)


@given(st.lists(RULES, max_size=3), st.lists(RULES, max_size=2), WANTED)
def test_who_holds_all_of_some_rules_may_do_all_that_they_allow(
    held: list[dict[str, Any]], given_away: list[dict[str, Any]], wanted: Attributes
) -> None:
    own, others = [Rule.from_dict(rule) for rule in held], [Rule.from_dict(rule) for rule in given_away]
    if not uncovered(own, others) and any(rule.allows(wanted) for rule in others):
        assert any(rule.allows(wanted) for rule in own)


@given(st.lists(RULES, max_size=3))
def test_every_set_of_rules_covers_itself_and_its_parts(rules: list[dict[str, Any]]) -> None:
    own = [Rule.from_dict(rule) for rule in rules]
    assert not uncovered(own, own)
    assert not uncovered([part for rule in own for part in rule.parts()], own)
