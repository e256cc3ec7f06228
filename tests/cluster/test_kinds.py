"""Landform's kinds on a real API server: their definitions, their examples, and the webhook that checks them."""

from __future__ import annotations

import asyncio
import base64
import json
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tests.cluster.controlplane.plane import ControlPlane, KubectlError

from landform.api.catalog import KINDS, KindInfo
from landform.api.crds import crds
from landform.api.examples import EXAMPLES
from landform.api.structs import API_VERSION
from landform.runtime.webhooks import VALIDATE_PATH, WebhookServer

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def cluster(control_plane: ControlPlane) -> ControlPlane:
    """The control plane with our definitions; applying them must not even raise a warning."""
    for definition in crds():
        control_plane.kubectl(
            "apply", "--server-side", "--warnings-as-errors", "--filename=-", input=json.dumps(definition)
        )
    names = [f"crd/{info.plural}.{info.group}" for info in KINDS]
    control_plane.kubectl("wait", "--for=condition=Established", "--timeout=60s", *names)
    return control_plane


def create(cluster: ControlPlane, obj: dict[str, Any], *flags: str) -> dict[str, Any]:
    answer = cluster.kubectl(
        "create", "--validate=strict", "--warnings-as-errors", "-ojson", "-f-", *flags, input=json.dumps(obj)
    )
    created: dict[str, Any] = json.loads(answer)
    return created


@pytest.mark.parametrize("info", KINDS, ids=lambda info: info.kind)
def test_definitions_are_accepted_and_structural(cluster: ControlPlane, info: KindInfo) -> None:
    text = cluster.kubectl("get", "crd", f"{info.plural}.{info.group}", "-ojson")
    conditions = {c["type"]: c["status"] for c in json.loads(text)["status"]["conditions"]}
    assert conditions == {"Established": "True", "NamesAccepted": "True"}


@pytest.mark.parametrize("info", KINDS, ids=lambda info: info.kind)
def test_examples_are_stored_whole_and_read_into_their_structs(
    cluster: ControlPlane, namespace: str, info: KindInfo
) -> None:
    example = yaml.safe_load(EXAMPLES[info.kind])
    if info.namespaced:
        example["metadata"]["namespace"] = namespace
    stored = create(cluster, example)
    own = {key: value for key, value in stored.items() if key != "metadata"}
    assert own == {key: value for key, value in example.items() if key != "metadata"}
    stored["metadata"].pop("managedFields", None)
    assert json.loads(msgspec.json.encode(msgspec.json.decode(json.dumps(stored), type=info.struct))) == stored
    cluster.kubectl("delete", info.plural, stored["metadata"]["name"], *([f"-n{namespace}"] if info.namespaced else []))


@pytest.mark.parametrize("value", ["text", 1, 1.5, True, [1, None], {"a": None}], ids=repr)
def test_data_may_be_any_json(cluster: ControlPlane, namespace: str, value: Any) -> None:
    obj = {"apiVersion": API_VERSION, "kind": "DataObject", "metadata": {"name": "d", "namespace": namespace}}
    assert create(cluster, obj | {"data": value})["data"] == value


def test_null_means_absent(cluster: ControlPlane, namespace: str) -> None:
    obj = {
        "apiVersion": API_VERSION,
        "kind": "Installation",
        "metadata": {"name": "nulls", "namespace": namespace},
        "spec": {"blueprint": {"ref": {"resourceName": "b"}, "inline": None}, "imports": None, "context": None},
    }
    assert create(cluster, obj)["spec"] == {"blueprint": {"ref": {"resourceName": "b"}}}


def test_an_empty_target_list_stays_empty(cluster: ControlPlane, namespace: str) -> None:
    obj = {
        "apiVersion": API_VERSION,
        "kind": "Installation",
        "metadata": {"name": "lists", "namespace": namespace},
        "spec": {"blueprint": {}, "imports": {"targets": [{"name": "t", "targets": []}]}},
    }
    assert create(cluster, obj)["spec"]["imports"]["targets"] == [{"name": "t", "targets": []}]


def test_labels_show_up_as_columns(cluster: ControlPlane, namespace: str) -> None:
    labels = {f"data.landscaper.gardener.cloud/{key}": f"the-{key}" for key in ("context", "key")}
    metadata = {"name": "d", "namespace": namespace, "labels": labels}
    create(cluster, {"apiVersion": API_VERSION, "kind": "DataObject", "metadata": metadata, "data": 1})
    assert cluster.kubectl("get", "dobj", "-n", namespace, "--no-headers").split()[:3] == [
        "d",
        "the-context",
        "the-key",
    ]


def write_certificate(folder: Path) -> tuple[Path, Path]:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "webhook")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem, private = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    (folder / "tls.crt").write_bytes(certificate.public_bytes(pem))
    (folder / "tls.key").write_bytes(key.private_bytes(pem, private, serialization.NoEncryption()))
    return folder / "tls.crt", folder / "tls.key"


async def test_the_webhook_refuses_for_the_api_server(cluster: ControlPlane, namespace: str, tmp_path: Path) -> None:
    certificate, key = write_certificate(tmp_path)
    item = {
        "apiVersion": API_VERSION,
        "kind": "DeployItem",
        "metadata": {"name": "item", "namespace": namespace},
        "spec": {"type": "mock"},
    }
    async with WebhookServer("127.0.0.1", 0, certificate, key) as server:
        hook = webhook_configuration(server.port, certificate.read_bytes(), namespace)
        await asyncio.to_thread(create, cluster, hook)
        try:
            bad = item | {"metadata": {"name": "bad", "namespace": namespace}, "spec": {"type": ""}}
            refusal = await refused(cluster, bad)
            assert refusal.endswith(
                '"bad" is invalid: spec.type: Required value: the type says which deployer is responsible'
            )
            await asyncio.to_thread(create, cluster, item)
            change = ("patch", "deployitem", "item", "-n", namespace, "--type=merge", '--patch={"spec":{"type":"x"}}')
            with pytest.raises(KubectlError, match=r"spec\.type: Forbidden: the type cannot be changed"):
                await asyncio.to_thread(cluster.kubectl, *change)
        finally:
            name = hook["metadata"]["name"]
            await asyncio.to_thread(cluster.kubectl, "delete", "validatingwebhookconfiguration", name)


async def refused(cluster: ControlPlane, obj: dict[str, Any]) -> str:
    """The API server's words when it refuses the object; it begins to use a new webhook after a moment."""
    async with asyncio.timeout(60):
        while True:
            try:
                await asyncio.to_thread(create, cluster, obj, "--dry-run=server")
            except KubectlError as error:
                return str(error)


def webhook_configuration(port: int, authority: bytes, namespace: str) -> dict[str, Any]:
    """A webhook for one namespace, so that tests beside this one do not meet it."""
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": f"landform-{namespace}"},
        "webhooks": [
            {
                "name": "deployitems.validation.landscaper.gardener.cloud",
                "admissionReviewVersions": ["v1"],
                "sideEffects": "None",
                "clientConfig": {
                    "url": f"https://127.0.0.1:{port}{VALIDATE_PATH}",
                    "caBundle": base64.b64encode(authority).decode(),
                },
                "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
                "rules": [
                    {
                        "apiGroups": ["landscaper.gardener.cloud"],
                        "apiVersions": ["v1alpha1"],
                        "operations": ["CREATE", "UPDATE"],
                        "resources": ["installations", "executions", "deployitems", "targets"],
                    }
                ],
            }
        ],
    }
