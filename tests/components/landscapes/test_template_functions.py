"""Every function of templates that needs a component or a cluster, in both languages, on a home."""

from __future__ import annotations

import base64
import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from tests.components.landscapes.component_worlds import (
    CLUSTER,
    Authored,
    by_name,
    descriptor,
    failure,
    resource,
    world,
)

from landform.blueprints.templating import gofunctions, spiffs
from landform.cluster.kinds import TARGETS
from landform.kit import yamls

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

BLUEPRINT = {"ref": {"resourceName": "blueprint"}}
MOTD = "cd://componentReferences/texts/resources/motd"
KEY = base64.b64encode(b"component:\n  name: example.com/texts\n  version: 1.0.0\nresource:\n  name: motd\n").decode()
OIDC = "https://issuer.example.com"

GO = {
    "getResource": ('{{ (getResource "name" "image").access.imageReference }}', "host/app:2.0"),
    "getResources": ('{{ len (getResources "name" "image") }}', 1),
    "getResourceKey": (f'{{{{ getResourceKey "{MOTD}" }}}}', KEY.rstrip()),
    "getResourceContent": (f'{{{{ getResourceContent "{MOTD}" }}}}', "welcome"),
    "getComponent": ('{{ (getComponent "name" "texts").component.name }}', "example.com/texts"),
    "getRepositoryContext": ("{{ (getRepositoryContext .cd).type }}", "local"),
    "parseOCIRef": ('{{ index (parseOCIRef "host/app:2.0") 0 }}', "host/app"),
    "ociRefRepo": ('{{ ociRefRepo "host/app:2.0" }}', "host/app"),
    "ociRefVersion": ('"{{ ociRefVersion "host/app:2.0" }}"', "2.0"),
}
SPIFF = {
    "getResource": ('(( getResource("name", "image").access.imageReference ))', "host/app:2.0"),
    "getResourceKey": (f'(( getResourceKey("{MOTD}") ))', KEY.rstrip()),
    "getResourceContent": (f'(( getResourceContent("{MOTD}") ))', "welcome"),
    "getComponent": ('(( getComponent("name", "texts").component.name ))', "example.com/texts"),
    "parseOCIRef": ('(( parseOCIRef("host/app:2.0").[0] ))', "host/app"),
    "ociRefRepo": ('(( ociRefRepo("host/app:2.0") ))', "host/app"),
    "ociRefVersion": ('(( ociRefVersion("host/app:2.0") ))', "2.0"),
}
ISSUED = {
    "getShootAdminKubeconfig": ("one", "garden-dev", 600),
    "getShootAdminKubeconfigWithExpirationTimestamp": ("one", "garden-dev", 600),
    "getServiceAccountKubeconfig": ("robot", "default", 600),
    "getServiceAccountKubeconfigWithExpirationTimestamp": ("robot", "default", 600),
    "getOidcKubeconfig": (OIDC, "client"),
}
"""Functions that take a Target as last argument, with the others."""


def _item(values: dict[str, Any]) -> dict[str, Any]:
    config = {
        "apiVersion": "mock.deployer.landscaper.gardener.cloud/v1alpha1",
        "kind": "ProviderConfiguration",
        "export": values,
    }
    return {"deployItems": [{"name": "item", "type": "landscaper.gardener.cloud/mock", "config": config}]}


def _blueprint(language: str, values: dict[str, str], **parts: Any) -> dict[str, Any]:
    """A blueprint with one item that exports these expressions."""
    template: Any = _item(dict(values))
    if language == "GoTemplate":
        lines = [f"        {name}: {text}" for name, text in values.items()]
        head = yamls.dump(_item({})).replace("export: {}", "export:\n" + "\n".join(lines))
        template = head
    return {"deployExecutions": [{"name": "main", "type": language, "template": template}], **parts}


def _shop(authored: Authored, blueprint: dict[str, Any]) -> None:
    """A component with an image, which refers to one with a text."""
    (authored.folder / "blobs").mkdir(parents=True)
    (authored.folder / "blobs" / "motd").write_text("welcome")
    motd = resource("motd", "text", {"type": "localFilesystemBlob", "fileName": "motd", "mediaType": "text/plain"})
    authored.write(descriptor("example.com/texts", [motd]))
    made = authored.component("example.com/shop", blueprint=blueprint, references={"texts": "example.com/texts"})
    image = resource("image", "ociImage", {"type": "ociArtifact", "imageReference": "host/app:2.0"})
    made["component"]["resources"].append(image)
    made["component"]["repositoryContexts"] = [authored.spec]
    authored.write(made)


@pytest.mark.parametrize(("language", "calls"), [("GoTemplate", GO), ("Spiff", SPIFF)], ids=["GoTemplate", "Spiff"])
async def test_functions_about_components(tmp_path: Path, language: str, calls: dict[str, tuple[str, Any]]) -> None:
    authored = Authored(tmp_path / "components")
    _shop(authored, _blueprint(language, {name: text for name, (text, _) in calls.items()}))
    async with world(tmp_path, root=authored.folder) as it:
        await it.context(repositoryContext=authored.spec)
        ended = await it.run("shop", componentDescriptor=by_name("example.com/shop"), blueprint=BLUEPRINT)
        assert ended.status.phase == "Succeeded", ended.status.last_error
        [item] = await it.items()
        found = {name: value.rstrip() if isinstance(value, str) else value for name, value in item["export"].items()}
        assert found == {name: value for name, (_, value) in calls.items()}


@pytest.mark.parametrize(
    ("language", "call"),
    [
        ("GoTemplate", '{{ getResourceContent "cd://resources/none" }}'),
        ("Spiff", '(( getResourceContent("cd://resources/none") ))'),
    ],
)
async def test_a_resource_that_is_not_there_is_named(tmp_path: Path, language: str, call: str) -> None:
    authored = Authored(tmp_path / "components")
    _shop(authored, _blueprint(language, {"value": call}))
    async with world(tmp_path, root=authored.folder) as it:
        await it.context(repositoryContext=authored.spec)
        why = failure(await it.run("shop", componentDescriptor=by_name("example.com/shop"), blueprint=BLUEPRINT))
        assert 'resource "none" not found' in why


@asynccontextmanager
async def _clusters() -> AsyncIterator[str]:
    """A cluster that issues what is asked for; a kubeconfig for it."""

    async def granted(request: web.Request) -> web.Response:
        body = await request.json()
        status = {"kubeconfig": "YWRtaW4=", "token": "t0ken", "expirationTimestamp": "2030-01-02T03:04:05Z"}
        return web.json_response({**body, "status": status}, status=201)

    app = web.Application()
    app.router.add_post("/apis/core.gardener.cloud/v1beta1/namespaces/garden-dev/shoots/one/adminkubeconfig", granted)
    app.router.add_post("/api/v1/namespaces/default/serviceaccounts/robot/token", granted)
    async with TestServer(app) as server:
        yield yamls.dump(
            {
                "clusters": [{"name": "x", "cluster": {"server": str(server.make_url("/"))}}],
                "users": [{"name": "x", "user": {"token": "admin"}}],
                "contexts": [{"name": "x", "context": {"cluster": "x", "user": "x"}}],
                "current-context": "x",
            }
        )


def _calls(language: str) -> dict[str, str]:
    if language == "Spiff":
        return {
            name: f"(( {name}({', '.join(map(json.dumps, arguments))}, imports.cluster) ))"
            for name, arguments in ISSUED.items()
        }
    return {
        name: f"{{{{ {name} {' '.join(map(json.dumps, arguments))} .imports.cluster | toJson }}}}"
        for name, arguments in ISSUED.items()
    }


@pytest.mark.parametrize("language", ["GoTemplate", "Spiff"])
async def test_functions_that_give_kubeconfigs(tmp_path: Path, language: str) -> None:
    imports = [{"name": "cluster", "type": "target", "targetType": CLUSTER}]
    files = {"blueprint.yaml": json.dumps(_blueprint(language, _calls(language), imports=imports))}
    async with _clusters() as config, world(tmp_path) as it:
        spec = {"type": CLUSTER, "secretRef": {"name": "access", "key": "config"}}
        await it.secret("access", config=json.dumps({"kubeconfig": config}))
        await it.cluster.create(TARGETS, {"metadata": {"name": "cluster"}, "spec": spec}, namespace="default")
        ended = await it.run(
            "a",
            blueprint={"inline": {"filesystem": files}},
            imports={"targets": [{"name": "cluster", "target": "cluster"}]},
        )
        assert ended.status.phase == "Succeeded", ended.status.last_error
        [item] = await it.items()
    found = item["export"]
    ends = {"expirationTimestamp": 1893553445, "expirationTimestampReadable": "2030-01-02T03:04:05Z"}
    assert found["getShootAdminKubeconfig"] == "YWRtaW4="
    assert found["getShootAdminKubeconfigWithExpirationTimestamp"] == {"kubeconfig": "YWRtaW4=", **ends}
    account = found["getServiceAccountKubeconfig"]
    assert yamls.load(base64.b64decode(account).decode())["users"][0]["user"] == {"token": "t0ken"}
    assert found["getServiceAccountKubeconfigWithExpirationTimestamp"] == {"kubeconfig": account, **ends}
    assert f"--oidc-issuer-url={OIDC}" in base64.b64decode(found["getOidcKubeconfig"]).decode()


def test_no_function_is_left_out() -> None:
    assert {*SPIFF, *ISSUED} == set(spiffs.FUNCTIONS)
    assert {*GO, *ISSUED} == set(gofunctions.OWN) - {"include", "toYaml", "readFile", "readDir"}
