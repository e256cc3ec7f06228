"""Objects survive being read and written."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
import yaml

from landform.api import anyjson, deployitems, executions
from landform.api.anyjson import ABSENT
from landform.api.catalog import KINDS, KindInfo
from landform.api.contexts import Context
from landform.api.dataobjects import DataObject
from landform.api.deployitems import DeployItem
from landform.api.examples import EXAMPLES
from landform.api.executions import Execution
from landform.api.installations import Installation
from landform.api.structs import API_VERSION, Kind, ObjectMeta
from landform.api.targets import Target, TargetSpec

MOMENT = "2026-01-31T12:00:00Z"


def wire(kind: str, **fields: Any) -> dict[str, Any]:
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": {"name": "x", "namespace": "y"}, **fields}


def round_trip(obj: dict[str, Any], struct: type[Kind]) -> dict[str, Any]:
    decoded: dict[str, Any] = json.loads(msgspec.json.encode(msgspec.json.decode(json.dumps(obj), type=struct)))
    return decoded


FULL_INSTALLATION = wire(
    "Installation",
    spec={
        "context": "default",
        "verification": {"signatureName": "mine"},
        "componentDescriptor": {
            "ref": {"repositoryContext": {"type": "x", "n": 1.50}, "componentName": "a.b/c", "version": "v1"}
        },
        "blueprint": {"inline": {"filesystem": {"blueprint.yaml": "kind: Blueprint"}}},
        "imports": {
            "data": [
                {"name": "a", "dataRef": "x", "version": "v1"},
                {"name": "b", "secretRef": {"name": "s", "key": "k"}},
                {"name": "c", "configMapRef": {"name": "m"}},
            ],
            "targets": [
                {"name": "d", "target": "t"},
                {"name": "e", "targets": []},
                {"name": "f", "targets": ["t", "u"]},
                {"name": "g", "targetListRef": "l"},
                {"name": "h", "targetMap": {"eu": "t"}},
                {"name": "i", "targetMapRef": "m"},
            ],
        },
        "importDataMappings": {"a": "(( b ))", "n": None, "l": [1, {"x": 2.0}]},
        "exports": {"data": [{"name": "a", "dataRef": "x"}], "targets": [{"name": "t", "target": "u"}]},
        "exportDataMappings": {"z": {"deep": [True]}},
        "automaticReconcile": {
            "succeededReconcile": {"interval": "24h"},
            "failedReconcile": {"numberOfReconciles": 0, "interval": "5m", "cronSpec": "@hourly"},
        },
        "optimization": {"hasNoSiblingImports": True, "hasNoSiblingExports": False},
    },
    status={
        "observedGeneration": 3,
        "conditions": [
            {
                "type": "ValidateImports",
                "status": "True",
                "lastTransitionTime": MOMENT,
                "lastUpdateTime": MOMENT,
                "reason": "Fine",
                "message": "",
                "codes": ["ERR_TIMEOUT"],
            }
        ],
        "lastError": {
            "operation": "o",
            "lastTransitionTime": MOMENT,
            "lastUpdateTime": MOMENT,
            "reason": "r",
            "message": "m",
        },
        "subInstCache": {"activeSubs": [{"specName": "a", "objectName": "a-1"}], "orphanedSubs": ["b-1"]},
        "executionRef": {"name": "x", "namespace": "y"},
        "jobID": "j",
        "jobIDFinished": "i",
        "phase": "Init",
        "phaseTransitionTime": MOMENT,
        "importsHash": "h",
        "automaticReconcileStatus": {
            "generation": 1,
            "numberOfReconciles": 2,
            "lastReconcileTime": MOMENT,
            "onFailed": True,
        },
        "dependentsToTrigger": [{"name": "z"}],
        "transitionTimes": {
            "triggerTime": MOMENT,
            "initTime": MOMENT,
            "waitTime": MOMENT,
            "finishedTime": MOMENT,
        },
    },
)

FULL_DEPLOY_ITEM = wire(
    "DeployItem",
    spec={
        "type": "landscaper.gardener.cloud/helm",
        "target": {"name": "t", "namespace": "n"},
        "context": "default",
        "config": {"apiVersion": "v1", "kind": "K", "big": 12345678901234567890, "float": 1.0},
        "providerConfig": {"xxx": "abc"},
        "import": {"secretRef": {"name": "secret-item1", "key": "abc"}},
        "timeout": "none",
        "updateOnChangeOnly": True,
        "onDelete": {"skipUninstallIfClusterRemoved": True},
    },
    status={
        "phase": "Reconciled",
        "observedGeneration": 0,
        "jobIDGenerationTime": MOMENT,
        "deployer": {"identity": "i", "name": "n", "version": "v"},
        "providerStatus": {"apiVersion": "v1", "kind": "S"},
        "exportRef": {"name": "s"},
        "exportGeneration": 2,
        "exports": {"value": "xxx", "secretRef": {"name": "secret-item3-exp", "key": "abc"}},
    },
)


@pytest.mark.parametrize(
    ("obj", "struct"), [(FULL_INSTALLATION, Installation), (FULL_DEPLOY_ITEM, DeployItem)], ids=lambda x: str(x)[:20]
)
def test_every_field_is_read_and_written_under_its_own_name(obj: dict[str, Any], struct: type[Kind]) -> None:
    assert round_trip(obj, struct) == obj


@pytest.mark.parametrize("info", KINDS, ids=lambda info: info.kind)
def test_the_documented_example_survives_a_round_trip(info: KindInfo) -> None:
    example = yaml.safe_load(EXAMPLES[info.kind])
    assert round_trip(example, info.struct) == example


def test_arbitrary_json_keeps_its_bytes() -> None:
    text = b'{"data": {"b": 1.0, "a": [1e3, 12345678901234567890, "\\u00e9"]}}'
    obj = msgspec.json.decode(text, type=DataObject)
    assert bytes(obj.data) == b'{"b": 1.0, "a": [1e3, 12345678901234567890, "\\u00e9"]}'
    assert anyjson.value(obj.data)["b"] == 1.0


@pytest.mark.parametrize("value", ["text", 1, 1.5, True, [], {}, [None]], ids=repr)
def test_arbitrary_json_may_be_any_value(value: Any) -> None:
    assert anyjson.value(msgspec.json.decode(json.dumps({"data": value}), type=DataObject).data) == value
    assert anyjson.value(DataObject(data=anyjson.of(value)).data) == value


def test_null_reads_as_absent() -> None:
    nothing = dict.fromkeys(("target", "context", "config", "providerConfig", "import", "timeout", "onDelete"))
    item = msgspec.json.decode(
        json.dumps(wire("DeployItem", spec={"type": "x", **nothing}, status=None)), type=DeployItem
    )
    assert item.spec == deployitems.DeployItemSpec(type="x")
    assert item.spec.config is ABSENT
    assert item.status.phase is None
    assert "null" not in msgspec.json.encode(item).decode()


def test_null_imports_and_exports_read_as_none_at_all() -> None:
    spec: dict[str, Any] = {"blueprint": {}, "imports": None, "exports": None, "importDataMappings": None}
    installation = msgspec.json.decode(json.dumps(wire("Installation", spec=spec)), type=Installation)
    assert installation.spec.imports.data is None
    assert installation.spec.exports.targets is None
    assert round_trip(wire("Installation", spec=spec), Installation)["spec"] == {"blueprint": {}}


def test_an_empty_target_list_is_not_an_absent_one() -> None:
    def targets(field: Any) -> Any:
        imports = {"targets": [{"name": "n", "targets": field}]}
        obj = wire("Installation", spec={"blueprint": {}, "imports": imports})
        return round_trip(obj, Installation)["spec"]["imports"]["targets"][0].get("targets", "not written")

    assert targets([]) == []
    assert targets(None) == "not written"


def test_a_required_number_is_written_even_when_it_is_zero() -> None:
    obj = round_trip(wire("Installation", spec={"blueprint": {}}, status={"phase": "Init"}), Installation)
    assert obj["status"] == {"phase": "Init", "observedGeneration": 0}


def test_an_object_without_status_is_written_without_one() -> None:
    obj = wire("Execution", spec={"deployItems": []})
    assert round_trip(obj, Execution) == obj
    assert msgspec.json.decode(json.dumps(obj), type=Execution).status.job_id is None


def test_a_new_object_says_its_kind_and_version() -> None:
    target = Target(metadata=ObjectMeta(name="x"), spec=TargetSpec(type="t"))
    assert json.loads(msgspec.json.encode(target)) == {
        "apiVersion": API_VERSION,
        "kind": "Target",
        "metadata": {"name": "x"},
        "spec": {"type": "t"},
    }
    assert target.kind == "Target"


def test_an_object_of_another_kind_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="kind"):
        msgspec.json.decode(json.dumps(wire("Target", spec={"type": "t"})), type=DeployItem)


def test_times_are_moments_and_are_written_as_kubernetes_writes_them() -> None:
    obj = wire("Context") | {"metadata": {"name": "x", "creationTimestamp": MOMENT, "deletionTimestamp": None}}
    context = msgspec.json.decode(json.dumps(obj), type=Context)
    assert context.metadata.creation_timestamp == datetime(2026, 1, 31, 12, tzinfo=UTC)
    assert json.loads(msgspec.json.encode(context))["metadata"] == {"name": "x", "creationTimestamp": MOMENT}


def test_managed_fields_and_unknown_fields_are_not_kept() -> None:
    obj = wire("Context", unknown=1) | {"metadata": {"name": "x", "managedFields": [{"manager": "m"}]}}
    assert round_trip(obj, Context) == {"apiVersion": API_VERSION, "kind": "Context", "metadata": {"name": "x"}}


def test_structs_cannot_be_changed() -> None:
    item = msgspec.json.decode(json.dumps(FULL_DEPLOY_ITEM), type=DeployItem)
    with pytest.raises(AttributeError):
        item.spec.type = "other"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("container", "landscaper.gardener.cloud/container"),
        ("script", "landscaper.gardener.cloud/script"),
        ("helm", "landscaper.gardener.cloud/helm"),
        ("manifest", "landscaper.gardener.cloud/kubernetes-manifest"),
        ("mock", "landscaper.gardener.cloud/mock"),
        ("landscaper.gardener.cloud/helm", "landscaper.gardener.cloud/helm"),
        ("example.com/mine", "example.com/mine"),
    ],
)
def test_short_types_stand_for_full_ones(short: str, full: str) -> None:
    assert deployitems.full_type(short) == full


def test_provider_config_is_used_only_without_config() -> None:
    both = msgspec.json.decode(json.dumps(FULL_DEPLOY_ITEM), type=DeployItem)
    assert anyjson.value(deployitems.effective_config(both))["kind"] == "K"
    older = msgspec.json.decode(
        json.dumps(wire("DeployItem", spec={"type": "helm", "providerConfig": {"xxx": "abc"}})), type=DeployItem
    )
    assert anyjson.value(deployitems.effective_config(older)) == {"xxx": "abc"}


def test_compressed_items_win_over_plain_ones() -> None:
    item = {"name": "a", "type": "t", "config": {"apiVersion": "v1", "kind": "K"}}
    spec = msgspec.json.decode(
        msgspec.json.encode(
            {"deployItems": [item], "deployItemsCompressed": executions.compress([item | {"name": "b"}])}
        ),
        type=executions.ExecutionSpec,
    )
    assert [one.name for one in executions.items(spec)] == ["b"]
    plain = msgspec.structs.replace(spec, deploy_items_compressed=None)
    assert [one.name for one in executions.items(plain)] == ["a"]
    assert executions.compress(executions.items(plain)) == executions.compress([item])


@pytest.mark.parametrize("text", ["?", "AAAA", "H4sIAAAAAAAAA", executions.compress([])[:-8]], ids=repr)
def test_damaged_compressed_items_are_an_error_of_their_own(text: str) -> None:
    with pytest.raises(executions.CompressionError):
        executions.items(executions.ExecutionSpec(deploy_items_compressed=text))
