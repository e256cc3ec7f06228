"""The validating webhook, over a real connection."""

from __future__ import annotations

import asyncio
import io
import socket
import ssl
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from landform.kit.surroundings import Surroundings
from landform.runtime.webhooks import MAX_BODY, WebhookServer, WebhookServerError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

LANDSCAPER = "landscaper.gardener.cloud/v1alpha1"


class Files:
    """A certificate and its key on disk."""

    def __init__(self, folder: Path) -> None:
        self.certificate = folder / "tls.crt"
        self.key = folder / "tls.key"

    def write(self, name: str) -> None:
        """Write a new pair; `name` is what the certificate calls itself."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        now = datetime.now(UTC)
        certificate = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
            .sign(key, hashes.SHA256())
        )
        self.certificate.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        self.key.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )


@pytest.fixture
def files(tmp_path: Path) -> Files:
    files = Files(tmp_path)
    files.write("first")
    return files


@pytest.fixture
async def server(files: Files) -> AsyncIterator[WebhookServer]:
    async with WebhookServer("127.0.0.1", 0, files.certificate, files.key) as server:
        yield server


@pytest.fixture
async def client(server: WebhookServer) -> AsyncIterator[aiohttp.ClientSession]:
    connector = aiohttp.TCPConnector(ssl=False)
    async with aiohttp.ClientSession(f"https://127.0.0.1:{server.port}", connector=connector) as session:
        yield session


def review(obj: Any, *, operation: str = "CREATE", old: Any = None, **more: Any) -> dict[str, Any]:
    kind = obj.get("kind", "") if isinstance(obj, dict) else ""
    return {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {
            "uid": "705ab4f5-6393-11e8-b7cc-42010a800002",
            "kind": {"group": "landscaper.gardener.cloud", "version": "v1alpha1", "kind": kind},
            "name": "x",
            "operation": operation,
            "object": obj,
            "oldObject": old,
            **more,
        },
    }


def deploy_item(type_: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": LANDSCAPER,
        "kind": "DeployItem",
        "metadata": {"name": "x", "namespace": "demo"},
        "spec": {"type": type_, **spec},
    }


async def ask(client: aiohttp.ClientSession, body: dict[str, Any]) -> dict[str, Any]:
    async with client.post("/validate", json=body) as answer:
        assert answer.status == 200
        assert answer.content_type == "application/json"
        content = await answer.json()
    assert (content["apiVersion"], content["kind"]) == ("admission.k8s.io/v1", "AdmissionReview")
    response: dict[str, Any] = content["response"]
    assert response["uid"] == body["request"]["uid"]
    return response


async def test_a_valid_object_is_allowed(client: aiohttp.ClientSession) -> None:
    assert (await ask(client, review(deploy_item("helm"))))["allowed"] is True


async def test_an_invalid_object_is_refused_with_every_cause(client: aiohttp.ClientSession) -> None:
    response = await ask(client, review(deploy_item("", target={})))
    assert response["allowed"] is False
    status = response["status"]
    assert (status["code"], status["reason"]) == (422, "Invalid")
    assert status["message"] == (
        "[spec.type: Required value: the type says which deployer is responsible,"
        " spec.target.name: Required value: the Target must be named,"
        " spec.target.namespace: Required value: the namespace of the Target must be named too]"
    )
    assert status["details"]["kind"] == "DeployItem"
    assert status["details"]["causes"][0] == {
        "reason": "FieldValueRequired",
        "message": "Required value: the type says which deployer is responsible",
        "field": "spec.type",
    }


async def test_a_changed_type_is_forbidden(client: aiohttp.ClientSession) -> None:
    body = review(deploy_item("new"), operation="UPDATE", old=deploy_item("old"))
    status = (await ask(client, body))["status"]
    assert (status["code"], status["reason"]) == (403, "Forbidden")
    assert status["message"] == "spec.type: Forbidden: the type cannot be changed; create another DeployItem instead"


@pytest.mark.parametrize(
    "obj",
    [
        {"apiVersion": LANDSCAPER, "kind": "Installation", "metadata": {"name": "a" * 59}, "spec": {"blueprint": {}}},
        {"apiVersion": LANDSCAPER, "kind": "Execution", "spec": {"deployItems": [{}]}},
        {"apiVersion": LANDSCAPER, "kind": "Target", "spec": {"config": {}, "secretRef": {}}},
    ],
    ids=lambda obj: str(obj["kind"]),
)
async def test_the_other_kinds_with_rules_are_checked_too(client: aiohttp.ClientSession, obj: dict[str, Any]) -> None:
    assert (await ask(client, review(obj)))["allowed"] is False


@pytest.mark.parametrize(
    "body",
    [
        review({"apiVersion": LANDSCAPER, "kind": "Context"}),
        review({"apiVersion": "v1", "kind": "Secret"}),
        review(None, operation="DELETE", old=deploy_item("")),
        review(deploy_item(""), operation="UPDATE", old=deploy_item(""), subResource="status"),
    ],
    ids=["kind without rules", "foreign kind", "deletion", "status"],
)
async def test_everything_else_is_allowed(client: aiohttp.ClientSession, body: dict[str, Any]) -> None:
    assert (await ask(client, body))["allowed"] is True


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "not an AdmissionReview"),
        (b'{"apiVersion": "admission.k8s.io/v1beta1", "kind": "AdmissionReview"}', "not an AdmissionReview"),
        (b'{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}', "no request"),
        (b'{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": 1}}', "no uid"),
    ],
    ids=["empty", "cut", "no text", "deep", "list", "v1beta1", "no request", "no uid"],
)
async def test_a_bad_body_is_answered_with_400_and_a_reason(
    client: aiohttp.ClientSession, body: bytes, text: str
) -> None:
    async with client.post("/validate", data=body) as answer:
        assert answer.status == 400
        assert text in await answer.text()


async def test_an_object_of_the_wrong_type_is_refused(client: aiohttp.ClientSession) -> None:
    assert (await ask(client, review("nonsense")))["status"]["code"] == 422


async def test_a_body_over_the_limit_is_answered_with_413(client: aiohttp.ClientSession) -> None:
    async with client.post("/validate", data=io.BytesIO(b" " * (MAX_BODY + 1))) as answer:
        assert answer.status == 413


async def test_health_is_reported(client: aiohttp.ClientSession) -> None:
    async with client.get("/healthz") as answer:
        assert (answer.status, await answer.text()) == (200, "ok")


async def test_other_paths_and_methods_are_not_served(client: aiohttp.ClientSession) -> None:
    async with client.get("/validate") as answer:
        assert answer.status == 405
    async with client.get("/") as answer:
        assert answer.status == 404


async def certificate_name(port: int, server_name: str | None) -> str:
    """How the certificate that a new connection gets calls itself."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    _, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context, server_hostname=server_name or "")
    encoded = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    writer.close()
    await writer.wait_closed()
    [name] = x509.load_der_x509_certificate(encoded).subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    return str(name.value)


@pytest.mark.parametrize("server_name", ["webhook.svc", None], ids=["by name", "by address"])
async def test_a_renewed_certificate_is_used_for_new_connections(
    server: WebhookServer, files: Files, server_name: str | None
) -> None:
    assert await certificate_name(server.port, server_name) == "first"
    assert not await server.reload_if_changed()
    files.write("second")
    assert await server.reload_if_changed()
    assert await certificate_name(server.port, server_name) == "second"


async def test_a_damaged_certificate_is_not_taken_over(server: WebhookServer, files: Files) -> None:
    good = files.certificate.read_bytes()
    files.certificate.write_text("nonsense")
    assert not await server.reload_if_changed()
    assert await certificate_name(server.port, "x") == "first"
    files.certificate.unlink()
    assert not await server.reload_if_changed()
    files.certificate.write_bytes(good)
    assert await server.reload_if_changed()


async def test_a_certificate_without_its_key_is_not_taken_over(server: WebhookServer, files: Files) -> None:
    old_key = files.key.read_bytes()
    files.write("second")
    files.key.write_bytes(old_key)
    assert not await server.reload_if_changed()
    assert await certificate_name(server.port, "x") == "first"


async def test_a_missing_certificate_is_one_clear_sentence(tmp_path: Path) -> None:
    with pytest.raises(WebhookServerError, match=r"cannot use the certificate .*tls\.crt"):
        await WebhookServer("127.0.0.1", 0, tmp_path / "tls.crt", tmp_path / "tls.key").__aenter__()


async def test_a_port_in_use_is_one_clear_sentence(files: Files) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(WebhookServerError, match=rf"cannot listen on 127\.0\.0\.1:{port}: "):
            await WebhookServer("127.0.0.1", port, files.certificate, files.key).__aenter__()


async def test_the_files_are_looked_at_again_and_again(files: Files) -> None:
    class Impatient:
        """A clock whose sleep ends when the test lets it."""

        def __init__(self) -> None:
            self.ticks: asyncio.Queue[None] = asyncio.Queue()

        def now(self) -> datetime:
            return datetime(2026, 1, 31, tzinfo=UTC)

        def monotonic(self) -> float:
            return 0.0

        async def sleep(self, seconds: float) -> None:
            assert seconds == 10.0
            await self.ticks.get()

    clock = Impatient()
    async with WebhookServer(
        "127.0.0.1", 0, files.certificate, files.key, surroundings=Surroundings(clock=clock)
    ) as server:
        files.write("second")
        clock.ticks.put_nowait(None)
        async with asyncio.timeout(10):
            while await certificate_name(server.port, "x") != "second":
                continue
