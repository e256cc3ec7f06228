"""Our decisions and words are those of Kubernetes' own code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from landform.embedded.access.escalation import escalates
from landform.embedded.access.rbac import Attributes, Policy, forbidden_message
from landform.embedded.access.rules import Rule
from landform.embedded.access.users import User

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "golden" / "rbac.json").read_text("utf-8"))


def policy_of(case: dict[str, Any]) -> Policy:
    return Policy.build(case["roles"], case["clusterRoles"], case["roleBindings"], case["clusterRoleBindings"])


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_decisions_reasons_and_refusals_are_those_of_kubernetes(case: dict[str, Any]) -> None:
    policy = policy_of(case)
    for query in case["queries"]:
        fields = {
            key: query[key] for key in ("group", "resource", "subresource", "name", "namespace", "path") if key in query
        }
        wanted = Attributes(User(query["user"], tuple(query["groups"])), query["verb"], **fields)
        decision = policy.decide(wanted)
        assert (decision.allowed, decision.reason) == (query["allowed"], query["reason"]), query
        if not decision.allowed:
            assert forbidden_message(wanted, decision.reason) == query["message"]


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_escalation_is_found_and_worded_as_by_kubernetes(case: dict[str, Any]) -> None:
    policy = policy_of(case)
    for grant in case["grants"]:
        user = User(grant["user"], tuple(grant["groups"]))
        rules = [Rule.from_dict(rule) for rule in grant["rules"]]
        assert escalates(policy, user, rules, grant["namespace"]) == grant["message"], grant


def test_the_golden_cases_contain_every_kind_of_answer() -> None:
    queries = [query for case in CASES for query in case["queries"]]
    grants = [grant["message"] for case in CASES for grant in case["grants"]]
    assert sum(query["allowed"] for query in queries) > 50
    assert sum(not query["allowed"] for query in queries) > 50
    assert any("not found" in query["reason"] for query in queries)
    assert any("not found" in message for message in grants)
    assert grants.count("") >= 10
