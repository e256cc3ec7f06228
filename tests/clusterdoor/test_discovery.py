"""Discovery reads both forms of the API server's documents to the same resources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.clusterdoor.servers import ScriptedServer, answer, status, text

from landform.cluster import errors
from landform.cluster.resources import CONFIG_MAPS, NAMESPACES, untyped

if TYPE_CHECKING:
    from landform.cluster.http import HttpCluster

EXPECTED = [
    CONFIG_MAPS,
    NAMESPACES,
    untyped("example.com/v1", "Widget", "widgets"),
    untyped("example.com/v1beta1", "Widget", "widgets"),
]


def aggregated(*groups: Any) -> dict[str, Any]:
    return {"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": list(groups)}


def group(name: str, **versions: list[Any]) -> dict[str, Any]:
    return {
        "metadata": {"name": name} if name else {},
        "versions": [{"version": version, "resources": found} for version, found in versions.items()],
    }


def described(plural: str, kind: str, scope: str = "Namespaced") -> dict[str, Any]:
    return {
        "resource": plural,
        "scope": scope,
        "verbs": ["get"],
        "responseKind": {"group": "", "version": "", "kind": kind},
        "subresources": [{"subresource": "status", "verbs": ["get"]}],
    }


async def test_aggregated_documents_take_two_requests(server: ScriptedServer, cluster: HttpCluster) -> None:
    core = group("", v1=[described("configmaps", "ConfigMap"), described("namespaces", "Namespace", "Cluster")])
    widget = described("widgets", "Widget")
    nameless = {"resource": "odd", "scope": "Cluster", "verbs": []}
    others = group("example.com", v1=[widget, nameless], v1beta1=[widget])
    server.replies(answer(aggregated(core)), answer(aggregated(others)))
    assert await cluster.discover() == EXPECTED
    assert [seen.path for seen in server.seen] == ["/api", "/apis"]
    assert "v=v2;as=APIGroupDiscoveryList" in server.seen[0].header("Accept")


async def test_plain_documents_are_read_one_by_one(server: ScriptedServer, cluster: HttpCluster) -> None:
    def listed(name: str, kind: str, namespaced: bool = True) -> dict[str, Any]:
        return {"name": name, "kind": kind, "namespaced": namespaced, "verbs": ["get"]}

    server.replies(
        answer({"kind": "APIVersions", "versions": ["v1"]}),
        answer({"resources": [listed("configmaps", "ConfigMap"), listed("namespaces", "Namespace", False)]}),
        answer(
            {
                "kind": "APIGroupList",
                "groups": [
                    {
                        "name": "example.com",
                        "versions": [{"version": "v1beta1"}, {"version": "v1"}],
                        "preferredVersion": {"version": "v1"},
                    }
                ],
            }
        ),
        answer({"resources": [listed("widgets", "Widget"), listed("widgets/status", "Widget")]}),
        answer({"resources": [listed("widgets", "Widget")]}),
    )
    assert await cluster.discover() == EXPECTED
    paths = ["/api", "/api/v1", "/apis", "/apis/example.com/v1", "/apis/example.com/v1beta1"]
    assert [seen.path for seen in server.seen] == paths


async def test_an_api_that_is_down_does_not_hide_the_others(
    server: ScriptedServer, cluster: HttpCluster, caplog: pytest.LogCaptureFixture
) -> None:
    names = [{"name": name, "versions": [{"version": "v1"}]} for name in ("down.example.com", "up.example.com")]
    server.replies(
        status(404),
        answer({"kind": "APIGroupList", "groups": names}),
        status(403),
        answer({"resources": [{"name": "widgets", "kind": "Widget", "namespaced": True}]}),
    )
    assert await cluster.discover() == [untyped("up.example.com/v1", "Widget", "widgets")]
    assert "does not tell what it serves at /apis/down.example.com/v1" in caplog.text


async def test_documents_that_are_none_are_refused(server: ScriptedServer, cluster: HttpCluster) -> None:
    server.replies(text("<html>", 200))
    with pytest.raises(errors.Unreadable, match="discovery document"):
        await cluster.discover()
