"""Certificates that a document creates are real ones. What they say is compared with the original by golden cases."""

from __future__ import annotations

import base64
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.x509.verification import PolicyBuilder, Store
from hypothesis import given
from hypothesis import strategies as st

from landform.spiff import SpiffError, evaluate
from landform.spiff.dates import date_text, parse_date

CHAIN = """
keys:
  ca: (( x509genkey("P384") ))
  server: (( x509genkey("P256") ))
ca: (( x509cert(authority) ))
authority:
  privateKey: (( keys.ca ))
  commonName: authority
  isCA: true
  usage: [CRLSign]
server:
  privateKey: (( keys.server ))
  caCert: (( ca ))
  caPrivateKey: (( keys.ca ))
  organization: shop
  commonName: server
  hosts: [shop.example.org, 10.0.0.1]
  usage: [ServerAuth, Signature]
cert: (( x509cert(server) ))
"""


def load(pem: str) -> x509.Certificate:
    """A certificate of a result."""
    return x509.load_pem_x509_certificate(pem.encode())


def block(data: bytes) -> str:
    """Anything in the clothes of a certificate."""
    text = base64.b64encode(data).decode("ascii")
    return f"-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n"


def created(**fields: Any) -> x509.Certificate:
    """A certificate with those fields, signed by a new key of its own."""
    template = 'key: (( x509genkey("P256") ))\nout: (( x509cert(fields { "privateKey" = key }) ))\n'
    return load(evaluate(template, values={"fields": fields}).result["out"])


def extension(cert: x509.Certificate, kind: type[x509.ExtensionType]) -> tuple[Any, bool]:
    """An extension and whether it is critical."""
    found = cert.extensions.get_extension_for_class(kind)
    return found.value, found.critical


def test_a_client_trusts_a_server_whose_certificate_the_ca_signed() -> None:
    result = evaluate(CHAIN).result
    ca, server = load(result["ca"]), load(result["cert"])
    server.verify_directly_issued_by(ca)
    ca.verify_directly_issued_by(ca)
    policy = PolicyBuilder().store(Store([ca])).build_server_verifier(x509.DNSName("shop.example.org"))
    assert policy.verify(server, []) == [server, ca]


def test_the_certificate_belongs_to_the_key() -> None:
    result = evaluate(CHAIN).result
    key = serialization.load_pem_private_key(result["keys"]["server"].encode(), None)
    assert load(result["cert"]).public_key() == key.public_key()


def test_a_public_key_is_enough_if_a_ca_signs() -> None:
    template = CHAIN.replace("privateKey: (( keys.server ))", "publicKey: (( x509publickey(keys.server) ))")
    result = evaluate(template).result
    load(result["cert"]).verify_directly_issued_by(load(result["ca"]))


@pytest.mark.parametrize("kind", ['"P224"', '"P256"', '"P384"', '"P521"', "2048"])
def test_every_kind_of_key_can_sign(kind: str) -> None:
    result = evaluate(CHAIN.replace('"P384"', kind)).result
    load(result["cert"]).verify_directly_issued_by(load(result["ca"]))


def test_an_rsa_public_key_in_its_own_format_is_read() -> None:
    template = CHAIN.replace('"P256"', "2048").replace("privateKey: (( keys.server ))", "publicKey: (( public ))")
    result = evaluate(template + "public: (( x509publickey(keys.server) ))\n").result
    assert result["public"].startswith("-----BEGIN RSA PUBLIC KEY-----")
    load(result["cert"]).verify_directly_issued_by(load(result["ca"]))


def test_the_start_is_now_and_the_end_a_year_later() -> None:
    cert = created(commonName="x")
    assert abs(cert.not_valid_before_utc - datetime.now(UTC)) < timedelta(minutes=5)
    assert cert.not_valid_after_utc - cert.not_valid_before_utc == timedelta(days=365)


def test_validity_is_counted_from_now() -> None:
    template = (
        'key: (( x509genkey("P256") ))\nspec:\n  privateKey: (( key ))\n  validity: 48\n'
        "left: (( x509parsecert(x509cert(spec)).validity ))\n"
    )
    assert evaluate(template).result["left"] == 47


def test_no_two_certificates_have_the_same_number() -> None:
    assert created(commonName="x").serial_number != created(commonName="x").serial_number


def test_hosts_may_only_be_ignored_if_there_is_another_name() -> None:
    assert extension(created(hosts=["a.b"]), x509.SubjectAlternativeName)[1]
    assert not extension(created(hosts=["a.b"], commonName="x"), x509.SubjectAlternativeName)[1]


def test_only_a_ca_names_its_key() -> None:
    extension(created(isCA=True), x509.SubjectKeyIdentifier)
    with pytest.raises(x509.ExtensionNotFound):
        extension(created(), x509.SubjectKeyIdentifier)


def test_a_signed_certificate_names_the_key_of_its_ca() -> None:
    result = evaluate(CHAIN).result
    own, _ = extension(load(result["ca"]), x509.SubjectKeyIdentifier)
    authority, _ = extension(load(result["cert"]), x509.AuthorityKeyIdentifier)
    assert authority.key_identifier == own.digest


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"country": "Germany"}, "2"),
        ({"validity": -1}, "The not valid after date must be after the not valid before date"),
        ({"validity": 2**62}, ""),
        ({"validFrom": "Jan 1 00:00:00 1900"}, "1950 January 1"),
        ({"hosts": ["grüße.example.org"]}, ""),
        ({"usage": ["EncipherOnly"]}, "key_agreement"),
        ({"organization": ["a", "a"]}, ""),
    ],
    ids=str,
)
def test_what_no_certificate_may_say_is_an_error(fields: dict[str, Any], reason: str) -> None:
    with pytest.raises(SpiffError, match=rf"Failed to create certificate: .*{re.escape(reason)}"):
        created(**fields)


def test_a_certificate_with_an_unknown_kind_of_key_is_an_error() -> None:
    key = ed25519.Ed25519PrivateKey.generate()
    name = x509.Name([])
    start = datetime(2024, 1, 1, tzinfo=UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, start, start + timedelta(days=1))
    pem = builder.sign(key, None).public_bytes(serialization.Encoding.PEM).decode()
    with pytest.raises(SpiffError, match="unknown type of public key; supported are RSA and ECDSA"):
        evaluate("out: (( x509parsecert(pem) ))\n", values={"pem": pem})


@given(st.datetimes().map(lambda date: date.replace(microsecond=0, tzinfo=UTC)))
def test_a_date_survives_being_written_and_read(date: datetime) -> None:
    assert parse_date(date_text(date)) == date


@given(st.text())
def test_any_other_text_is_no_date(text: str) -> None:
    with pytest.raises(ValueError, match="parsing time"):
        parse_date(text)


@given(st.text() | st.binary().map(block))
def test_any_text_is_a_certificate_or_an_error(text: str) -> None:
    with pytest.raises(SpiffError, match="must be a certificate in pem format"):
        evaluate("out: (( x509parsecert(pem) ))\n", values={"pem": text})
