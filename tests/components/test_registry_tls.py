"""The recorded registry behind TLS and basic authentication, with a certificate authority of our own."""

from __future__ import annotations

import datetime
import ipaddress
import json
import ssl
from typing import TYPE_CHECKING, Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tests.components.static_registry import GOLDEN, StaticRegistry, expected
from tests.components.test_golden_storage import compare

from landform.components import ocmconfigs
from landform.components.errors import ComponentError
from landform.components.overwrites import ComponentReference
from landform.components.resolving import ComponentContext
from landform.kit import yamls

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from landform.components.opening import Opener
    from landform.components.resolving import Resolver

    Openers = Callable[..., AbstractAsyncContextManager[Opener]]
    Resolvers = Callable[..., AbstractAsyncContextManager[Resolver]]

PASSWORD = "golden-user:golden-pass"


def make_certificate(folder: Path) -> tuple[ssl.SSLContext, str]:
    """A server's TLS with a certificate for this machine, and the authority to trust, which is the same certificate."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "registry of a test")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "server.pem").write_bytes(pem + private)
    (folder / "ca.pem").write_bytes(pem)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(folder / "server.pem")
    return context, pem.decode()


def tls_config(name: str, port: int, authority: str) -> ocmconfigs.OcmConfig:
    recorded = json.dumps((GOLDEN / "config/registry-ca.pem").read_text())
    value = yamls.load((GOLDEN / "config" / name).read_text())
    text = json.dumps(value).replace("15443", str(port)).replace(recorded, json.dumps(authority))
    return ocmconfigs.parse(text)


def _cases() -> list[dict[str, Any]]:
    return list(json.loads((GOLDEN / "config/registry-access-cases.json").read_bytes()))


@pytest.mark.parametrize("case", _cases(), ids=lambda case: f"{case['config']}-{case['caInSystemPool']}")
async def test_access_is_given_as_recorded(case: dict[str, Any], resolver: Resolvers, tmp_path: Path) -> None:
    tls, authority = make_certificate(tmp_path)
    ca_file = tmp_path / "ca.pem" if case["caInSystemPool"] else None
    async with StaticRegistry(password=PASSWORD).load("tls").serve(tls) as registry, resolver(ca_file=ca_file) as it:
        config = tls_config(case["config"], int(registry.url.rpartition(":")[2]), authority)
        context = ComponentContext({"type": "OCIRegistry", "baseUrl": f"{registry.url}/secure"}, config)
        reference = ComponentReference(*case["componentVersion"].rsplit(":", 1))
        if case["exit"] == 0:
            assert (await it.resolve(reference, context)).name == reference.name
        else:
            with pytest.raises(ComponentError) as caught:
                await it.resolve(reference, context)
            assert "golden-pass" not in str(caught.value)


async def test_component_versions_read_over_tls_as_recorded(opener: Openers, tmp_path: Path) -> None:
    """Everything that the plain registry is asked for too; artifacts that lie there are fetched from it."""
    tls, authority = make_certificate(tmp_path)
    recorded = expected("oci-tls")
    async with (
        StaticRegistry(password=PASSWORD).load("tls").serve(tls) as registry,
        StaticRegistry().load("plain").serve() as plain,
    ):
        config = tls_config("t-good.ocmconfig", int(registry.url.rpartition(":")[2]), authority)
        async with opener(plain.url, consumers=config.consumers) as opened:
            spec = {"type": "OCIRegistry", "baseUrl": registry.url, "subPath": "secure"}
            repository = await opened.repository(spec)
            for case in recorded["cases"]:
                await compare(opened, repository, case)
