"""The CustomResourceDefinitions say what the specification's table says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from landform.api import catalog
from landform.api.crds import crds
from landform.cluster import kinds
from landform.cluster.resources import Resource

DEFINITIONS = {crd["spec"]["names"]["kind"]: crd for crd in crds()}

AGE = ("Age", "date", ".metadata.creationTimestamp")
PHASE = ("Phase", "string", ".status.phase")
EXPORT_REF = ("ExportRef", "string", ".status.exportRef.name")


def label(name: str) -> str:
    return rf".metadata.labels['data\.landscaper\.gardener\.cloud\/{name}']"


CONTEXT = ("Context", "string", label("context"))
KEY = ("Key", "string", label("key"))

# kind: plural, singular, short names, status subresource, columns
TABLE: dict[str, tuple[str, str, list[str], bool, list[tuple[str, str, str]]]] = {
    "Installation": (
        "installations",
        "installation",
        ["inst"],
        True,
        [PHASE, ("Execution", "string", ".status.executionRef.name"), AGE],
    ),
    "Execution": ("executions", "execution", ["exec"], True, [PHASE, EXPORT_REF, AGE]),
    "DeployItem": (
        "deployitems",
        "deployitem",
        ["di"],
        True,
        [("Type", "string", ".spec.type"), PHASE, EXPORT_REF, AGE],
    ),
    "DataObject": ("dataobjects", "dataobject", ["dobj", "do"], False, [CONTEXT, KEY, AGE]),
    "Target": (
        "targets",
        "target",
        ["tgt", "tg"],
        False,
        [
            ("Type", "string", ".spec.type"),
            CONTEXT,
            KEY,
            ("Idx", "string", label("index")),
            ("TMKey", "string", label("targetmapkey")),
            AGE,
        ],
    ),
    "TargetSync": ("targetsyncs", "targetsync", ["tgs"], True, []),
    "Context": ("contexts", "context", ["ctx"], False, [AGE]),
    "ComponentVersionOverwrites": (
        "componentversionoverwrites",
        "componentversionoverwrite",
        ["compveroverwrite", "cvo"],
        False,
        [],
    ),
    "LsHealthCheck": (
        "lshealthchecks",
        "lshealthcheck",
        ["lshc"],
        False,
        [("Status", "string", ".status"), ("LastUpdateTime", "date", ".lastUpdateTime")],
    ),
    "SyncObject": (
        "syncobjects",
        "syncobject",
        ["so"],
        True,
        [
            ("PodName", "string", ".spec.podName"),
            ("Kind", "string", ".spec.kind"),
            ("Name", "string", ".spec.name"),
        ],
    ),
    "CriticalProblems": ("criticalproblems", "criticalproblems", ["cps"], True, []),
    "Environment": ("environments", "environment", ["env"], False, [AGE]),
    "DeployerRegistration": (
        "deployerregistrations",
        "deployerregistration",
        ["deployreg", "deployerreg", "dreg"],
        True,
        [AGE],
    ),
}

REQUIRED: dict[str, set[str]] = {
    "Installation": {
        "spec",
        "spec.verification.signatureName",
        "spec.componentDescriptor.ref.componentName",
        "spec.componentDescriptor.ref.version",
        "spec.blueprint",
        "spec.blueprint.ref.resourceName",
        "spec.blueprint.inline.filesystem",
        "spec.imports.data[].name",
        "spec.imports.data[].secretRef.name",
        "spec.imports.data[].configMapRef.name",
        "spec.imports.targets[].name",
        "spec.exports.data[].name",
        "spec.exports.data[].dataRef",
        "spec.exports.targets[].name",
        "status.observedGeneration",
        "status.executionRef.name",
        *(f"status.lastError.{f}" for f in ("operation", "reason", "message", "lastTransitionTime", "lastUpdateTime")),
        *(
            f"status.conditions[].{f}"
            for f in ("type", "status", "reason", "message", "lastTransitionTime", "lastUpdateTime")
        ),
    },
    "DeployItem": {
        "spec",
        "spec.type",
        "spec.target.name",
        "spec.import.secretRef.name",
        "status.observedGeneration",
        "status.deployer.identity",
        "status.deployer.name",
        "status.deployer.version",
        "status.exportRef.name",
        "status.exports.secretRef.name",
        *(
            f"status.{e}.{f}"
            for e in ("lastError", "lastErrors[]", "firstError")
            for f in ("operation", "reason", "message", "lastTransitionTime", "lastUpdateTime")
        ),
        *(
            f"status.conditions[].{f}"
            for f in ("type", "status", "reason", "message", "lastTransitionTime", "lastUpdateTime")
        ),
    },
    "DataObject": {"data"},
    "Target": {"spec", "spec.type", "spec.secretRef.name"},
    "TargetSync": {"spec", "spec.sourceNamespace", "spec.secretRef", "spec.secretRef.name"},
    "LsHealthCheck": {"status", "lastUpdateTime", "description"},
    "SyncObject": {"spec", *(f"spec.{f}" for f in ("podName", "kind", "name", "lastUpdateTime", "prefix"))},
    "CriticalProblems": set(),
    "ComponentVersionOverwrites": {"overwrites[].source", "overwrites[].substitution"},
    "Context": {
        "verificationSignatures{}.publicKeySecretReference.name",
        "verificationSignatures{}.caCertificateSecretReference.name",
    },
}


def schema(kind: str) -> dict[str, Any]:
    [version] = DEFINITIONS[kind]["spec"]["versions"]
    found: dict[str, Any] = version["schema"]["openAPIV3Schema"]
    return found


def fields(node: dict[str, Any], prefix: str = "") -> dict[str, dict[str, Any]]:
    """Every schema below a schema, by path."""
    found: dict[str, dict[str, Any]] = {}
    for name, child in node.get("properties", {}).items():
        found[prefix + name] = child
        found |= fields(child, f"{prefix}{name}.")
        found |= fields(child.get("items", {}), f"{prefix}{name}[].")
        found |= fields(child.get("additionalProperties", {}), f"{prefix}{name}{{}}.")
    return found


def required(node: dict[str, Any], prefix: str = "") -> set[str]:
    found = {prefix + name for name in node.get("required", ())}
    for name, child in node.get("properties", {}).items():
        found |= required(child, f"{prefix}{name}.")
        found |= required(child.get("items", {}), f"{prefix}{name}[].")
        found |= required(child.get("additionalProperties", {}), f"{prefix}{name}{{}}.")
    return found


def test_there_is_one_definition_per_kind_of_the_specification() -> None:
    assert set(DEFINITIONS) == set(TABLE)


@pytest.mark.parametrize("kind", TABLE)
def test_names_columns_and_subresources_follow_the_table(kind: str) -> None:
    plural, singular, short_names, status, columns = TABLE[kind]
    crd = DEFINITIONS[kind]
    assert crd["apiVersion"] == "apiextensions.k8s.io/v1"
    assert crd["metadata"]["name"] == f"{plural}.landscaper.gardener.cloud"
    assert crd["spec"]["group"] == "landscaper.gardener.cloud"
    assert crd["spec"]["scope"] == ("Cluster" if kind in ("Environment", "DeployerRegistration") else "Namespaced")
    assert crd["spec"]["names"] == {
        "kind": kind,
        "listKind": f"{kind}List",
        "plural": plural,
        "singular": singular,
        "shortNames": short_names,
        "categories": ["landform"],
    }
    [version] = crd["spec"]["versions"]
    assert (version["name"], version["served"], version["storage"]) == ("v1alpha1", True, True)
    assert version.get("subresources") == ({"status": {}} if status else None)
    shown = [(c["name"], c["type"], c["jsonPath"]) for c in version.get("additionalPrinterColumns", [])]
    assert shown == columns


@pytest.mark.parametrize("kind", REQUIRED)
def test_exactly_the_starred_fields_are_required(kind: str) -> None:
    assert required(schema(kind)) == REQUIRED[kind]


def test_execution_items_require_name_type_and_config() -> None:
    items = {path for path in required(schema("Execution")) if path.startswith("spec.deployItems[]")}
    assert items == {f"spec.deployItems[].{f}" for f in ("name", "type", "config", "target.name")}


@pytest.mark.parametrize("kind", TABLE)
def test_every_field_has_a_description(kind: str) -> None:
    for path, field in fields(schema(kind)).items():
        assert path == "metadata" or field["description"].strip(), path


def test_arbitrary_json_has_no_type_and_keeps_unknown_fields() -> None:
    for kind, path in [
        ("DataObject", "data"),
        ("Target", "spec.config"),
        ("Installation", "spec.blueprint.inline.filesystem"),
        ("DeployItem", "spec.providerConfig"),
        ("DeployItem", "status.exports.value"),
    ]:
        field = fields(schema(kind))[path]
        assert set(field) == {"x-kubernetes-preserve-unknown-fields", "description"}
        assert field["x-kubernetes-preserve-unknown-fields"] is True


def test_deployer_configurations_are_embedded_resources() -> None:
    for kind, path in [
        ("DeployItem", "spec.config"),
        ("DeployItem", "status.providerStatus"),
        ("Execution", "spec.deployItems[].config"),
    ]:
        field = fields(schema(kind))[path]
        assert field["type"] == "object"
        assert field["x-kubernetes-embedded-resource"] is True
        assert field["x-kubernetes-preserve-unknown-fields"] is True


def test_maps_of_anything_are_objects_that_keep_unknown_fields() -> None:
    for kind, path in [
        ("Installation", "spec.importDataMappings"),
        ("Installation", "spec.exportDataMappings"),
        ("Installation", "spec.componentDescriptor.inline"),
        ("Installation", "spec.componentDescriptor.ref.repositoryContext"),
        ("Context", "configurations"),
        ("Context", "repositoryContext"),
    ]:
        field = fields(schema(kind))[path]
        assert (field["type"], field["x-kubernetes-preserve-unknown-fields"]) == ("object", True)


def test_numbers_times_and_durations_have_their_formats() -> None:
    installation = fields(schema("Installation"))
    assert installation["status.observedGeneration"]["format"] == "int64"
    assert installation["status.automaticReconcileStatus.generation"]["format"] == "int64"
    assert installation["status.automaticReconcileStatus.numberOfReconciles"]["format"] == "int32"
    assert installation["spec.automaticReconcile.failedReconcile.numberOfReconciles"]["format"] == "int32"
    assert installation["status.phaseTransitionTime"] == {
        "type": "string",
        "format": "date-time",
        "description": "When the phase last changed.",
    }
    interval = installation["spec.automaticReconcile.failedReconcile.interval"]
    assert (interval["type"], interval.get("format")) == ("string", None)
    assert fields(schema("Execution"))["spec.deployItemsCompressed"]["format"] == "byte"


def test_the_status_of_a_health_check_is_a_plain_text() -> None:
    assert schema("LsHealthCheck")["properties"]["status"]["type"] == "string"


def test_schemas_are_structural() -> None:
    """Each has a type, unless it may hold anything; and nothing that structural schemas must not have."""
    for kind in TABLE:
        for path, field in {"": schema(kind), **fields(schema(kind))}.items():
            assert field.get("type") or field.get("x-kubernetes-preserve-unknown-fields"), f"{kind} {path}"
            assert not {"$ref", "oneOf", "anyOf", "default", "nullable"} & set(field), f"{kind} {path}"
            assert not ("properties" in field and "additionalProperties" in field), f"{kind} {path}"


def test_definitions_are_plain_json_and_fresh_on_each_call() -> None:
    first = crds()
    assert json.loads(json.dumps(first)) == first
    first[0]["spec"]["group"] = "changed"
    assert crds()[0]["spec"]["group"] == "landscaper.gardener.cloud"


def test_each_kind_has_a_resource() -> None:
    resources = [value for value in vars(kinds).values() if isinstance(value, Resource)]
    assert {(r.kind, r.plural, r.namespaced, r.model) for r in resources} == {
        (info.kind, info.plural, info.namespaced, info.struct) for info in catalog.KINDS
    }
    assert str(kinds.DEPLOY_ITEMS) == "deployitems.landscaper.gardener.cloud"
    assert kinds.DEPLOY_ITEMS.api_version == "landscaper.gardener.cloud/v1alpha1"


def test_kinds_are_found_by_name() -> None:
    found = catalog.find("landscaper.gardener.cloud/v1alpha1", "DeployItem")
    assert found is not None
    assert found.plural == "deployitems"
    assert catalog.find("apps/v1", "DeployItem") is None
    assert catalog.find("landscaper.gardener.cloud/v1alpha1", "Blueprint") is None
