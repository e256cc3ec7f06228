"""The embedded home's own certificate authority, its server certificate, and the admin's way in."""

from __future__ import annotations

import base64
import contextlib
import hmac
import ipaddress
import re
import secrets
import socket
import ssl
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import yaml
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from landform.embedded.access.keys import from_pem, new_key, to_pem
from landform.embedded.access.private_files import UnusableFile, read_or_create, write_private

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from cryptography.hazmat.primitives.asymmetric import ec

    from landform.kit.clocks import Clock

__all__ = ["Authority", "admin_kubeconfig", "server_names", "write_private"]

AUTHORITY_LIFETIME = timedelta(days=3650)
SERVER_LIFETIME = timedelta(days=365)
RENEW_BEFORE = timedelta(days=30)
"""The server certificate is replaced when it has less than this to live."""

# Clients whose clock is a little behind accept a new certificate at once.
_CLOCK_SKEW = timedelta(hours=1)

_DNS_NAME = re.compile(r"(\*\.)?[a-z0-9_]([-a-z0-9_]{0,61}[a-z0-9_])?(\.[a-z0-9_]([-a-z0-9_]{0,61}[a-z0-9_])?)*")
_TOKEN = re.compile(r"[A-Za-z0-9_-]{32,}")


@dataclass(frozen=True)
class Authority:
    """The certificate authority, the admin's token, and the folder that keeps both.

    A key and its certificate stand in one file, so there is no moment at which one is there without the other.
    """

    folder: Path
    clock: Clock = field(repr=False)
    certificate: x509.Certificate = field(repr=False)
    key: ec.EllipticCurvePrivateKey = field(repr=False)
    admin_token: str = field(repr=False)

    @classmethod
    def load_or_create(cls, folder: Path, clock: Clock) -> Authority:
        """What the folder holds; what is missing is made. UnusableFile if something in it is broken."""
        path = folder / "ca.pem"
        key, certificate = _parsed(read_or_create(path, lambda: _new_authority(clock.now())), path)
        _check_authority(certificate, path, clock.now())
        return cls(folder, clock, certificate, key, _admin_token(folder / "admin-token"))

    @property
    def ca(self) -> str:
        """The authority's certificate as PEM text; it is no secret."""
        return self.certificate.public_bytes(Encoding.PEM).decode("ascii")

    def is_admin_token(self, token: str) -> bool:
        """Whether this is the admin's token; takes the same time for every wrong one."""
        return hmac.compare_digest(token.encode("utf-8", "replace"), self.admin_token.encode())

    def server_ssl_context(self, names: Iterable[str]) -> ssl.SSLContext:
        """TLS for a server that is reached under these names and addresses (see `server_names`)."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.set_alpn_protocols(["http/1.1"])
        context.load_cert_chain(self._server_file(tuple(names)))
        return context

    def renew(self, context: ssl.SSLContext, names: Iterable[str]) -> None:
        """Give a running server a new certificate if its own ends soon; call this daily.

        Connections that exist keep the old one, new ones get the new one.
        """
        context.load_cert_chain(self._server_file(tuple(names)))

    def _server_file(self, names: tuple[str, ...]) -> Path:
        """The file with the server's key and certificate, written anew unless it still serves."""
        path = self.folder / "server.pem"
        wanted = _alternative_names(names)
        if not self._still_serves(path, wanted):
            write_private(path, self._new_server(wanted))
        return path

    def _still_serves(self, path: Path, wanted: x509.SubjectAlternativeName) -> bool:
        # Nobody but us depends on this file, so a broken one is simply replaced.
        try:
            _, certificate = _parsed(path.read_text("ascii"), path)
            certificate.verify_directly_issued_by(self.certificate)
            names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        except (OSError, ValueError, TypeError, InvalidSignature, UnusableFile, x509.ExtensionNotFound):
            return False
        now = self.clock.now()
        lives = certificate.not_valid_before_utc <= now <= certificate.not_valid_after_utc - RENEW_BEFORE
        return lives and names == wanted

    def _new_server(self, names: x509.SubjectAlternativeName) -> str:
        key, now = new_key(), self.clock.now()
        end = min(now + SERVER_LIFETIME, self.certificate.not_valid_after_utc)
        builder = (
            _builder("landform", self.certificate.subject, key.public_key(), now, end)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_key_usage(digital_signature=True), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(_issued_by(self.certificate), critical=False)
            .add_extension(names, critical=False)
        )
        return _pem(key, builder.sign(self.key, SHA256()))


def server_names(extra: Iterable[str] = ()) -> tuple[str, ...]:
    """The names under which a server on this machine is reached: loopback, its host name, and those given."""
    names = ["localhost", "127.0.0.1", "::1"]
    with contextlib.suppress(ValueError):
        # Some machines have host names that no certificate can carry; nobody can connect by such a name.
        host = socket.gethostname()
        _alternative_name(host)
        names.append(host)
    return tuple(dict.fromkeys([*names, *extra]))


def admin_kubeconfig(url: str, ca: str, token: str, namespace: str = "default") -> str:
    """A kubeconfig, as YAML, with which kubectl and others act as the admin. It is a secret: use `write_private`."""
    cluster = {"server": url, "certificate-authority-data": base64.b64encode(ca.encode()).decode()}
    context = {"cluster": "landform", "user": "landform-admin", "namespace": namespace}
    kubeconfig = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "landform", "cluster": cluster}],
        "users": [{"name": "landform-admin", "user": {"token": token}}],
        "contexts": [{"name": "landform", "context": context}],
        "current-context": "landform",
    }
    return str(yaml.safe_dump(kubeconfig, sort_keys=False))


def _new_authority(now: datetime) -> str:
    key = new_key()
    # Each authority has a name of its own, so a client that knows several is never led to the wrong one.
    name = f"landform authority {secrets.token_hex(4)}"
    builder = (
        _builder(name, None, key.public_key(), now, now + AUTHORITY_LIFETIME)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_key_usage(digital_signature=True, signs_certificates=True), critical=True)
    )
    return _pem(key, builder.sign(key, SHA256()))


def _builder(
    name: str, issuer: x509.Name | None, public_key: ec.EllipticCurvePublicKey, now: datetime, end: datetime
) -> x509.CertificateBuilder:
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer or subject)
        .public_key(public_key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _CLOCK_SKEW)
        .not_valid_after(end)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public_key), critical=False)
    )


def _key_usage(*, digital_signature: bool, signs_certificates: bool = False) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=digital_signature,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _issued_by(authority: x509.Certificate) -> x509.AuthorityKeyIdentifier:
    identifier = authority.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    return x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier)


def _pem(key: ec.EllipticCurvePrivateKey, certificate: x509.Certificate) -> str:
    return to_pem(key) + certificate.public_bytes(Encoding.PEM).decode("ascii")


def _parsed(text: str, path: Path) -> tuple[ec.EllipticCurvePrivateKey, x509.Certificate]:
    """Key and certificate of a file, which must belong together."""
    key = from_pem(text, path)
    try:
        certificate = x509.load_pem_x509_certificate(text.encode())
    except ValueError as error:
        raise UnusableFile.broken(path, "does not hold a readable certificate") from error
    if certificate.public_key() != key.public_key():
        raise UnusableFile.broken(path, "holds a key and a certificate that do not belong together")
    return key, certificate


def _check_authority(certificate: x509.Certificate, path: Path, now: datetime) -> None:
    begin, end = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    if not begin <= now <= end:
        raise UnusableFile(
            f"the certificate authority in {path} is valid from {begin:%Y-%m-%d} to {end:%Y-%m-%d}, and today is "
            f"{now:%Y-%m-%d}: set the clock, or delete the file to get a new authority and hand out new kubeconfigs"
        )


def _admin_token(path: Path) -> str:
    token = read_or_create(path, lambda: secrets.token_urlsafe(32) + "\n").strip()
    if not _TOKEN.fullmatch(token):
        raise UnusableFile.broken(path, "does not hold a token (one line, at least 32 letters, digits, '-' or '_')")
    return token


def _alternative_names(names: Iterable[str]) -> x509.SubjectAlternativeName:
    return x509.SubjectAlternativeName(dict.fromkeys(map(_alternative_name, names)))


def _alternative_name(name: str) -> x509.GeneralName:
    """The name or address as it stands in a certificate; ValueError if it cannot."""
    bare = name.removeprefix("[").removesuffix("]").partition("%")[0]
    try:
        return x509.IPAddress(ipaddress.ip_address(bare))
    except ValueError:
        pass
    try:
        ascii_name = name.rstrip(".").encode("idna").decode("ascii").lower()
    except UnicodeError:
        ascii_name = ""
    if not _DNS_NAME.fullmatch(ascii_name) or len(ascii_name) > 253:
        raise ValueError(f"{name!r} is neither an IP address nor a DNS name, so no certificate can be made for it")
    return x509.DNSName(ascii_name)
