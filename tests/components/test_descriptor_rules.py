"""What is read and what is refused beyond the obvious: the outcomes are those of the original's schemas and checks."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from tests.components.test_descriptors import minimal

from landform.components import descriptors
from landform.components.errors import DescriptorError

LABEL = {"name": "team", "value": 1}


def _changed(document: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(document)
    *parents, last = path.split(".")
    place: Any = changed
    for part in parents:
        place = place[int(part)] if isinstance(place, list) else place[part]
    place[last] = value
    return changed


def _v2(path: str, value: Any) -> dict[str, Any]:
    return _changed(minimal(), path, value)


def _v3(path: str, value: Any) -> dict[str, Any]:
    return _changed(descriptors.to_v3(minimal()), path, value)


def _twins(**differences: Any) -> list[dict[str, Any]]:
    resource = minimal()["component"]["resources"][0]
    return [resource, {**resource, **differences}]


@pytest.mark.parametrize(
    ("document", "place"),
    [
        (_v2("component.provider", ""), "component.provider"),
        (_v2("component.labels", None), "component.labels"),
        (_v2("component.labels", [LABEL, LABEL]), "component.labels[1]"),
        (_v2("component.labels", [{**LABEL, "name": ""}]), "component.labels[0].name"),
        (_v2("component.labels", [{**LABEL, "merge": {"algorithm": "X"}}]), "component.labels[0].merge.algorithm"),
        (_v2("component.labels", [{**LABEL, "merge": {"other": 1}}]), "component.labels[0].merge"),
        (_v2("component.creationTime", "2024-05-01"), "component.creationTime"),
        (_v2("component.creationTime", "2024-05-01 12:00:00Z"), "component.creationTime"),
        (_v2("component.creationTime", "2024-05-01T12:00:00"), "component.creationTime"),
        (_v2("component.creationTime", "2024-13-01T12:00:00Z"), "creationTime"),
        (_v2("component.creationTime", "9999-12-31T23:59:59.9Z"), "creationTime"),
        (_v2("component.resources", _twins()), "component.resources[1]"),
        (_v2("component.resources.0.type", ""), "component.resources[0].type"),
        (_v2("component.resources.0.extraIdentity", None), "component.resources[0].extraIdentity"),
        (_v2("component.resources.0.extraIdentity", {"name": "x"}), "component.resources[0].extraIdentity"),
        (_v2("component.resources.0.labels", [LABEL, LABEL]), "component.resources[0].labels[1]"),
        (_v2("component.resources.0.name", 1.5), "component.resources[0].name"),
        (
            _v2("component.resources.0.srcRefs", [{"labels": [LABEL, LABEL]}]),
            "component.resources[0].srcRefs[0].labels[1]",
        ),
        (_v2("component.componentReferences.0.labels", [LABEL, LABEL]), "component.componentReferences[0].labels[1]"),
        (_v2("nestedDigests", [{"name": "x", "version": "1.0.0"}]), "nestedDigests[0].name"),
        (_v3("spec", None), "spec"),
        (_v3("spec.resources", None), "spec.resources"),
        (_v3("spec.other", []), "spec"),
        (_v3("spec.resources", _twins()), "spec.resources[1]"),
        (_v3("metadata.other", 1), "metadata"),
        (_v3("metadata.provider", {"name": ""}), "metadata.provider.name"),
        (_v3("metadata.provider", {"name": "x", "other": 1}), "metadata.provider"),
        (_v3("metadata.labels", [{**LABEL, "other": 1}]), "metadata.labels[0]"),
        (_v3("metadata.labels", [LABEL, LABEL]), "metadata.labels[1]"),
        (_v3("metadata.creationTime", None), "metadata.creationTime"),
        (_v3("spec.references.0.labels", None), "spec.references[0].labels"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_fault_is_refused_with_its_place(document: dict[str, Any], place: str) -> None:
    with pytest.raises(DescriptorError) as caught:
        descriptors.read(document)
    assert caught.value.path == place


@pytest.mark.parametrize(
    "document",
    [
        _v2("component.creationTime", None),
        _v2("component.labels", [{**LABEL, "other": 1}]),
        _v2("component.resources", _twins(version="2.0.0")),
        _v2("component.resources", _twins(extraIdentity={"os": "linux"})),
        _v2("component.resources.0.labels", None),
        _v2("component.resources.0.digest", None),
        _v2("component.componentReferences.0.extraIdentity", {"name": "x"}),
        _v2("signatures", None),
        _v3("spec", {}),
        _v3("spec.resources.0.other", 1),
    ],
    ids=range(10),
)
def test_what_is_odd_but_valid_is_read(document: dict[str, Any]) -> None:
    assert descriptors.read(document)["component"]["name"] == "example.com/shop"


def test_names_and_identities_without_quotation_marks_are_texts() -> None:
    text = json.dumps(_v2("component.resources.0.extraIdentity", {"port": 8080, "tls": True, "k8s": 1.30, "os": None}))
    resource = descriptors.read(text.replace('"blueprint", "version"', '42, "version"'))["component"]["resources"][0]
    assert resource["name"] == "42"
    assert resource["extraIdentity"] == {"port": "8080", "tls": "true", "k8s": "1.3", "os": ""}


def test_fields_of_digests_and_signatures_that_nobody_knows_are_dropped() -> None:
    digest = {"hashAlgorithm": "SHA-256", "normalisationAlgorithm": "genericBlobDigest/v1", "value": "00"}
    details = {"algorithm": "RSASSA-PKCS1-V1_5", "value": "00", "mediaType": "application/vnd.ocm.signature.rsa"}
    document = _v2("component.resources.0.digest", {**digest, "other": 1})
    document["component"]["componentReferences"][0]["digest"] = {**digest, "other": 1}
    document["signatures"] = [
        {
            "name": "release",
            "digest": {**digest, "other": 1},
            "signature": {**details, "other": 1},
            "timestamp": {"x": 1},
        }
    ]
    nested = {
        "name": "example.com/db",
        "version": "2.0.0",
        "resourceDigests": [{"name": "x", "digest": digest, "y": 1}],
    }
    document["nestedDigests"] = [{**nested, "other": 1}]
    found = descriptors.read(document)
    assert found["component"]["resources"][0]["digest"] == digest
    assert found["component"]["componentReferences"][0]["digest"] == digest
    assert found["signatures"] == [{"name": "release", "digest": digest, "signature": details, "timestamp": {}}]
    assert found["nestedDigests"] == [{**nested, "resourceDigests": [{"name": "x", "digest": digest}]}]


def test_an_empty_list_of_source_references_is_one() -> None:
    document = _v2("component.resources.0.srcRefs", [])
    document["component"]["resources"][0]["srcRef"] = [{"identitySelector": {"name": "code"}}]
    assert "srcRefs" not in descriptors.read(document)["component"]["resources"][0]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"labels": []}', ""),
        ('{"name": "acme", "other": 1}', "acme"),
        ('{"name": 5}', '{"name": 5}'),
        ('{"name": NaN}', '{"name": NaN}'),
    ],
)
def test_a_provider_that_is_a_json_object_is_that_object(text: str, name: str) -> None:
    assert descriptors.provider(text)["name"] == name


def test_numbers_in_the_labels_of_a_provider_are_written_as_go_writes_them() -> None:
    v3 = _v3("metadata.provider", {"name": "acme", "labels": [{"name": "n", "value": [1.0, 1e21, 1e-7, 1e16, 2**63]}]})
    provider = descriptors.read(v3)["component"]["provider"]
    assert provider == (
        '{"name":"acme","labels":[{"name":"n","value":[1,1e+21,1e-7,10000000000000000,9223372036854775808]}]}'
    )


@pytest.mark.parametrize("character", ["\x7f", "\x80", "\ufffe"])
def test_json_with_characters_that_yaml_has_not_is_refused(character: str) -> None:
    with pytest.raises(DescriptorError, match="not readable as YAML"):
        descriptors.read(json.dumps(_v2("component.provider", f"a{character}b"), ensure_ascii=False))


def test_line_breaks_that_json_does_not_know_are_folded() -> None:
    text = json.dumps(_v2("component.provider", "a\x85b"), ensure_ascii=False)
    assert descriptors.read(text)["component"]["provider"] == "a b"
