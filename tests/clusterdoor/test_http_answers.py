"""The HTTP client: what goes over the wire, and what answers become."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from tests.clusterdoor.servers import ScriptedServer, answer, status, text

from landform.cluster import errors
from landform.cluster.connections import Connection
from landform.cluster.credentials import FixedCredentials, bearer
from landform.cluster.http import HttpCluster
from landform.cluster.interface import DeleteOptions, ListOptions
from landform.cluster.resources import CONFIG_MAPS


def config_map(name: str = "a", version: str = "1") -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "resourceVersion": version}}


def page(*names: str, token: str = "", version: str = "9") -> dict[str, Any]:
    return {
        "kind": "ConfigMapList",
        "metadata": {"resourceVersion": version, "continue": token},
        "items": [{"metadata": {"name": name}} for name in names],
    }


async def test_an_object_is_read(server: ScriptedServer, cluster: HttpCluster) -> None:
    server.replies(answer(config_map()))
    assert await cluster.get(CONFIG_MAPS, "a", namespace="n") == config_map()
    assert str(server.seen[0]) == "GET /api/v1/namespaces/n/configmaps/a"


async def test_requests_say_who_sends_them(server: ScriptedServer) -> None:
    server.replies(answer(config_map()))
    connection = Connection(
        f"{server.url}/k8s/clusters/c-1/",
        FixedCredentials(bearer("secret")),
        headers=(("Impersonate-Group", "a"), ("Impersonate-Group", "b")),
    )
    async with HttpCluster(connection) as cluster:
        await cluster.get(CONFIG_MAPS, "a", namespace="n")
    [seen] = server.seen
    assert seen.path == "/k8s/clusters/c-1/api/v1/namespaces/n/configmaps/a"
    assert seen.header("User-Agent") == "landform/0.1.0"
    assert seen.header("Authorization") == "Bearer secret"
    assert seen.header("Impersonate-Group") == "a, b"
    assert seen.header("Accept") == "application/json"


async def test_writes_carry_their_content(server: ScriptedServer, cluster: HttpCluster) -> None:
    server.replies(answer(config_map(), 201), answer(config_map()), answer(config_map()))
    assert await cluster.create(CONFIG_MAPS, config_map(), namespace="n") == config_map()
    assert await cluster.replace(CONFIG_MAPS, config_map(), namespace="n") == config_map()
    assert await cluster.patch(CONFIG_MAPS, "a", {"data": {"k": "v"}}, namespace="n") == config_map()
    created, replaced, patched = server.seen
    assert (created.method, json.loads(created.body)) == ("POST", config_map())
    assert (replaced.method, json.loads(replaced.body)) == ("PUT", config_map())
    assert (patched.method, json.loads(patched.body)) == ("PATCH", {"data": {"k": "v"}})
    assert patched.header("Content-Type") == "application/merge-patch+json"


async def test_large_bodies_arrive_whole_and_may_be_sent_again(server: ScriptedServer, cluster: HttpCluster) -> None:
    large = {**config_map(), "data": {"k": "x" * 3 * 2**20}}
    server.replies(status(429), answer(config_map()))
    await cluster.create(CONFIG_MAPS, large, namespace="n")
    assert [json.loads(seen.body) == large for seen in server.seen] == [True, True]


async def test_a_deletion_answers_the_object_only_while_it_is_held(
    server: ScriptedServer, cluster: HttpCluster
) -> None:
    held = {"kind": "ConfigMap", "metadata": {"name": "a", "deletionTimestamp": "t", "finalizers": ["f"]}}
    server.replies(answer({"kind": "Status", "status": "Success"}), answer(held))
    assert await cluster.delete(CONFIG_MAPS, "a", namespace="n") is None
    assert await cluster.delete(CONFIG_MAPS, "a", namespace="n", options=DeleteOptions(uid="u")) == held
    assert json.loads(server.seen[1].body)["preconditions"] == {"uid": "u"}


async def test_a_collection_is_deleted_by_selection(server: ScriptedServer, cluster: HttpCluster) -> None:
    server.replies(answer(page("a")))
    await cluster.delete_collection(CONFIG_MAPS, namespace="n", selection=ListOptions("x=y"))
    assert str(server.seen[0]) == "DELETE /api/v1/namespaces/n/configmaps?labelSelector=x%3Dy"


async def test_a_list_is_fetched_page_by_page(server: ScriptedServer, cluster: HttpCluster) -> None:
    server.replies(answer(page("a", "b", token="t1")), answer(page("c", "d", token="t2")), answer(page("e")))
    found = await cluster.list(CONFIG_MAPS, options=ListOptions("x=y"))
    assert [item["metadata"]["name"] for item in found.items] == ["a", "b", "c", "d", "e"]
    assert (found.resource_version, found.continue_token) == ("9", "")
    base = "/api/v1/configmaps?labelSelector=x%3Dy&limit=2"
    assert [seen.path for seen in server.seen] == [base, f"{base}&continue=t1", f"{base}&continue=t2"]
    assert server.seen[0].header("Accept-Encoding") == "gzip"


async def test_a_page_that_was_asked_for_is_answered_as_one(server: ScriptedServer, cluster: HttpCluster) -> None:
    server.replies(answer(page("a", token="t1")))
    found = await cluster.list(CONFIG_MAPS, options=ListOptions(limit=1))
    assert (len(found.items), found.continue_token) == (1, "t1")


async def test_a_list_whose_pages_expire_is_read_again_at_once(server: ScriptedServer, cluster: HttpCluster) -> None:
    whole = answer(page("b", "c", version="12"))
    server.replies(answer(page("a", "b", token="t1")), status(410, "Expired"), whole)
    found = await cluster.list(CONFIG_MAPS)
    assert [item["metadata"]["name"] for item in found.items] == ["b", "c"]
    assert found.resource_version == "12"
    assert server.seen[-1].path == "/api/v1/configmaps"


async def test_an_expired_token_of_the_caller_is_the_callers(server: ScriptedServer, cluster: HttpCluster) -> None:
    server.replies(status(410, "Expired"))
    with pytest.raises(errors.Gone):
        await cluster.list(CONFIG_MAPS, options=ListOptions(continue_token="old"))


@pytest.mark.parametrize(
    ("code", "reason", "kind"),
    [
        (400, "BadRequest", errors.BadRequest),
        (401, "Unauthorized", errors.Unauthorized),
        (403, "Forbidden", errors.Forbidden),
        (404, "NotFound", errors.NotFound),
        (405, "MethodNotAllowed", errors.MethodNotAllowed),
        (409, "Conflict", errors.Conflict),
        (409, "AlreadyExists", errors.AlreadyExists),
        (410, "Expired", errors.Gone),
        (413, "RequestEntityTooLarge", errors.TooLarge),
        (415, "UnsupportedMediaType", errors.UnsupportedMedia),
        (422, "Invalid", errors.Invalid),
        (500, "InternalError", errors.ServerError),
    ],
)
async def test_a_status_becomes_the_error_it_means(
    server: ScriptedServer, cluster: HttpCluster, code: int, reason: str, kind: type[errors.ApiError]
) -> None:
    server.replies(status(code, reason, "what went wrong"))
    with pytest.raises(kind, match="what went wrong") as caught:
        await cluster.create(CONFIG_MAPS, config_map(), namespace="n")
    assert type(caught.value) is kind
    assert (caught.value.code, caught.value.reason) == (code, reason)


async def test_a_proxys_page_is_told_in_short(server: ScriptedServer, cluster: HttpCluster) -> None:
    server.replies(text("<html>\n  <b>Forbidden</b>" + "x" * 5000, 403))
    with pytest.raises(errors.Forbidden) as caught:
        await cluster.get(CONFIG_MAPS, "a", namespace="n")
    message = str(caught.value)
    expected = "GET /api/v1/namespaces/n/configmaps/a was answered with 403 Forbidden: <html> <b>Forbidden</b>xxx"
    assert message.startswith(expected)
    assert len(message) < 700


async def test_an_empty_error_still_says_what_happened(server: ScriptedServer, cluster: HttpCluster) -> None:
    server.replies(text("", 404))
    with pytest.raises(errors.NotFound, match=r"configmaps/a was answered with 404 Not Found$"):
        await cluster.get(CONFIG_MAPS, "a", namespace="n")


async def test_redirects_are_not_followed(server: ScriptedServer, cluster: HttpCluster) -> None:
    server.replies(text("", 302, Location="https://elsewhere.example/"))
    with pytest.raises(errors.ApiError, match=r"302 Found to https://elsewhere\.example/; redirects are not followed"):
        await cluster.get(CONFIG_MAPS, "a", namespace="n")
    assert len(server.seen) == 1


async def test_an_answer_that_is_no_json_is_unreadable(server: ScriptedServer, cluster: HttpCluster) -> None:
    server.replies(text("<html>welcome</html>", 200), text("[]", 200))
    with pytest.raises(errors.Unreadable):
        await cluster.get(CONFIG_MAPS, "a", namespace="n")
    with pytest.raises(errors.Unreadable):
        await cluster.version()


async def test_a_warning_is_logged_once(
    server: ScriptedServer, cluster: HttpCluster, caplog: pytest.LogCaptureFixture
) -> None:
    old = answer(config_map(), Warning='299 - "v1beta1 is deprecated"')
    server.replies(old, old)
    with caplog.at_level(logging.WARNING):
        await cluster.get(CONFIG_MAPS, "a", namespace="n")
        await cluster.get(CONFIG_MAPS, "a", namespace="n")
    assert [record.getMessage() for record in caplog.records] == [f"{server.url} warns: v1beta1 is deprecated"]


async def test_the_version_is_told(server: ScriptedServer, cluster: HttpCluster) -> None:
    server.replies(answer({"gitVersion": "v1.34.1", "major": "1"}))
    assert await cluster.version() == {"gitVersion": "v1.34.1", "major": "1"}


async def test_a_closed_cluster_says_so_and_may_be_closed_again(cluster: HttpCluster) -> None:
    await cluster.close()
    await cluster.close()
    with pytest.raises(RuntimeError, match="have been closed"):
        await cluster.version()
