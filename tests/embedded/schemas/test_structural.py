"""Definitions that cannot be served are refused, whatever is in them."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given
from tests.embedded.schemas.golden.cases import GOOD_DEFINITION
from tests.embedded.schemas.strategies import ANY_JSON, Schema, root_schemas

from landform.embedded.schemas import structural
from landform.embedded.schemas.structural import check_definition


def _with_schema(schema: Any) -> dict[str, Any]:
    definition = copy.deepcopy(GOOD_DEFINITION)
    definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = schema
    return definition


def test_conversion_webhooks_are_refused_with_a_reason() -> None:
    definition = copy.deepcopy(GOOD_DEFINITION)
    definition["spec"]["conversion"] = {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"]}}
    (cause,) = check_definition(definition)
    assert cause.field == "spec.conversion.strategy"
    assert "conversion webhooks are not supported by the embedded API" in cause.message


def test_rules_in_cel_are_accepted() -> None:
    schema = {
        "type": "object",
        "properties": {"spec": {"type": "string", "x-kubernetes-validations": [{"rule": "true"}]}},
    }
    assert check_definition(_with_schema(schema)) == []


def test_words_of_the_wrong_type_are_refused_with_their_path() -> None:
    schema = {"type": "object", "properties": {"spec": {"type": "string", "maxLength": "5", "enum": "x"}}}
    assert sorted(cause.field for cause in check_definition(_with_schema(schema))) == [
        "spec.versions[0].schema.openAPIV3Schema.properties[spec].enum",
        "spec.versions[0].schema.openAPIV3Schema.properties[spec].maxLength",
    ]


def test_a_version_that_once_stored_objects_must_stay() -> None:
    definition = {**copy.deepcopy(GOOD_DEFINITION), "status": {"storedVersions": ["v0", "v1"]}}
    (cause,) = check_definition(definition)
    assert cause.field == "status.storedVersions[0]"
    assert "missing from spec.versions; v0 was previously a storage version" in cause.message


def test_selectable_fields_must_lead_somewhere() -> None:
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"a": {"type": "string"}}}}}
    definition = _with_schema(schema)
    paths = [".spec.a", ".spec.b", ".spec", "spec", ".spec.a", ""]
    definition["spec"]["versions"][0]["selectableFields"] = [{"jsonPath": path} for path in paths]
    assert [(cause.field, cause.reason) for cause in check_definition(definition)] == [
        ("spec.selectableFields[1].jsonPath", "FieldValueInvalid"),
        ("spec.selectableFields[2].jsonPath", "FieldValueInvalid"),
        ("spec.selectableFields[3].jsonPath", "FieldValueInvalid"),
        ("spec.selectableFields[4].jsonPath", "FieldValueDuplicate"),
        ("spec.selectableFields[5].jsonPath", "FieldValueRequired"),
    ]


def test_formats_that_nobody_checks_are_worth_a_warning() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string", "format": "colour"}, "b": {"type": "integer", "format": "int32"}},
    }
    assert structural.unrecognized_formats(_with_schema(schema)) == ['unrecognized format "colour"']


@given(root_schemas())
def test_structural_schemas_are_accepted(schema: Schema) -> None:
    assert check_definition(_with_schema(schema)) == []


@given(ANY_JSON)
def test_no_schema_makes_the_check_raise(schema: Any) -> None:
    check_definition(_with_schema({"type": "object", "properties": {"spec": schema}}))
    check_definition(_with_schema(schema))
