"""Component descriptors: reading, validation, and both directions of the mapping."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landform.components import descriptors
from landform.components.errors import DescriptorError

GOLDEN = Path("tests/golden/ocm/expected")


def _recorded() -> list[dict[str, Any]]:
    cases = []
    for path in sorted(GOLDEN.glob("*.json")):
        content = json.loads(path.read_bytes())
        if isinstance(content, dict) and "cases" in content:
            cases += [case for case in content["cases"] if "v2" in case]
    return cases


def minimal() -> dict[str, Any]:
    """The smallest descriptor of schema v2 with one of everything."""
    return {
        "meta": {"schemaVersion": "v2"},
        "component": {
            "name": "example.com/shop",
            "version": "1.0.0",
            "provider": "example.com",
            "repositoryContexts": [{"type": "OCIRegistry", "baseUrl": "registry.example.com"}],
            "sources": [],
            "componentReferences": [{"name": "db", "componentName": "example.com/db", "version": "2.0.0"}],
            "resources": [
                {
                    "name": "blueprint",
                    "version": "1.0.0",
                    "type": "blueprint",
                    "relation": "local",
                    "access": {"type": "localBlob", "localReference": "sha256:00", "mediaType": "application/x-tar"},
                }
            ],
        },
    }


@pytest.mark.parametrize("case", _recorded(), ids=lambda case: f"{case['component']}:{case['version']}")
def test_both_schemas_map_onto_each_other_as_recorded(case: dict[str, Any]) -> None:
    assert descriptors.read(case["v2"]) == case["v2"]
    assert descriptors.read(case["v3"]) == case["v2"]
    assert descriptors.to_v3(case["v2"]) == case["v3"]
    assert descriptors.to_v2(case["v3"]) == case["v2"]


def test_json_and_yaml_mean_the_same() -> None:
    text = json.dumps(minimal())
    assert descriptors.read(text) == descriptors.read(text.encode()) == descriptors.read("# yaml\n" + text) == minimal()


def test_lists_that_are_null_become_empty() -> None:
    document = minimal()
    document["component"]["sources"] = None
    assert descriptors.read(document)["component"]["sources"] == []


def test_the_old_name_of_source_references_is_understood() -> None:
    document = minimal()
    document["component"]["resources"][0]["srcRef"] = [{"identitySelector": {"name": "code"}}]
    resource = descriptors.read(document)["component"]["resources"][0]
    assert resource["srcRefs"] == [{"identitySelector": {"name": "code"}}]
    assert "srcRef" not in resource


def test_a_provider_with_labels_becomes_json_text_and_back() -> None:
    v3 = descriptors.to_v3(minimal())
    v3["metadata"]["provider"] = {"name": "acme", "labels": [{"name": "site", "value": {"b": "<&>", "a": None}}]}
    v2 = descriptors.read(v3)
    assert v2["component"]["provider"] == (
        '{"name":"acme","labels":[{"name":"site","value":{"a":null,"b":"\\u003c\\u0026\\u003e"}}]}'
    )
    assert descriptors.to_v3(v2)["metadata"]["provider"] == v3["metadata"]["provider"]


def test_times_are_rounded_to_seconds_in_utc() -> None:
    document = minimal()
    document["component"]["creationTime"] = "2024-05-01T12:00:00.5+02:00"
    assert descriptors.read(document)["component"]["creationTime"] == "2024-05-01T10:00:01Z"


def test_the_last_repository_context_is_the_effective_one() -> None:
    document = minimal()
    document["component"]["repositoryContexts"].append({"type": "local"})
    assert descriptors.effective_repository_context(document) == {"type": "local"}
    document["component"]["repositoryContexts"] = []
    assert descriptors.effective_repository_context(document) is None


def _break(path: str, value: Any) -> dict[str, Any]:
    document = copy.deepcopy(minimal())
    *parents, last = path.split(".")
    place: Any = document
    for part in parents:
        place = place[int(part)] if isinstance(place, list) else place[part]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return document


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        ("component.name", "shop", "component.name"),
        ("component.name", "example.com", "component.name"),
        ("component.name", "example.com/" + "a" * 250, "component.name"),
        ("component.version", "not-a-version", "component.version"),
        ("component.version", "1.0.0.build-7", "component.version"),
        ("component.provider", None, "component"),
        ("component.provider", {"name": "x"}, "component.provider"),
        ("component.resources", None, "component"),
        ("component.resources.0.name", "x", "component.resources[0].name"),
        ("component.resources.0.name", "-xx", "component.resources[0].name"),
        ("component.resources.0.relation", "near", "component.resources[0].relation"),
        ("component.resources.0.access", {}, "component.resources[0].access"),
        ("component.resources.0.type", None, "component.resources[0]"),
        ("component.resources.0.labels", [{"name": "x"}], "component.resources[0].labels[0]"),
        (
            "component.resources.0.labels",
            [{"name": "x", "value": 1, "version": "1"}],
            "component.resources[0].labels[0].version",
        ),
        ("component.resources.0.extraIdentity", {"O": "x"}, "component.resources[0].extraIdentity"),
        ("component.resources.0.srcRefs", [{"other": 1}], "component.resources[0].srcRefs[0]"),
        ("component.componentReferences.0.other", 1, "component.componentReferences[0]"),
        ("component.repositoryContexts.0.type", None, "component.repositoryContexts[0]"),
    ],
)
def test_a_broken_descriptor_is_refused_with_the_place_of_the_fault(path: str, value: Any, place: str) -> None:
    with pytest.raises(DescriptorError) as caught:
        descriptors.read(_break(path, value))
    assert caught.value.path == place
    assert place in str(caught.value)


@pytest.mark.parametrize(
    "document",
    [
        {"meta": {"schemaVersion": "v1"}},
        {"apiVersion": "ocm.software/v4"},
        {"apiVersion": "ocm.software/v3alpha1", "meta": {"schemaVersion": "v2"}},
        {"meta": "v2"},
        {},
        [],
        "just a text",
        b"\xff\xfe\x00",
        "a: [",
        "[" * 100_000,
    ],
    ids=str,
)
def test_a_document_without_a_known_schema_is_refused(document: Any) -> None:
    with pytest.raises(DescriptorError):
        descriptors.read(document)


def test_escaped_surrogate_pairs_are_not_yaml() -> None:
    with pytest.raises(DescriptorError, match="not readable as YAML"):
        descriptors.read(json.dumps(_break("component.provider", "😀")))
    raw = json.dumps(_break("component.provider", "😀"), ensure_ascii=False)
    assert descriptors.read(raw)["component"]["provider"] == "😀"


def test_signatures_with_an_issuer_exist_in_v2_only() -> None:
    digest = {"hashAlgorithm": "SHA-256", "normalisationAlgorithm": "jsonNormalisation/v3", "value": "00"}
    inner = {"algorithm": "RSASSA-PSS", "value": "x", "mediaType": "application/x-pem-file", "issuer": "CN=signer"}
    document = {**minimal(), "signatures": [{"name": "release", "digest": digest, "signature": inner}]}
    assert descriptors.read(document) == document
    with pytest.raises(DescriptorError):
        descriptors.read(descriptors.to_v3(document))


@given(st.binary(max_size=200))
def test_whatever_is_read_either_is_a_descriptor_or_an_error(document: bytes) -> None:
    with pytest.raises(DescriptorError):
        descriptors.read(document)
