"""What only the wire shows: warnings, the order of fields, tables of a watch, and bodies that are refused."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml

if TYPE_CHECKING:
    import aiohttp

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
SECRETS = "/api/v1/namespaces/default/secrets"
TABLE = {"Accept": "application/json;as=Table;g=meta.k8s.io;v=v1"}
METADATA = {"Accept": "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"}


def definition(schema: dict[str, Any], **version: Any) -> dict[str, Any]:
    """Of Gadgets, with one version."""
    return {
        "metadata": {"name": "gadgets.landform.test"},
        "spec": {
            "group": "landform.test",
            "scope": "Namespaced",
            "names": {"kind": "Gadget", "plural": "gadgets"},
            "versions": [
                {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}, **version}
            ],
        },
    }


def warnings_of(response: aiohttp.ClientResponse) -> list[str]:
    """The texts of the answer's warnings."""
    return [
        header.removeprefix('299 - "').removesuffix('"').replace('\\"', '"')
        for header in response.headers.getall("Warning", [])
    ]


async def test_the_author_of_a_definition_is_told_what_is_not_enforced(http: aiohttp.ClientSession) -> None:
    schema = {
        "type": "object",
        "x-kubernetes-validations": [{"rule": "self.size > 0"}],
        "properties": {"size": {"type": "integer"}, "color": {"type": "string", "format": "color"}},
    }
    async with http.post(DEFINITIONS, json=definition(schema)) as response:
        assert response.status == 201
        assert warnings_of(response) == [
            'unrecognized format "color"',
            "spec.versions[0].schema.openAPIV3Schema.x-kubernetes-validations: rules in CEL are kept, but not"
            " enforced here",
        ]


async def test_every_answer_of_a_deprecated_version_says_so(http: aiohttp.ClientSession) -> None:
    crd = definition({"type": "object"}, deprecated=True, deprecationWarning="use v2")
    async with http.post(DEFINITIONS, json=crd) as response:
        assert warnings_of(response) == []
    gadgets = "/apis/landform.test/v1/namespaces/default/gadgets"
    async with http.post(gadgets, json={"metadata": {"name": "one"}}) as response:
        assert warnings_of(response) == ["use v2"]
    async with http.get(gadgets) as response:
        assert warnings_of(response) == ["use v2"]


async def test_unknown_fields_are_warned_of_unless_they_are_to_be_ignored(http: aiohttp.ClientSession) -> None:
    obj = {"metadata": {"name": "one"}, "nonsense": 1}
    async with http.post(CONFIG_MAPS, json=obj) as response:
        assert warnings_of(response) == ['unknown field "nonsense"']
    async with http.put(f"{CONFIG_MAPS}/one", params={"fieldValidation": "Ignore"}, json=obj) as response:
        assert warnings_of(response) == []


async def test_every_object_begins_with_what_it_is(http: aiohttp.ClientSession) -> None:
    body = {"data": {"a": "1"}, "metadata": {"name": "one"}, "kind": "ConfigMap", "apiVersion": "v1"}
    async with http.post(CONFIG_MAPS, json=body) as response:
        assert list(json.loads(await response.text())) == ["apiVersion", "kind", "metadata", "data"]


async def test_only_the_first_table_of_a_watch_names_its_columns(http: aiohttp.ClientSession) -> None:
    for name in ("one", "two"):
        async with http.post(SECRETS, json={"metadata": {"name": name}}):
            pass
    async with asyncio.timeout(10), http.get(SECRETS, params={"watch": "true"}, headers=TABLE) as response:
        first, second = [json.loads(await response.content.readline()) for _ in range(2)]
    assert [column["name"] for column in first["object"]["columnDefinitions"]] == ["Name", "Type", "Data", "Age"]
    assert second["object"]["columnDefinitions"] is None
    assert second["object"]["rows"][0]["cells"][0] == "two"


async def test_a_watch_of_metadata_shows_nothing_else(http: aiohttp.ClientSession) -> None:
    async with http.post(SECRETS, json={"metadata": {"name": "one"}}):
        pass
    asked = {"watch": "true", "sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan"}
    async with asyncio.timeout(10), http.get(SECRETS, params=asked, headers=METADATA) as response:
        lines = [json.loads(await response.content.readline()) for _ in range(2)]
    assert [line["type"] for line in lines] == ["ADDED", "BOOKMARK"]
    for line in lines:
        assert line["object"]["kind"] == "PartialObjectMetadata"
        assert line["object"].keys() == {"apiVersion", "kind", "metadata"}


@pytest.mark.parametrize("patch_type", ["merge-patch", "strategic-merge-patch"])
async def test_only_an_apply_can_be_forced(http: aiohttp.ClientSession, patch_type: str) -> None:
    headers = {"Content-Type": f"application/{patch_type}+json"}
    async with http.patch(f"{CONFIG_MAPS}/one", params={"force": "true"}, data="{}", headers=headers) as response:
        assert response.status == 422
        assert (await response.json())["message"] == (
            'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch'
        )


@pytest.mark.parametrize("content_type", ["application/yaml", "application/json"])
async def test_bodies_are_not_nested_without_end(http: aiohttp.ClientSession, content_type: str) -> None:
    value: Any = {}
    for _ in range(250):
        value = {"a": value}
    text = yaml.safe_dump(value) if content_type == "application/yaml" else json.dumps(value)
    async with http.post(CONFIG_MAPS, data=text, headers={"Content-Type": content_type}) as response:
        assert response.status == 400
        assert (await response.json())["message"] == "the body is nested more than 200 levels deep"


async def test_json_in_texts_of_an_object_is_not_nested_without_end_either(http: aiohttp.ClientSession) -> None:
    deep = "[" * 50_000
    owned = {"manager": "m", "operation": "Update", "fieldsType": "FieldsV1", "fieldsV1": {f"v:{deep}": {}}}
    applied = {"kubectl.kubernetes.io/last-applied-configuration": deep}
    one = {"metadata": {"name": "one", "managedFields": [owned], "annotations": applied}}
    async with http.post(CONFIG_MAPS, json=one) as response:
        assert response.status == 201
    headers = {"Content-Type": "application/apply-patch+yaml"}
    change = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one"}, "data": {"a": "b"}}
    asked = {"fieldManager": "kubectl", "force": "true"}
    async with http.patch(f"{CONFIG_MAPS}/one", params=asked, data=json.dumps(change), headers=headers) as response:
        assert response.status == 200
    login = {".dockerconfigjson": base64.b64encode(deep.encode()).decode()}
    secret = {"metadata": {"name": "one"}, "type": "kubernetes.io/dockerconfigjson", "data": login}
    async with http.post(SECRETS, json=secret) as response:
        assert response.status == 422


@pytest.mark.parametrize(
    "field", ["a\nb: c", "\0", "\x7f", '"' * 600, "日本"], ids=["line", "null", "control", "long", "far"]
)
async def test_a_warning_fits_into_a_header_whatever_it_tells_of(http: aiohttp.ClientSession, field: str) -> None:
    one = {"metadata": {"name": "one"}, field: 1}
    async with http.post(CONFIG_MAPS, params={"fieldValidation": "Warn"}, json=one) as response:
        assert response.status == 201
        [warning] = warnings_of(response)
        assert warning.startswith('unknown field "')


async def test_there_are_never_more_warnings_than_a_client_can_take(http: aiohttp.ClientSession) -> None:
    one = {"metadata": {"name": "one"}, **{f"unknown{number}": 1 for number in range(500)}}
    async with http.post(CONFIG_MAPS, params={"fieldValidation": "Warn"}, json=one) as response:
        assert response.status == 201
        assert len(warnings_of(response)) == 50
