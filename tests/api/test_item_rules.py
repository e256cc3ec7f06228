"""The rules for Executions, DeployItems and Targets, one sentence each; and what holds for all rules."""

from __future__ import annotations

import base64
import copy
import gzip
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from landform.api import executions, faults, item_rules
from landform.api.faults import Reason
from landform.api.structs import API_VERSION
from landform.api.validation import VALIDATED, validate

CONFIG = {"apiVersion": "v1", "kind": "K"}


def obj(kind: str, /, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": {"name": "x"}, "spec": spec}


def found(new: dict[str, Any], old: dict[str, Any] | None = None) -> list[tuple[Reason, str]]:
    return [(fault.reason, fault.field) for fault in validate(new, old)]


def execution(*items: dict[str, Any]) -> dict[str, Any]:
    return obj("Execution", deployItems=[{"type": "t", "config": CONFIG, **item} for item in items])


class TestExecutions:
    def test_items_in_an_order_are_fine(self) -> None:
        target = {"name": "t", "namespace": "n"}
        assert found(execution({"name": "a", "target": target}, {"name": "b", "dependsOn": ["a"]})) == []

    def test_no_items_are_fine(self) -> None:
        assert found(execution()) == []
        assert found(obj("Execution")) == []

    def test_names_and_types_are_required(self) -> None:
        assert found(execution({"name": "", "type": ""})) == [
            (Reason.REQUIRED, "spec.deployItems[0].name"),
            (Reason.REQUIRED, "spec.deployItems[0].type"),
        ]

    def test_names_are_unique(self) -> None:
        [fault] = validate(execution({"name": "a"}, {"name": "a"}))
        assert str(fault) == 'spec.deployItems[1]: Duplicate value: "a"'

    def test_a_target_needs_name_and_namespace(self) -> None:
        assert found(execution({"name": "a", "target": {}})) == [
            (Reason.REQUIRED, "spec.deployItems[0].target.name"),
            (Reason.REQUIRED, "spec.deployItems[0].target.namespace"),
        ]

    @pytest.mark.parametrize(
        ("key", "value"),
        [
            ("-a", "v"),
            ("a" * 64, "v"),
            ("", "v"),
            ("A.b/c", "v"),
            ("a/b/c", "v"),
            ("/a", "v"),
            ("a", "-"),
            ("a", "b" * 64),
            ("a", "b c"),
        ],
    )
    def test_labels_must_be_valid(self, key: str, value: str) -> None:
        assert found(execution({"name": "a", "labels": {key: value}})) == [
            (Reason.INVALID, "spec.deployItems[0].labels")
        ]

    def test_valid_labels_are_fine(self) -> None:
        assert found(execution({"name": "a", "labels": {"a.b/C_d": "E.f", "x": ""}})) == []

    def test_a_timeout_must_be_a_duration(self) -> None:
        assert found(execution({"name": "a", "timeout": "10m"}, {"name": "b", "timeout": "none"})) == []
        [fault] = validate(execution({"name": "a", "timeout": "10"}))
        assert (fault.reason, fault.field) == (Reason.INVALID, "spec.deployItems[0].timeout")
        assert "missing unit" in fault.message

    def test_a_dependency_must_exist(self) -> None:
        [fault] = validate(execution({"name": "a", "dependsOn": ["b"]}))
        assert str(fault) == 'spec.deployItems[0].dependsOn[0]: Not found: "b": no deploy item has this name'

    def test_a_cycle_is_named(self) -> None:
        [fault] = validate(
            execution(
                {"name": "a", "dependsOn": ["b"]}, {"name": "b", "dependsOn": ["c"]}, {"name": "c", "dependsOn": ["b"]}
            )
        )
        assert (fault.reason, fault.field) == (Reason.INVALID, "spec.deployItems")
        assert fault.message == 'Invalid value: ["b","c"]: the dependencies form a cycle: b -> c -> b'

    def test_an_item_that_depends_on_itself_is_a_cycle(self) -> None:
        [fault] = validate(execution({"name": "a", "dependsOn": ["a"]}))
        assert fault.message.endswith("the dependencies form a cycle: a -> a")

    def test_dependencies_are_not_checked_when_names_are_ambiguous(self) -> None:
        items = ({"name": "a", "dependsOn": ["a", "z"]}, {"name": "a"})
        assert found(execution(*items)) == [(Reason.DUPLICATE, "spec.deployItems[1]")]

    def test_a_cycle_of_strange_names_is_named_too(self) -> None:
        [fault] = validate(execution({"name": "\ud800", "dependsOn": ["\ud800"]}))
        assert fault.field == "spec.deployItems"

    def test_a_diamond_is_no_cycle(self) -> None:
        items = (
            {"name": "a", "dependsOn": ["b", "c"]},
            {"name": "b", "dependsOn": ["d"]},
            {"name": "c", "dependsOn": ["d"]},
            {"name": "d"},
        )
        assert found(execution(*items)) == []

    def test_a_very_long_chain_is_no_problem(self) -> None:
        chain = [{"name": f"i{n}", "dependsOn": [f"i{n + 1}"]} for n in range(5_000)]
        assert found(execution(*chain, {"name": "i5000"})) == []
        [fault] = validate(execution(*chain, {"name": "i5000", "dependsOn": ["i0"]}))
        assert "i0 -> i1 -> " in fault.message
        assert len(fault.message) < 1_000

    def test_compressed_items_follow_the_same_rules(self) -> None:
        plain = [{"name": "fine", "type": "t", "config": CONFIG}]
        compressed = executions.compress([{"name": "a", "type": "", "config": CONFIG}])
        assert found(obj("Execution", deployItems=plain, deployItemsCompressed=compressed)) == [
            (Reason.REQUIRED, "spec.deployItems[0].type")
        ]

    @pytest.mark.parametrize("text", ["?", "AAAA", "ä"])
    def test_compressed_items_must_be_readable(self, text: str) -> None:
        assert found(obj("Execution", deployItemsCompressed=text)) == [(Reason.INVALID, "spec.deployItemsCompressed")]

    def test_compressed_items_must_be_json(self) -> None:
        text = base64.b64encode(gzip.compress(b"not json")).decode()
        assert found(obj("Execution", deployItemsCompressed=text)) == [(Reason.INVALID, "spec.deployItemsCompressed")]

    def test_a_bomb_is_not_inflated(self) -> None:
        bomb = executions.compress([{"name": "a" * executions.MAX_INFLATED}])
        [fault] = validate(obj("Execution", deployItemsCompressed=bomb))
        assert "when inflated" in fault.message
        assert len(fault.message) < 1_000


class TestDeployItems:
    def test_an_item_with_a_type_is_fine(self) -> None:
        assert found(obj("DeployItem", type="helm")) == []
        assert found(obj("DeployItem", type="t", target={"name": "a", "namespace": "b"}, timeout="none")) == []

    def test_the_type_is_required(self) -> None:
        [fault] = validate(obj("DeployItem", type=""))
        assert str(fault) == "spec.type: Required value: the type says which deployer is responsible"

    def test_a_target_needs_name_and_namespace(self) -> None:
        assert found(obj("DeployItem", type="t", target={"name": "a"})) == [(Reason.REQUIRED, "spec.target.namespace")]
        assert found(obj("DeployItem", type="t", target={"namespace": "a"})) == [(Reason.REQUIRED, "spec.target.name")]

    def test_the_type_cannot_be_changed(self) -> None:
        [fault] = validate(obj("DeployItem", type="new"), obj("DeployItem", type="old"))
        assert str(fault) == "spec.type: Forbidden: the type cannot be changed; create another DeployItem instead"
        assert fault.reason == Reason.FORBIDDEN
        assert fault.immutable

    def test_everything_else_may_change(self) -> None:
        assert found(obj("DeployItem", type="t", timeout="1m"), obj("DeployItem", type="t", timeout="nonsense")) == []

    def test_a_timeout_must_be_a_duration(self) -> None:
        assert found(obj("DeployItem", type="t", timeout="soon")) == [(Reason.INVALID, "spec.timeout")]
        assert found(obj("DeployItem", type="t", timeout=5)) == [(Reason.TYPE_INVALID, "spec.timeout")]


class TestTargets:
    @pytest.mark.parametrize(
        "spec",
        [{}, {"config": {}}, {"secretRef": {"name": "s"}}, {"config": None, "secretRef": {"name": "s"}}],
        ids=str,
    )
    def test_at_most_one_source_is_fine(self, spec: dict[str, Any]) -> None:
        assert found(obj("Target", type="t", **spec)) == []

    def test_config_and_secret_reference_exclude_each_other(self) -> None:
        [fault] = validate(obj("Target", type="t", config={"kubeconfig": "SECRET"}, secretRef={"name": "s"}))
        assert (fault.reason, fault.field) == (Reason.INVALID, "spec")
        assert "SECRET" not in str(fault)


@pytest.mark.parametrize("kind", VALIDATED)
def test_the_skip_label_switches_all_rules_off(kind: str) -> None:
    new = obj(kind, type="", config={}, secretRef={}, deployItems=[{}])
    assert found(new) != []
    new["metadata"]["labels"] = {"validation.landscaper.gardener.cloud/skip-validation": "true"}
    assert found(new) == []
    new["metadata"]["labels"] = {"validation.landscaper.gardener.cloud/skip-validation": "yes"}
    assert found(new) != []


@pytest.mark.parametrize("kind", VALIDATED)
def test_an_object_that_is_being_deleted_may_break_any_rule(kind: str) -> None:
    new = obj(kind, type="", config={}, secretRef={}, deployItems=[{}])
    new["metadata"]["deletionTimestamp"] = "2026-01-02T03:04:05Z"
    assert found(new) == []
    new["metadata"]["deletionTimestamp"] = None
    assert found(new) != []


@pytest.mark.parametrize(
    "other",
    [
        {"apiVersion": API_VERSION, "kind": "Context"},
        {"apiVersion": "v1", "kind": "Target", "spec": {"config": {}, "secretRef": {}}},
        {},
    ],
    ids=str,
)
def test_other_objects_have_no_rules(other: dict[str, Any]) -> None:
    assert validate(other) == []


def test_faults_are_joined_as_the_api_server_does() -> None:
    one, two = faults.required("a", "why"), faults.duplicate("b", 1)
    assert faults.summary([one]) == "a: Required value: why"
    assert faults.summary([one, two]) == "[a: Required value: why, b: Duplicate value: 1]"


def test_long_values_are_cut() -> None:
    assert len(faults.invalid("f", "x" * 10_000, "too odd").message) < 300
    assert len(faults.invalid("f", ["x" * 10_000], "too odd").message) < 300


WORDS = st.sampled_from(
    [
        *(
            "name",
            "generateName",
            "labels",
            "imports",
            "exports",
            "data",
            "targets",
            "target",
            "targetMap",
            "secretRef",
        ),
        *("configMapRef", "dataRef", "blueprint", "ref", "inline", "componentDescriptor", "automaticReconcile"),
        *("succeededReconcile", "failedReconcile", "cronSpec", "interval", "deployItems", "deployItemsCompressed"),
        *("dependsOn", "type", "timeout", "config", "namespace", "a", "b"),
    ]
)
TEXTS = st.text(st.characters(), max_size=5)  # lone surrogates too: JSON can spell them
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS | WORDS
JSON = st.recursive(
    SCALARS,
    lambda children: st.lists(children, max_size=4) | st.dictionaries(WORDS | TEXTS, children, max_size=5),
    max_leaves=25,
)


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(kind=st.sampled_from(sorted(VALIDATED)), metadata=JSON, spec=JSON, old=JSON)
def test_validation_never_raises_and_changes_nothing(kind: str, metadata: Any, spec: Any, old: Any) -> None:
    new = {"apiVersion": API_VERSION, "kind": kind, "metadata": metadata, "spec": spec}
    before = copy.deepcopy(new)
    for fault in validate(new, {"spec": old}) + validate(new, old):
        assert fault.message
    assert repr(new) == repr(before)


@given(anything=JSON, old=JSON)
def test_anything_at_all_can_be_validated(anything: Any, old: Any) -> None:
    validate(anything, old)


NAMES = st.sampled_from("abcdefgh")


@given(st.dictionaries(NAMES, st.lists(NAMES, max_size=3)))
def test_a_graph_has_cycles_exactly_when_it_cannot_be_sorted(edges: dict[str, list[str]]) -> None:
    graph = {node: [other for other in others if other in edges] for node, others in edges.items()}
    remaining = dict(graph)
    while ready := [node for node, others in remaining.items() if not set(others) & set(remaining)]:
        for node in ready:
            del remaining[node]
    cycles = list(item_rules.cycles(graph))
    assert bool(cycles) == bool(remaining)
    for cycle in cycles:
        for here, there in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
            assert there in graph[here]
