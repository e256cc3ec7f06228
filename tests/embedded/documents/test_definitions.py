"""What a CustomResourceDefinition defines."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.embedded.documents.crontabs import crontabs

from landform.embedded.definitions import defaulted, established, is_established, types_of, version_order
from landform.embedded.kinds import builtin_types
from landform.embedded.schemas.nodes import ListType

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
LATER = NOW + timedelta(minutes=1)


def crd() -> dict[str, Any]:
    return defaulted(crontabs())


def with_status(definition: dict[str, Any], **options: Any) -> dict[str, Any]:
    return {**definition, "status": established(definition, NOW, **options)}


def condition(status: dict[str, Any], type_: str) -> dict[str, Any]:
    (found,) = [c for c in status["conditions"] if c["type"] == type_]
    assert isinstance(found, dict)
    return found


def test_versions_sort_as_kubernetes_prefers_them() -> None:
    # The order that the Kubernetes documentation gives for CRD versions.
    ordered = [
        "v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "v11alpha2", "foo1", "foo10",
    ]  # fmt: skip
    shuffled = random.Random(1).sample(ordered, len(ordered))
    assert sorted(shuffled, key=version_order) == ordered


def test_served_versions_become_types_with_the_preferred_first() -> None:
    v1, v1beta1 = types_of(crd())
    assert (v1.api_version, v1beta1.api_version) == ("stable.example.com/v1", "stable.example.com/v1beta1")
    assert (v1.stored_version, v1beta1.stored_version) == ("v1", "v1")


def test_a_type_has_the_names_of_its_definition() -> None:
    type_ = types_of(crd())[0]
    assert (type_.kind, type_.plural, type_.singular, type_.list_kind) == (
        "CronTab", "crontabs", "crontab", "CronTabList",
    )  # fmt: skip
    assert (type_.short_names, type_.categories) == (("ct",), ("all",))
    assert (type_.namespaced, type_.custom) == (True, True)
    assert type_.definition_name == "com.example.stable.v1.CronTab"


def test_the_schema_knows_metadata_and_keeps_restrictions_of_it() -> None:
    root = types_of(crd())[0].schema
    assert set(root.properties) == {"apiVersion", "kind", "metadata", "spec", "status"}
    metadata = root.properties["metadata"].properties
    assert metadata["name"].schema["maxLength"] == 20
    assert metadata["finalizers"].list_type is ListType.SET


def test_restricting_metadata_of_one_kind_leaves_the_others_alone() -> None:
    types_of(crd())[0].schema.properties["metadata"].properties["name"]
    config_map = next(type_ for type_ in builtin_types() if type_.kind == "ConfigMap")
    assert "maxLength" not in config_map.schema.properties["metadata"].properties["name"].schema


def test_columns_default_to_the_age() -> None:
    v1, v1beta1 = types_of(crd())
    assert [column.name for column in v1.columns] == ["Spec", "Replicas", "Ratio", "Paused", "Ran", "Image", "Age"]
    assert [column.name for column in v1beta1.columns] == ["Age"]


def test_subresources_selectable_fields_and_deprecation_are_taken_over() -> None:
    v1, v1beta1 = types_of(crd())
    assert v1.status
    assert v1.scale == {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
    assert [(s.name, s.kind) for s in v1.subresources] == [("status", "CronTab"), ("scale", "Scale")]
    assert v1.selectable_fields == ("spec.image",)
    assert v1.deprecation == ""
    assert v1beta1.deprecation == "stable.example.com/v1beta1 CronTab is deprecated"


def test_a_version_without_schema_keeps_everything() -> None:
    definition = crd()
    for version in definition["spec"]["versions"]:
        del version["schema"]
    assert types_of(definition)[0].schema.preserve_unknown


def test_defaults_fill_what_an_author_leaves_out() -> None:
    names = crd()["spec"]["names"]
    assert (names["singular"], names["listKind"]) == ("crontab", "CronTabList")
    assert crd()["spec"]["conversion"] == {"strategy": "None"}


def test_a_definition_without_conflicts_is_established() -> None:
    definition = with_status(crd())
    assert is_established(definition)
    assert definition["status"] == {
        "acceptedNames": crd()["spec"]["names"],
        "conditions": [
            {
                "type": "NamesAccepted",
                "status": "True",
                "reason": "NoConflicts",
                "message": "no conflicts found",
                "lastTransitionTime": "2026-01-02T03:04:05Z",
            },
            {
                "type": "Established",
                "status": "True",
                "reason": "InitialNamesAccepted",
                "message": "the initial names have been accepted",
                "lastTransitionTime": "2026-01-02T03:04:05Z",
            },
        ],
        "storedVersions": ["v1"],
    }


def test_a_status_computed_again_does_not_change() -> None:
    definition = with_status(crd())
    assert established(definition, LATER, others=types_of(definition)) == definition["status"]


@pytest.mark.parametrize(
    ("names", "reason", "message"),
    [
        ({"shortNames": ["ct"]}, "ShortNamesConflict", '"ct" is already in use'),
        ({"singular": "crontab"}, "SingularConflict", '"crontab" is already in use'),
        ({"kind": "CronTab", "singular": "other"}, "KindConflict", '"CronTab" is already in use'),
        ({"listKind": "CronTabList"}, "ListKindConflict", '"CronTabList" is already in use'),
    ],
    ids=["short name", "singular", "kind", "list kind"],
)
def test_names_of_another_resource_in_the_group_are_not_granted(
    names: dict[str, Any], reason: str, message: str
) -> None:
    second = crd()
    second["spec"]["names"] = {
        "plural": "others", "singular": "other", "kind": "Other", "listKind": "OtherList", **names,
    }  # fmt: skip
    second = with_status(second, others=types_of(crd()))
    accepted = condition(second["status"], "NamesAccepted")
    assert (accepted["status"], accepted["reason"], accepted["message"]) == ("False", reason, message)
    assert not is_established(second)
    assert second["status"]["acceptedNames"]["plural"] == "others"
    assert not set(names) & (set(second["status"]["acceptedNames"]) - {"kind", "singular"})


def test_the_same_names_in_another_group_are_no_conflict() -> None:
    second = crd()
    second["spec"]["group"] = "other.example.com"
    assert is_established(with_status(second, others=types_of(crd())))


def test_a_built_in_resource_cannot_be_taken_over() -> None:
    definition = crd()
    definition["spec"]["group"] = "apps"
    definition["spec"]["names"] = {"plural": "deployments", "singular": "d", "kind": "D", "listKind": "DList"}
    status = established(definition, NOW, others=builtin_types())
    assert condition(status, "NamesAccepted")["reason"] == "PluralConflict"


def test_a_served_definition_that_asks_for_a_taken_name_stays_served_under_the_old_one() -> None:
    first = crd()
    first["spec"]["names"] |= {"plural": "firsts", "singular": "first", "kind": "First", "listKind": "FirstList"}
    second = crd()
    second["spec"]["names"].pop("shortNames")
    second = with_status(second)
    second["spec"]["names"]["shortNames"] = ["ct"]
    status = established(second, LATER, others=types_of(first))
    assert condition(status, "NamesAccepted")["status"] == "False"
    assert condition(status, "NamesAccepted")["lastTransitionTime"] == "2026-01-02T03:05:05Z"
    assert condition(status, "Established")["status"] == "True"
    assert types_of({**second, "status": status})[0].short_names == ()


def test_a_new_storage_version_is_added_to_those_ever_stored() -> None:
    definition = with_status(crd())
    for version in definition["spec"]["versions"]:
        version["storage"] = version["name"] == "v1beta1"
    assert established(definition, LATER)["storedVersions"] == ["v1", "v1beta1"]
