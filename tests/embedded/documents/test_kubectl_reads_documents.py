"""The real kubectl understands the documents."""

from __future__ import annotations

import asyncio
import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from tests.embedded.documents.bare_server import BareServer
from tests.embedded.documents.crontabs import crontabs

from landform.embedded.catalog import Catalog
from landform.embedded.definitions import defaulted, types_of
from landform.embedded.kinds import builtin_types

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not on this machine")


class Kubectl:
    """kubectl with its own cache, talking to a server."""

    def __init__(self, server: BareServer, cache: Path) -> None:
        self.server = server
        self._options = ["--server", server.url, "--kubeconfig", "/dev/null", "--cache-dir", str(cache)]

    async def __call__(self, *arguments: str, stdin: str = "") -> str:
        """The output of a run that must succeed."""
        process = await asyncio.create_subprocess_exec(
            "kubectl",
            *self._options,
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        output, _ = await process.communicate(stdin.encode())
        assert process.returncode == 0, output.decode()
        return output.decode()


@pytest.fixture
async def kubectl(tmp_path: Path) -> AsyncIterator[Kubectl]:
    catalog = Catalog(builtin_types())
    for type_ in types_of(defaulted(crontabs())):
        catalog.add(type_)
    async with BareServer(catalog).running() as server:
        yield Kubectl(server, tmp_path)


async def test_api_resources_lists_built_in_and_custom_kinds(kubectl: Kubectl) -> None:
    lines = [line.split() for line in (await kubectl("api-resources")).splitlines()]
    assert ["deployments", "deploy", "apps/v1", "true", "Deployment"] in lines
    assert ["crontabs", "ct", "stable.example.com/v1", "true", "CronTab"] in lines
    assert ["horizontalpodautoscalers", "hpa", "autoscaling/v2", "true", "HorizontalPodAutoscaler"] in lines


async def test_explain_describes_a_built_in_field(kubectl: Kubectl) -> None:
    output = await kubectl("explain", "deployment.spec.strategy")
    assert "FIELD: strategy <DeploymentStrategy>" in output
    assert "rollingUpdate\t<RollingUpdateDeployment>" in output


async def test_explain_describes_a_custom_field(kubectl: Kubectl) -> None:
    output = await kubectl("explain", "ct.spec")
    assert "cronSpec\t<string> -required-" in output
    assert "When to run." in output


async def test_explain_reads_the_v2_document_as_protobuf(kubectl: Kubectl) -> None:
    built_in = await kubectl("explain", "pod.spec.containers", "--output=plaintext-openapiv2")
    assert "RESOURCE: containers <[]Object>" in built_in
    custom = await kubectl("explain", "crontab.spec", "--output=plaintext-openapiv2")
    assert "cronSpec\t<string> -required-" in custom


async def test_kubectl_leaves_validation_to_the_server(kubectl: Kubectl) -> None:
    manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "unknown": 1}
    output = await kubectl("create", "--validate=strict", "-f", "-", stdin=json.dumps(manifest))
    assert output == "configmap/a created\n"
    assert not any("/openapi/v2" in request for request in kubectl.server.requests)


async def test_apply_merges_by_the_keys_that_the_v3_document_names(kubectl: Kubectl) -> None:
    before, after = deployment("web:1"), deployment("web:2")
    applied = {"kubectl.kubernetes.io/last-applied-configuration": json.dumps(before)}
    live = {**before, "metadata": {**before["metadata"], "annotations": applied, "resourceVersion": "1"}}
    kubectl.server.objects["/apis/apps/v1/namespaces/default/deployments/web"] = live
    output = await kubectl("apply", "-f", "-", stdin=json.dumps(after))
    assert output == "deployment.apps/web configured\n"
    ((media_type, patch),) = kubectl.server.patches
    assert media_type == "application/strategic-merge-patch+json"
    assert patch["spec"]["template"]["spec"] == {
        "$setElementOrder/containers": [{"name": "web"}, {"name": "side"}],
        "containers": [{"name": "web", "image": "web:2"}],
    }
    assert any("/openapi/v3/apis/apps/v1" in request for request in kubectl.server.requests)


def deployment(image: str) -> dict[str, Any]:
    containers = [{"name": "web", "image": image}, {"name": "side", "image": "side:1"}]
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": containers}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": template},
    }
