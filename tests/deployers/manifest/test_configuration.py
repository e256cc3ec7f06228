"""Configurations of both versions are read, and what is wrong with one is told with its place."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landform.api.errors import OperationFailed
from landform.deployers.manifest import decoding
from landform.deployers.manifest.configuration import V1ALPHA1, V1ALPHA2, Policy

MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "n"}}
REFERENCE = {"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "namespace": "n"}
GROUP = {"predefinedResourceGroup": {"type": "crds", "forceDelete": True}}


def config(version: str = V1ALPHA2, **fields: Any) -> dict[str, Any]:
    return {"apiVersion": version, "kind": "ProviderConfiguration", **fields}


def refusal(**fields: Any) -> str:
    with pytest.raises(OperationFailed) as refused:
        decoding.read(config(**fields))
    assert refused.value.codes == ("ERR_CONFIGURATION_PROBLEM",)
    assert refused.value.operation == "InitManifestOperation"
    return refused.value.message


def test_the_older_version_keeps_its_exports_and_deletion_groups() -> None:
    export = {"key": "a", "jsonPath": ".data", "fromResource": REFERENCE}
    read = decoding.read(
        config(
            V1ALPHA1,
            manifests=[MAP],
            exports={"exports": [export]},
            deletionGroups=[GROUP],
            deletionGroupsDuringUpdate=[GROUP],
            updateStrategy="patch",
        )
    )
    assert [(each.policy, each.manifest) for each in read.manifests or ()] == [(Policy.MANAGE, MAP)]
    assert [each.key for each in read.values] == ["a"]
    assert read.deletion_groups is not None
    assert read.deletion_groups == read.deletion_groups_during_update
    assert read.deletion_groups[0].force_delete


def test_what_is_not_said_has_its_default() -> None:
    read = decoding.read(config(manifests=[{"manifest": MAP}], exports=None, readinessChecks=None))
    assert (read.update_strategy, read.drift, read.values) == ("update", "correct", [])
    assert read.manifests is not None
    assert read.manifests[0].policy == "manage"


def test_null_and_empty_choices_are_as_good_as_nothing() -> None:
    """Templates write them where a value is not given."""
    read = decoding.read(
        config(
            manifests=[{"manifest": MAP, "policy": ""}, {"manifest": MAP, "policy": None}],
            updateStrategy="",
            drift=None,
            readinessChecks={"disableDefault": None},
            exports={"exports": [{"key": "a", "jsonPath": ".a", "targetName": None, "follow": None}]},
            deletionGroups=[{"predefinedResourceGroup": None, **GROUP}],
        )
    )
    assert [each.policy for each in read.manifests or ()] == ["manage", "manage"]
    assert (read.update_strategy, read.drift) == ("update", "correct")


def test_null_in_what_is_not_the_configurations_own_stays() -> None:
    patch = {"spec": {"replicas": None}}
    read = decoding.read(config(manifests=[{"manifest": {**MAP, "data": None}, "patchAfterDeployment": patch}]))
    assert read.manifests is not None
    assert read.manifests[0].patch_after_deployment == patch
    assert read.manifests[0].manifest == {**MAP, "data": None}
    assert "Expected `str`, got `null`" in refusal(
        readinessChecks={"default": [{"labelSelector": {**REFERENCE, "matchLabels": {"app": None}}}]}
    )


def test_the_older_version_is_told_its_own_places() -> None:
    for wrong, place in (({"kind": "X"}, "manifests[0].apiVersion: "), (5, "at `spec.config.manifests[0]`")):
        with pytest.raises(OperationFailed) as refused:
            decoding.read(config(V1ALPHA1, manifests=[wrong]))
        assert place in refused.value.message
        assert ".manifest." not in refused.value.message


def test_the_deletion_groups_are_read_whatever_else_is_wrong() -> None:
    assert decoding.deletion_groups({"apiVersion": "x", "manifests": 5, "deletionGroups": [GROUP]})[0].force_delete
    assert decoding.deletion_groups({}) == []
    with pytest.raises(OperationFailed, match=r"deletionGroups\[0\]: Required value"):
        decoding.deletion_groups({"deletionGroups": [{}]})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"manifests": [{"manifest": {**MAP, "metadata": {"name": 5}}}]}, 'name: Invalid value: "integer": must be of'),
        ({"manifests": [{"manifest": {**MAP, "metadata": {"generateName": "a-"}}}]}, "generateName would make another"),
        (
            {"manifests": [{"manifest": {"items": [{"items": [MAP, {"kind": "X"}]}]}}]},
            "manifests[0].manifest.items[0].items[1].apiVersion: Required value",
        ),
        ({"manifests": [{"policy": "manage"}]}, "manifests[0].manifest: Required value"),
        ({"manifests": [{"manifest": {"kind": "X"}}]}, "manifests[0].manifest.apiVersion: Required value"),
        ({"manifests": [{"manifest": {"items": [{"kind": "X"}]}}]}, "manifests[0].manifest.items[0].metadata.name"),
        ({"manifests": [{"manifest": {"items": [5]}}]}, "manifests[0].manifest.items[0]: Invalid value"),
        ({"manifests": [{"manifest": MAP, "policy": "own"}]}, 'manifests[0].policy: Unsupported value: "own"'),
        ({"manifests": [{"manifest": "text"}]}, "at `spec.config.manifests[0].manifest`"),
        ({"updateStrategy": "rewrite"}, "supported values: update, patch, merge, mergeOverwrite, apply"),
        ({"drift": "none"}, "drift: Unsupported value"),
        ({"deletionGroups": [{}]}, "deletionGroups[0]: Required value: exactly one of"),
        ({"deletionGroups": [{**GROUP, "customResourceGroup": {}}]}, "exactly one of"),
        ({"deletionGroupsDuringUpdate": [{"predefinedResourceGroup": {"type": "x"}}]}, "Unsupported value"),
        ({"deletionGroups": [{"customResourceGroup": {}}]}, "customResourceGroup.resources: Required value"),
        (
            {
                "deletionGroups": [
                    {"customResourceGroup": {"resources": [{"apiVersion": "v1", "kind": "Pod"}], "targetName": "b"}}
                ]
            },
            "another target needs deleteAllResources",
        ),
        ({"exports": {"exports": [{"jsonPath": ".a"}]}}, "exports.exports[0].key: Required value"),
        ({"exports": {"exports": [{"key": "a..b", "jsonPath": ".a"}]}}, "between dots"),
        ({"exports": {"exports": [{"key": "a", "jsonPath": ".a["}]}}, "exports.exports[0].jsonPath: Invalid value"),
        ({"readinessChecks": {"custom": [{"name": "c"}]}}, "at least one of resourceSelector, labelSelector"),
        ({"readinessChecks": {"default": [{}]}}, "readinessChecks.default[0]: Required value"),
        (
            {"readinessChecks": {"default": [{"labelSelector": {**REFERENCE, "matchLabels": {"a b": "c"}}}]}},
            "readinessChecks.default[0].labelSelector.matchLabels[a b]: Invalid value",
        ),
    ],
)
def test_a_wrong_field_is_named(fields: dict[str, Any], message: str) -> None:
    assert message in refusal(**fields)


@pytest.mark.parametrize(
    ("requirement", "message"),
    [
        ({"jsonPath": ".a", "operator": "=="}, "values: Required value"),
        ({"jsonPath": ".a", "operator": "==", "values": [{"value": 1}, {"value": 2}]}, "exactly one value"),
        ({"jsonPath": ".a", "operator": "is", "values": [{"value": 1}]}, "operator: Invalid value"),
        ({"jsonPath": ".a", "operator": "in", "values": [{}]}, "values[0].value: Required value"),
        ({"operator": "exists"}, "jsonPath: Required value"),
    ],
)
def test_a_requirement_that_makes_no_sense_is_refused(requirement: dict[str, Any], message: str) -> None:
    check = {"name": "c", "resourceSelector": [REFERENCE], "requirements": [requirement]}
    text = refusal(readinessChecks={"custom": [check]})
    assert text.startswith("spec.config: readinessChecks.custom[0].requirements[0].")
    assert message in text


def test_all_faults_are_told_at_once() -> None:
    text = refusal(updateStrategy="x", drift="y")
    assert "updateStrategy" in text
    assert "drift" in text


@pytest.mark.parametrize(("version", "kind"), [("v1", "ProviderConfiguration"), (V1ALPHA2, "Configuration")])
def test_another_kind_of_configuration_is_refused(version: str, kind: str) -> None:
    with pytest.raises(OperationFailed, match="needs a ProviderConfiguration"):
        decoding.read({"apiVersion": version, "kind": kind})


def test_fields_of_old_are_found() -> None:
    old = config(
        kubeconfig="x",
        exports={"defaultTimeout": "2m", "exports": [{"timeout": "1m"}]},
        readinessChecks={"timeout": "1m", "custom": [{}, {"timeout": "1m"}]},
    )
    assert decoding.removed_fields(old) == [
        "kubeconfig",
        "exports.defaultTimeout",
        "exports.exports[0].timeout",
        "readinessChecks.timeout",
        "readinessChecks.custom[1].timeout",
    ]


def test_no_fault_quotes_a_manifest() -> None:
    secret = {"kind": "Secret", "stringData": {"password": "hunter2"}, "metadata": "hunter2"}
    assert "hunter2" not in refusal(manifests=[{"manifest": secret}])
    assert "hunter2" not in refusal(manifests=[{"manifest": {"items": ["hunter2"]}}])
    assert "hunter2" not in refusal(manifests=["hunter2"])


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(["manifests", "exports", "readinessChecks", "deletionGroups", "updateStrategy", "drift"])


@given(st.dictionaries(FIELDS, ANY), st.sampled_from([V1ALPHA1, V1ALPHA2]))
def test_whatever_is_written_is_read_or_refused(fields: dict[str, Any], version: str) -> None:
    with contextlib.suppress(OperationFailed):
        decoding.read(config(version, **fields))
    assert isinstance(decoding.removed_fields(config(version, **fields)), list)
