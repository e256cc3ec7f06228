"""Certificate chains of signatures: whether a chain leads to a trusted authority and may sign code."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.x509.oid import ExtendedKeyUsageOID, ExtensionOID

from landform.components.errors import ConfigurationError, SignatureError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cryptography.x509 import Certificate

E = TypeVar("E", bound=x509.ExtensionType)

_LONGEST_CHAIN = 10
_MOST_CHECKS = 100
_WEAK_HASHES = ("md5", "sha1")
_UNDERSTOOD = frozenset(
    {
        ExtensionOID.BASIC_CONSTRAINTS,
        ExtensionOID.KEY_USAGE,
        ExtensionOID.EXTENDED_KEY_USAGE,
        ExtensionOID.SUBJECT_ALTERNATIVE_NAME,
        ExtensionOID.SUBJECT_KEY_IDENTIFIER,
        ExtensionOID.AUTHORITY_KEY_IDENTIFIER,
    }
)
_SIGNING = (ExtendedKeyUsageOID.CODE_SIGNING, ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE)


def read_authorities(pem: str) -> list[Certificate]:
    """The certificates of a text in PEM form that is trusted."""
    try:
        return x509.load_pem_x509_certificates(pem.encode())
    except ValueError as error:
        raise ConfigurationError("the CA certificate for signatures is not a certificate in PEM form") from error


def check_chain(chain: Sequence[Certificate], authorities: Sequence[Certificate], moment: datetime | None) -> None:
    """Raise SignatureError unless the first certificate may sign code and leads to an authority.

    The time that counts is that of the signature, or else the moment from which on the first certificate is valid:
    a signature does not become wrong when the certificate expires.
    """
    when = moment or chain[0].not_valid_before_utc
    refusal: SignatureError | None = None
    for path in _Search(list(chain[1:]), list(authorities)).paths([chain[0]]):
        try:
            return _check_path(path, when)
        except SignatureError as error:
            refusal = refusal or error
    if refusal is not None:
        raise refusal
    subject = chain[0].subject.rfc4514_string()
    raise SignatureError(f"the certificate of the signer ({subject}) is signed by an unknown authority")


def _check_path(path: Sequence[Certificate], when: datetime) -> None:
    for depth, certificate in enumerate(path):
        _check_certificate(certificate, when)
        if depth > 0:
            _check_authority(certificate, depth)


@dataclass
class _Search:
    """Looks for ways to an authority: a key may have several certificates, and some of them may lead nowhere."""

    others: list[Certificate]
    authorities: list[Certificate]
    checks: int = 0
    """How many signatures were checked; whoever sends certificates could make us check for ever."""

    def paths(self, path: list[Certificate]) -> Iterator[list[Certificate]]:
        """All ways that begin with this one."""
        if path[-1] in self.authorities:
            yield path
        for authority in self.authorities:
            if authority not in path and self._issued(path[-1], authority):
                yield [*path, authority]
        if len(path) < _LONGEST_CHAIN:
            for issuer in self.others:
                if issuer not in path and issuer not in self.authorities and self._issued(path[-1], issuer):
                    yield from self.paths([*path, issuer])

    def _issued(self, certificate: Certificate, issuer: Certificate) -> bool:
        weak = certificate.signature_hash_algorithm
        if certificate.issuer != issuer.subject or (weak is not None and weak.name in _WEAK_HASHES):
            return False
        self.checks += 1
        if self.checks > _MOST_CHECKS:
            raise SignatureError(f"the certificates of the signer have more than {_MOST_CHECKS} ways to an authority")
        try:
            certificate.verify_directly_issued_by(issuer)
        except (ValueError, TypeError, InvalidSignature):
            return False
        return True


def _check_certificate(certificate: Certificate, when: datetime) -> None:
    subject = certificate.subject.rfc4514_string()
    if not certificate.not_valid_before_utc <= when <= certificate.not_valid_after_utc:
        raise SignatureError(f"the certificate {subject} was not valid at {when.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC")
    try:
        extensions = certificate.extensions
    except ValueError as error:
        raise SignatureError(f"the certificate {subject} has extensions that cannot be read") from error
    for extension in extensions:
        if extension.critical and extension.oid not in _UNDERSTOOD:
            raise SignatureError(f"the certificate {subject} has a critical extension that is not understood")
    usage = _extension(certificate, x509.ExtendedKeyUsage)
    if usage is not None and not any(purpose in usage for purpose in _SIGNING):
        raise SignatureError(f"the certificate {subject} is not meant for signing code")


def _check_authority(certificate: Certificate, depth: int) -> None:
    subject = certificate.subject.rfc4514_string()
    constraints = _extension(certificate, x509.BasicConstraints)
    if constraints is None or not constraints.ca:
        raise SignatureError(f"the certificate {subject} is not that of an authority")
    if constraints.path_length is not None and depth - 1 > constraints.path_length:
        raise SignatureError(f"the certificate {subject} allows no chain as long as this one")
    usage = _extension(certificate, x509.KeyUsage)
    if usage is not None and not usage.key_cert_sign:
        raise SignatureError(f"the certificate {subject} may not sign certificates")


def _extension(certificate: Certificate, kind: type[E]) -> E | None:
    try:
        return certificate.extensions.get_extension_for_class(kind).value
    except x509.ExtensionNotFound:
        return None
