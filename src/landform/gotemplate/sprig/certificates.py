"""Private keys and certificates."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from landform.gotemplate import budgets
from landform.gotemplate.errors import GoError
from landform.gotemplate.formatting import text_of
from landform.gotemplate.functions import Function, function
from landform.gotemplate.sprig.encodings import decode64
from landform.gotemplate.values import Object, decoded, encoded

if TYPE_CHECKING:
    from landform.gotemplate.sprig.surroundings import Surroundings

_CERTIFICATE = "sprig.certificate"
_FORMATS = {
    rsa.RSAPrivateKey: serialization.PrivateFormat.TraditionalOpenSSL,
    ec.EllipticCurvePrivateKey: serialization.PrivateFormat.TraditionalOpenSSL,
    dsa.DSAPrivateKey: serialization.PrivateFormat.TraditionalOpenSSL,
    ed25519.Ed25519PrivateKey: serialization.PrivateFormat.PKCS8,
}


@dataclass(frozen=True, slots=True)
class Certificate(Object):
    """A certificate and its key, both as PEM."""

    cert: str
    key: str

    go_type = _CERTIFICATE

    def fields(self) -> dict[str, Any]:
        return {"Cert": self.cert, "Key": self.key}


def _pem(key: Any) -> str:
    form = next(form for kind, form in _FORMATS.items() if isinstance(key, kind))
    return str(key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()).decode())


def _new_rsa(size: int) -> Any:
    return budgets.current().pause(lambda: rsa.generate_private_key(65537, size))


def private_key(kind: str) -> str:
    """A new private key as PEM."""
    match kind:
        case "" | "rsa":
            return _pem(_new_rsa(4096))
        case "dsa":
            return _pem(budgets.current().pause(lambda: dsa.generate_private_key(2048)))
        case "ecdsa":
            return _pem(ec.generate_private_key(ec.SECP256R1()))
        case "ed25519":
            return _pem(ed25519.Ed25519PrivateKey.generate())
    return f"Unknown type {kind}"


def _pem_type(text: str) -> str | None:
    """The type of the first PEM block."""
    _, begin, rest = text.partition("-----BEGIN ")
    name, end, rest = rest.partition("-----")
    return name if begin and end and f"-----END {name}-----" in rest else None


def load_key(text: str) -> Any:
    """The private key in a PEM text; GoError in sprig's words."""
    kind = _pem_type(text)
    if kind is None:
        raise GoError("no PEM data in input")
    if kind != "PRIVATE KEY" and not kind.endswith(" PRIVATE KEY"):
        raise GoError(f"no private key data in PEM block of type {kind}")
    if kind not in ("PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "DSA PRIVATE KEY"):
        raise GoError(f"invalid private key type {kind}")
    try:
        return serialization.load_pem_private_key(encoded(text), None)
    except (ValueError, TypeError) as error:
        what = "decoding PEM as PKCS#8" if kind == "PRIVATE KEY" else f"parsing {kind.split()[0]} private key from PEM"
        raise GoError(f"{what}: {error}") from None


def _given_key(text: str) -> Any:
    try:
        return load_key(text)
    except GoError as error:
        raise GoError(f"parsing private key: {error}") from None


def custom(certificate: str, key: str) -> Certificate:
    """A certificate and key from their base64."""
    try:
        certificate_pem = decoded(decode64(certificate))
    except GoError:
        raise GoError("unable to decode base64 certificate") from None
    try:
        key_pem = decoded(decode64(key))
    except GoError:
        raise GoError("unable to decode base64 private key") from None
    if _pem_type(certificate_pem) is None:
        raise GoError("unable to decode certificate")
    _load_certificate(certificate_pem, "decodedCert")
    try:
        load_key(key_pem)
    except GoError as error:
        raise GoError(f"error parsing private key: {error}") from None
    return Certificate(certificate_pem, key_pem)


def _load_certificate(text: str, what: str) -> x509.Certificate:
    try:
        return x509.load_pem_x509_certificate(encoded(text))
    except ValueError as error:
        raise GoError(f"error parsing certificate: {what}.Bytes: {error}") from None


def _addresses(ips: list[Any] | None) -> list[x509.GeneralName]:
    names: list[x509.GeneralName] = []
    for ip in ips or ():
        if not isinstance(ip, str):
            raise GoError(f"error parsing ip: {text_of(ip)} is not a string")
        try:
            names.append(x509.IPAddress(ipaddress.ip_address(ip)))
        except ValueError:
            raise GoError(f"error parsing ip: {ip}") from None
    return names


def _dns_names(names: list[Any] | None) -> list[x509.GeneralName]:
    for name in names or ():
        if not isinstance(name, str):
            raise GoError(f"error processing alternate dns name: {text_of(name)} is not a string")
    return [x509.DNSName(name) for name in names or ()]


class Issuer:
    """Makes certificates; needs the time and chance."""

    def __init__(self, surroundings: Surroundings) -> None:
        self._surroundings = surroundings

    def _builder(self, name: str, ips: Any, dns: Any, days: int, key: Any, *, ca: bool) -> x509.CertificateBuilder:
        alternatives = _addresses(ips)
        alternatives = _dns_names(dns) + alternatives
        now = datetime.fromtimestamp(self._surroundings.now() // 1_000_000_000, UTC)
        serial = int.from_bytes(self._surroundings.random(16), "big") >> 1 or 1
        builder = (
            x509.CertificateBuilder()
            .subject_name(_named(name))
            .serial_number(serial)
            .not_valid_before(now)
            .not_valid_after(_later(now, days))
            .public_key(key.public_key())
            .add_extension(_usage(ca), critical=True)
            .add_extension(
                x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]), False
            )
            .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
        )
        if ca:
            builder = builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)
        return builder.add_extension(x509.SubjectAlternativeName(alternatives), False) if alternatives else builder

    def authority(self, name: str, days: int, key: str | None = None) -> Certificate:
        """A new certificate authority."""
        private = _new_rsa(2048) if key is None else _given_key(key)
        builder = self._builder(name, None, None, days, private, ca=True)
        return _signed(builder.issuer_name(_named(name)), private, private)

    def self_signed(self, name: str, ips: Any, dns: Any, days: int, key: str | None = None) -> Certificate:
        """A certificate that vouches for itself."""
        private = _new_rsa(2048) if key is None else _given_key(key)
        builder = self._builder(name, ips, dns, days, private, ca=False)
        return _signed(builder.issuer_name(_named(name)), private, private)

    def signed(
        self, name: str, ips: Any, dns: Any, days: int, authority: Certificate, key: str | None = None
    ) -> Certificate:
        """A certificate that an authority vouches for."""
        private = _new_rsa(2048) if key is None else _given_key(key)
        if _pem_type(authority.cert) is None:
            raise GoError("unable to decode certificate")
        parent = _load_certificate(authority.cert, "decodedSignerCert")
        try:
            signer = load_key(authority.key)
        except GoError as error:
            raise GoError(f"error parsing private key: {error}") from None
        builder = self._builder(name, ips, dns, days, private, ca=False).issuer_name(parent.subject)
        try:
            identifier = parent.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
        except x509.ExtensionNotFound:
            return _signed(builder, private, signer)
        own = x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier)
        return _signed(builder.add_extension(own, False), private, signer)


def _later(now: datetime, days: int) -> datetime:
    try:
        return now + timedelta(days=days)
    except OverflowError:
        raise GoError("error creating certificate: the validity ends beyond the year 9999") from None


def _named(name: str) -> x509.Name:
    try:
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name, _validate=False)] if name else [])
    except ValueError as error:
        raise GoError(f"error creating certificate: {error}") from None


def _usage(ca: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=True,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=ca,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )


def _signed(builder: x509.CertificateBuilder, key: Any, signer: Any) -> Certificate:
    algorithm = None if isinstance(signer, ed25519.Ed25519PrivateKey) else hashes.SHA256()
    if isinstance(signer, dsa.DSAPrivateKey):
        raise GoError("error creating certificate: x509: only RSA, ECDSA and Ed25519 keys supported")
    try:
        certificate = builder.sign(signer, algorithm)
    except (ValueError, TypeError) as error:
        raise GoError(f"error creating certificate: {error}") from None
    return Certificate(certificate.public_bytes(serialization.Encoding.PEM).decode(), _pem(key))


def certificates(surroundings: Surroundings) -> dict[str, Function]:
    """The functions by name."""
    issuer = Issuer(surroundings)
    return {
        "genPrivateKey": function("string -> string", private_key),
        "buildCustomCert": function("string, string", custom),
        "genCA": function("string, int", issuer.authority),
        "genCAWithKey": function("string, int, string", issuer.authority),
        "genSelfSignedCert": function("string, list, list, int", issuer.self_signed),
        "genSelfSignedCertWithKey": function("string, list, list, int, string", issuer.self_signed),
        "genSignedCert": function(f"string, list, list, int, {_CERTIFICATE}", issuer.signed),
        "genSignedCertWithKey": function(f"string, list, list, int, {_CERTIFICATE}, string", issuer.signed),
    }
