"""Kubeconfigs that templates ask for, issued by another home over HTTPS; and what they must not reach."""

from __future__ import annotations

import base64
import json
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from tests.components.landscapes.component_worlds import CLUSTER, World, failure, mock_blueprint, world

from landform.api.errors import OperationFailed
from landform.blueprints.questions import Question
from landform.blueprints.templating.kubeconfigs import SHOOT_KUBECONFIG, TARGET_CONTENT, TargetArgument
from landform.cluster import kubeconfig
from landform.cluster.http import HttpCluster
from landform.cluster.kinds import TARGETS
from landform.cluster.resources import SECRETS, SERVICE_ACCOUNTS
from landform.components.errors import Unavailable
from landform.embedded.access.certificates import admin_kubeconfig
from landform.embedded.serving.server import Address, serve
from landform.installations.fetching import kubeconfigs
from landform.kit import yamls
from landform.testing import homes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


@asynccontextmanager
async def _other_home() -> AsyncIterator[str]:
    """A second cluster with a service account; the kubeconfig of its admin."""
    async with homes.home() as opened, serve(opened, Address()) as url:
        account = {"metadata": {"name": "robot"}}
        await opened.cluster.create(SERVICE_ACCOUNTS, account, namespace="default")
        yield admin_kubeconfig(url, opened.authority.ca, opened.authority.admin_token)


async def _target(it: World, config: str) -> None:
    spec = {"type": CLUSTER, "secretRef": {"name": "access", "key": "config"}}
    await it.secret("access", config=json.dumps({"kubeconfig": config}))
    await it.cluster.create(TARGETS, {"metadata": {"name": "cluster"}, "spec": spec}, namespace="default")


def _spec(template: str) -> dict[str, Any]:
    imports = [{"name": "cluster", "type": "target", "targetType": CLUSTER}]
    files = {"blueprint.yaml": json.dumps(mock_blueprint(template, imports=imports))}
    return {
        "blueprint": {"inline": {"filesystem": files}},
        "imports": {"targets": [{"name": "cluster", "target": "cluster"}]},
    }


async def test_a_service_account_gets_a_kubeconfig_that_works(tmp_path: Path) -> None:
    template = (
        '{{ getServiceAccountKubeconfigWithExpirationTimestamp "robot" "default" 3600 .imports.cluster | toJson }}'
    )
    async with _other_home() as config, world(tmp_path) as it:
        await _target(it, config)
        assert (await it.run("a", **_spec(template))).status.phase == "Succeeded"
        [item] = await it.items()
        issued = item["export"]["value"]
        assert 3000 < issued["expirationTimestamp"] - datetime.now(UTC).timestamp() < 4000
        text = base64.b64decode(issued["kubeconfig"]).decode()
        async with HttpCluster(kubeconfig.parse(text)) as other:
            assert await other.version()
        assert yamls.load(text)["contexts"][0]["context"]["namespace"] == "default"


async def test_an_account_that_is_not_there_fails_the_job_with_its_name(tmp_path: Path) -> None:
    template = '"{{ getServiceAccountKubeconfig "nobody" "default" 3600 .imports.cluster }}"'
    async with _other_home() as config, world(tmp_path) as it:
        await _target(it, config)
        assert "nobody" in failure(await it.run("a", **_spec(template)))


async def test_the_content_behind_a_target_makes_a_kubeconfig_for_people(tmp_path: Path) -> None:
    template = '"{{ getOidcKubeconfig "https://issuer.example.com" "client" .imports.cluster }}"'
    async with _other_home() as config, world(tmp_path) as it:
        await _target(it, config)
        assert (await it.run("a", **_spec(template))).status.phase == "Succeeded"
        [item] = await it.items()
        assert "--oidc-client-id=client" in base64.b64decode(item["export"]["value"]).decode()


async def test_a_shoot_gets_an_admin_kubeconfig() -> None:
    async def granted(request: web.Request) -> web.Response:
        body = await request.json()
        assert (body["kind"], body["spec"]) == ("AdminKubeconfigRequest", {"expirationSeconds": 600})
        status = {"kubeconfig": "YWRtaW4=", "expirationTimestamp": "2030-01-02T03:04:05Z"}
        return web.json_response({**body, "status": status}, status=201)

    app = web.Application()
    app.router.add_post("/apis/core.gardener.cloud/v1beta1/namespaces/garden-dev/shoots/one/adminkubeconfig", granted)
    async with TestServer(app) as server, homes.in_process() as cluster:
        target = _argument({"config": {"kubeconfig": _config(str(server.make_url("")))}})
        question = Question(SHOOT_KUBECONFIG, ("one", "garden-dev", 600, target))
        issued = await kubeconfigs.answer(question, cluster, "default")
        assert (issued.kubeconfig, issued.expiration.year) == ("YWRtaW4=", 2030)


async def test_a_cluster_that_does_not_answer_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kubeconfigs, "_PATIENCE_SECONDS", 0.1)
    async with homes.in_process() as cluster:
        target = _argument({"config": {"kubeconfig": _config("http://127.0.0.1:1")}})
        with pytest.raises(Unavailable, match="Target cluster"):
            await kubeconfigs.answer(Question(SHOOT_KUBECONFIG, ("one", "garden", 600, target)), cluster, "default")


async def test_a_made_up_target_reaches_no_secret_of_another_namespace() -> None:
    async with homes.in_process() as cluster:
        data = {"config": base64.b64encode(b"treasure").decode()}
        await cluster.create(SECRETS, {"metadata": {"name": "theirs"}, "data": data}, namespace="kube-system")
        spec = {"secretRef": {"name": "theirs", "namespace": "kube-system", "key": "config"}}
        for namespace in ("kube-system", "", "default"):
            question = Question(TARGET_CONTENT, (_argument(spec, namespace),))
            with pytest.raises(OperationFailed) as refused:
                await kubeconfigs.answer(question, cluster, "default")
            assert "treasure" not in str(refused.value)


async def test_a_kubeconfig_that_names_a_program_is_refused() -> None:
    config = _config("http://127.0.0.1:1", exec={"command": "sh", "apiVersion": "client.authentication.k8s.io/v1"})
    async with homes.in_process() as cluster:
        question = Question(SHOOT_KUBECONFIG, ("one", "garden", 600, _argument({"config": {"kubeconfig": config}})))
        with pytest.raises(OperationFailed):
            await kubeconfigs.answer(question, cluster, "default")


def _argument(spec: dict[str, Any], namespace: str = "") -> TargetArgument:
    return TargetArgument("cluster", namespace, json.dumps({"metadata": {"name": "cluster"}, "spec": spec}))


def _config(server: str, **user: Any) -> str:
    return yamls.dump(
        {
            "clusters": [{"name": "x", "cluster": {"server": server}}],
            "users": [{"name": "x", "user": user}],
            "contexts": [{"name": "x", "context": {"cluster": "x", "user": "x"}}],
            "current-context": "x",
        }
    )
