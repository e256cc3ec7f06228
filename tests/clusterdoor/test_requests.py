"""Each operation becomes the request that the API server expects."""

from __future__ import annotations

import json
from typing import Any

import pytest

from landform.cluster import requests
from landform.cluster.errors import BadRequest
from landform.cluster.interface import (
    LIST_ALL,
    PLAIN_DELETE,
    PLAIN_WRITE,
    DeleteOptions,
    ListOptions,
    PatchType,
    Propagation,
    WriteOptions,
)
from landform.cluster.requests import Repeat, Request
from landform.cluster.resources import CONFIG_MAPS, NAMESPACES, SERVICE_ACCOUNTS, untyped

WIDGETS = untyped("example.com/v1beta1", "Widget", "widgets")


def body(request: Request) -> Any:
    assert request.body is not None
    return json.loads(request.body)


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (requests.get(CONFIG_MAPS, "a", "n", ""), "GET /api/v1/namespaces/n/configmaps/a"),
        (requests.get(NAMESPACES, "n", "", ""), "GET /api/v1/namespaces/n"),
        (requests.get(NAMESPACES, "n", "ignored", "status"), "GET /api/v1/namespaces/n/status"),
        (requests.get(WIDGETS, "a", "n", ""), "GET /apis/example.com/v1beta1/namespaces/n/widgets/a"),
        (requests.get(WIDGETS, "ä b", "n", ""), "GET /apis/example.com/v1beta1/namespaces/n/widgets/%C3%A4%20b"),
        (requests.list_page(CONFIG_MAPS, "", LIST_ALL), "GET /api/v1/configmaps"),
        (requests.list_page(CONFIG_MAPS, "n", LIST_ALL), "GET /api/v1/namespaces/n/configmaps"),
        (
            requests.list_page(CONFIG_MAPS, "", ListOptions("a in (b,c)", "metadata.name!=x", limit=5)),
            "GET /api/v1/configmaps?labelSelector=a%20in%20%28b%2Cc%29&fieldSelector=metadata.name%21%3Dx&limit=5",
        ),
        (
            requests.list_page(CONFIG_MAPS, "", ListOptions(resource_version="5", resource_version_match="Exact")),
            "GET /api/v1/configmaps?resourceVersion=5&resourceVersionMatch=Exact",
        ),
        (
            requests.list_page(CONFIG_MAPS, "", ListOptions(resource_version="5", limit=2, continue_token="t/=")),
            "GET /api/v1/configmaps?limit=2&continue=t%2F%3D",
        ),
        (
            requests.watch(CONFIG_MAPS, "n", ListOptions(resource_version="7", timeout_seconds=0.2)),
            "GET /api/v1/namespaces/n/configmaps"
            "?watch=true&allowWatchBookmarks=true&resourceVersion=7&timeoutSeconds=1",
        ),
        (
            requests.watch(CONFIG_MAPS, "", ListOptions(send_initial_events=True)),
            "GET /api/v1/configmaps"
            "?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
        ),
        (
            requests.delete_collection(CONFIG_MAPS, "n", ListOptions("a=b"), PLAIN_DELETE),
            "DELETE /api/v1/namespaces/n/configmaps?labelSelector=a%3Db",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_paths_and_queries(request_: Request, expected: str) -> None:
    assert str(request_) == expected


def test_a_new_object_says_what_it_is() -> None:
    request = requests.create(CONFIG_MAPS, {"metadata": {"name": "a", "namespace": "n"}}, "", "", PLAIN_WRITE)
    assert str(request) == "POST /api/v1/namespaces/n/configmaps"
    assert body(request) == {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "n"}}
    assert request.repeat is Repeat.NEVER


def test_a_subresource_takes_what_it_is_given() -> None:
    ask = {"kind": "TokenRequest", "spec": {}}
    request = requests.create(SERVICE_ACCOUNTS, ask, "n", "sa", WriteOptions(subresource="token"))
    assert str(request) == "POST /api/v1/namespaces/n/serviceaccounts/sa/token"
    assert body(request) == ask


def test_a_replacement_goes_to_the_objects_own_path() -> None:
    obj = {"metadata": {"name": "a", "namespace": "n", "resourceVersion": "4"}}
    options = WriteOptions(subresource="status", dry_run=True, field_manager="me", field_validation="Strict")
    request = requests.replacement(WIDGETS, obj, "", options)
    assert str(request) == (
        "PUT /apis/example.com/v1beta1/namespaces/n/widgets/a/status?dryRun=All&fieldManager=me&fieldValidation=Strict"
    )


@pytest.mark.parametrize("type_", list(PatchType))
def test_a_patch_names_its_type(type_: PatchType) -> None:
    request = requests.patch(CONFIG_MAPS, "a", {"data": {}}, "n", type_, PLAIN_WRITE)
    assert request.headers["Content-Type"] == type_.value
    assert (request.method, request.path) == ("PATCH", "/api/v1/namespaces/n/configmaps/a")


def test_only_an_apply_can_be_forced() -> None:
    options = WriteOptions(field_manager="me", force=True)
    assert "force=true" in requests.patch(CONFIG_MAPS, "a", {}, "n", PatchType.APPLY, options).path
    assert "force" not in requests.patch(CONFIG_MAPS, "a", {}, "n", PatchType.MERGE, options).path


def test_a_plain_deletion_has_no_body() -> None:
    assert requests.delete(CONFIG_MAPS, "a", "n", PLAIN_DELETE).body is None


def test_a_deletion_carries_its_conditions() -> None:
    options = DeleteOptions("u", "7", Propagation.FOREGROUND, grace_period_seconds=0, dry_run=True)
    assert body(requests.delete(CONFIG_MAPS, "a", "n", options)) == {
        "apiVersion": "v1",
        "kind": "DeleteOptions",
        "preconditions": {"uid": "u", "resourceVersion": "7"},
        "propagationPolicy": "Foreground",
        "gracePeriodSeconds": 0,
        "dryRun": ["All"],
    }


VERSIONED = {"metadata": {"name": "a", "resourceVersion": "7"}}


@pytest.mark.parametrize(
    ("request_", "repeat"),
    [
        (requests.get(CONFIG_MAPS, "a", "n", ""), Repeat.HARMLESS),
        (requests.patch(CONFIG_MAPS, "a", VERSIONED, "n", PatchType.MERGE, PLAIN_WRITE), Repeat.CONDITIONAL),
        (requests.patch(CONFIG_MAPS, "a", {"metadata": 1}, "n", PatchType.MERGE, PLAIN_WRITE), Repeat.NEVER),
        (requests.patch(CONFIG_MAPS, "a", [], "n", PatchType.JSON, PLAIN_WRITE), Repeat.NEVER),
        (requests.replacement(CONFIG_MAPS, VERSIONED, "n", PLAIN_WRITE), Repeat.CONDITIONAL),
        (requests.replacement(CONFIG_MAPS, {"metadata": {"name": "a"}}, "n", PLAIN_WRITE), Repeat.NEVER),
        (requests.delete(CONFIG_MAPS, "a", "n", DeleteOptions(uid="u")), Repeat.CONDITIONAL),
        (requests.delete(CONFIG_MAPS, "a", "n", PLAIN_DELETE), Repeat.NEVER),
        (requests.delete_collection(CONFIG_MAPS, "n", LIST_ALL, PLAIN_DELETE), Repeat.NEVER),
    ],
)
def test_only_reads_and_conditional_writes_may_be_repeated(request_: Request, repeat: Repeat) -> None:
    assert request_.repeat is repeat


@pytest.mark.parametrize(
    ("name", "namespace", "message"),
    [
        ("", "n", "resource name may not be empty"),
        ("a", "", "an empty namespace may not be set"),
        ("..", "n", 'invalid resource name "..": may not be'),
        ("a/b", "n", 'invalid resource name "a/b": may not contain'),
        ("a%2Fb", "n", "may not contain '%'"),
        ("a", "../x", "invalid namespace"),
    ],
)
def test_names_that_would_change_the_path_are_refused(name: str, namespace: str, message: str) -> None:
    with pytest.raises(BadRequest, match=message):
        requests.get(CONFIG_MAPS, name, namespace, "")
