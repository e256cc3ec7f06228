"""The rules for Installations, one sentence each."""

from __future__ import annotations

from typing import Any

import pytest

from landform.api.faults import Reason
from landform.api.structs import API_VERSION
from landform.api.validation import validate


def installation(name: str | None = "shop", generate_name: str | None = None, **spec: Any) -> dict[str, Any]:
    metadata = {"name": name, "generateName": generate_name, "namespace": "demo"}
    return {
        "apiVersion": API_VERSION,
        "kind": "Installation",
        "metadata": {key: value for key, value in metadata.items() if value is not None},
        "spec": {"blueprint": {"ref": {"resourceName": "b"}}, **spec},
    }


def found(obj: dict[str, Any], old: dict[str, Any] | None = None) -> list[tuple[Reason, str]]:
    return [(fault.reason, fault.field) for fault in validate(obj, old)]


def data_imports(*imports: Any) -> dict[str, Any]:
    return installation(imports={"data": list(imports)})


def target_imports(*imports: Any) -> dict[str, Any]:
    return installation(imports={"targets": list(imports)})


def test_a_plain_installation_is_fine() -> None:
    assert found(installation()) == []


class TestNames:
    @pytest.mark.parametrize("name", ["a", "a" * 58, "0-9"])
    def test_a_dns_label_of_up_to_58_characters_is_fine(self, name: str) -> None:
        assert found(installation(name)) == []

    @pytest.mark.parametrize("name", ["A", "-a", "a-", "a.b", "a_b", "ä", "a\n"])
    def test_anything_but_a_dns_label_is_invalid(self, name: str) -> None:
        assert found(installation(name)) == [(Reason.INVALID, "metadata.name")]

    def test_59_characters_are_too_many(self) -> None:
        [fault] = validate(installation("a" * 59))
        assert (fault.reason, fault.field) == (Reason.INVALID, "metadata.name")
        assert fault.message == f'Invalid value: "{"a" * 59}": must be no more than 58 characters'

    def test_a_generated_name_may_begin_with_up_to_53_characters(self) -> None:
        assert found(installation(None, "a" * 53)) == []
        assert found(installation(None, "a" * 52 + "-")) == []
        assert found(installation(None, "a" * 54)) == [(Reason.INVALID, "metadata.generateName")]

    def test_a_generated_name_must_begin_like_a_dns_label(self) -> None:
        assert found(installation(None, "-")) == [(Reason.INVALID, "metadata.generateName")]
        assert found(installation(None, "Shop-")) == [(Reason.INVALID, "metadata.generateName")]

    def test_one_of_name_and_generate_name_is_required(self) -> None:
        [fault] = validate(installation(None))
        assert str(fault) == "metadata.name: Required value: name or generateName is required"


class TestBlueprintAndComponent:
    @pytest.mark.parametrize("blueprint", [{"ref": {"resourceName": "b"}}, {"inline": {"filesystem": {}}}], ids=str)
    def test_one_blueprint_is_fine(self, blueprint: dict[str, Any]) -> None:
        assert found(installation(blueprint=blueprint)) == []

    @pytest.mark.parametrize("blueprint", [None, {}, {"ref": None}], ids=str)
    def test_a_blueprint_is_required(self, blueprint: Any) -> None:
        assert found(installation(blueprint=blueprint)) == [(Reason.REQUIRED, "spec.blueprint")]

    def test_two_blueprints_are_too_many(self) -> None:
        [fault] = validate(installation(blueprint={"ref": {"resourceName": "b"}, "inline": {"filesystem": {}}}))
        assert str(fault) == (
            'spec.blueprint: Invalid value: ["ref","inline"]: give exactly one of ref, inline, not ref and inline'
        )

    @pytest.mark.parametrize("component", [None, {"ref": {}}, {"inline": {}}], ids=str)
    def test_a_component_descriptor_may_be_absent_or_one(self, component: Any) -> None:
        assert found(installation(componentDescriptor=component)) == []

    def test_an_empty_component_descriptor_is_refused(self) -> None:
        assert found(installation(componentDescriptor={})) == [(Reason.REQUIRED, "spec.componentDescriptor")]

    def test_two_component_descriptors_are_too_many(self) -> None:
        both = {"ref": {"componentName": "c", "version": "v"}, "inline": {}}
        assert found(installation(componentDescriptor=both)) == [(Reason.INVALID, "spec.componentDescriptor")]


class TestDataImports:
    @pytest.mark.parametrize(
        "source", [{"dataRef": "d"}, {"secretRef": {"name": "s"}}, {"configMapRef": {"name": "m", "key": "k"}}], ids=str
    )
    def test_each_source_is_fine_alone(self, source: dict[str, Any]) -> None:
        assert found(data_imports({"name": "a", **source})) == []

    @pytest.mark.parametrize("source", [{}, {"dataRef": ""}, {"secretRef": None}], ids=str)
    def test_a_source_is_required(self, source: dict[str, Any]) -> None:
        assert found(data_imports({"name": "a", **source})) == [(Reason.REQUIRED, "spec.imports.data[0]")]

    def test_two_sources_are_too_many(self) -> None:
        obj = data_imports({"name": "a", "dataRef": "d", "secretRef": {"name": "s"}})
        assert found(obj) == [(Reason.INVALID, "spec.imports.data[0]")]

    @pytest.mark.parametrize("reference", ["secretRef", "configMapRef"])
    def test_a_reference_needs_a_name(self, reference: str) -> None:
        obj = data_imports({"name": "a", reference: {"key": "k"}})
        assert found(obj) == [(Reason.REQUIRED, f"spec.imports.data[0].{reference}.name")]

    def test_a_name_is_required(self) -> None:
        [fault] = validate(data_imports({"name": "", "dataRef": "d"}))
        assert str(fault) == "spec.imports.data[0].name: Required value: a name is needed here"

    def test_names_are_unique(self) -> None:
        [fault] = validate(data_imports({"name": "a", "dataRef": "d"}, {"name": "a", "dataRef": "e"}))
        assert str(fault) == 'spec.imports.data[1]: Duplicate value: "a"'

    def test_names_are_unique_across_data_and_targets(self) -> None:
        imports = {"data": [{"name": "a", "dataRef": "d"}], "targets": [{"name": "a", "target": "t"}]}
        assert found(installation(imports=imports)) == [(Reason.DUPLICATE, "spec.imports.targets[0]")]


class TestTargetImports:
    @pytest.mark.parametrize(
        "source",
        [
            {"target": "t"},
            {"targets": ["t"]},
            {"targets": []},
            {"targetListRef": "l"},
            {"targetMap": {"eu-1.x": "t"}},
            {"targetMap": {}},
            {"targetMapRef": "m"},
        ],
        ids=str,
    )
    def test_each_variant_is_fine_alone(self, source: dict[str, Any]) -> None:
        assert found(target_imports({"name": "a", **source})) == []

    @pytest.mark.parametrize("source", [{}, {"targets": None}, {"target": ""}], ids=str)
    def test_a_variant_is_required(self, source: dict[str, Any]) -> None:
        assert found(target_imports({"name": "a", **source})) == [(Reason.REQUIRED, "spec.imports.targets[0]")]

    def test_an_empty_list_counts_as_a_variant(self) -> None:
        obj = target_imports({"name": "a", "targets": [], "target": "t"})
        assert found(obj) == [(Reason.INVALID, "spec.imports.targets[0]")]

    def test_a_name_is_required(self) -> None:
        assert found(target_imports({"target": "t"})) == [(Reason.REQUIRED, "spec.imports.targets[0].name")]

    def test_list_elements_are_not_empty(self) -> None:
        obj = target_imports({"name": "a", "targets": ["t", ""]})
        assert found(obj) == [(Reason.REQUIRED, "spec.imports.targets[0].targets[1]")]

    def test_map_elements_are_not_empty(self) -> None:
        obj = target_imports({"name": "a", "targetMap": {"eu": ""}})
        assert found(obj) == [(Reason.REQUIRED, "spec.imports.targets[0].targetMap[eu]")]

    @pytest.mark.parametrize("key", ["", "EU", "-eu", "eu-", "e_u", "e" * 64, "eu\n"])
    def test_map_keys_look_like_labels(self, key: str) -> None:
        obj = target_imports({"name": "a", "targetMap": {key: "t"}})
        assert found(obj) == [(Reason.INVALID, f"spec.imports.targets[0].targetMap[{key}]")]

    def test_a_map_key_has_up_to_63_characters(self) -> None:
        assert found(target_imports({"name": "a", "targetMap": {"e" * 63: "t"}})) == []


class TestExports:
    def test_exports_with_names_and_references_are_fine(self) -> None:
        exports = {"data": [{"name": "a", "dataRef": "d"}], "targets": [{"name": "a", "target": "t"}]}
        assert found(installation(exports=exports)) == []

    @pytest.mark.parametrize(("kind", "reference"), [("data", "dataRef"), ("targets", "target")])
    def test_names_are_unique_per_kind(self, kind: str, reference: str) -> None:
        exports = {kind: [{"name": "a", reference: "x"}, {"name": "a", reference: "y"}]}
        assert found(installation(exports=exports)) == [(Reason.DUPLICATE, f"spec.exports.{kind}[1]")]

    @pytest.mark.parametrize(("kind", "reference"), [("data", "dataRef"), ("targets", "target")])
    def test_names_and_references_are_required(self, kind: str, reference: str) -> None:
        assert found(installation(exports={kind: [{"name": "", reference: ""}]})) == [
            (Reason.REQUIRED, f"spec.exports.{kind}[0].name"),
            (Reason.REQUIRED, f"spec.exports.{kind}[0].{reference}"),
        ]


@pytest.mark.parametrize("way", ["succeededReconcile", "failedReconcile"])
class TestAutomaticReconcile:
    @pytest.mark.parametrize(
        "schedule",
        [
            {},
            {"cronSpec": ""},
            {"cronSpec": "*/5 * * * *"},
            {"cronSpec": "@hourly"},
            {"cronSpec": "@every 1h"},
            {"interval": "5m"},
            {"interval": "none"},
            # The cron spec wins, as its documentation says, so both together work.
            {"interval": "5m", "cronSpec": "@daily"},
        ],
        ids=str,
    )
    def test_intervals_and_cron_specs_are_fine(self, way: str, schedule: dict[str, Any]) -> None:
        assert found(installation(automaticReconcile={way: schedule})) == []

    @pytest.mark.parametrize("spec", ["* * * *", "* * * * * *", "@often", "61 * * * *", "x"])
    def test_a_cron_spec_must_parse(self, way: str, spec: str) -> None:
        [fault] = validate(installation(automaticReconcile={way: {"cronSpec": spec}}))
        assert (fault.reason, fault.field) == (Reason.INVALID, f"spec.automaticReconcile.{way}.cronSpec")
        assert fault.message.startswith(f'Invalid value: "{spec}": must be a valid cron spec: ')

    @pytest.mark.parametrize("interval", ["", "5", "5 minutes", "1d"])
    def test_an_interval_must_be_a_duration(self, way: str, interval: str) -> None:
        [fault] = validate(installation(automaticReconcile={way: {"interval": interval}}))
        assert (fault.reason, fault.field) == (Reason.INVALID, f"spec.automaticReconcile.{way}.interval")


def test_all_faults_are_reported_at_once() -> None:
    obj = installation("Shop", blueprint={}, imports={"data": [{}]})
    assert found(obj) == [
        (Reason.INVALID, "metadata.name"),
        (Reason.REQUIRED, "spec.imports.data[0].name"),
        (Reason.REQUIRED, "spec.imports.data[0]"),
        (Reason.REQUIRED, "spec.blueprint"),
    ]


def test_values_of_the_wrong_type_are_named_once() -> None:
    obj = installation(imports={"data": "all", "targets": [{"name": 1, "target": "t"}]}, exports=[])
    assert [str(fault) for fault in validate(obj)] == [
        'spec.imports.data: Invalid value: "string": must be of type array',
        'spec.imports.targets[0].name: Invalid value: "integer": must be of type string',
        'spec.exports: Invalid value: "array": must be of type object',
    ]
