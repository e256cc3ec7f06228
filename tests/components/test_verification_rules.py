"""What verification makes of signatures beyond the recorded ones: several of them, timestamps, old certificates."""

from __future__ import annotations

import base64
import datetime
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from tests.components.test_descriptors import minimal

from landform.components import certificates, normalisation, signatures, verification
from landform.components.errors import SignatureError
from landform.components.schemas import V2
from landform.components.signatures import TrustedKeys

if TYPE_CHECKING:
    from collections.abc import Mapping

KEY = rsa.generate_private_key(65537, 2048)
PUBLIC = (
    KEY.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()
)
START = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)
FIRST, LAST = "jsonNormalisation/v1", "jsonNormalisation/v3"


@dataclass(frozen=True)
class _Known:
    """Component versions whose resources all hold the same content."""

    descriptors: dict[str, dict[str, Any]]
    artifact: str | None = None

    def member(self, name: str, version: str) -> tuple[Mapping[str, Any], str]:
        return self.descriptors[name], V2

    async def artifact_digest(self, descriptor: Mapping[str, Any], resource: Mapping[str, Any]) -> str | None:
        return self.artifact

    async def content_hash(self, descriptor: Mapping[str, Any], resource: Mapping[str, Any], algorithm: str) -> str:
        return hashlib.new(algorithm, b"content").hexdigest()


def _digest(kind: str, value: str, algorithm: str = "SHA-256") -> dict[str, str]:
    return {"hashAlgorithm": algorithm, "normalisationAlgorithm": kind, "value": value}


def _hash(descriptor: dict[str, Any], algorithm: str) -> str:
    return hashlib.sha256(normalisation.normalise(descriptor, V2, algorithm)).hexdigest()


def _signature(name: str, algorithm: str, value: str) -> dict[str, Any]:
    signed = KEY.sign(bytes.fromhex(value), padding.PKCS1v15(), Prehashed(hashes.SHA256()))
    details = {
        "algorithm": "RSASSA-PKCS1-V1_5",
        "mediaType": "application/vnd.ocm.signature.rsa",
        "value": signed.hex(),
    }
    return {"name": name, "digest": _digest(algorithm, value), "signature": details}


def _shop_and_database() -> tuple[dict[str, Any], dict[str, Any]]:
    shop, database = minimal(), minimal()
    shop["component"]["resources"] = []
    database["component"].update(name="example.com/db", version="2.0.0", componentReferences=[], resources=[])
    return shop, database


def _signed_twice() -> dict[str, dict[str, Any]]:
    """Signed with two normalisations; the digest of the reference is stored as the last signature needs it."""
    shop, database = _shop_and_database()
    reference = shop["component"]["componentReferences"][0]
    shop["signatures"] = []
    for name, algorithm in (("first", FIRST), ("last", LAST)):
        reference["digest"] = _digest(algorithm, _hash(database, algorithm))
        shop["signatures"].append(_signature(name, algorithm, _hash(shop, algorithm)))
    return {"example.com/shop": shop, "example.com/db": database}


async def _verify(known: _Known, name: str) -> str:
    return await verification.verify(known, "example.com/shop", "1.0.0", name, TrustedKeys(PUBLIC))


@pytest.mark.parametrize("name", ["first", "last"])
async def test_each_of_two_signatures_with_different_algorithms_is_good(name: str) -> None:
    assert await _verify(_Known(_signed_twice()), name)


@pytest.mark.parametrize("name", ["first", "last"])
async def test_no_signature_is_good_when_the_referenced_component_was_changed(name: str) -> None:
    known = _signed_twice()
    known["example.com/db"]["component"]["provider"] = "somebody else"
    with pytest.raises(SignatureError):
        await _verify(_Known(known), name)


@pytest.mark.parametrize("access", ["none", "None"])
async def test_a_resource_without_content_needs_no_digest(access: str) -> None:
    shop, _ = _shop_and_database()
    shop["component"]["componentReferences"] = []
    resource = {**minimal()["component"]["resources"][0], "access": {"type": access}}
    shop["component"]["resources"] = [{**resource, "digest": _digest("genericBlobDigest/v1", "00")}]
    shop["signatures"] = [_signature("last", LAST, _hash(shop, LAST))]
    assert await _verify(_Known({"example.com/shop": shop}), "last")


async def test_a_digest_of_another_hash_does_not_fit_an_artifact() -> None:
    shop, _ = _shop_and_database()
    value = hashlib.sha256(b"manifest").hexdigest()
    resource = minimal()["component"]["resources"][0]
    shop["component"].update(
        componentReferences=[],
        resources=[{**resource, "digest": _digest("ociArtifactDigest/v1", value, "SHA-512")}],
    )
    shop["signatures"] = [_signature("last", LAST, _hash(shop, LAST))]
    with pytest.raises(ExceptionGroup) as caught:
        await _verify(_Known({"example.com/shop": shop}, artifact=f"sha256:{value}"), "last")
    assert f"(SHA-256:{value}) mismatches existing digest (SHA-512:{value})" in str(caught.value.exceptions[0])


@pytest.mark.parametrize("spoilt", ["{}\n", " {}", "{}0", "ä{}"])
def test_a_value_with_anything_but_hexadecimal_digits_is_refused(spoilt: str) -> None:
    signature = _signature("release", LAST, "00" * 32)
    signatures.check(signature, "00" * 32, TrustedKeys(PUBLIC))
    signature["signature"]["value"] = spoilt.format(signature["signature"]["value"])
    with pytest.raises(SignatureError, match="not hexadecimal"):
        signatures.check(signature, "00" * 32, TrustedKeys(PUBLIC))


def _in_pem_form(header: str) -> dict[str, Any]:
    signature = _signature("release", LAST, "00" * 32)
    encoded = base64.b64encode(bytes.fromhex(signature["signature"]["value"])).decode()
    block = f"-----BEGIN SIGNATURE-----\n{header}{encoded}\n-----END SIGNATURE-----\n"
    return {**signature, "signature": {**signature["signature"], "mediaType": "application/x-pem-file", "value": block}}


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Signature Algorithm: RSASSA-PKCS1-V1_5\n\n",
        "Signature Algorithm: \n",
        "Signature Algorithm:\nA: b\n",
        "A: b\n",
    ],
)
def test_a_block_may_name_the_algorithm_that_was_used(header: str) -> None:
    signatures.check(_in_pem_form(header), "00" * 32, TrustedKeys(PUBLIC))


def test_a_block_that_names_another_algorithm_is_refused() -> None:
    with pytest.raises(SignatureError, match="its block says RSASSA-PSS"):
        signatures.check(_in_pem_form("Signature Algorithm: RSASSA-PSS\n\n"), "00" * 32, TrustedKeys(PUBLIC))


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    "header",
    ["\n" * 100_000 + "!", "a:-----BEGIN SIGNATURE-----\n" * 10_000 + "!", f"Signature Algorithm: a{' ' * 100_000}b\n"],
    ids=["blanks", "beginnings", "blanks in a header"],
)
def test_a_block_that_was_made_to_hurt_is_refused_soon(header: str) -> None:
    with pytest.raises(SignatureError):
        signatures.check(_in_pem_form(header), "00" * 32, TrustedKeys(PUBLIC))


def _certificate(subject: str, issuer: str, *, days: tuple[int, int], is_authority: bool = True) -> x509.Certificate:
    """A certificate of the one key; who issued it is a matter of names here."""

    def name(text: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])

    begin, end = (START + datetime.timedelta(days=day) for day in days)
    builder = x509.CertificateBuilder(
        name(issuer), name(subject), KEY.public_key(), x509.random_serial_number(), begin, end
    )
    if is_authority:
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    else:
        builder = builder.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CODE_SIGNING]), critical=False)
    return builder.sign(KEY, hashes.SHA256())


ROOT = _certificate("root", "root", days=(-100, 1000))
LEAF = _certificate("leaf", "authority", days=(0, 30), is_authority=False)
EXPIRED = _certificate("authority", "root", days=(-100, -50))
RENEWED = _certificate("authority", "root", days=(-50, 500))


@pytest.mark.parametrize("between", [[EXPIRED, RENEWED], [RENEWED, EXPIRED]])
def test_the_renewed_certificate_of_an_authority_counts_beside_the_expired_one(between: list[x509.Certificate]) -> None:
    certificates.check_chain([LEAF, *between], [ROOT], None)


def test_an_expired_certificate_of_an_authority_alone_does_not_count() -> None:
    with pytest.raises(SignatureError, match="CN=authority was not valid at 2024-01-01"):
        certificates.check_chain([LEAF, EXPIRED], [ROOT], None)


def test_a_maze_of_certificates_is_left_soon() -> None:
    circle = [_certificate("authority", "authority", days=(-50, 500)) for _ in range(12)]
    with pytest.raises(SignatureError, match="more than 100 ways"):
        certificates.check_chain([LEAF, *circle], [ROOT], None)


@pytest.mark.parametrize(("time", "is_good"), [("2024-01-10T00:00:00Z", True), ("2024-03-01T00:00:00Z", False)])
def test_the_timestamp_of_a_signature_must_be_in_the_lifetime_of_its_certificate(time: str, is_good: bool) -> None:
    chain = b"".join(each.public_bytes(serialization.Encoding.PEM) for each in (LEAF, RENEWED)).decode()
    signature = {**_in_pem_form(""), "timestamp": {"value": "", "time": time}}
    signature["signature"]["value"] += chain
    keys = TrustedKeys(ca_certificate=ROOT.public_bytes(serialization.Encoding.PEM).decode())
    if is_good:
        signatures.check(signature, "00" * 32, keys)
    else:
        with pytest.raises(SignatureError, match="CN=leaf was not valid at 2024-03-01"):
            signatures.check(signature, "00" * 32, keys)
